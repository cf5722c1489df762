// SPDX-License-Identifier: GPL-2.0-or-later
/* Building everything up in order, and taking it down in the opposite one. */
#include "app/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <sysexits.h>

#include "app/journal.h"
#include "app/postbox.h"
#include "base/log.h"
#include "conf/conf.h"
#include "model/model.h"
#include "policy/policy.h"
#include "sys/resident.h"
#include "sys/slice.h"

#define SOCKET_NAME "org.pcpu-reclaimd"

/* --- what is watched --- */

static u64 root_cgroup_id(const struct pcr_app *app)
{
	struct stat st;

	return app->root.cgroup_fd >= 0 && fstat(app->root.cgroup_fd, &st) == 0 ? st.st_ino : 1;
}

static int open_root(struct pcr_app *app)
{
	int r = pcr_root_open(&app->root, app->args.root);

	if (r < 0) {
		pcr_log_err("%s: %s", app->args.root, strerror(-r));
		return r;
	}
	r = pcr_root_find_cgroups(&app->root);
	if (r < 0)
		pcr_log_err("cgroup mounts can't be found: %s",
			    r == -EXDEV ? "a symbolic link leads out of --root" : strerror(-r));
	/* Degraded rather than failed: status and doctor say what is missing. */
	if (app->root.mode == PCR_CGROUP_NONE)
		pcr_log_warning("no cgroup mount with the memory controller: percpu trim only");
	return r < 0 ? r : 0;
}

static void open_lifecycle(struct pcr_app *app)
{
	int r;

	if (app->root.cgroup_fd < 0)
		return;
	r = pcr_lifecycle_open(&app->root, &app->st, &app->set, &app->lc);
	if (r < 0)
		pcr_log_err("cgroups can't be watched: %s; percpu trim only", strerror(-r));
	else if (app->lc && *pcr_lifecycle_why(app->lc) && !app->lc->degraded)
		/* Otherwise it has said so itself. */
		pcr_log_notice("watching cgroups by %s: %s",
			       pcr_source_name(pcr_lifecycle_source(app->lc)),
			       pcr_lifecycle_why(app->lc));
}

/* After the lifecycle, which has walked the tree and tells of what changes in it. */
static void open_memevents(struct pcr_app *app)
{
	int r = app->lc ? pcr_memevents_open(&app->root, &app->st, &app->set, &app->memevents) : 0;

	if (r < 0)
		pcr_log_err("memory.events can't be watched: %s", strerror(-r));
}

static void batch_appeared(void *data)
{
	struct pcr_app *app = data;

	pcr_batch_cgroups_rematch(&app->batch_cgroups);
}

static void open_batch_cgroups(struct pcr_app *app)
{
	int r;

	app->batch_cgroups = (struct pcr_batch_cgroups){
		.root = &app->root, .st = &app->st, .set = &app->set,
	};
	r = app->lc ? pcr_batch_cgroups_open(&app->batch_cgroups, app->runtime) : 0;
	if (r < 0)
		pcr_log_err("BatchFree= of policies is without effect: %s/batch-off: %s",
			    app->runtime, strerror(-r));
}

static void forewarn(void *data, const struct pcr_forecast *forecast)
{
	struct pcr_app *app = data;

	pcr_journal_forecast(forecast, app->set, pcr_now_usec());
}

static void open_crank(struct pcr_app *app)
{
	struct pcr_crank *c = &app->crank;

	c->root = &app->root;
	c->st = &app->st;
	c->set = &app->set;
	c->ledger = &app->ledger;
	c->record = pcr_app_record;
	c->forewarn = forewarn;
	c->data = app;
	c->poll_usec = PCR_NEVER;
	app->batch = (struct pcr_batch_watch){
		.root = &app->root, .st = &app->st, .set = &app->set, .kept = &app->kept,
		.record = pcr_app_record, .data = app,
	};
	c->collapse_notify = pcr_app_worker_notify;
	pcr_crank_probe(c);
	pcr_batch_open(&app->batch);
	app->batch.appeared = batch_appeared;
	pcr_sampler_percpu(&c->sampler, pcr_now_usec());
	pcr_sampler_footprint(&c->sampler, pcr_now_usec());
	pcr_crank_adopt(c);
	app->st.root_sample_usec = 0;
	if (app->root.cgroup_fd >= 0)
		pcr_sampler_search(&c->sampler);
}

