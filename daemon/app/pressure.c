// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory pressure: triggers on a thread, or a poll where they can't be had. */
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "base/log.h"
#include "model/model.h"
#include "model/tree.h"
#include "read/walk.h"

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

/* Recorded machines and cgroup v1 never have a trigger in a slice: once is enough. */
static bool may_have(const struct pcr_app *app)
{
	return app->root.live && !pcr_root_v1(&app->root);
}

/* True when it is armed. The tree may lag behind: a cgroup made just now is not ours to arm. */
static bool try_slice(struct pcr_app *app, u32 i, u64 now)
{
	struct pcr_psi_due *d = &app->psi_due[i];
	const char *path = app->set->pressure.slices[i];
	bool leaf, armed, first = !d->retry_usec;
	const char *why;
	u64 id;

	armed = pcr_walk_stat(&app->root, path + strspn(path, "/"), &id, &leaf) == 0 &&
		id == d->id && pcr_psi_rearm(app->psi, 1 + i) == PCR_PSI_ARMED;
	pcr_psi_tried(d, armed, now);
	why = pcr_psi_slice_why(app->psi, 1 + i);
	if (!armed && first && may_have(app))
		pcr_log_notice("memory pressure: %s has no trigger yet, trying again: %s", path,
			       *why ? why : "no memory.pressure");
	if (!armed && !may_have(app))
		d->due_usec = PCR_NEVER;
	return armed;
}

static u64 rearm_slice(struct pcr_app *app, u32 i, bool settled, u64 now)
{
	struct pcr_slice_pressure *p = &app->st.pressure[1 + i];
	struct pcr_psi_due *d = &app->psi_due[i];
	bool armed = pcr_psi_state(app->psi, 1 + i) == PCR_PSI_ARMED;

	if (!p->id || !pcr_tree_by_id(&app->st.tree, p->id))
		p->id = slice_id(app, i);
	if (p->id == d->id && !may_have(app))
		return PCR_NEVER;
	/* Nothing is written there. */
	settled |= !may_have(app);
	if (pcr_psi_due(d, p->id, armed, settled, now)) {
		(void)try_slice(app, i, now);
		note_health(app);
	}
	return d->due_usec;
}

/* What lives at the daemon's start is taken for old; nothing that a reload names is. */
static void arm_slices(struct pcr_app *app)
{
	for (u32 i = 0; i < PCR_SLICES_MAX; i++)
		app->psi_due[i] = (struct pcr_psi_due){ .due_usec = PCR_NEVER };
	for (u32 i = 0; app->psi && i < app->set->pressure.n_slices; i++)
		(void)rearm_slice(app, i, !app->psi_started, pcr_now_usec());
	app->psi_started = true;
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
	arm_slices(app);
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

u64 pcr_app_pressure_rearm(struct pcr_app *app, u64 now)
{
	u64 next = PCR_NEVER;

	for (u32 i = 0; app->psi && i < app->set->pressure.n_slices; i++)
		next = pcr_min_u64(next, rearm_slice(app, i, false, now));
	return next;
}

bool pcr_app_pressure_missing(const struct pcr_app *app, u32 i, char *why, size_t size)
{
	const struct pcr_psi_due *d = &app->psi_due[i];
	const char *said;

	if (!app->psi || pcr_psi_state(app->psi, 1 + i) == PCR_PSI_ARMED)
		return false;
	said = pcr_psi_slice_why(app->psi, 1 + i);
	if (!slice_id(app, i))
		snprintf(why, size, "no such cgroup");
	else if (d->due_usec != PCR_NEVER && !d->retry_usec)
		snprintf(why, size, "not armed: its cgroup is new, and has to live %llu s first",
			 (unsigned long long)(d->settle_usec / PCR_SEC));
	else
		snprintf(why, size, "not armed: %s", *said ? said :
			 "it was lost or has no memory.pressure (cgroup.pressure=0?); tried again");
	return true;
}
