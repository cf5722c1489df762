// SPDX-License-Identifier: GPL-2.0-or-later
/* Cgroups coming and going: the tree, which policy applies, and what is to be sampled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "model/agenda.h"
#include "model/internal.h"
#include "model/model.h"
#include "model/tree.h"

int pcr_state_init(struct pcr_state *st, u64 root_id)
{
	memset(st, 0, sizeof(*st));
	pcr_list_init(&st->reaps);
	st->dying = PCR_ABSENT;
	st->root_sample_usec = PCR_NEVER;
	st->swap_free_bytes = PCR_ABSENT;
	st->trim.now = (struct pcr_percpu_sample){
		.percpu_bytes = PCR_ABSENT, .page_bytes = PCR_ABSENT, .nr_units = PCR_ABSENT,
		.populated_pages = PCR_ABSENT, .empty_pages = PCR_ABSENT,
		.isolated_empty_pages = PCR_ABSENT, .empty_pages_low = PCR_ABSENT,
		.empty_pages_high = PCR_ABSENT, .reclaim_min_percent = PCR_ABSENT,
		.metadata_bytes = PCR_ABSENT,
		.depopulated_pages = PCR_ABSENT, .repopulated_pages = PCR_ABSENT,
		.trim_runs = PCR_ABSENT,
	};
	st->trim.sample_usec = PCR_NEVER;
	st->footprint.memory_bytes = PCR_ABSENT;
	st->footprint.charged_bytes = PCR_ABSENT;
	st->footprint.slab_lost_bytes = PCR_ABSENT;
	for (u32 i = 0; i < PCR_SETTINGS_ALL; i++)
		st->setting[i] = (struct pcr_setting_state){
			.seen = PCR_ABSENT, .base = PCR_ABSENT, .set = PCR_ABSENT,
			.vain = { PCR_ABSENT, PCR_ABSENT },
		};
	st->batch.exits = st->batch.cpu_bp = PCR_ABSENT;
	st->batch.sample_usec = PCR_NEVER;
	st->n_pressure = 1;
	for (size_t i = 0; i < PCR_ARRAY_SIZE(st->pressure); i++) {
		st->pressure[i].some_avg10_bp = PCR_ABSENT;
		st->pressure[i].stall_usec = PCR_ABSENT;
	}
	st->next_seq = 1;
	return pcr_tree_init(&st->tree, root_id);
}

void pcr_state_clear(struct pcr_state *st)
{
	struct pcr_list *pos, *tmp;

	if (!st->tree.root)
		return;
	pcr_list_for_safe(pos, tmp, &st->reaps)
		free(pcr_container_of(pos, struct pcr_reap, link));
	pcr_agenda_clear(st);
	pcr_tree_clear(&st->tree);
	pcr_batch_clear(&st->batch);
	pcr_state_tasks_clear(st);
}

struct pcr_reap *pcr_reap_get(struct pcr_state *st, struct pcr_node *node)
{
	struct pcr_reap *r = node->reap;

	if (r)
		return r;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->node = node;
	r->pinned_bytes = PCR_ABSENT;
	r->shmem_bytes = PCR_ABSENT;
	r->residue_bytes = PCR_ABSENT;
	r->percpu_bytes = PCR_ABSENT;
	r->dirty_bytes = PCR_ABSENT;
	r->refaults = PCR_ABSENT;
	r->stall_usec = PCR_ABSENT;
	r->sample_usec = PCR_NEVER;
	if (pcr_agenda_enter(st, r) < 0) {
		free(r);
		return NULL;
	}
	node->reap = r;
	pcr_list_append(&st->reaps, &r->link);
	st->n_reaps++;
	return r;
}

void pcr_reap_drop(struct pcr_state *st, struct pcr_node *node)
{
	if (!node->reap)
		return;
	pcr_list_remove(&node->reap->link);
	pcr_agenda_leave(st, node->reap);
	st->n_in_flight -= node->reap->in_flight;
	free(node->reap);
	node->reap = NULL;
	st->n_reaps--;
}

/* --- which policy applies --- */

static s32 match(const struct pcr_settings *set, const struct pcr_node *node)
{
	char text[PCR_PATH_MAX + 1] = "/";
	struct pcr_glob_path path;

	if (!set->n_policies)
		return -1;
	pcr_node_path(node, text + 1, sizeof(text) - 1);
	pcr_glob_path(text, &path);
	for (u32 p = 0; p < set->n_policies; p++)
		for (u32 m = 0; m < set->policies[p].n_match; m++)
			if (pcr_glob_match(&set->policies[p].globs[m], &path))
				return (s32)p;
	return -1;
}

/*
 * A reclaim takes from everything below its target. Who says Reap=no for a cgroup wants
 * it kept out of that, whichever parent it would come from.
 */
static void guard(const struct pcr_settings *set, struct pcr_node *node)
{
	node->guards = node->policy >= 0 && !set->policies[node->policy].rule.reap;
	for (struct pcr_node *up = node->parent; node->guards && up; up = up->parent)
		up->guarded++;
}

static void unguard(struct pcr_state *st, const struct pcr_node *node)
{
	for (struct pcr_node *up = node->parent; node->guards && up; up = up->parent) {
		up->guarded--;
		if (up->reap)
			pcr_reap_stir(st, up->reap);
	}
}

/*
 * Since-whens, cooldowns and back-offs stay. But what is held against a threshold has
 * to be held against the new one, a series between two steps has to be judged by what
 * holds now, and a dry run that was said need not be waited out.
 */
