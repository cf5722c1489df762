// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop. Callbacks only take in what came and ask for a turn; one turn, just
 * before the loop goes to sleep, does the rest for all of them together.
 */
#include "app/app.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/log.h"
#include "loop/reader.h"
#include "model/model.h"

/* Fewer nodes than this, some 15 kB, are not worth a look at the heap. */
#define GIVE_BACK_MIN 128
/* Nor is what a handful of callers leaves. */
#define CROWD 8

void pcr_app_kick(struct pcr_app *app)
{
	app->kicked = true;
	/* Also when nobody waits in the loop yet, or a turn is being taken right now. */
	if (!ev_is_active(&app->due) || ev_timer_remaining(app->loop, &app->due) > 0.) {
		ev_timer_stop(app->loop, &app->due);
		ev_timer_set(&app->due, 0., 0.);
		ev_timer_start(app->loop, &app->due);
	}
}

/* libev works with its own idea of now, which is old after a long turn. */
static void arm(struct pcr_app *app, u64 now, u64 next)
{
	ev_timer_stop(app->loop, &app->due);
	if (next == PCR_NEVER)
		return;
	ev_now_update(app->loop);
	ev_timer_set(&app->due, (double)pcr_sub_u64(next, now) / (double)PCR_SEC, 0.);
	ev_timer_start(app->loop, &app->due);
}

/*
 * After a storm the heap is full of holes that malloc keeps. Each time half of the
 * cgroups are gone, and when it is over, it gives them back: a handful of calls,
 * however long the storm.
 */
static void give_back(struct pcr_app *app, bool over)
{
	u32 n = app->st.tree.n;

	if (n > app->most_nodes)
		app->most_nodes = n;
	if (app->most_nodes - n < GIVE_BACK_MIN || (!over && n > app->most_nodes / 2))
		return;
	malloc_trim(0);
	app->most_nodes = n;
}

/* The same after a crowd at the socket: each left a message's and an answer's room behind. */
static void give_back_peers(struct pcr_app *app)
{
	u32 n = app->server ? pcr_server_peers(app->server) : 0;

	if (n > app->most_peers)
		app->most_peers = n;
	if (app->most_peers - n < CROWD || n > app->most_peers / 2)
		return;
	malloc_trim(0);
	app->most_peers = n;
}

static void turn(struct pcr_app *app)
{
	u64 now = pcr_now_usec();
	bool more = app->lc && pcr_lifecycle_tick(app->lc, now) == PCR_PART;
	u64 next, pressure;

	/* Nothing is decided until every cgroup has its policy: one may keep hands off it. */
	if (pcr_app_rematch(app)) {
		arm(app, now, now);
		return;
	}
	pcr_app_pressure_fetch(app, now);
	pressure = pcr_app_pressure_rearm(app, now);
	more |= pcr_memevents_tick(app->memevents, now) == PCR_PART;
	if (app->batch.news)
		pcr_batch_cgroups_retry(&app->batch_cgroups, now);
	pcr_batch_tick(&app->batch, now);
	next = pcr_min_u64(pcr_crank_turn(&app->crank, now), pcr_memevents_due(app->memevents));
	next = pcr_min_u64(next, pcr_batch_due(&app->batch));
	if (app->lc)
		next = pcr_min_u64(next, pcr_lifecycle_due(app->lc));
	give_back(app, next == PCR_NEVER);
	pcr_app_history_tick(app);
	next = pcr_min_u64(next, pressure);
	pcr_app_health_turn(app);
	pcr_app_notify_status(app);
	arm(app, pcr_now_usec(), more || app->backlog ? 0 : next);
}

static void on_prepare(struct ev_loop *loop, ev_prepare *w, int revents)
{
	struct pcr_app *app = w->data;
	u64 lag;

	if (app->kicked) {
		app->kicked = false;
		turn(app);
	}
	if (pcr_recorder_waits(&app->recorder))
		pcr_server_notify_trace(app->server);
	give_back_peers(app);
	lag = pcr_sub_u64(pcr_now_usec(), app->turn_start_usec);
	if (app->turn_start_usec && lag > app->health.loop_lag_max_usec)
		app->health.loop_lag_max_usec = lag;
}

static void on_check(struct ev_loop *loop, ev_check *w, int revents)
{
	struct pcr_app *app = w->data;

	app->turn_start_usec = pcr_now_usec();
	app->health.wakeups++;
}

static void on_lifecycle(struct ev_loop *loop, ev_io *w, int revents)
{
	struct pcr_app *app = w->data;

	app->backlog = pcr_lifecycle_ready(app->lc) == PCR_PART;
	app->kicked = true;
}

static void on_memevents(struct ev_loop *loop, ev_io *w, int revents)
{
	struct pcr_app *app = w->data;

	pcr_memevents_ready(app->memevents, pcr_now_usec());
	app->kicked = true;
}

static void on_batch(struct ev_loop *loop, ev_io *w, int revents)
{
	struct pcr_app *app = w->data;

	pcr_batch_ready(&app->batch, pcr_now_usec());
	app->kicked = true;
}

static void on_due(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct pcr_app *app = w->data;

	if (app->backlog)
		app->backlog = pcr_lifecycle_ready(app->lc) == PCR_PART;
	app->kicked = true;
}

static void on_async(struct ev_loop *loop, ev_async *w, int revents)
{
	struct pcr_app *app = w->data;

	app->kicked = true;
}

static void on_emptied(struct ev_loop *loop, ev_timer *w, int revents)
{
	pcr_app_runtime_again(w->data);
}

