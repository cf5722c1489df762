/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State: what is remembered between samples. Changed only by daemon/model/ (and
 * by nothing while policy/ looks at it); everybody else reads.
 *
 * Sizes matter: a host has tens of thousands of idle cgroups, and struct
 * pcr_node is all that one costs. What only cgroups with dead children need
 * hangs off node->reap.
 */
#ifndef PCR_STATE_H
#define PCR_STATE_H

#include "pcr/decision.h"
#include "pcr/list.h"
#include "pcr/types.h"

struct pcr_reap;

/* One living cgroup. Identity is the id; a path is only where it is now. */
struct pcr_node {
	u64 id;			/* kernel cgroup id (inode number in cgroupfs) */
	struct pcr_node *parent;	/* NULL for the root */
	struct pcr_node *child;		/* first; order is of no meaning */
	struct pcr_node *next;		/* siblings, doubly linked */
	struct pcr_node *prev;
	struct pcr_reap *reap;		/* NULL until something directly below died */
	u32 n_children;
	s32 watch;		/* inotify watch descriptor, -1: none; owned by the source */
	s32 policy;		/* index into settings->policies, -1: none matches */
	u32 mark;		/* generation of the last walk that saw it */
	char name[];		/* last component, "" for the root; any byte but '/' and NUL */
};

struct pcr_tree {
	struct pcr_node *root;
	u32 n;			/* nodes, the root among them */
	u32 mark;
	/* two hash tables with one entry a node: by id, by (parent, name) */
	struct pcr_node **by_id;
	struct pcr_node **by_name;
	u32 cap;		/* power of two, shared by both */
};

/* What a series of reap steps has come to so far. */
struct pcr_series {
	bool running;
	enum pcr_reason why;
	u32 steps;
	u32 idle_steps;		/* in a row, without a dying cgroup gone */
	u64 start_usec;
	u64 asked;
	u64 freed_bytes;
	u64 took_usec;
	u64 dying_start;
	u64 value;
	u64 threshold;
	u64 refault_start;	/* PCR_ABSENT: not sampled */
	u64 refault_pages;
	u64 stall_start_usec;	/* total= of memory.pressure, some */
};

/* A living cgroup below which removed ones are not gone. */
struct pcr_reap {
	struct pcr_node *node;
	struct pcr_list link;		/* in pcr_state.reaps */
	/* sampled */
	u64 dying;			/* dying descendants that no living child accounts for */
	u64 pinned_bytes;		/* memory.current less the children's; PCR_ABSENT */
	u64 shmem_bytes;		/* of it, tmpfs; PCR_ABSENT */
	u64 refaults;			/* workingset_refault_{anon,file}, pages; PCR_ABSENT */
	u64 stall_usec;			/* memory.pressure some total=; PCR_ABSENT */
	u64 sampled_usec;
	/* derived */
	u64 dying_since_usec;		/* since when dying > 0 without a break */
	u64 above_since_usec;		/* since when dying >= the rule's threshold, 0: it is not */
	u32 deaths;			/* removals seen since the last sample */
	bool dirty;			/* wants a sample */
	/* budget: token bucket, in bytes */
	u64 tokens;
	u64 refill_usec;
	/* acting */
	bool in_flight;
	u64 step_bytes;			/* size of the next step */
	u64 settle_usec;		/* sample then, to see what the last step did; 0: nothing awaited */
	u64 dying_before_step;
	u64 cooldown_usec;		/* no new series before */
	u64 retry_usec;			/* backed off until */
	u32 backoff;			/* how often in a row */
	u32 fruitless;			/* ended series without effect in a row */
	enum pcr_stop last_stop;
	struct pcr_series series;
};

struct pcr_percpu_sample {
	bool knob;			/* the reclaim file is there and can be written */
	u64 percpu_bytes;		/* Percpu: of /proc/meminfo */
	u64 page_bytes;
	u64 nr_units;			/* possible CPUs */
	u64 populated_pages;		/* unit pages: each is page_bytes * nr_units */
	u64 empty_pages;
	u64 isolated_empty_pages;
	u64 empty_pages_low;
	u64 empty_pages_high;
	u64 metadata_bytes;
	u64 depopulated_pages;
	u64 repopulated_pages;
	u64 trim_runs;
};

struct pcr_trim {
	struct pcr_percpu_sample now;
	u64 sampled_usec;
	bool dirty;			/* wants a sample at the next crank */
	u64 resample_usec;		/* and again then: freeing is asynchronous; 0 */
	u64 deaths;			/* removed cgroups since the last trim */
	bool after_reap;
	bool in_flight;
	u64 cooldown_usec;
	u64 retry_usec;
	u32 fruitless;
	enum pcr_stop last_stop;
};

struct pcr_slice_pressure {
	u64 id;				/* cgroup id, 0: machine-wide */
	u64 last_usec;			/* last event */
	u64 events;
	u64 some_avg10_bp;		/* PCR_ABSENT */
	u64 stall_usec;			/* total= of the last read; PCR_ABSENT */
};

/* A kernel setting held by policy; see act/ledger. */
struct pcr_setting_state {
	u64 seen;			/* last value read, PCR_ABSENT: no such file */
	u64 want;			/* PCR_ABSENT: leave alone */
	u64 base;			/* value found before ours */
	bool ours;
	bool foreign;			/* another writer changed it under us: left alone */
	bool in_flight;
	int err;
};

#define PCR_HISTORY 256

struct pcr_totals {
	u64 reap_freed_bytes;
	u64 reap_cgroups;
	u64 trim_freed_bytes;
	u64 actions;
	u64 failed;
	u64 dry_runs;
	u64 created;
	u64 removed;
	u64 released;			/* dying cgroups seen to be gone (source tracefs) */
};

struct pcr_state {
	struct pcr_tree tree;
	struct pcr_list reaps;		/* struct pcr_reap.link */
	u32 n_reaps;
	u64 dying;			/* nr_dying_descendants of the root; PCR_ABSENT */
	bool root_dirty;		/* removals happened since it was read */
	u64 possible_cpus;
	u64 swap_free_bytes;		/* PCR_ABSENT: not sampled; 0: no swap */
	struct pcr_trim trim;
	struct pcr_setting_state float_high;
	u32 n_pressure;			/* [0] machine-wide, then the slices */
	struct pcr_slice_pressure pressure[1 + 16];
	struct pcr_totals totals;
	u64 next_seq;
	u32 n_history;			/* valid entries, newest at (next_seq - 1) % PCR_HISTORY */
	struct pcr_record history[PCR_HISTORY];
};

#endif
