// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/tree.h"
#include "pcr/knobs.h"
#include "trace/internal.h"

static int made(struct pcr_replay *r, const struct pcr_event *e)
{
	struct pcr_node *parent = pcr_tree_by_id(&r->st.tree, e->value[1]), *node;
	int err = parent ? pcr_state_made(&r->st, r->set, parent, e->value[0], e->name,
					  strlen(e->name), r->now, &node) : -EINVAL;

	/* One of that name, or id, may have made way for it. */
	if (parent)
		pcr_replay_note_due(r, parent);
	r->figures.cgroups = (u32)pcr_max_u64(r->figures.cgroups, r->st.tree.n);
	return err > 0 ? -EINVAL : err;
}

static int sampled(struct pcr_replay *r, struct pcr_node *node, const struct pcr_event *e)
{
	const struct pcr_reap *reap = node->reap;

	/* What a step did is seen when it is to be judged, and not before. */
	if (reap && (reap->in_flight || (reap->settling && reap->sample_usec > r->now)))
		return 0;
	return pcr_replay_look(r, node);
}

/* Its number in these settings; a slice that they do not name has no trigger. */
static void pressure(struct pcr_replay *r, u64 id)
{
	if (!id)
		pcr_state_pressure_event(&r->st, 0, r->now);
	for (u32 i = 1; id && i < r->st.n_pressure; i++) {
		const char *path = r->set->pressure.slices[i - 1];
		const struct pcr_node *node = pcr_tree_lookup(&r->st.tree, path, strlen(path));

		if (!node || node->id != id)
			continue;
		r->st.pressure[i].id = id;
		pcr_state_pressure_event(&r->st, i, r->now);
	}
	pcr_replay_find_due(r);
	r->changed = true;
}

static void knob(struct pcr_replay *r, const struct pcr_event *e)
{
	for (u32 i = 0; i < _PCR_SETTING_PAIRS; i++)
		if (!strcmp(pcr_setting_knob(i), e->name))
			pcr_state_setting_sample(&r->st, i, e->value[0]);
	r->changed = true;
}

static bool same_slices(const struct pcr_settings *a, const struct pcr_settings *b)
{
	bool same = a->pressure.n_slices == b->pressure.n_slices;

	for (u32 i = 0; same && i < a->pressure.n_slices; i++)
		same = !strcmp(a->pressure.slices[i], b->pressure.slices[i]);
	return same;
}

/* As a reload does. */
static void swap(struct pcr_replay *r)
{
	const struct pcr_settings *old = r->set;

	if (!r->n_sets)
		return;
	r->set = *r->sets++;
	r->n_sets--;
	if (!same_slices(old, r->set))
		memset(&r->st.pressure[1], 0, sizeof(r->st.pressure) - sizeof(r->st.pressure[0]));
	r->st.n_pressure = 1 + r->set->pressure.n_slices;
	pcr_state_rematch_start(&r->st);
	while (pcr_state_rematch_next(&r->st, r->set) == PCR_PART)
		;
	pcr_state_settings_anew(&r->st);
	pcr_replay_find_due(r);
	r->changed = true;
}

static int take(struct pcr_replay *r, const struct pcr_event *e)
{
	struct pcr_node *node = pcr_tree_by_id(&r->st.tree, e->value[0]), *parent;

	switch (e->kind) {
	case PCR_EVENT_MADE:
		return made(r, e);
	case PCR_EVENT_REMOVED:
		if (!node || !node->parent)
			return -EINVAL;
		/* Whom it guarded may be reaped now. */
		r->changed |= node->guards || node->guarded;
		parent = node->parent;
		pcr_state_removed(&r->st, node, r->now);
		pcr_replay_note_due(r, parent);
		r->figures.removed++;
		return 0;
	case PCR_EVENT_LOOK:
	case PCR_EVENT_COUNT:
		return node ? sampled(r, node, e) : -EINVAL;
	case PCR_EVENT_DYING:
		pcr_state_dying_total(&r->st, pcr_world_dying(&r->world, e->value[0]), r->now);
		r->changed = true;
		return 0;
	case PCR_EVENT_SWAP:
		pcr_state_swap_sample(&r->st, e->value[0], r->now);
		return 0;
	case PCR_EVENT_PERCPU:
		pcr_replay_look_percpu(r);
		return 0;
	case PCR_EVENT_SETTING:
		knob(r, e);
		return 0;
	case PCR_EVENT_PRESSURE:
		pressure(r, e->value[0]);
		return 0;
	case PCR_EVENT_LIMIT:
		pcr_state_cgroup_pressure(&r->st, e->value[0], r->now);
		r->changed = true;
		return 0;
	case PCR_EVENT_GAP:
		pcr_state_gap(&r->st, r->now);
		pcr_replay_find_due(r);
		return 0;
	case PCR_EVENT_SETTINGS:
		swap(r);
		return 0;
	default:
		return 0;
	}
}

static int one_event(struct pcr_replay *r, const struct pcr_event *e)
{
	int err = pcr_replay_until(r, e->now + PCR_REPLAY_START);

	r->now = e->now + PCR_REPLAY_START;
	if (err == 0)
		err = pcr_world_event(&r->world, e);
	return err ? err : take(r, e);
}

static int run(struct pcr_replay *r, const struct pcr_trace *t, struct pcr_trace_fault *fault)
{
	for (u32 i = 0; i < t->n; i++) {
		int err = one_event(r, &t->event[i]);

		/* Those of one moment are one turn of the loop. */
		if (err == 0 && r->changed &&
		    (i + 1 == t->n || t->event[i + 1].now != t->event[i].now))
			err = pcr_replay_decide(r);
		if (err == -EINVAL)
			*fault = (struct pcr_trace_fault){
				.line = pcr_trace_event_line(t, i), .column = 1,
				.text = "this can't be: no such cgroup, or one above itself",
			};
		if (err < 0)
			return err;
	}
	r->figures.usec = t->n ? t->event[t->n - 1].now : 0;
	return 0;
}

/* What the recorded steps came to, before the first is made. */
static int learn(struct pcr_replay *r, const struct pcr_trace *t)
{
	for (u32 i = 0; i < t->n; i++)
		if (pcr_world_event(&r->world, &t->event[i]) < 0)
			return -ENOMEM;
	pcr_world_rewind(&r->world);
	return 0;
}

int pcr_replay(const struct pcr_trace *trace, const struct pcr_settings *const *set, u32 n_sets,
	       const struct pcr_replay_ops *ops, struct pcr_replay_figures *ret_figures,
	       struct pcr_trace_fault *ret_fault)
{
	struct pcr_replay *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	*r = (struct pcr_replay){
		.set = set[0], .sets = set + 1, .n_sets = n_sets - 1, .ops = ops,
		.now = PCR_REPLAY_START, .next = PCR_NEVER, .done_usec = PCR_NEVER,
		.look_due = PCR_NEVER,
	};
	err = pcr_state_init(&r->st, trace->root);
	if (err == 0)
		err = pcr_world_init(&r->world);
	if (err == 0) {
		r->st.v1 = trace->v1;
		r->st.reap_knob = trace->reap_knob;
		r->st.n_pressure = 1 + set[0]->pressure.n_slices;
		err = learn(r, trace);
	}
	if (err == 0)
		err = run(r, trace, ret_fault);
	if (err == 0)
		*ret_figures = r->figures;
	pcr_world_clear(&r->world);
	pcr_state_clear(&r->st);
	free(r);
	return err;
}
