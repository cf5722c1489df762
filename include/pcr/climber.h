/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of one node's worker limit: which were tried, how fast pages were freed
 * with each, and where the search stands. Changed by daemon/model/climber*.c alone.
 */
#ifndef PCR_CLIMBER_H
#define PCR_CLIMBER_H

#include "pcr/types.h"

/* 1, 2, 4, ... 512: what a workqueue takes. The last one is cut to the node's CPUs. */
#define PCR_CLIMB_LEVELS 10
/* What is remembered of one limit; so many are also what a decision waits for at most. */
#define PCR_CLIMB_SAMPLES 6

enum pcr_climb_phase {
	PCR_CLIMB_BASE,		/* measuring the limit that is in force */
	PCR_CLIMB_UP,		/* trying the next higher one */
	PCR_CLIMB_DOWN,		/* trying the next lower one */
	PCR_CLIMB_WITHOUT,	/* found one: is that better than no workers at all? */
	PCR_CLIMB_AGAIN,	/* not sure: measuring more of the one found */
	PCR_CLIMB_SETTLED,
};

struct pcr_climb_level {
	u32 n;				/* exits seen with it, PCR_CLIMB_SAMPLES at most */
	u32 next;			/* the oldest of them, which gives way */
	u64 rate[PCR_CLIMB_SAMPLES];	/* pages freed per second of exit */
	u64 cpu[PCR_CLIMB_SAMPLES];	/* worker time per million pages, usec; PCR_ABSENT */
	u64 last_usec;			/* 0: never tried */
};

struct pcr_climber {
	u32 cap;			/* CPUs: no limit above that */
	u32 n_levels;
	u32 at;				/* level held: the best so far */
	u32 trying;			/* level in force now; .at unless another is being tried */
	u32 fast;			/* under memory pressure: the fastest, whatever CPU it takes */
	enum pcr_climb_phase phase;
	u32 exits;			/* since the search began, or since it ended */
	u32 tried;			/* exits that the last search took */
	u64 begun_usec;			/* when it began */
	u32 rest;			/* exits after which neighbours are looked at again */
	bool climbed;			/* this search has gone up: what lies below is known to be worse */
	u32 began;			/* level that it began at */
	u64 settled_rate;		/* of .at when it settled ... */
	u64 settled_scatter;		/* ... and the variance of single samples, squares of basis points */
	u64 since_usec;			/* phase, or settled, since */
	struct pcr_climb_level level[PCR_CLIMB_LEVELS];
	struct pcr_climb_level without;	/* no workers at all */
	u32 refused;			/* exits that were helped when they should not have been */
	bool idle;			/* settled, and workers gain nothing */
};

/* What one exit, or some together, told. */
struct pcr_climb_sample {
	u64 pages;			/* freed */
	u64 usec;			/* time the exiting task took for them */
	u64 worker_usec;		/* time workers took; PCR_ABSENT */
	u64 max_active;			/* the limit meanwhile */
	bool helped;			/* by workers at all */
	bool pressed;			/* tasks wait for memory: CPU is no object */
};

#endif
