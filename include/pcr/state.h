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

#include "pcr/climber.h"
#include "pcr/collapse.h"
#include "pcr/decision.h"
#include "pcr/list.h"
#include "pcr/settings.h"
#include "pcr/trace.h"
#include "pcr/types.h"

struct pcr_reap;

/* Policy of a node since a reload: not known yet, and to be treated as none. */
#define PCR_UNMATCHED (-2)

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
	s32 policy;		/* index into settings->policies, -1: none matches, PCR_UNMATCHED */
	u32 mark;		/* generation of the last walk that saw it */
	u32 guarded;		/* cgroups below it that guard it ... */
	bool guards;		/* ... since a policy with Reap=no matches them */
	bool batch_off;		/* memory.batch_free is 0 by our doing; owned by loop/batch_cgroups.h */
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
	u32 residue_steps;	/* after the last one was gone */
	u32 crowded_steps;	/* without one gone, but more were removed meanwhile */
	u32 waits;		/* for dirty pages to reach the disk */
	u64 start_usec;
	u64 asked;
	u64 freed_bytes;
	u64 took_usec;
	u64 dying_start;
	u64 deaths_start;
	u64 value;
	u64 threshold;
	u64 refaults_start;	/* PCR_ABSENT: not sampled */
	u64 refault_pages;	/* since, beyond what was usual before */
	u64 stall_start_usec;	/* PCR_ABSENT: not sampled */
};

/* Requests that lie close together, as one. */
struct pcr_spent {
	u64 from_usec;
	u64 to_usec;
	u64 bytes;
};
#define PCR_SPENT_MAX 9

/* What is due of reaps, the first one first: a binary heap, see daemon/model/agenda.h. */
struct pcr_agenda_entry {
	u64 due_usec;
	struct pcr_reap *reap;
};
struct pcr_agenda {
	u32 n;
	u32 cap;
	struct pcr_agenda_entry *entry;
};
enum pcr_agenda_kind {
	PCR_AGENDA_LOOK,
	PCR_AGENDA_PLAN,
	_PCR_AGENDA_MAX,
};

/* A living cgroup below which removed ones are not gone. */
struct pcr_reap {
	struct pcr_node *node;
	struct pcr_list link;		/* in pcr_state.reaps */
	u32 place[_PCR_AGENDA_MAX];	/* in pcr_state.agenda[] */
	/* sampled */
	u64 dying;			/* dying descendants that no living child accounts for */
	u64 pinned_bytes;		/* memory.current less the children's; PCR_ABSENT */
	u64 shmem_bytes;		/* of it, tmpfs; PCR_ABSENT */
	u64 residue_bytes;		/* charged here though nothing lives here; PCR_ABSENT: something does */
	u64 percpu_bytes;		/* charged to it and all below, living and removed; PCR_ABSENT */
	u64 dirty_bytes;		/* not yet on disk, living and removed alike; PCR_ABSENT */
	u64 refaults;			/* workingset_refault_{anon,file}, pages; PCR_ABSENT */
	u64 stall_usec;			/* memory.pressure some total=; PCR_ABSENT */
	u64 sampled_usec;		/* dying */
	u64 figures_usec;		/* the others, which take longer to read; 0: never */
	u64 look;			/* they are being read: the look's serial number; 0 */
	u64 usual_refaults;		/* pages an hour before the last series began */
	u64 usual_stall;		/* usec an hour, likewise */
	/* derived */
	u64 sample_usec;		/* sample then; PCR_NEVER; set by pcr_reap_look_at() */
	u64 last_death_usec;
	u64 dying_since_usec;		/* since when dying > 0 without a break; 0: it is 0 */
	u64 above_since_usec;		/* since when dying >= the rule's threshold; 0: it is not */
	u64 deaths;			/* removals seen; on v1 an upper bound of what is dying */
	/* budget: what was asked for within its span, oldest first (model/budget.c) */
	u32 n_spent;
	struct pcr_spent spent[PCR_SPENT_MAX];
	/* acting */
	bool in_flight;			/* a step is with the worker */
	bool settling;			/* the sample due tells what the last step did */
	u64 step_bytes;			/* size of the next step; 0: not chosen yet */
	u64 dying_before_step;
	u64 deaths_before_step;
	u64 cooldown_usec;		/* no new series before */
	u64 retry_usec;			/* backed off until */
	u64 stuck;			/* dying cgroups the last series could not free */
	u32 backoff;			/* how often in a row */
	u32 fruitless;			/* ended series without effect in a row */
	bool suspended;			/* retry_usec is SuspendFor='s doing ... */
	u64 suspended_usec;		/* ... and until then nothing shortens it */
	enum pcr_stop last_stop;
	struct pcr_series series;
};

