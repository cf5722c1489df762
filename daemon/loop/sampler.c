// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples on demand; see the header. */
#include "loop/sampler.h"

#include "model/model.h"
#include "model/tree.h"
#include "read/machine.h"
#include "read/memcg.h"

/* With more children than this, what a parent pins is not worth the reads. */
#define CHILDREN_MAX 64

/* What the root counts and nobody explains is searched for at most so often. */
#define SEARCH_REST (10 * PCR_MIN)

/* --- one cgroup --- */

/* Dying below living cgroups further down: theirs, not this one's. NULL: all of them. */
static u64 explained_below(const struct pcr_state *st, const struct pcr_node *node)
{
	const struct pcr_list *pos;
	u64 sum = 0;

	pcr_list_for(pos, &st->reaps) {
		const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		if (!node || (r->node != node && pcr_node_below(r->node, node)))
			sum += r->dying;
	}
	return sum;
}

static int read_dying(struct pcr_sampler *s, const struct pcr_node *node, const char *path,
		      u64 *ret_dying)
{
	u64 total;
	int r;

	if (s->st->v1) {
		/* v1 only tells a total: removals seen here are the best bound there is. */
		*ret_dying = node->reap ? pcr_min_u64(node->reap->deaths, s->st->dying) : 0;
		return 0;
	}
	r = pcr_read_dying(s->root, path, &total);
	if (r)
		return r;
	*ret_dying = pcr_sub_u64(total, explained_below(s->st, node));
	return 0;
}

static u64 minus(u64 a, u64 b)
{
	return pcr_has(a) && pcr_has(b) ? pcr_sub_u64(a, b) : PCR_ABSENT;
}

/* What no living child accounts for. */
static void read_pinned(struct pcr_sampler *s, const struct pcr_node *node,
			struct pcr_memcg_sample *own)
{
	char path[PCR_PATH_MAX];

	if (node->n_children > CHILDREN_MAX) {
		own->current_bytes = PCR_ABSENT;
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
	r = read_dying(s, node, path, &sample.dying);
	if (r)
		return r;
	/* Nothing dies here: the rest is of no interest. */
	if (sample.dying || full || (old && old->series.running)) {
		r = pcr_read_memcg(s->root, path, &own);
		if (r)
			return r;
	}
	sample.residue_bytes = residue(s, node, path, &own);
	if (full || (sample.dying && (!old || !pcr_has(old->pinned_bytes)))) {
		read_pinned(s, node, &own);
	} else {
		own.current_bytes = old ? old->pinned_bytes : PCR_ABSENT;
		own.shmem_bytes = old ? old->shmem_bytes : PCR_ABSENT;
	}
	sample.pinned_bytes = own.current_bytes;
	sample.shmem_bytes = own.shmem_bytes;
	sample.dirty_bytes = own.dirty_bytes;
	sample.refaults = own.refaults;
	sample.stall_usec = own.stall_usec;
	return pcr_state_reap_sample(s->st, *s->set, node, &sample, now);
}

/* --- the machine --- */

void pcr_sampler_percpu(struct pcr_sampler *s, u64 now)
{
	struct pcr_percpu_sample sample;

	if (pcr_read_percpu(s->root, &sample)) {
		s->st->trim.sample_usec = PCR_NEVER;
		return;
	}
	sample.knob = s->trim_knob;
	pcr_state_percpu_sample(s->st, &sample, now);
	pcr_state_float_sample(s->st, *s->set, sample.empty_pages_high);
}

static void sample_root(struct pcr_sampler *s, u64 now)
{
	struct pcr_state *st = s->st;
	u64 count;

	st->root_sample_usec = PCR_NEVER;
	if (st->v1) {
		if (pcr_read_v1_cgroups(s->root, &count) == 0)
			st->dying = pcr_sub_u64(count, st->tree.n);
		return;
	}
	if (pcr_read_dying(s->root, "", &count))
		return;
	st->dying = count;
	if (count > explained_below(st, NULL) && !st->scan_id && now >= s->scan_usec && s->scan_usec) {
		s->scan_usec = now + SEARCH_REST;
		pcr_sampler_search(s);
	}
}

/* --- searching: depth first, a slice at a time, only where something is dying --- */

void pcr_sampler_search(struct pcr_sampler *s)
{
	if (!s->st->v1)
		s->st->scan_id = s->st->tree.root->id;
}

static u32 search(struct pcr_sampler *s, u32 budget, u64 now)
{
	struct pcr_state *st = s->st;
	struct pcr_node *node = pcr_tree_by_id(&st->tree, st->scan_id);
	char path[PCR_PATH_MAX];

	if (!s->scan_usec)
		s->scan_usec = now + SEARCH_REST;
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

static u32 depth(const struct pcr_node *node)
{
	u32 n = 0;

	for (; node->parent; node = node->parent)
		n++;
	return n;
}

/* Deepest first: what stands below explains part of what stands above. */
static struct pcr_reap *next_due(struct pcr_state *st, u64 now)
{
	struct pcr_reap *best = NULL;
	struct pcr_list *pos;

	pcr_list_for(pos, &st->reaps) {
		struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		if (r->sample_usec <= now && !r->in_flight &&
		    (!best || depth(r->node) > depth(best->node)))
			best = r;
	}
	return best;
}

static void sample_due(struct pcr_sampler *s, struct pcr_reap *r, u64 now)
{
	struct pcr_node *node = r->node;
	struct pcr_record record;
	/* The last idle step decides whether tmpfs is to blame: look closely. */
	bool full = r->settling && r->series.idle_steps >= 2;

	r->sample_usec = PCR_NEVER;
	(void)pcr_read_swap_free(s->root, &s->st->swap_free_bytes);
	if (pcr_sampler_node(s, node, full, now)) {
		/* Most likely gone, and the lifecycle will say so; if not, look again. */
		r->sample_usec = now + PCR_MIN;
		return;
	}
	if (node->reap && node->reap->settling &&
	    pcr_state_settled(s->st, *s->set, node->reap, now, &record)) {
		/* What the machine as a whole counts is stale now. */
		s->st->root_sample_usec = now;
		s->ended(s->data, &record);
	}
}

void pcr_sampler_run(struct pcr_sampler *s, u64 now)
{
	struct pcr_state *st = s->st;
	u32 budget = PCR_SAMPLER_BUDGET;
	struct pcr_reap *r;

	if (st->trim.sample_usec <= now)
		pcr_sampler_percpu(s, now);
	if (st->root_sample_usec <= now)
		sample_root(s, now);
	if (st->scan_id)
		budget = search(s, budget, now);
	for (; budget && (r = next_due(st, now)); budget--)
		sample_due(s, r, now);
}

u64 pcr_sampler_due(const struct pcr_sampler *s)
{
	const struct pcr_list *pos;
	u64 due = pcr_min_u64(s->st->trim.sample_usec, s->st->root_sample_usec);

	if (s->st->scan_id)
		return 0;
	pcr_list_for(pos, &s->st->reaps) {
		const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		if (!r->in_flight)
			due = pcr_min_u64(due, r->sample_usec);
	}
	return due;
}