/* --- the socket --- */

static int inherited_socket(void)
{
	int n = sd_listen_fds(1);

	return n >= 1 && sd_is_socket_unix(SD_LISTEN_FDS_START, SOCK_STREAM, 1, NULL, 0) > 0 ?
		       SD_LISTEN_FDS_START : -1;
}

static void open_server(struct pcr_app *app)
{
	char path[300];
	int r;

	app->view = (struct pcr_view){
		.settings = app->set, .state = &app->st, .health = &app->health,
		.ops = &pcr_app_ops, .data = app,
	};
	snprintf(path, sizeof(path), "%s/" SOCKET_NAME, app->runtime);
	r = pcr_server_open(&app->server, app->loop, inherited_socket(), path,
			    app->set->daemon.socket_group, &app->view);
	if (r < 0)
		pcr_log_err("%s: %s; working without a control socket", path, strerror(-r));
}

/* --- all of it --- */

static int load_settings(struct pcr_app *app)
{
	char *errors = NULL;
	int r = pcr_app_load(app, &errors);

	if (errors && *errors)
		pcr_journal_message(r < 0 ? 3 : 4, PCR_MSG_SETTINGS, errors);
	free(errors);
	if (r < 0)
		pcr_log_err("not started: the settings above are refused");
	return r;
}

static int open_state(struct pcr_app *app)
{
	app->loop = ev_default_loop(EVFLAG_NOENV);
	return app->loop ? pcr_state_init(&app->st, root_cgroup_id(app)) : -EMFILE;
}

int pcr_app_open(struct pcr_app *app, const struct pcr_args *args)
{
	int r;

	*app = (struct pcr_app){ .args = *args, .lock_fd = -1 };
	app->root.fd = app->root.cgroup_fd = -1;
	pcr_journal_open(6, !args->root || !strcmp(args->root, "/"));
	/* khugepaged would make resident what was never touched. */
	(void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	/* An event is to be answered soon, and takes a fraction of a millisecond. */
	(void)pcr_short_slices();

	if (open_root(app) < 0)
		return EX_OSFILE;
	/* A recorded machine is in no need of it. */
	if (app->root.live)
		app->resident_err = pcr_stay_resident();
	if (load_settings(app) < 0)
		return EX_CONFIG;
	pcr_journal_level(app->set->daemon.log_level);
	if (pcr_app_runtime_open(app) < 0)
		return EX_CANTCREAT;
	r = open_state(app);
	if (r < 0) {
		pcr_log_err("not started: %s", strerror(-r));
		return EX_OSERR;
	}
	pcr_app_history_load(app);
	pcr_app_health_init(app);
	open_crank(app);
	pcr_app_notes(&app->root, app->set, pcr_app_log_note);
	pcr_postbox_start();
	pcr_app_history_start(app);
	open_lifecycle(app);
	open_memevents(app);
	open_batch_cgroups(app);
	r = pcr_app_wire(app);
	if (r < 0) {
		pcr_log_err("not started: no worker thread: %s", strerror(-r));
		return EX_OSERR;
	}
	pcr_app_pressure_open(app);
	open_server(app);
	pcr_app_health(app);
	return 0;
}

void pcr_app_close(struct pcr_app *app)
{
	app->server = pcr_server_close(app->server);
	pcr_app_pressure_close(app);
	pcr_app_unwire(app);
	app->memevents = pcr_memevents_close(app->memevents);
	pcr_batch_cgroups_close(&app->batch_cgroups);
	if (app->crank.ledger)
		pcr_batch_close(&app->batch);
	app->lc = pcr_lifecycle_close(app->lc);
	/*
	 * What the worker did last is not lost: the ledger knew before it was done. A
	 * start that was refused half way has no crank, and nothing of its own to put
	 * back: another daemon may hold the settings.
	 */
	if (app->crank.ledger)
		pcr_crank_restore(&app->crank);
	if (app->crank.ledger)
		pcr_batch_workers_restore(&app->batch);
	pcr_app_history_stop(app);
	pcr_state_clear(&app->st);
	pcr_root_close(&app->root);
	pcr_settings_free(app->settings);
	pcr_app_runtime_close(app);
	if (app->loop)
		ev_loop_destroy(app->loop);
	pcr_postbox_stop();
}