struct pcr_percpu_sample {
	bool knob;			/* the reclaim file is there and can be written */
	bool spare;			/* it is not, but the spare chunk can be driven out */
	u64 percpu_bytes;		/* Percpu: of /proc/meminfo */
	u64 page_bytes;
	u64 nr_units;			/* possible CPUs */
	u64 populated_pages;		/* unit pages: each is page_bytes * nr_units */
	u64 empty_pages;
	u64 isolated_empty_pages;
	u64 empty_pages_low;
	u64 empty_pages_high;
	u64 reclaim_min_percent;
	u64 metadata_bytes;
	u64 depopulated_pages;
	u64 repopulated_pages;
	u64 trim_runs;
};

struct pcr_trim {
	struct pcr_percpu_sample now;	/* all PCR_ABSENT until sampled */
	u64 sampled_usec;		/* 0: never */
	u64 sample_usec;		/* sample then; PCR_NEVER */
	u64 last_death_usec;
	u64 deaths;			/* removed cgroups since the last trim */
	bool after_reap;
	u64 late_usec;			/* look then for what was freed after the last trim; 0 */
	bool in_flight;
	u64 cooldown_usec;
	u64 retry_usec;
	u32 fruitless;
	u64 stuck_bytes;		/* surplus that the last trim could not give back */
	bool suspended;
	u64 suspended_usec;
	enum pcr_stop last_stop;
	struct pcr_decision started;	/* the one in flight */
};

/* Ten minutes, and the least that percpu memory came to: what comes and goes does not count. */
#define PCR_STRETCH_USEC (10 * PCR_MIN)
struct pcr_stretch {
	u64 number;			/* now / PCR_STRETCH_USEC; 0: none */
	u64 least_bytes;
	u64 at_usec;
};
/* So many complete ones tell how it goes; one more is under way. */
#define PCR_STRETCHES 4

/* What percpu memory and removed cgroups come to beside trim.now. */
struct pcr_footprint {
	u64 memory_bytes;		/* MemTotal:; PCR_ABSENT */
	u64 charged_bytes;		/* percpu memory charged to all cgroups; PCR_ABSENT */
	u64 slab_lost_bytes;		/* see daemon/read/slabinfo.h; PCR_ABSENT */
	u64 sampled_usec;		/* the two above; 0: never */
	struct pcr_stretch stretch[PCR_STRETCHES + 1];	/* at number % (PCR_STRETCHES + 1) */
	bool forewarned;		/* that ForecastShare= comes near, and it has not gone away */
	u64 clear_usec;			/* far since; 0: it is not */
};

struct pcr_slice_pressure {
	u64 id;				/* cgroup id, 0: machine-wide */
	u64 last_usec;			/* last event */
	u64 events;
	u64 some_avg10_bp;		/* PCR_ABSENT */
	u64 stall_usec;			/* total= of the last read; PCR_ABSENT */
};

/*
 * A cgroup that ran into a limit of its own. By id, beside the reap states: what is
 * dying there may be seen only after that.
 */
struct pcr_cgroup_pressure {
	u64 id;
	u64 last_usec;
};
#define PCR_PRESSED_MAX 256

/* A kernel setting held by policy; old values are kept by act/ledger. */
struct pcr_setting_state {
	u64 seen;			/* last value read, PCR_ABSENT: no such file */
	u64 base;			/* value found before ours; PCR_ABSENT: not ours */
	u64 set;			/* what we wrote; PCR_ABSENT */
	bool foreign;			/* another writer changed it under us: left alone */
	bool in_flight;
	enum pcr_reason why;		/* of the write in flight ... */
	bool pressed;			/* ... and whether its value is that for pressure */
	/* Not to be written again: refused, or said by a dry run. Calm, pressed; PCR_ABSENT. */
	u64 vain[2];
	/* Not now, through no fault of the value's: failures in a row, and when to try again. */
	u32 failures;
	u64 retry_usec;
};

