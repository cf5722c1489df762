// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory pressure: when it was told last, and for whom it counts as present. */
#include "model/agenda.h"
#include "model/internal.h"
#include "model/model.h"
#include "model/tree.h"

/* So many times Hold= without an event, and kernel settings go back to those for calm. */
#define CALM_HOLDS 6

/* What waits for a calmer moment to be looked at is looked at now. */
static void look_now(struct pcr_state *st, u64 now)
{
	struct pcr_list *pos;

	/* Only what can be done about: each of these files costs time until the answer. */
	if (st->trim.now.knob)
		st->trim.sample_usec = pcr_min_u64(st->trim.sample_usec, now);
	pcr_list_for(pos, &st->reaps) {
		struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		if (r->sample_usec != PCR_NEVER && !r->in_flight && !r->settling)
			pcr_reap_look_at(st, r, pcr_min_u64(r->sample_usec, now));
	}
	pcr_state_stir(st);
}

void pcr_state_pressure_event(struct pcr_state *st, u32 slice, u64 now)
{
	if (slice >= st->n_pressure)
		return;
	pcr_tap(st, .kind = PCR_EVENT_PRESSURE, .now = now,
		.value = { slice ? st->pressure[slice].id : 0 });
	st->pressure[slice].last_usec = now;
	st->pressure[slice].events++;
	look_now(st, now);
}

/* --- cgroups at a limit of their own --- */

static const struct pcr_cgroup_pressure *find(const struct pcr_state *st, u64 id)
{
	for (u32 i = 0; i < st->n_pressed; i++)
		if (st->pressed[i].id == id)
			return &st->pressed[i];
	return NULL;
}

/* A free place, or that of the one which was told longest ago. */
static u32 place(struct pcr_state *st)
{
	u32 oldest = 0;

	if (st->n_pressed < PCR_PRESSED_MAX)
		return st->n_pressed++;
	for (u32 i = 1; i < st->n_pressed; i++)
		if (st->pressed[i].last_usec < st->pressed[oldest].last_usec)
			oldest = i;
	return oldest;
}

void pcr_state_cgroup_pressure(struct pcr_state *st, u64 id, u64 now)
{
	const struct pcr_cgroup_pressure *known = find(st, id);
	u32 i = known ? (u32)(known - st->pressed) : place(st);

	pcr_tap(st, .kind = PCR_EVENT_LIMIT, .now = now, .value = { id });
	st->pressed[i] = (struct pcr_cgroup_pressure){ .id = id, .last_usec = now };
	st->pressed_usec = now;
	pcr_state_stir(st);
}

void pcr_pressed_drop(struct pcr_state *st, u64 id)
{
	const struct pcr_cgroup_pressure *p = find(st, id);

	if (p)
		st->pressed[p - st->pressed] = st->pressed[--st->n_pressed];
}

void pcr_pressure_gap(struct pcr_state *st)
{
	for (u32 i = 0; i < st->n_pressure; i++)
		st->pressure[i].last_usec = 0;
	st->n_pressed = 0;
	st->pressed_usec = 0;
}

/* --- is it present? --- */

static bool recent(u64 last_usec, const struct pcr_settings *set, u64 now)
{
	return last_usec && now < pcr_add_u64(last_usec, set->pressure.hold_usec);
}

u64 pcr_state_pressed_until(const struct pcr_state *st, const struct pcr_settings *set)
{
	u64 last = st->pressure[0].last_usec;

	return last && set->pressure.enabled ?
		       pcr_add_u64(last, CALM_HOLDS * set->pressure.hold_usec) : 0;
}

static bool limit_pressed(const struct pcr_state *st, const struct pcr_settings *set,
			  const struct pcr_node *node, u64 now)
{
	/* Most of the time nobody is: not worth a way up the tree for each reap. */
	if (!recent(st->pressed_usec, set, now))
		return false;
	for (; node; node = node->parent) {
		const struct pcr_cgroup_pressure *p = find(st, node->id);

		if (p && recent(p->last_usec, set, now))
			return true;
	}
	return false;
}

bool pcr_state_pressed(const struct pcr_state *st, const struct pcr_settings *set,
		       const struct pcr_node *node, u64 now)
{
	if (recent(st->pressure[0].last_usec, set, now))
		return true;
	for (u32 i = 1; node && i < st->n_pressure; i++) {
		const struct pcr_node *slice = pcr_tree_by_id(&st->tree, st->pressure[i].id);

		if (slice && pcr_node_below(node, slice) &&
		    recent(st->pressure[i].last_usec, set, now))
			return true;
	}
	return limit_pressed(st, set, node, now);
}
