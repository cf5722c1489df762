// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples on demand; see the header. */
#include "loop/sampler.h"

#include <stdlib.h>

#include "loop/reader.h"
#include "model/agenda.h"
#include "model/model.h"
#include "model/tree.h"
#include "read/machine.h"
#include "read/memcg.h"

/*
 * What the root counts and nobody explains: most often cgroups that are gone a moment
 * later. If it lasts so long it is searched for, and then ever more rarely.
 */
#define UNEXPLAINED (2 * PCR_SEC)
#define SEARCH_REST PCR_MIN
/* /proc/slabinfo holds locks of every slab cache while it is read. */
#define FOOTPRINT_REST PCR_MIN
#define SEARCH_REST_MAX PCR_HOUR

/* --- the machine --- */

void pcr_sampler_percpu(struct pcr_sampler *s, u64 now)
{
	struct pcr_percpu_sample sample;

	if (pcr_read_percpu(s->root, &sample)) {
		s->st->trim.sample_usec = PCR_NEVER;
		return;
	}
	sample.knob = s->trim_knob;
	sample.spare = s->trim_spare;
	pcr_state_percpu_sample(s->st, &sample, now);
	pcr_state_setting_sample(s->st, PCR_SETTING_LOW, sample.empty_pages_low);
	pcr_state_setting_sample(s->st, PCR_SETTING_HIGH, sample.empty_pages_high);
	pcr_state_setting_sample(s->st, PCR_SETTING_PERCENT, sample.reclaim_min_percent);
	pcr_sampler_khugepaged(s);
}

/* Whoever writes them is seen: numad and tuned do. */
void pcr_sampler_khugepaged(struct pcr_sampler *s)
{
	for (u32 i = _PCR_SETTING_PERCPU; i < _PCR_SETTING_THP; i++) {
		u64 value;

		if (pcr_slurp_u64(s->root, pcr_setting_knob(i), &value) == 0)
			pcr_state_setting_sample(s->st, i, value);
	}
}

void pcr_sampler_search(struct pcr_sampler *s)
{
	if (!s->st->v1)
		s->st->scan_id = s->st->tree.root->id;
}

/*
 * Some are dying that no event told of: they came and went between two walks, or before
 * our start, or their events were lost.
 */
static void search_start(struct pcr_sampler *s, u64 now)
{
	s->scan_rest_usec = s->scan_rest_usec ? pcr_min_u64(2 * s->scan_rest_usec, SEARCH_REST_MAX) :
						SEARCH_REST;
	s->scan_usec = now + s->scan_rest_usec;
	pcr_sampler_search(s);
}

void pcr_sampler_root(struct pcr_sampler *s, u64 now)
{
	struct pcr_state *st = s->st;
	u64 count;

	st->root_sample_usec = PCR_NEVER;
	if (st->v1) {
		if (pcr_read_v1_cgroups(s->root, &count) == 0)
			pcr_state_dying_total(st, pcr_sub_u64(count, st->tree.n), now);
		return;
	}
	if (pcr_read_dying(s->root, "", &count))
		return;
	pcr_state_dying_total(st, count, now);
	if (count <= pcr_sampler_explained(st, NULL)) {
		s->unexplained_usec = s->scan_rest_usec = 0;
		return;
	}
	if (!s->unexplained_usec)
		s->unexplained_usec = now;
	if (!st->scan_id && now >= s->unexplained_usec + UNEXPLAINED && now >= s->scan_usec)
		search_start(s, now);
	/* Does it last? Did the search find them? */
	st->root_sample_usec = pcr_max_u64(s->unexplained_usec + UNEXPLAINED, s->scan_usec);
	if (st->root_sample_usec <= now)
		st->root_sample_usec = now + UNEXPLAINED;
}

/* --- searching: depth first, a slice at a time, only where something is dying --- */

static u32 search(struct pcr_sampler *s, u32 budget, u64 now)
{
	struct pcr_state *st = s->st;
	struct pcr_node *node = pcr_tree_by_id(&st->tree, st->scan_id);
	char path[PCR_PATH_MAX];

	while (node && budget) {
		u64 dying = 0;

		budget--;
		pcr_node_path(node, path, sizeof(path));
		(void)pcr_read_dying(s->root, path, &dying);
		if (dying)
			pcr_state_suspect(st, node, now);
		node = dying ? pcr_tree_next(node) : pcr_tree_skip(node);
	}
	/* A cursor that vanished ends the search; what is left unexplained starts another. */
	st->scan_id = node ? node->id : 0;
	return budget;
}

/* --- what is due --- */

/* Due now, deepest first: what stands below explains part of what stands above. */
struct due {
	u32 n;
	u32 depth[PCR_SAMPLER_BUDGET];
	struct pcr_node *node[PCR_SAMPLER_BUDGET];
};

static void insert(struct due *due, u32 room, struct pcr_node *node)
{
	u32 depth = pcr_sampler_depth(node);
	u32 i;

	for (i = due->n; i > 0 && depth > due->depth[i - 1]; i--)
		if (i < room) {
			due->depth[i] = due->depth[i - 1];
			due->node[i] = due->node[i - 1];
		}
	if (i >= room)
		return;
	due->depth[i] = depth;
	due->node[i] = node;
	if (due->n < room)
		due->n++;
}

static bool is_due(const struct pcr_reap *r, u64 now)
{
	return r && r->sample_usec <= now && !r->in_flight && !r->look;
}