static void on_watchdog(struct ev_loop *loop, ev_timer *w, int revents)
{
	sd_notify(0, "WATCHDOG=1");
}

static void on_stop(struct ev_loop *loop, ev_signal *w, int revents)
{
	ev_break(loop, EVBREAK_ALL);
}

static void on_hup(struct ev_loop *loop, ev_signal *w, int revents)
{
	struct pcr_app *app = w->data;
	char *errors = NULL;

	(void)pcr_app_reload(app, &errors);
	free(errors);
}

void pcr_app_worker_notify(void *data)
{
	struct pcr_app *app = data;

	ev_async_send(app->loop, &app->worker_async);
}

static void wait_on(struct pcr_app *app, ev_io *io, int fd)
{
	ev_io_stop(app->loop, io);
	if (fd < 0)
		return;
	ev_io_set(io, fd, EV_READ);
	ev_io_start(app->loop, io);
}

static void on_lifecycle_fd(void *data, int fd)
{
	struct pcr_app *app = data;

	wait_on(app, &app->lifecycle_io, fd);
}

static void on_memevents_fd(void *data, int fd)
{
	struct pcr_app *app = data;

	wait_on(app, &app->memevents_io, fd);
}

static void on_batch_fd(void *data, int fd)
{
	struct pcr_app *app = data;

	wait_on(app, &app->batch_io, fd);
}

/* A cgroup that a policy matches came, or is about to go. */
static void on_node(void *data, const struct pcr_node *node, bool lives)
{
	struct pcr_app *app = data;

	if (lives) {
		pcr_batch_cgroups_made(&app->batch_cgroups, node);
		pcr_memevents_made(app->memevents, node);
	} else {
		pcr_batch_cgroups_gone(&app->batch_cgroups, node);
		pcr_memevents_gone(app->memevents, node);
	}
}

static void start_watchdog(struct pcr_app *app)
{
	u64 usec = 0;

	if (sd_watchdog_enabled(0, &usec) <= 0)
		return;
	ev_timer_set(&app->watchdog, 0., (double)usec / 2. / (double)PCR_SEC);
	ev_timer_start(app->loop, &app->watchdog);
}

static void start_signals(struct pcr_app *app)
{
	signal(SIGPIPE, SIG_IGN);
	ev_signal_start(app->loop, &app->term);
	ev_signal_start(app->loop, &app->intr);
	ev_signal_start(app->loop, &app->hup);
}

int pcr_app_wire(struct pcr_app *app)
{
	int r;

	ev_init(&app->lifecycle_io, on_lifecycle);
	ev_init(&app->memevents_io, on_memevents);
	ev_init(&app->batch_io, on_batch);
	ev_async_init(&app->worker_async, on_async);
	ev_init(&app->due, on_due);
	ev_init(&app->watchdog, on_watchdog);
	ev_init(&app->emptied, on_emptied);
	ev_signal_init(&app->term, on_stop, SIGTERM);
	ev_signal_init(&app->intr, on_stop, SIGINT);
	ev_signal_init(&app->hup, on_hup, SIGHUP);
	ev_prepare_init(&app->prepare, on_prepare);
	ev_check_init(&app->check, on_check);
	app->lifecycle_io.data = app->worker_async.data = app->due.data = app;
	app->memevents_io.data = app->batch_io.data = app->emptied.data = app;
	app->hup.data = app->prepare.data = app->check.data = app;

	ev_async_start(app->loop, &app->worker_async);
	r = pcr_worker_start(&app->crank.worker, &app->root, pcr_app_worker_notify, app);
	if (r == 0)
		r = pcr_reader_start(&app->root, pcr_app_worker_notify, app, &app->crank.sampler.reader);
	if (r < 0)
		return r;
	start_signals(app);
	ev_prepare_start(app->loop, &app->prepare);
	ev_check_start(app->loop, &app->check);
	if (app->lc) {
		pcr_lifecycle_on_fd(app->lc, on_lifecycle_fd, app);
		on_lifecycle_fd(app, pcr_lifecycle_fd(app->lc));
		pcr_lifecycle_on_node(app->lc, on_node, app);
	}
	pcr_memevents_on_fd(app->memevents, on_memevents_fd, app);
	pcr_batch_on_fd(&app->batch, on_batch_fd, app);
	start_watchdog(app);
	pcr_app_kick(app);
	return 0;
}

void pcr_app_unwire(struct pcr_app *app)
{
	pcr_worker_stop(app->crank.worker);
	app->crank.worker = NULL;
	app->crank.sampler.reader = pcr_reader_stop(app->crank.sampler.reader);
	app->crank.collapser = pcr_collapser_stop(app->crank.collapser);
	if (!app->loop)
		return;
	ev_io_stop(app->loop, &app->lifecycle_io);
	ev_io_stop(app->loop, &app->memevents_io);
	ev_io_stop(app->loop, &app->batch_io);
	ev_async_stop(app->loop, &app->worker_async);
	ev_timer_stop(app->loop, &app->due);
	ev_timer_stop(app->loop, &app->watchdog);
	ev_timer_stop(app->loop, &app->emptied);
	ev_signal_stop(app->loop, &app->term);
	ev_signal_stop(app->loop, &app->intr);
	ev_signal_stop(app->loop, &app->hup);
	ev_prepare_stop(app->loop, &app->prepare);
	ev_check_stop(app->loop, &app->check);
}

void pcr_app_run(struct pcr_app *app)
{
	ev_run(app->loop, 0);
}
