/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared between the files of model/, and by nobody else. */
#ifndef PCR_MODEL_INTERNAL_H
#define PCR_MODEL_INTERNAL_H

#include "pcr/settings.h"
#include "pcr/state.h"

/*
 * How long a removed cgroup that nothing holds may need to be really gone: an RCU
 * grace period and two work items; 34 ms on an idle guest, more in a storm.
 */
#define PCR_SETTLE_DEATH (1 * PCR_SEC)
/* Without a removal for so long, what they freed has been freed. */
#define PCR_SETTLE_LATE (5 * PCR_SEC)
/*
 * The same after a reap step, where the next step waits for the answer. A step that
 * freed nothing yet is given four times longer: pages on their way to disk, a loaded
 * machine.
 */
#define PCR_SETTLE_STEP (100 * PCR_MSEC)

/* Figures older than this are no start to measure from. */
#define PCR_FIGURES_FRESH (500 * PCR_MSEC)

/* Who records is told. */
#define pcr_tap(st, ...)                                                                           \
	do {                                                                                       \
		if ((st)->tap)                                                                     \
			(st)->tap->event((st)->tap->data, &(struct pcr_event){ __VA_ARGS__ });     \
	} while (0)

/* The node's reap state, made when there is none; NULL: out of memory. */
struct pcr_reap *pcr_reap_get(struct pcr_state *st, struct pcr_node *node);
void pcr_reap_drop(struct pcr_state *st, struct pcr_node *node);

/* pressure.c: what was told of a cgroup that is gone now; of all before a sleep. */
void pcr_pressed_drop(struct pcr_state *st, u64 id);
void pcr_pressure_gap(struct pcr_state *st);

/* budget.c: asked for now; and when all that was asked for is available again. */
void pcr_reap_spend(struct pcr_reap *r, const struct pcr_rule *rule, u64 bytes, u64 now);
u64 pcr_reap_spent_until(const struct pcr_reap *r, const struct pcr_rule *rule);

/* batch_free.c */
void pcr_batch_clear(struct pcr_batch *b);

/* history.c: numbers a finished action, keeps it and counts it. */
void pcr_record_keep(struct pcr_state *st, struct pcr_record *rec);

/* samples.c: where nothing dies any more, there is nothing to remember from then on. */
u64 pcr_reap_kept_until(const struct pcr_reap *r, const struct pcr_rule *rule);

/* footprint.c: takes in what trim.now says. */
void pcr_footprint_note(struct pcr_state *st, u64 now);

/* tasks.c: it is forgotten. */
void pcr_task_drop(struct pcr_collapse *c, struct pcr_task *task);

/* spells.c: the longest rest of a task. */
#define PCR_REST_MAX (10 * PCR_MIN)
/* Bytes that became huge in this spell. */
u64 pcr_spell_made(const struct pcr_task *t);
/* The line of history and of the journal; false: not worth one. */
bool pcr_spell_record(struct pcr_state *st, const struct pcr_settings *set,
		      const struct pcr_task *t, u64 now, struct pcr_record *rec);
/* It is over, with t->stop: a rest. True: it is recorded. */
bool pcr_spell_finish(struct pcr_state *st, const struct pcr_settings *set, struct pcr_task *t,
		      u64 now, struct pcr_record *rec);
/* Since its last spell, by so much that there is something new to look at. */
bool pcr_task_larger(const struct pcr_task *t, const struct pcr_thp *thp);

/* Judges the step just measured: PCR_STOP_NONE to go on with r->step_bytes. */
enum pcr_stop pcr_reap_judge(struct pcr_state *st, const struct pcr_settings *set,
			     struct pcr_reap *r, u64 now);

/* Back-off after the n-th attempt in a row that left some: 5 s, 20 s, 80 s, ... 1 h. */
u64 pcr_backoff(u32 n);

#endif