static void find_due(const struct pcr_state *st, u32 room, u64 now, struct due *due)
{
	const struct pcr_agenda *a = &st->agenda[PCR_AGENDA_LOOK];

	due->n = 0;
	for (u32 i = pcr_agenda_first(a, now + 1); i < a->n; i = pcr_agenda_next(a, i, now + 1))
		if (is_due(a->entry[i].reap, now))
			insert(due, room, a->entry[i].reap->node);
}

static void judge(struct pcr_sampler *s, struct pcr_node *node, u64 now)
{
	struct pcr_record record;

	if (!node->reap || !node->reap->settling ||
	    !pcr_state_settled(s->st, *s->set, node->reap, now, &record))
		return;
	/* What the machine as a whole counts is stale now. */
	s->st->root_sample_usec = now;
	s->ended(s->data, &record);
}

static void sample_due(struct pcr_sampler *s, struct pcr_node *node, u64 now)
{
	struct pcr_reap *r = node->reap;
	/* The last idle step decides whether tmpfs is to blame: look closely. */
	bool full = r->settling && r->series.idle_steps >= 2;
	u64 swap;

	pcr_reap_look_at(s->st, r, PCR_NEVER);
	if (r->settling && pcr_read_swap_free(s->root, &swap) == 0)
		pcr_state_swap_sample(s->st, swap, now);
	switch (pcr_sampler_look(s, node, full, now)) {
	case 0:
		judge(s, node, now);
		break;
	case PCR_PART:
		break;
	default:
		/* Most likely gone, and the lifecycle will say so; if not, look again. */
		pcr_reap_look_at(s->st, r, now + PCR_MIN);
		break;
	}
}

/* --- the footprint --- */

static void take_footprint(struct pcr_sampler *s, const struct pcr_look *look, u64 now)
{
	struct pcr_footprint *f = &s->st->footprint;

	f->charged_bytes = look->r ? PCR_ABSENT : look->own.percpu_bytes;
	f->slab_lost_bytes = look->slab_lost_bytes;
	f->sampled_usec = now;
}

void pcr_sampler_footprint(struct pcr_sampler *s, u64 now)
{
	struct pcr_look *look;

	if (pcr_read_memory(s->root, &s->st->footprint.memory_bytes))
		s->st->footprint.memory_bytes = PCR_ABSENT;
	if (s->footprint_usec && now < s->footprint_usec + FOOTPRINT_REST)
		return;
	look = pcr_look_new(s->st->tree.root, false);
	if (!look)
		return;
	look->machine = true;
	s->footprint_usec = now;
	if (s->reader) {
		pcr_reader_ask(s->reader, look);
		return;
	}
	pcr_look_read(s->root, look);
	take_footprint(s, look, now);
	free(look);
}

/* --- what was read meanwhile --- */

static u32 pending(const struct pcr_sampler *s)
{
	return s->reader ? pcr_reader_pending(s->reader) : 0;
}

static void take_in(struct pcr_sampler *s, const struct pcr_look *look, u64 now)
{
	struct pcr_node *node = pcr_tree_by_id(&s->st->tree, look->id);

	if (look->machine) {
		take_footprint(s, look, now);
		return;
	}
	/* Removed since, or what was known of it was dropped: nobody waits for it. */
	if (!node || !node->reap || node->reap->look != look->serial)
		return;
	node->reap->look = 0;
	if (pcr_sampler_answer(s, node, look, now))
		pcr_reap_look_at(s->st, node->reap, now + PCR_MIN);
	else if (look->settle)
		judge(s, node, now);
}

static void fetch(struct pcr_sampler *s, u64 now)
{
	struct pcr_look *look;

	while (s->reader && (look = pcr_reader_next(s->reader))) {
		take_in(s, look, now);
		free(look);
	}
}

void pcr_sampler_run(struct pcr_sampler *s, u64 now)
{
	struct pcr_state *st = s->st;
	u64 end = pcr_add_u64(pcr_now_usec(), s->slice_usec);
	u32 budget = PCR_SAMPLER_BUDGET;
	struct due due;
	u32 i;

	fetch(s, now);
	budget -= pcr_min_u64(budget, pending(s));
	if (st->scan_id)
		budget = search(s, budget, now);
	find_due(st, budget, now, &due);
	/* A look at one may have taken in another, and dropped what was known of it. */
	for (i = 0; i < due.n && (i == 0 || pcr_now_usec() < end); i++)
		if (is_due(due.node[i]->reap, now))
			sample_due(s, due.node[i], now);
	/* The root's count is held against all of them, so it comes when they are done. */
	if (st->root_sample_usec <= now && i == due.n && due.n < budget && !pending(s))
		pcr_sampler_root(s, now);
}

u64 pcr_sampler_due(const struct pcr_sampler *s)
{
	const struct pcr_agenda *a = &s->st->agenda[PCR_AGENDA_LOOK];
	u32 waiting = pending(s);
	u64 due = PCR_NEVER;

	/* What has to wait for the reader is seen to when it is back. */
	if (waiting >= PCR_SAMPLER_BUDGET)
		return due;
	if (s->st->scan_id)
		return 0;
	if (!waiting)
		due = pcr_min_u64(due, s->st->root_sample_usec);
	for (u32 i = pcr_agenda_first(a, due); i < a->n; i = pcr_agenda_next(a, i, due)) {
		const struct pcr_reap *r = a->entry[i].reap;

		if (!r->in_flight && !r->look)
			due = pcr_min_u64(due, r->sample_usec);
	}
	return due;
}
