/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Per-task collapse: what is known of the tasks whose memory a policy wants in huge
 * pages, and what one round of work on them asks and brings.
 *
 * A task here is a process: its memory is one. Who it is, is its pid together with the
 * time of its start, for pids are used again. Amounts are bytes of address space looked
 * at, whichever way: that is what Budget= and Collapse= count.
 */
#ifndef PCR_COLLAPSE_H
#define PCR_COLLAPSE_H

#include "pcr/decision.h"
#include "pcr/types.h"

/* Who does it. */
enum pcr_how {
	PCR_HOW_NONE,
	PCR_HOW_TASK,		/* the task itself, at a rate that the kernel was told */
	PCR_HOW_MADVISE,	/* we do, with process_madvise() */
	_PCR_HOW_MAX,
};

/* So many at most; those of a policy beyond them are counted and left out. */
#define PCR_TASKS_MAX 1024

/* Rates in the kernel are so much each period, and end by themselves after the lease. */
#define PCR_GRANT_PERIOD (200 * PCR_MSEC)
#define PCR_GRANT_LEASE (5 * PCR_SEC)

/* The kernel's settings for huge pages that both ways keep to. */
struct pcr_thp {
	u64 huge_bytes;		/* size of a huge page; 0: there are none */
	u64 page_bytes;
	bool never;		/* transparent_hugepage/enabled is never */
	u64 max_none;		/* khugepaged's: pages of a range that may be missing, ... */
	u64 max_swap;		/* ... swapped out, ... */
	u64 max_shared;		/* ... and shared with another process */
};

/* One process as seen by a look; PCR_ABSENT: not read. */
struct pcr_task_sample {
	u64 start_ticks;
	u64 age_usec;
	u64 cpu_ticks;
	u64 anon_bytes;
	u64 huge_bytes;
	char comm[16];
};

/* /proc/PID/thp_collapse_stat */
struct pcr_collapse_stat {
	u64 scanned;		/* pages */
	u64 collapsed;		/* huge pages */
	u64 alloc_failed;
	u64 skipped_busy;
	u64 full_scans;
	u64 pending;
};

enum pcr_depth {
	PCR_LOOK_NO,
	PCR_LOOK_SIZE,		/* how much memory: a counter */
	PCR_LOOK_HUGE,		/* how much of it is huge: the kernel walks its page tables */
};

/* What is to be done about one task in one round, and what came of it. */
struct pcr_chore {
	s32 pid;
	u64 start_ticks;	/* 0: not known yet */
	enum pcr_depth depth;
	enum pcr_how how;
	u64 bytes;		/* MADVISE: look at so many; TASK: so many each period */
	bool grant;		/* TASK: tell the kernel .bytes, 0 takes the rate back */
	/* answered */
	int r;			/* 0, PCR_GONE, PCR_NONE: no memory of its own, -errno */
	int err;		/* errno of the grant or of a range */
	struct pcr_task_sample sample;
	struct pcr_collapse_stat stat;	/* TASK; .scanned PCR_ABSENT: not read */
	u64 scanned_bytes;
	u64 tried_bytes;	/* of them, in ranges that khugepaged would take */
	u64 failed_bytes;	/* of those, where the kernel said no */
	bool pass_ended;	/* all of its memory was looked at */
	u64 look_usec;		/* what the look took */
};

struct pcr_round {
	bool machine;		/* read the figures below, too */
	struct pcr_thp thp;
	u64 some_bp;		/* memory pressure, avg10; PCR_ABSENT */
	u64 free_huge;		/* huge pages that could be had at once; PCR_ABSENT */
	u32 n;
	struct pcr_chore chore[];
};

struct pcr_task {
	s32 pid;
	s32 policy;		/* -1: [Collapse] alone */
	u64 cgroup;
	u64 start_ticks;	/* 0: not looked at yet */
	char comm[16];
	bool seen;		/* by the sweep under way */
	bool out;		/* a chore of the round under way is about it */
	bool dry_run;
	bool said;		/* a dry run has said it */
	bool running;		/* used CPU time lately */
	u64 run_usec;		/* ... when it was last seen to */
	enum pcr_how how;
	u64 born_usec;
	u64 cpu_ticks;
	u64 anon_bytes;		/* PCR_ABSENT until looked at */
	u64 huge_bytes;
	u64 size_usec;		/* looks that are due then */
	u64 huge_usec;
	/* at work */
	bool working;
	bool last_look;		/* the look under way ends it, with .stop */
	enum pcr_stop stop;
	u64 start_usec;
	u64 huge_start;
	u32 spells;		/* of work so far */
	/* at rest */
	u64 rest_usec;		/* until then */
	enum pcr_reason rest;	/* why: nothing to gain, or it failed */
	u64 rest_anon;
	u32 fruitless;		/* spells in a row that made nothing huge */
	int err;		/* the last thing the kernel refused */
	/* in all, and of this spell */
	u64 scanned_bytes;
	u64 made_bytes;
	u64 spell_scanned;
	u64 spell_tried;
	u64 spell_failed;
	/* MADVISE: may be looked at now */
	u64 credit_bytes;
	/* TASK: what the kernel was told, and what it had done by then */
	u64 granted_bytes;
	u64 lease_usec;
	struct pcr_collapse_stat stat, stat_start;
	u64 moved_usec;		/* .stat.scanned last moved */
	/* measured */
	u64 rate_bytes;		/* looked at, a second */
	u64 rate_from_usec;
	u64 rate_scanned;
	u64 share_bytes;	/* a second: what policy gave it last */
};

struct pcr_collapse {
	bool ready[_PCR_HOW_MAX];	/* which ways there are */
	struct pcr_thp thp;
	u32 n;
	u32 cap;
	u32 left_out;		/* tasks of policy cgroups beyond PCR_TASKS_MAX */
	struct pcr_task *task;	/* by pid */
	enum pcr_reason paused;	/* PCR_WHY_NOTHING: not */
	u64 paused_usec;
	u64 some_bp;
	u64 free_huge;
	u64 machine_usec;	/* the two are read again then */
	u64 tokens_bytes;	/* what may be looked at by ourselves, now */
	u64 tokens_usec;
	u64 scanned_bytes;	/* by both ways, in all */
	u64 made_bytes;
	u32 turn;		/* who comes first changes */
	bool news;		/* a look found something to gain: another round, soon */
};

#endif
