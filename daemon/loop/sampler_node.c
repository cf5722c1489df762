// SPDX-License-Identifier: GPL-2.0-or-later
/* One cgroup's sample: what dies directly below it, what that pins, whom it stands beside. */
#include "loop/sampler.h"

#include "model/model.h"
#include "model/tree.h"
#include "read/memcg.h"

/* With more children than this, what a parent pins is not worth the reads. */
#define CHILDREN_MAX 64

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

static void refresh_below(struct pcr_sampler *s, const struct pcr_node *node, u64 age, u64 now)
{
	struct pcr_node *stale;

	for (u32 i = 0; i < PCR_SAMPLER_BUDGET; i++) {
		stale = stale_below(s->st, node, age, now);
		/* One that can't be read is on its way out, and so is what it explains. */
		if (!stale || pcr_sampler_node(s, stale, false, now))
			return;
	}
}

/* v1 only tells a total: removals seen here are the best bound there is. */
static u64 v1_dying(struct pcr_sampler *s, const struct pcr_node *node)
{
	u64 count;

	if (pcr_read_v1_cgroups(s->root, &count) == 0)
		s->st->dying = pcr_sub_u64(count, s->st->tree.n);
	return node->reap ? pcr_min_u64(node->reap->deaths, s->st->dying) : 0;
}

static int read_dying(struct pcr_sampler *s, const struct pcr_node *node, const char *path, u64 now,
		      u64 *ret_dying)
{
	u64 total;
	int r;

	if (s->st->v1) {
		*ret_dying = v1_dying(s, node);
		return 0;
	}
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

static u64 minus(u64 a, u64 b)
{
	return pcr_has(a) && pcr_has(b) ? pcr_sub_u64(a, b) : PCR_ABSENT;
}

/* What no living child accounts for; not told where that would take too many reads. */
static void read_pinned(struct pcr_sampler *s, const struct pcr_node *node,
			struct pcr_memcg_sample *own)
{
	char path[PCR_PATH_MAX];

	if (node->n_children > CHILDREN_MAX) {
		own->current_bytes = PCR_ABSENT;
		own->shmem_bytes = PCR_ABSENT;
		return;
	}
	for (const struct pcr_node *c = node->child; c; c = c->next) {
		struct pcr_memcg_sample child;

		pcr_node_path(c, path, sizeof(path));
		if (pcr_read_memcg(s->root, path, &child))
			continue;
		own->current_bytes = minus(own->current_bytes, child.current_bytes);
		own->shmem_bytes = minus(own->shmem_bytes, child.shmem_bytes);
	}
}

/* What stays charged to a cgroup in which nothing lives any more. */
static u64 residue(struct pcr_sampler *s, const struct pcr_node *node, const char *path,
		   const struct pcr_memcg_sample *own)
{
	if (!node->parent || node->n_children || pcr_read_populated(s->root, path))
		return PCR_ABSENT;
	return own->current_bytes;
}

int pcr_sampler_node(struct pcr_sampler *s, struct pcr_node *node, bool full, u64 now)
{
	struct pcr_memcg_sample own = {
		.current_bytes = PCR_ABSENT, .shmem_bytes = PCR_ABSENT, .dirty_bytes = PCR_ABSENT,
		.refaults = PCR_ABSENT, .stall_usec = PCR_ABSENT,
	};
	const struct pcr_reap *old = node->reap;
	struct pcr_reap_sample sample;
	char path[PCR_PATH_MAX];
	int r;

	pcr_node_path(node, path, sizeof(path));
	r = read_dying(s, node, path, now, &sample.dying);
	if (r)
		return r;
	/* Nothing dies here: the rest is of no interest. */
	if (sample.dying || full || (old && old->series.running)) {
		r = pcr_read_memcg(s->root, path, &own);
		if (r)
			return r;
	}
	/* Without the controller nothing can be asked for here: the next one up has to. */
	if (sample.dying && !s->st->v1 && !own.controller && node->parent) {
		pcr_state_suspect(s->st, node->parent, now);
		sample.dying = 0;
	}
	sample.residue_bytes = residue(s, node, path, &own);
	/* The children are read when the first one dies, and when somebody wants to know. */
	if (full || (sample.dying && (!old || !old->dying))) {
		read_pinned(s, node, &own);
	} else {
		own.current_bytes = sample.dying ? old->pinned_bytes : PCR_ABSENT;
		own.shmem_bytes = sample.dying ? old->shmem_bytes : PCR_ABSENT;
	}
	sample.pinned_bytes = own.current_bytes;
	sample.shmem_bytes = own.shmem_bytes;
	sample.dirty_bytes = own.dirty_bytes;
	sample.refaults = own.refaults;
	sample.stall_usec = own.stall_usec;
	return pcr_state_reap_sample(s->st, *s->set, node, &sample, now);
}