static void judge_anew(struct pcr_state *st, struct pcr_reap *r)
{
	if (r->in_flight)
		return;
	pcr_reap_look_at(st, r, 0);
	r->settling |= r->series.running;
	if (r->last_stop == PCR_STOP_DRY_RUN) {
		r->retry_usec = 0;
		r->stuck = 0;
	}
}

void pcr_state_rematch_start(struct pcr_state *st)
{
	struct pcr_list *pos;

	for (struct pcr_node *n = st->tree.root; n; n = pcr_tree_next(n)) {
		n->policy = PCR_UNMATCHED;
		n->guards = false;
		n->guarded = 0;
	}
	st->n_unmatched = st->tree.n;
	st->match_id = st->tree.root->id;
	pcr_state_tasks_rematch(st);
	pcr_list_for(pos, &st->reaps)
		judge_anew(st, pcr_container_of(pos, struct pcr_reap, link));
	if (st->trim.last_stop == PCR_STOP_DRY_RUN)
		st->trim.retry_usec = 0;
}

/* Those made since are matched already; where the cursor was removed, from the start. */
static struct pcr_node *next_unmatched(const struct pcr_state *st)
{
	struct pcr_node *n = pcr_tree_by_id(&st->tree, st->match_id);

	for (n = n ? n : st->tree.root; n && n->policy != PCR_UNMATCHED;)
		n = pcr_tree_next(n);
	if (n)
		return n;
	for (n = st->tree.root; n->policy != PCR_UNMATCHED;)
		n = pcr_tree_next(n);
	return n;
}

int pcr_state_rematch_next(struct pcr_state *st, const struct pcr_settings *set)
{
	struct pcr_node *n, *next;

	if (!st->n_unmatched)
		return 0;
	n = next_unmatched(st);
	n->policy = match(set, n);
	guard(set, n);
	if (n->reap)
		pcr_reap_stir(st, n->reap);
	next = pcr_tree_next(n);
	st->match_id = next ? next->id : st->tree.root->id;
	return --st->n_unmatched ? PCR_PART : 0;
}

const struct pcr_rule *pcr_node_rule(const struct pcr_settings *set, const struct pcr_node *node)
{
	if (node->policy >= 0 && (u32)node->policy < set->n_policies)
		return &set->policies[node->policy].rule;
	return &set->rule;
}

/* --- lifecycle --- */

static void forget(struct pcr_state *st, struct pcr_node *node, u64 now);

int pcr_state_made(struct pcr_state *st, const struct pcr_settings *set, struct pcr_node *parent,
		   u64 id, const char *name, size_t n, u64 now, struct pcr_node **ret_node)
{
	struct pcr_node *old;
	int r;

	old = pcr_tree_by_id(&st->tree, id);
	if (old && pcr_node_below(parent, old))
		return PCR_GONE;
	if (old && old->parent == parent && old == pcr_tree_child(&st->tree, parent, name, n)) {
		*ret_node = old;
		return 0;
	}
	if (old)
		forget(st, old, now);
	old = pcr_tree_child(&st->tree, parent, name, n);
	if (old)
		forget(st, old, now);
	r = pcr_tree_add(&st->tree, parent, id, name, n, ret_node);
	if (r)
		return r;
	(*ret_node)->policy = match(set, *ret_node);
	guard(set, *ret_node);
	st->totals.created++;
	pcr_tap(st, .kind = PCR_EVENT_MADE, .now = now, .value = { id, parent->id },
		.name = (*ret_node)->name);
	return 0;
}

/* A cgroup takes a moment to die even when nothing holds it: look when that has passed. */
static u64 look_later(u64 due, u64 now)
{
	return due == PCR_NEVER ? now + PCR_SETTLE_DEATH : due;
}

static void note_death(struct pcr_state *st, struct pcr_node *parent, u64 deaths, u64 now)
{
	struct pcr_reap *r = pcr_reap_get(st, parent);

	if (r) {
		r->deaths += deaths;
		r->last_death_usec = now;
		pcr_reap_look_at(st, r, look_later(r->sample_usec, now));
	}
	st->trim.deaths++;
	if (st->trim.late_usec)
		st->trim.late_usec = pcr_max_u64(st->trim.late_usec, now + PCR_SETTLE_LATE);
	st->trim.last_death_usec = now;
	st->trim.sample_usec = look_later(st->trim.sample_usec, now);
	st->root_sample_usec = look_later(st->root_sample_usec, now);
}

static void forget(struct pcr_state *st, struct pcr_node *node, u64 now)
{
	struct pcr_node *parent = node->parent;
	struct pcr_node *n, *next;

	for (n = pcr_tree_deepest(node); n; n = next) {
		/* Only the lowest living ancestor can be reaped: it gets them all, and theirs. */
		u64 deaths = 1 + (n->reap ? n->reap->deaths : 0);

		next = pcr_tree_next_post(node, n);
		unguard(st, n);
		if (n->policy == PCR_UNMATCHED)
			st->n_unmatched--;
		pcr_reap_drop(st, n);
		pcr_pressed_drop(st, n->id);
		pcr_tree_remove(&st->tree, n);
		st->totals.removed++;
		note_death(st, parent, deaths, now);
	}
}

void pcr_state_removed(struct pcr_state *st, struct pcr_node *node, u64 now)
{
	if (!node->parent)
		return;
	pcr_tap(st, .kind = PCR_EVENT_REMOVED, .now = now, .value = { node->id });
	forget(st, node, now);
}

void pcr_state_released(struct pcr_state *st, u64 id, u64 now)
{
	(void)id;
	(void)now;
	st->totals.released++;
}
