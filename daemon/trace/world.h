/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine of a trace, had other things been done to it. What was recorded is what the
 * recorded daemon left; to that is added what it freed, and what replay frees is taken off.
 *
 * How many removed cgroups a step frees is not known, so it is taken from the recorded
 * steps on the same cgroup (none, where those freed none); else from what each removed one
 * pins there; else from all recorded steps. A trim frees all that is empty. What living
 * cgroups lose and feel is as recorded.
 */
#ifndef PCR_TRACE_WORLD_H
#define PCR_TRACE_WORLD_H

#include "model/model.h"
#include "pcr/trace.h"

/* A cgroup in which something was dying. */
struct pcr_world_cgroup {
	u64 id;			/* 0: a free place */
	bool known;		/* was sampled */
	u64 value[PCR_EVENT_VALUES];	/* as PCR_EVENT_LOOK has them */
	bool stepped;		/* a recorded step ended since */
	s64 extra;		/* dying beyond what was recorded; below 0: gone already */
	/* of recorded steps */
	u64 asked;
	u64 gone;
	u64 credit;		/* bytes asked for in replay, not worth a cgroup yet */
};

struct pcr_world {
	u32 n, cap;
	struct pcr_world_cgroup *cgroup;	/* open addressing, by id */
	u64 asked, gone;	/* of all recorded steps */
	s64 extra;		/* of all cgroups together */
	bool percpu_known;
	u64 percpu[PCR_EVENT_VALUES];
	s64 empty_extra;	/* empty pages beyond what was recorded */
	u64 setting[_PCR_SETTING_PAIRS];	/* as they stand in replay; PCR_ABSENT */
};

int pcr_world_init(struct pcr_world *w);
void pcr_world_clear(struct pcr_world *w);
/* From the start once more, keeping what was learned of steps. */
void pcr_world_rewind(struct pcr_world *w);

/* Takes a recorded event in. 0, -ENOMEM. */
int pcr_world_event(struct pcr_world *w, const struct pcr_event *e);

/* What would be read now. False: never sampled. */
bool pcr_world_look(const struct pcr_world *w, u64 id, struct pcr_reap_sample *ret_sample);
bool pcr_world_percpu(const struct pcr_world *w, struct pcr_percpu_sample *ret_sample);
/* How many would be dying in all, where so many were recorded. */
u64 pcr_world_dying(const struct pcr_world *w, u64 recorded);

/* A step or a trim is done: bytes freed. */
u64 pcr_world_reap(struct pcr_world *w, u64 id, u64 asked);
u64 pcr_world_trim(struct pcr_world *w, u64 asked);

#endif
