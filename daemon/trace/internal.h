/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared between replay.c, the events of a trace, and turn.c, what the daemon would do. */
#ifndef PCR_TRACE_INTERNAL_H
#define PCR_TRACE_INTERNAL_H

#include "pcr/state.h"
#include "trace/replay.h"
#include "trace/world.h"

/* The start of the trace by the model's clock, to which 0 means "never". */
#define PCR_REPLAY_START PCR_HOUR
#define PCR_REPLAY_JOBS (4 * PCR_PLAN_MAX)

struct pcr_replay {
	struct pcr_state st;
	struct pcr_world world;
	const struct pcr_settings *set;	/* in force */
	const struct pcr_settings *const *sets;	/* and those that come after them */
	u32 n_sets;
	const struct pcr_replay_ops *ops;
	struct pcr_replay_figures figures;
	u64 now;
	u64 next;			/* the plan wants to be made again then */
	u64 look_due;			/* not before that is anything to be sampled */
	bool changed;			/* the plan is another one now */
	/* the worker's queue, in order */
	u32 jobs;
	struct pcr_decision job[PCR_REPLAY_JOBS];
	u64 done_usec;			/* of job[0]; PCR_NEVER: none */
};

/* Up to that time, which may not be before now. 0, -ENOMEM. */
int pcr_replay_until(struct pcr_replay *r, u64 until);
/* Makes the plan and starts what it wants. 0, -ENOMEM. */
int pcr_replay_decide(struct pcr_replay *r);
/* One cgroup, percpu memory: as they are now, in the world. */
int pcr_replay_look(struct pcr_replay *r, struct pcr_node *node);
void pcr_replay_look_percpu(struct pcr_replay *r);
/* When the first of them is to be sampled by ourselves: anew, or if it is because of this one. */
void pcr_replay_find_due(struct pcr_replay *r);
void pcr_replay_note_due(struct pcr_replay *r, const struct pcr_node *node);

#endif
