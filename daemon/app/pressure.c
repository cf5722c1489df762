// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory pressure: triggers on a thread, or a poll where they can't be had. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "base/log.h"
#include "model/model.h"
#include "model/tree.h"

static void notify(void *data)
{
	struct pcr_app *app = data;

	ev_async_send(app->loop, &app->psi_async);
}

static void on_psi(struct ev_loop *loop, ev_async *w, int revents)
{
	struct pcr_app *app = w->data;

	app->kicked = true;
}

/* The slice's cgroup now, 0 while there is none. */
static u64 slice_id(const struct pcr_app *app, u32 i)
{
	const char *path = app->set->pressure.slices[i];
	const struct pcr_node *node = pcr_tree_lookup(&app->st.tree, path, strlen(path));

	return node ? node->id : 0;
}

static void name_slices(struct pcr_app *app)
{
	const struct pcr_pressure_rule *rule = &app->set->pressure;

	app->st.n_pressure = 1 + rule->n_slices;
	for (u32 i = 0; i < rule->n_slices; i++)
		app->st.pressure[1 + i] = (struct pcr_slice_pressure){
			.id = slice_id(app, i),
			.some_avg10_bp = PCR_ABSENT, .stall_usec = PCR_ABSENT,
		};
}

static void note_health(struct pcr_app *app)
{
	struct pcr_health *h = &app->health;

	h->triggers = app->psi ? pcr_psi_armed(app->psi) : 0;
	h->psi_polled = app->psi && pcr_psi_polls(app->psi);
	if (app->psi)
		snprintf(h->psi_why, sizeof(h->psi_why), "%s", pcr_psi_why(app->psi));
	pcr_crank_poll_pressure(&app->crank, h->psi_polled, pcr_now_usec());
}

void pcr_app_pressure_open(struct pcr_app *app)
{
	struct pcr_health *h = &app->health;
	int r;

	h->psi_why[0] = '\0';
	name_slices(app);
	if (!app->set->pressure.enabled) {
		snprintf(h->psi_why, sizeof(h->psi_why), "switched off by Pressure=no");
		note_health(app);
		return;
	}
	ev_async_init(&app->psi_async, on_psi);
	app->psi_async.data = app;
	ev_async_start(app->loop, &app->psi_async);
	r = pcr_psi_open(&app->root, &app->set->pressure, notify, app, h->psi_why,
			 sizeof(h->psi_why), &app->psi);
	if (r < 0)
		snprintf(h->psi_why, sizeof(h->psi_why), "%s", strerror(-r));
	note_health(app);
	if (*h->psi_why)
		pcr_log_notice("memory pressure: %s", h->psi_why);
}

void pcr_app_pressure_close(struct pcr_app *app)
{
	app->psi = pcr_psi_close(app->psi);
	if (app->loop && ev_is_active(&app->psi_async))
		ev_async_stop(app->loop, &app->psi_async);
}

void pcr_app_pressure_fetch(struct pcr_app *app, u64 now)
{
	struct pcr_psi_event e;

	if (!app->psi)
		return;
	while (pcr_psi_next(app->psi, &e)) {
		if (e.gone) {
			app->st.pressure[e.slice].id = 0;
			note_health(app);
			continue;
		}
		pcr_state_pressure_event(&app->st, e.slice, now);
	}
}

void pcr_app_pressure_rearm(struct pcr_app *app)
{
	for (u32 i = 0; app->psi && i < app->set->pressure.n_slices; i++) {
		struct pcr_slice_pressure *p = &app->st.pressure[1 + i];
		u64 id = p->id && pcr_tree_by_id(&app->st.tree, p->id) ? p->id : slice_id(app, i);

		if (id == p->id)
			continue;
		p->id = id;
		if (id)
			(void)pcr_psi_rearm(app->psi, 1 + i);
		note_health(app);
	}
}
