/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decisions as data: what policy/ wants, why, and what came of it.
 *
 * The same struct pcr_decision is carried out (act/), shown before it happens
 * (plan), explained when it does not happen (explain), and kept with its outcome
 * (history, journal). Nothing here says how a thing is done: that is a backend's.
 */
#ifndef PCR_DECISION_H
#define PCR_DECISION_H

#include "pcr/knobs.h"
#include "pcr/types.h"

enum pcr_action {
	PCR_ACT_NONE,
	PCR_ACT_REAP,		/* reclaim below a living parent of removed cgroups; amount in bytes */
	PCR_ACT_TRIM,		/* give empty percpu pages back; amount in bytes, PCR_ABSENT: all above the float */
	PCR_ACT_SET,		/* set a kernel setting that is under the ledger; amount is the value */
	PCR_ACT_COLLAPSE,	/* have a task's memory made huge pages; amount in bytes looked at a second */
	_PCR_ACT_MAX,
};

/*
 * Why. A decision carries the reason that makes it act, or the first one that
 * holds it back. Names: daemon/policy/reason.c, sentences: sentence.c.
 */
enum pcr_reason {
	PCR_WHY_NOTHING,	/* nothing to do */
	/* reasons to act */
	PCR_WHY_ABOVE,		/* value >= threshold */
	PCR_WHY_AGE,		/* has been so for longer than threshold (usec) */
	PCR_WHY_PRESSURE,	/* memory pressure here or machine-wide */
	PCR_WHY_CONTINUE,	/* the last step helped, the next one follows */
	PCR_WHY_AFTER_REAP,	/* a reap ended: percpu chunks have new holes */
	PCR_WHY_AFTER_DEATHS,	/* value removed cgroups >= threshold */
	PCR_WHY_LATE,		/* what was freed after a trim for any of these: once more, when it is quiet */
	PCR_WHY_ASKED,		/* somebody asked through the socket */
	PCR_WHY_SETTING,	/* the settings name a value for a kernel setting */
	PCR_WHY_RESTORE,	/* they name none (now): as it was found */
	PCR_WHY_TRYING,		/* a worker limit is tried, to see what it does for exits */
	PCR_WHY_SETTLED,	/* of those tried it is the best */
	PCR_WHY_NO_GAIN,	/* workers make no exit faster here */
	PCR_WHY_CPU_PRESSURE,	/* tasks wait for CPUs: workers pause */
	PCR_WHY_ELIGIBLE,	/* value bytes of a task's memory could be huge pages and are not */
	_PCR_WHY_HOLD,
	/* reasons not to act (yet) */
	PCR_WHY_OFF = _PCR_WHY_HOLD,	/* the setting says no */
	PCR_WHY_NO_KNOB,	/* this kernel has no such knob, or it can't be written */
	PCR_WHY_BELOW,		/* value < threshold */
	PCR_WHY_BUSY,		/* the same is being done now, or being measured */
	PCR_WHY_COOLDOWN,	/* until */
	PCR_WHY_BUDGET,		/* bytes used up, until */
	PCR_WHY_BACKOFF,	/* the last attempt ended with .stop; until */
	PCR_WHY_SUSPENDED,	/* too many actions in a row without effect; until */
	PCR_WHY_FOREIGN,	/* another program wrote that setting after us: left alone */
	PCR_WHY_REFUSED,	/* the kernel refused this value before */
	PCR_WHY_ORDER,		/* the other end of the float has to move first: low < high at any time */
	PCR_WHY_GUARDED,	/* a policy says Reap=no for a cgroup below: it would lose pages too */
	PCR_WHY_SAID,		/* a dry run has said it already; until */
	PCR_WHY_FEW_DEATHS,	/* value removed cgroups < threshold */
	PCR_WHY_NOT_YET,	/* enough of them: not before a reap has ended with nothing left dying */
	PCR_WHY_UNSEEN,		/* that task was not looked at yet */
	PCR_WHY_PAUSED,		/* tasks wait for memory: value, in basis points of the time */
	PCR_WHY_NO_HUGE,	/* value huge pages are free: too few */
	PCR_WHY_THP_NEVER,	/* transparent_hugepage/enabled is never */
	PCR_WHY_ALL_HUGE,	/* all was looked at, and nothing is left to gain; until */
	_PCR_WHY_MAX,
};

