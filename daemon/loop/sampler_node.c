// SPDX-License-Identifier: GPL-2.0-or-later
/* One cgroup's sample: what dies directly below it, what that pins, whom it stands beside. */
#include "loop/sampler.h"

#include <errno.h>
#include <stdlib.h>

#include "loop/reader.h"
#include "model/model.h"
#include "model/tree.h"
#include "read/memcg.h"

/*
 * What was seen further down explains part of what is counted here. A figure that old is
 * looked at again first, and a younger one when the two can't both be true.
 */
#define OLD PCR_MIN
#define YOUNG (500 * PCR_MSEC)

static bool below(const struct pcr_reap *r, const struct pcr_node *node)
{
	return !node || (r->node != node && pcr_node_below(r->node, node));
}

u64 pcr_sampler_explained(const struct pcr_state *st, const struct pcr_node *node)
{
	const struct pcr_list *pos;
	u64 sum = 0;

	if (node && !node->n_children)
		return 0;
	pcr_list_for(pos, &st->reaps) {
		const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		if (below(r, node))
			sum += r->dying;
	}
	return sum;
}

u32 pcr_sampler_depth(const struct pcr_node *node)
{
	u32 n = 0;

	for (; node->parent; node = node->parent)
		n++;
	return n;
}

/* The deepest of those below whose figure is older than that. */
static struct pcr_node *stale_below(const struct pcr_state *st, const struct pcr_node *node,
				    u64 age, u64 now)
{
	struct pcr_node *best = NULL;
	const struct pcr_list *pos;

	pcr_list_for(pos, &st->reaps) {
		const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		if (r->dying && !r->in_flight && !r->settling && now > r->sampled_usec + age &&
		    below(r, node) &&
		    (!best || pcr_sampler_depth(r->node) > pcr_sampler_depth(best)))
			best = r->node;
	}
	return best;
}

static int read_dying(struct pcr_sampler *s, const struct pcr_node *node, u64 now, u64 *ret_dying);

/* How many are dying there is all that counts here. */
static int recount(struct pcr_sampler *s, struct pcr_node *node, u64 now)
{
	u64 dying;
	int r = read_dying(s, node, now, &dying);

	if (r == 0)
		pcr_state_dying_sample(s->st, *s->set, node, dying, now);
	return r;
}

static void refresh_below(struct pcr_sampler *s, const struct pcr_node *node, u64 age, u64 now)
{
	struct pcr_node *stale;

	for (u32 i = 0; i < PCR_SAMPLER_BUDGET; i++) {
		stale = stale_below(s->st, node, age, now);
		/* One that can't be read is on its way out, and so is what it explains. */
		if (!stale || recount(s, stale, now))
			return;
	}
}

/* v1 only tells a total: removals seen here are the best bound there is. */
static u64 v1_dying(struct pcr_sampler *s, const struct pcr_node *node, u64 now)
{
	u64 count;

	if (pcr_read_v1_cgroups(s->root, &count) == 0)
		pcr_state_dying_total(s->st, pcr_sub_u64(count, s->st->tree.n), now);
	return node->reap ? pcr_min_u64(node->reap->deaths, s->st->dying) : 0;
}

static int read_dying(struct pcr_sampler *s, const struct pcr_node *node, u64 now, u64 *ret_dying)
{
	char path[PCR_PATH_MAX];
	u64 total;
	int r;

	if (s->st->v1) {
		*ret_dying = v1_dying(s, node, now);
		return 0;
	}
	pcr_node_path(node, path, sizeof(path));
	r = pcr_read_dying(s->root, path, &total);
	if (r)
		return r;
	if (node->n_children && total)
		refresh_below(s, node, OLD, now);
	if (total < pcr_sampler_explained(s->st, node))
		refresh_below(s, node, YOUNG, now);
	*ret_dying = pcr_sub_u64(total, pcr_sampler_explained(s->st, node));
	return 0;
}

/* What stays charged to a cgroup in which nothing lives any more. */
static u64 residue(struct pcr_sampler *s, const struct pcr_node *node, const struct pcr_look *look)
{
	if (!pcr_has(look->own.current_bytes) || !node->parent || node->n_children ||
	    pcr_read_populated(s->root, look->text))
		return PCR_ABSENT;
	return look->own.current_bytes;
}

