/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what is due and hands it to the model. Nothing is read because time
 * passed: only what a removal, an action, pressure or a question made stale.
 */
#ifndef PCR_SAMPLER_H
#define PCR_SAMPLER_H

#include "pcr/settings.h"
#include "pcr/state.h"
#include "sys/root.h"

struct pcr_reader;

struct pcr_sampler {
	const struct pcr_root *root;
	struct pcr_state *st;
	const struct pcr_settings *const *set;
	bool trim_knob;			/* for pcr_percpu_sample.knob */
	bool trim_spare;		/* likewise .spare */
	struct pcr_reader *reader;	/* NULL: everything is read here and now */
	u64 looks;			/* asked of it so far */
	u64 footprint_usec;		/* asked for what all cgroups come to; 0: never */
	u64 slice_usec;			/* longest stretch of reading in one run; the first is always read */
	u64 unexplained_usec;		/* since when the root counts more than is known; 0 */
	u64 scan_usec;			/* no new search for those before */
	u64 scan_rest_usec;		/* how long it rests after the next one */
	/* A reap step was judged and its series ended. */
	void (*ended)(void *data, const struct pcr_record *record);
	void *data;
};

/*
 * Cgroup reads in one go at most, so that a turn of the loop stays short however
 * many cgroups want a look; the rest is due at once.
 */
#define PCR_SAMPLER_BUDGET 64

/* All cgroups that are due at now, within the budget. Percpu memory: pcr_sampler_percpu(). */
void pcr_sampler_run(struct pcr_sampler *s, u64 now);
/* When the next of them is due; PCR_NEVER. */
u64 pcr_sampler_due(const struct pcr_sampler *s);

/*
 * One cgroup: how many are dying, now. What takes longer is asked of the reader, which
 * the caller wakes, and taken in by a later run. 0: that was all, since there is no
 * reader or nothing known to add to; PCR_PART: more is to come; PCR_GONE, -errno.
 */
int pcr_sampler_look(struct pcr_sampler *s, struct pcr_node *node, bool full, u64 now);
/* One cgroup, all of it now; full also reads the children (what is pinned). 0, PCR_GONE, -errno. */
int pcr_sampler_node(struct pcr_sampler *s, struct pcr_node *node, bool full, u64 now);
/* How many are dying in all; may start a search for those nobody explains. */
void pcr_sampler_root(struct pcr_sampler *s, u64 now);
void pcr_sampler_percpu(struct pcr_sampler *s, u64 now);
/* What khugepaged's own settings are. */
void pcr_sampler_khugepaged(struct pcr_sampler *s);
/*
 * What cgroups are charged for percpu memory in all, and the slab they left behind: by the
 * reader, where there is one, and at most once a minute. All memory now.
 */
void pcr_sampler_footprint(struct pcr_sampler *s, u64 now);
/* Looks for dying cgroups everywhere: after start and after lost events. */
void pcr_sampler_search(struct pcr_sampler *s);

/* sampler_node.c: what the reader brought. 0: it is in the state; PCR_GONE, -errno. */
struct pcr_look;
int pcr_sampler_answer(struct pcr_sampler *s, struct pcr_node *node, const struct pcr_look *look,
		       u64 now);
/* sampler_node.c: dying below living cgroups further down than this; NULL: all of them. */
u64 pcr_sampler_explained(const struct pcr_state *st, const struct pcr_node *node);
u32 pcr_sampler_depth(const struct pcr_node *node);

#endif