/* One node's part in freeing the memory of processes that exit. PCR_ABSENT: not told. */
struct pcr_batch_sample {
	u64 exits;			/* helped ones, most of whose pages lay here */
	u64 exit_pages;			/* of helped exits, those on this node ... */
	u64 exit_usec;			/* ... and the time the exiting tasks took for them */
	u64 worker_usec;		/* that workers took for what they freed */
	u64 offloaded_pages;		/* handed to workers */
	u64 inline_pages;		/* freed by the exiting task */
	u64 helped_pages;		/* handed out, and taken back by it */
	u64 local_pages;		/* of those offloaded: freed on a CPU of this node */
	u64 pending_pages;
	u64 workers_running;
	u64 max_active;
	u64 cpus;			/* of the node, that workers may use */
};

struct pcr_batch_node {
	bool there;
	u64 barred;			/* limits from here on are refused by the kernel; PCR_ABSENT */
	struct pcr_batch_sample now;
	u64 moved_pages;		/* exit_pages since the sample before; 0: nothing to be said */
	u64 moved_usec;			/* the same of exit_usec ... */
	u64 moved_worker_usec;		/* ... and worker_usec */
	u64 told;			/* limit settled for and told of, or the one found; PCR_ABSENT */
	bool told_idle;			/* told that workers gain nothing */
	struct pcr_climber climber;
};

struct pcr_batch {
	bool there;			/* this kernel has the series */
	u64 exits;			/* helped so far, all nodes; PCR_ABSENT */
	u64 sampled_usec;		/* 0: never */
	u64 sample_usec;		/* sample then; PCR_NEVER: when something exits */
	u64 cpu_bp;			/* CPU pressure when last looked at; PCR_ABSENT */
	u64 paused_usec;		/* paused since; 0: not */
	u32 n_nodes;			/* the highest number, and one */
	struct pcr_batch_node *node;	/* by number */
};

#define PCR_HISTORY 256

struct pcr_totals {
	u64 reap_freed_bytes;
	u64 reap_cgroups;
	u64 trim_freed_bytes;
	u64 actions;
	u64 failed;
	u64 dry_runs;
	u64 ended[_PCR_ACT_MAX][_PCR_STOP_MAX];	/* all of these: by action, and how each ended */
	u64 created;
	u64 removed;
	u64 released;			/* dying cgroups seen to be gone (source tracefs) */
};

struct pcr_state {
	const struct pcr_tap *tap;	/* who records; NULL: nobody */
	struct pcr_tree tree;
	struct pcr_list reaps;		/* struct pcr_reap.link */
	u32 n_reaps;
	u32 n_in_flight;		/* of them, those with .in_flight */
	struct pcr_agenda agenda[_PCR_AGENDA_MAX];	/* all of them, in each */
	u64 dying;			/* nr_dying_descendants of the root; PCR_ABSENT */
	u64 root_sample_usec;		/* read it then; PCR_NEVER */
	u32 n_unmatched;		/* cgroups that new settings are still to be held against */
	u64 match_id;			/* the next of them in tree order */
	u64 scan_id;			/* dying scan under way: next node in tree order; 0: none */
	bool v1;			/* memory controller on cgroup v1: nr_dying is not told */
	bool reap_knob;			/* memory.reclaim (v1: memory.force_empty) is there */
	u64 possible_cpus;
	u64 swap_free_bytes;		/* PCR_ABSENT: not sampled; 0: no swap */
	struct pcr_trim trim;
	struct pcr_footprint footprint;
	struct pcr_setting_state setting[PCR_SETTINGS_ALL];
	struct pcr_batch batch;
	struct pcr_collapse collapse;
	u32 n_pressure;			/* [0] machine-wide, then the slices */
	struct pcr_slice_pressure pressure[1 + PCR_SLICES_MAX];
	u64 pressed_usec;		/* newest of the cgroups below */
	u32 n_pressed;			/* in no order; the oldest gives way */
	struct pcr_cgroup_pressure pressed[PCR_PRESSED_MAX];
	struct pcr_totals totals;
	u64 next_seq;
	u32 n_history;			/* valid entries, newest at (next_seq - 2) % PCR_HISTORY */
	struct pcr_record history[PCR_HISTORY];
};

/* Kernel settings that there are: those of the machine, and one a node. */
static inline u32 pcr_settings_end(const struct pcr_state *st)
{
	return PCR_SETTING_NODE + st->batch.n_nodes;
}

#endif
