// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings: one checked struct for another, or the old one stays. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/journal.h"
#include "base/log.h"
#include "conf/conf.h"
#include "model/model.h"

/* What one turn of the loop may take for it; nearly every reload is done in the first. */
#define SLICE (5 * PCR_MSEC)

static int load(struct pcr_app *app, struct pcr_settings **ret_settings, char **ret_errors)
{
	struct pcr_conf_report report = { 0 };
	const char *prefix = app->args.root ? app->root.prefix : "";
	int r = pcr_conf_load(prefix, app->args.config, ret_settings, &report);

	*ret_errors = report.n ? pcr_conf_report_text(&report) : NULL;
	pcr_conf_report_done(&report);
	return r;
}

int pcr_app_load(struct pcr_app *app, char **ret_errors)
{
	int r = load(app, &app->settings, ret_errors);

	app->set = app->settings;
	return r;
}

static bool same_pressure(const struct pcr_pressure_rule *a, const struct pcr_pressure_rule *b)
{
	if (a->enabled != b->enabled || a->stall_usec != b->stall_usec ||
	    a->window_usec != b->window_usec || a->poll_usec != b->poll_usec ||
	    a->n_slices != b->n_slices)
		return false;
	for (u32 i = 0; i < a->n_slices; i++)
		if (strcmp(a->slices[i], b->slices[i]))
			return false;
	return true;
}

bool pcr_app_rematch(struct pcr_app *app)
{
	u64 until = pcr_now_usec() + SLICE;

	if (!app->rematching)
		return false;
	while (pcr_state_rematch_next(&app->st, app->set) == PCR_PART)
		if (pcr_now_usec() >= until)
			return true;
	app->rematching = false;
	pcr_memevents_rematch(app->memevents);
	pcr_batch_cgroups_rematch(&app->batch_cgroups);
	return false;
}

static void swap(struct pcr_app *app, struct pcr_settings *new)
{
	struct pcr_settings *old = app->settings;
	bool pressure = !same_pressure(&old->pressure, &new->pressure);

	if (pressure)
		pcr_app_pressure_close(app);
	app->settings = new;
	app->set = new;
	pcr_recorder_settings(&app->recorder, new, pcr_now_usec());
	app->view.settings = new;
	/* Cooldowns, back-offs and since-whens stay: only the yardstick is another. */
	pcr_state_rematch_start(&app->st);
	app->rematching = true;
	(void)pcr_app_rematch(app);
	if (app->lc)
		pcr_lifecycle_reload(app->lc);
	app->health.log_level = new->daemon.log_level;
	pcr_journal_level(new->daemon.log_level);
	if (app->server)
		(void)pcr_server_regroup(app->server, new->daemon.socket_group);
	pcr_crank_probe(&app->crank);
	pcr_batch_probe(&app->batch, pcr_now_usec());
	if (pressure)
		pcr_app_pressure_open(app);
	pcr_settings_free(old);
	app->health.settings_usec = pcr_now_usec();
	app->health.loop_lag_max_usec = 0;
	app->health.settings_error[0] = '\0';
}

/* Whole lines, as many as there is room for, and one that says so when there are more. */
static void keep_errors(struct pcr_health *h, const char *errors)
{
	static const char more[] = "and more, see: pcpu-reclaimd --check-config";
	size_t room = sizeof(h->settings_error) - sizeof(more);
	size_t n = strlen(errors);

	if (n >= sizeof(h->settings_error)) {
		for (n = room; n > 0 && errors[n - 1] != '\n';)
			n--;
		/* One line that is longer than all of it. */
		n = n ? n : room;
	}
	snprintf(h->settings_error, sizeof(h->settings_error), "%.*s%s", (int)n, errors,
		 errors[n] ? more : "");
}

int pcr_app_reload(struct pcr_app *app, char **ret_errors)
{
	struct pcr_settings *new = NULL;
	char text[1400];
	int r;

	pcr_app_notify(app, "RELOADING=1");
	r = load(app, &new, ret_errors);
	if (r < 0) {
		keep_errors(&app->health, *ret_errors ? *ret_errors : strerror(-r));
		snprintf(text, sizeof(text), "%s: the settings in force are kept",
			 *ret_errors ? *ret_errors : strerror(-r));
		pcr_journal_message(3, PCR_MSG_SETTINGS, text);
	} else {
		swap(app, new);
		pcr_log_notice("settings reloaded: %u polic%s", app->set->n_policies,
			       app->set->n_policies == 1 ? "y" : "ies");
		pcr_app_notes(&app->root, app->set, pcr_app_log_note);
	}
	pcr_app_runtime_again(app);
	pcr_app_health(app);
	/* First, so that who waits for the end of it reads what came of it. */
	pcr_app_notify_status(app);
	pcr_app_notify(app, "READY=1");
	if (app->server)
		pcr_server_notify_status(app->server);
	pcr_app_kick(app);
	return r;
}