/* Nothing dies here: the rest is of no interest. */
static int apply_none(struct pcr_sampler *s, struct pcr_node *node, u64 now)
{
	struct pcr_reap_sample sample = {
		.pinned_bytes = PCR_ABSENT, .shmem_bytes = PCR_ABSENT, .residue_bytes = PCR_ABSENT,
		.percpu_bytes = PCR_ABSENT, .dirty_bytes = PCR_ABSENT, .refaults = PCR_ABSENT,
		.stall_usec = PCR_ABSENT,
	};

	return pcr_state_reap_sample(s->st, *s->set, node, &sample, now);
}

static int apply(struct pcr_sampler *s, struct pcr_node *node, const struct pcr_look *look,
		 u64 dying, u64 now)
{
	const struct pcr_reap *old = node->reap;
	struct pcr_reap_sample sample = {
		.dying = dying, .pinned_bytes = look->pinned_bytes,
		.shmem_bytes = look->pinned_shmem_bytes, .residue_bytes = residue(s, node, look),
		.percpu_bytes = look->own.percpu_bytes, .dirty_bytes = look->own.dirty_bytes,
		.refaults = look->own.refaults,
		.stall_usec = look->own.stall_usec,
	};

	/* Without the controller nothing can be asked for here: the next one up has to. */
	if (dying && !s->st->v1 && !look->own.controller && node->parent) {
		pcr_state_suspect(s->st, node->parent, now);
		sample.dying = 0;
	}
	if (!look->children && old && sample.dying) {
		sample.pinned_bytes = old->pinned_bytes;
		sample.shmem_bytes = old->shmem_bytes;
	}
	return pcr_state_reap_sample(s->st, *s->set, node, &sample, now);
}

static bool wants_figures(const struct pcr_reap *old, u64 dying, bool full)
{
	return dying || full || (old && old->series.running);
}

/* The children are read when the first one dies, and when somebody wants to know. */
static bool wants_children(const struct pcr_reap *old, u64 dying, bool full)
{
	return full || (dying && (!old || !old->dying));
}

int pcr_sampler_node(struct pcr_sampler *s, struct pcr_node *node, bool full, u64 now)
{
	struct pcr_look *look;
	u64 dying;
	int r = read_dying(s, node, now, &dying);

	if (r)
		return r;
	if (!wants_figures(node->reap, dying, full))
		return apply_none(s, node, now);
	look = pcr_look_new(node, wants_children(node->reap, dying, full));
	if (!look)
		return -ENOMEM;
	pcr_look_read(s->root, look);
	r = look->r ? look->r : apply(s, node, look, dying, now);
	free(look);
	return r;
}

int pcr_sampler_answer(struct pcr_sampler *s, struct pcr_node *node, const struct pcr_look *look,
		       u64 now)
{
	u64 dying = node->reap->dying;
	bool in_flight = node->reap->in_flight;
	int r = look->r;

	/* A step began meanwhile: what it leaves, or that it had no knob, its outcome tells. */
	if (in_flight && !look->own.controller)
		return 0;
	if (r == 0 && !in_flight)
		r = read_dying(s, node, now, &dying);
	return r ? r : apply(s, node, look, dying, now);
}

static int ask(struct pcr_sampler *s, struct pcr_node *node, bool children)
{
	struct pcr_look *look = pcr_look_new(node, children);

	if (!look)
		return -ENOMEM;
	look->serial = node->reap->look = ++s->looks;
	look->settle = node->reap->settling;
	pcr_reader_ask(s->reader, look);
	return PCR_PART;
}

/*
 * What a decision needs, before the figures are read: policy may act on it at once. Not
 * while a step is to be judged, by both together.
 */
static void apply_dying(struct pcr_sampler *s, struct pcr_node *node, u64 dying, u64 now)
{
	char path[PCR_PATH_MAX];

	if (!dying || node->reap->settling)
		return;
	pcr_node_path(node, path, sizeof(path));
	/* Without the controller it is the next one up that acts: see apply(). */
	if (node->reap->dying || s->st->v1 || !node->parent || pcr_has_memory(s->root, path))
		pcr_state_dying_sample(s->st, *s->set, node, dying, now);
}

int pcr_sampler_look(struct pcr_sampler *s, struct pcr_node *node, bool full, u64 now)
{
	struct pcr_reap *r = node->reap;
	bool children;
	u64 dying;
	int err;

	if (!s->reader || !r)
		return pcr_sampler_node(s, node, full, now);
	err = read_dying(s, node, now, &dying);
	if (err)
		return err;
	if (!wants_figures(r, dying, full) && !r->look)
		return apply_none(s, node, now);
	children = wants_children(r, dying, full);
	apply_dying(s, node, dying, now);
	return r->look ? PCR_PART : ask(s, node, children);
}
