/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered between samples: the only code that changes struct
 * pcr_state. Pure: no system call, the time comes as an argument.
 */
#ifndef PCR_MODEL_H
#define PCR_MODEL_H

#include "pcr/settings.h"
#include "pcr/state.h"

int pcr_state_init(struct pcr_state *st, u64 root_id);
void pcr_state_clear(struct pcr_state *st);

/* --- lifecycle (nodes.c) --- */

/*
 * A cgroup was made below parent. A node of the same name with another id was
 * removed unseen: it is taken out first (the caller must have unwatched it).
 * A node of the same id elsewhere was moved (v1 rename): likewise. Told twice is no
 * news. 0, PCR_GONE for one that can't be there (above itself, or too deep to have a
 * path), -ENOMEM.
 */
int pcr_state_made(struct pcr_state *st, const struct pcr_settings *set, struct pcr_node *parent,
		   u64 id, const char *name, size_t n, u64 now, struct pcr_node **ret_node);
/* A leaf was removed: it now dies below its parent. */
void pcr_state_removed(struct pcr_state *st, struct pcr_node *node, u64 now);
/* A dying cgroup is gone for good. */
void pcr_state_released(struct pcr_state *st, u64 id, u64 now);
/*
 * Settings were swapped: hold every node against them, and look at what dies anew.
 * Hysteresis stays. Globs by the thousand take a while for cgroups by the thousand, so
 * each _next() is one node: PCR_PART while there is more. Until then nothing may be
 * decided for a cgroup: a policy that keeps hands off it may still be to come.
 */
void pcr_state_rematch_start(struct pcr_state *st);
int pcr_state_rematch_next(struct pcr_state *st, const struct pcr_settings *set);

/* Rule that applies to a node; policy is -1 where no [Policy] matches. */
const struct pcr_rule *pcr_node_rule(const struct pcr_settings *set, const struct pcr_node *node);

/* --- samples (samples.c), pressure (pressure.c) --- */

struct pcr_reap_sample {
	u64 dying;		/* of the node itself, children's already taken off */
	u64 pinned_bytes;
	u64 shmem_bytes;
	u64 residue_bytes;
	u64 percpu_bytes;
	u64 dirty_bytes;
	u64 refaults;
	u64 stall_usec;
};
/* Something may be dying directly below: sample it at once. */
void pcr_state_suspect(struct pcr_state *st, struct pcr_node *node, u64 now);
/* Keeps a reap state for the node while anything below it is dying; may drop it. */
int pcr_state_reap_sample(struct pcr_state *st, const struct pcr_settings *set,
			  struct pcr_node *node, const struct pcr_reap_sample *s, u64 now);
/* How many are dying, by itself, of a node with a reap state: the figures stay what they were. */
void pcr_state_dying_sample(struct pcr_state *st, const struct pcr_settings *set,
			    struct pcr_node *node, u64 dying, u64 now);
/* How many are dying in all; swap that is free. */
void pcr_state_dying_total(struct pcr_state *st, u64 dying, u64 now);
void pcr_state_swap_sample(struct pcr_state *st, u64 free_bytes, u64 now);
void pcr_state_percpu_sample(struct pcr_state *st, const struct pcr_percpu_sample *s, u64 now);
void pcr_state_pressure_event(struct pcr_state *st, u32 slice, u64 now);
/* A cgroup, or one below it, ran into a limit of its own. */
void pcr_state_cgroup_pressure(struct pcr_state *st, u64 id, u64 now);
void pcr_state_setting_sample(struct pcr_state *st, enum pcr_setting which, u64 value);
/* --- help for exits (batch_free.c) --- */

/* What the settings say of one node's workers. */
const struct pcr_workers *pcr_node_workers(const struct pcr_settings *set, u32 node);
void pcr_batch_absent(struct pcr_batch_sample *s);
/* Room for nodes 0 to n - 1. 0, -ENOMEM, -E2BIG. */
int pcr_state_batch_nodes(struct pcr_state *st, u32 n);
void pcr_state_batch_node(struct pcr_state *st, u32 node, const struct pcr_batch_sample *s, u64 now);
void pcr_state_batch_node_gone(struct pcr_state *st, u32 node);
/*
 * What the samples say of its limit, once those of all nodes are in. True: another limit
 * was settled for, which is an action to tell of, as in pcr_state_outcome().
 */
bool pcr_state_batch_climb(struct pcr_state *st, const struct pcr_settings *set, u32 node, u64 now,
			   struct pcr_record *ret_record);
/* No workers for now: to see what they gain, or since they gain nothing on any node. */
bool pcr_batch_alone(const struct pcr_state *st, const struct pcr_settings *set, bool pressed);
/* The kernel refuses this limit: nor will it take a higher one. */
void pcr_state_batch_bar(struct pcr_state *st, u32 node, u64 limit, u64 now);
/* CPU pressure as of now; PCR_ABSENT: not told. */
void pcr_state_batch_cpu(struct pcr_state *st, const struct pcr_settings *set, u64 some_bp, u64 now);

/* A value that can't be written: not tried again before pcr_state_settings_anew(). */
void pcr_state_setting_vain(struct pcr_state *st, enum pcr_setting which, bool pressed, u64 value);
/* It could not be written just now, whatever the value: tried again ever more rarely. */
void pcr_state_setting_later(struct pcr_state *st, enum pcr_setting which, u64 now);
/* Knobs or settings are others: what was refused may be taken now. */
void pcr_state_settings_anew(struct pcr_state *st);
/* Percpu memory with what it takes to keep book on it, where that is told; PCR_ABSENT. */
u64 pcr_percpu_footprint(const struct pcr_percpu_sample *s);
/*
 * How far off ForecastShare= is now, PCR_NEVER: not in sight. True when that is to be
 * said: once, and again only after it was far for some time.
 */