/* How a reap (a series of steps) or any other action ended. */
enum pcr_stop {
	PCR_STOP_NONE,		/* has not ended */
	PCR_STOP_DONE,		/* reached what it wanted */
	PCR_STOP_NO_PROGRESS,	/* the last steps freed no dying cgroup */
	PCR_STOP_NO_SWAP,	/* what stays is tmpfs or anonymous memory and there is no swap */
	PCR_STOP_BUDGET,	/* ReapBudget= used up; goes on later */
	PCR_STOP_REFAULT,	/* living siblings read back what was reclaimed */
	PCR_STOP_STALL,		/* living siblings stalled on memory */
	PCR_STOP_ERROR,		/* the write failed: err */
	PCR_STOP_GONE,		/* the target vanished */
	PCR_STOP_DRY_RUN,	/* would have been done */
	PCR_STOP_OFF,		/* the settings changed under way */
	PCR_STOP_REFUSED,	/* the kernel took the value and shows another */
	_PCR_STOP_MAX,
};

/* Figures that decided; PCR_ABSENT where they do not apply. */
struct pcr_evidence {
	u64 value;		/* what was seen, in the unit of the reason */
	u64 threshold;		/* what it was held against */
	u64 since_usec;		/* the condition holds since */
	u64 until_usec;		/* what holds back ends at; also the next look */
};

struct pcr_decision {
	enum pcr_action action;	/* what it is about, also when held back */
	enum pcr_reason want;	/* what speaks for it; PCR_WHY_NOTHING */
	enum pcr_reason why;	/* the same when it acts, else what holds it back */
	bool act;		/* true: do it now */
	bool dry_run;
	bool unpin;		/* PCR_ACT_REAP: first let go what only needs to be asked (sys/unpin.h) */
	bool unpin_all;		/* that, and what takes a few pages of the whole machine */
	bool pressed;		/* PCR_ACT_SET: the value is that for memory pressure */
	enum pcr_setting setting;	/* PCR_ACT_SET: which */
	s32 policy;		/* index into settings->policies, -1: [Percpu] */
	u64 target;		/* cgroup id; 0 machine-wide */
	u64 amount;
	struct pcr_evidence wanted;	/* figures of .want */
	struct pcr_evidence evidence;	/* figures of .why */
};

/*
 * Room for a path that is only shown: a pod's container in a node that is a container itself
 * has 330 bytes. A longer one begins with "...".
 */
#define PCR_SHOWN 384

/* Result of one carried-out step, as the backend saw it. */
struct pcr_outcome {
	enum pcr_action action;
	u64 target;
	u64 asked;		/* bytes, or the value set */
	u64 freed_bytes;	/* PCR_ABSENT when it could not be measured */
	u64 took_usec;
	int err;		/* errno of the knob write, 0 */
	bool part;		/* EAGAIN: less than asked, no failure */
	bool gone;
	bool dry_run;
	bool refused;		/* PCR_ACT_SET: read back, and it is another value */
	enum pcr_setting setting;	/* PCR_ACT_SET: which */
	char knob[128];		/* the file written, relative to its cgroup or to / */
	char path[PCR_SHOWN];	/* the cgroup; "" machine-wide; long ones keep their end */
};

/* Who did it: this daemon, one before it, or one before the machine was booted. */
enum pcr_past {
	PCR_PAST_NONE,
	PCR_PAST_RESTART,
	PCR_PAST_BOOT,		/* its ids and points in time mean nothing any more */
	_PCR_PAST_MAX,
};

/*
 * One finished action with all its steps: a line of history and of the journal.
 */
struct pcr_record {
	u64 seq;		/* 1-based, never reused, goes on after a restart */
	enum pcr_past past;
	u64 end_real_usec;	/* PCR_PAST_BOOT: the end by CLOCK_REALTIME, else 0 */
	enum pcr_action action;
	enum pcr_reason why;
	enum pcr_stop stop;
	bool dry_run;
	enum pcr_setting setting;	/* PCR_ACT_SET: which */
	int err;
	u32 steps;
	u64 target;
	u64 start_usec;
	u64 end_usec;
	u64 took_usec;		/* time spent in the kernel, all steps */
	u64 asked;
	u64 freed_bytes;
	u64 before;		/* dying cgroups, empty percpu bytes, or the old value */
	u64 after;
	u64 value;		/* evidence that started it ... */
	u64 threshold;		/* ... and what it was held against */
	u64 refault_pages;	/* read back by living siblings meanwhile */
	char policy[32];	/* "" for [Percpu]; cut, for display */
	char path[PCR_SHOWN];	/* cgroup path or knob; long ones keep their end */
};

/* Bounded: one evaluation starts at most this many actions; the rest come next. */
#define PCR_PLAN_MAX 16

struct pcr_plan {
	u32 n;
	struct pcr_decision d[PCR_PLAN_MAX];	/* only those with .act */
	u64 next_usec;		/* when to look again, PCR_NEVER */
};

#endif