bool pcr_state_forewarn(struct pcr_state *st, const struct pcr_settings *set, u64 left_usec,
			u64 now);
/* The machine slept: what was counted per time says nothing. */
void pcr_state_gap(struct pcr_state *st, u64 now);
/*
 * True while memory pressure counts as present for this node: the machine's, or that
 * of a slice or cgroup which is this node or stands above it.
 */
bool pcr_state_pressed(const struct pcr_state *st, const struct pcr_settings *set,
		       const struct pcr_node *node, u64 now);
/*
 * Until when kernel settings have their values for memory pressure of the whole machine:
 * longer than it counts as present, so that spells of it do not write them to and fro.
 * In the past: they have those for calm.
 */
u64 pcr_state_pressed_until(const struct pcr_state *st, const struct pcr_settings *set);

/* --- huge pages for tasks (tasks.c, spells.c, chores.c), and how much at a time (allowance.c) --- */

struct pcr_task *pcr_task_find(const struct pcr_collapse *c, s32 pid);
/* A sweep found it in this cgroup. 0, PCR_FULL: left out, -ENOMEM. */
int pcr_state_task(struct pcr_state *st, const struct pcr_node *node, s32 pid, u64 now);
/* The sweep is over: those it did not find go; calls back for each whose spell that ends. */
void pcr_state_tasks_swept(struct pcr_state *st, const struct pcr_settings *set,
			   enum pcr_stop stop, u64 now,
			   void (*ended)(void *data, const struct pcr_record *record), void *data);
/* Settings were swapped: whose they are is told by the next sweep. */
void pcr_state_tasks_rematch(struct pcr_state *st);
void pcr_state_tasks_clear(struct pcr_state *st);
/* A spell of work on it begins. */
void pcr_state_task_start(struct pcr_state *st, struct pcr_task *task, u64 now);
/* It is to end; the next look tells what it has come to. */
void pcr_state_task_end(struct pcr_task *task, enum pcr_stop stop, u64 now);
/* One chore of a round is back. True when that ended a spell, as pcr_state_outcome(). */
bool pcr_state_chore(struct pcr_state *st, const struct pcr_settings *set,
		     const struct pcr_chore *chore, u64 now, struct pcr_record *ret_record);
/* Memory pressure and free huge pages as just read: pause, or go on? */
void pcr_state_collapse_machine(struct pcr_state *st, const struct pcr_settings *set, u64 some_bp,
				u64 free_huge, u64 now);
/*
 * Time has passed: what may be looked at by ourselves grows by what Budget= leaves beside
 * the kernel's rates, and each task's part of it by its share.
 */
void pcr_state_collapse_accrue(struct pcr_state *st, const struct pcr_settings *set, u64 now);
/* So much of it may be looked at of this task now, whole huge pages; it is taken off. */
u64 pcr_state_collapse_spend(struct pcr_state *st, struct pcr_task *task);
/* It has come to so many. */
void pcr_state_collapse_settle(struct pcr_state *st, const struct pcr_settings *set, u64 given,
			       u64 used);
/* What rates in the kernel may still grow by, in bytes a period. */
u64 pcr_state_collapse_room(const struct pcr_state *st, const struct pcr_settings *set);
/* What this task's should be; what it grows by is taken off the room. */
u64 pcr_state_collapse_grant(const struct pcr_state *st, const struct pcr_task *task, u64 *room);

/* --- actions (actions.c, judge.c, budget.c), history (history.c) --- */

/* Bytes the rule's budget allows now. */
u64 pcr_reap_tokens(const struct pcr_reap *reap, const struct pcr_rule *rule, u64 now);
/* When it will allow so many; not later than now when it does, PCR_NEVER when it never does. */
u64 pcr_reap_funded(const struct pcr_reap *reap, const struct pcr_rule *rule, u64 bytes);
/* Size of the next step. */
u64 pcr_reap_step(const struct pcr_reap *reap, const struct pcr_rule *rule);

/* A decision is on its way to the worker. */
void pcr_state_started(struct pcr_state *st, const struct pcr_settings *set,
		       const struct pcr_decision *d, u64 now);
/*
 * The worker is back. True when that finished an action: *ret_record is filled in and
 * kept in history.
 */
bool pcr_state_outcome(struct pcr_state *st, const struct pcr_settings *set,
		       const struct pcr_outcome *o, u64 now, struct pcr_record *ret_record);
/*
 * The sample awaited after a reap step is in: judge the step. True when the
 * series ended, as above.
 */
bool pcr_state_settled(struct pcr_state *st, const struct pcr_settings *set, struct pcr_reap *reap,
		       u64 now, struct pcr_record *ret_record);
/*
 * A record of a run before this one, oldest first, before anything is done. 0, -EINVAL:
 * its number is not the next.
 */
int pcr_state_remember(struct pcr_state *st, const struct pcr_record *rec);
/* Newest first, 0-based; NULL beyond the last. */
const struct pcr_record *pcr_state_history(const struct pcr_state *st, u32 i);
/* The last finished action on this target (cgroup id; 0: machine-wide; which setting), or NULL. */
const struct pcr_record *pcr_state_last(const struct pcr_state *st, enum pcr_action action,
					u64 target);

#endif
