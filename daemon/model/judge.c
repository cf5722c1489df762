// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Did the last reap step help, whom did it hurt, and how large is the next one?
 *
 * memory.reclaim on a living parent takes from its living children too. The kernel
 * scrapes removed cgroups first at low priority and turns to the living only when
 * those hold too little, so what keeps the living unharmed is to ask for no more
 * than the dead can hold: sizes follow what a gone cgroup has been seen to give.
 */
#include "model/internal.h"
#include "model/model.h"

#define PAGE 4096u

/* What a removed cgroup holds until this series has seen better: one page. */
#define FIRST_GUESS PAGE
#define STEP_MIN (256u << 10)
/* Steps in a row that free no cgroup before it is given up. */
#define IDLE_STEPS 4
/* Refaults no matter how little was reclaimed: read-ahead and noise. */
#define REFAULT_FLOOR 128

static u64 step_for(const struct pcr_reap *r, const struct pcr_rule *rule)
{
	const struct pcr_series *s = &r->series;
	u64 gone = s->running ? pcr_sub_u64(s->dying_start, r->dying) : 0;
	u64 each = FIRST_GUESS;
	u64 step;

	if (gone && pcr_has(s->freed_bytes) && s->freed_bytes)
		each = pcr_max_u64(s->freed_bytes / gone, PAGE);
	if (r->dying > rule->reap_step_bytes / each)
		step = rule->reap_step_bytes;
	else
		step = r->dying * each;
	if (s->running && s->idle_steps)
		step = r->step_bytes * 2;
	else if (s->running)
		step = pcr_min_u64(step, r->step_bytes * 2);
	else
		step = pcr_min_u64(step, 4 * STEP_MIN);
	step = pcr_min_u64(pcr_max_u64(step, STEP_MIN), rule->reap_step_bytes);
	return pcr_min_u64(step, rule->reap_budget_bytes);
}

u64 pcr_reap_step(const struct pcr_reap *r, const struct pcr_rule *rule)
{
	return r->step_bytes && r->series.running ? r->step_bytes : step_for(r, rule);
}

/* Grown since the series began, beyond what is usual here. */
static u64 beyond_usual(u64 start, u64 now_value, u64 usual_per_hour, u64 span)
{
	u64 expected;

	if (!pcr_has(start) || !pcr_has(now_value))
		return 0;
	/* Twice the usual, since bursts are usual too. */
	expected = (u64)((unsigned __int128)usual_per_hour * 2 * span / PCR_HOUR);
	return pcr_sub_u64(pcr_sub_u64(now_value, start), expected);
}

static bool siblings_refault(struct pcr_reap *r, const struct pcr_rule *rule, u64 span)
{
	struct pcr_series *s = &r->series;
	u64 bytes = pcr_has(s->freed_bytes) ? pcr_min_u64(s->freed_bytes, s->asked) : s->asked;
	u64 allowed = REFAULT_FLOOR + bytes / PAGE * rule->reap_refault_bp / 10000;

	s->refault_pages = beyond_usual(s->refaults_start, r->refaults, r->usual_refaults, span);
	return s->refault_pages > allowed;
}

static bool siblings_stall(const struct pcr_reap *r, const struct pcr_rule *rule, u64 span)
{
	u64 stall = beyond_usual(r->series.stall_start_usec, r->stall_usec, r->usual_stall, span);

	/* A hiccup of some milliseconds is no stall, however short the series. */
	return stall > 20 * PCR_MSEC && stall > span / 10000 * rule->reap_pressure_bp;
}

enum pcr_stop pcr_reap_judge(struct pcr_state *st, const struct pcr_settings *set,
			     struct pcr_reap *r, u64 now)
{
	const struct pcr_rule *rule = pcr_node_rule(set, r->node);
	u64 span = now - r->series.start_usec;
	bool progress = r->dying < r->dying_before_step;

	r->series.idle_steps = progress ? 0 : r->series.idle_steps + 1;
	if (!r->dying)
		return PCR_STOP_DONE;
	if (!rule->reap && r->series.why != PCR_WHY_ASKED)
		return PCR_STOP_OFF;
	if (siblings_refault(r, rule, span))
		return PCR_STOP_REFAULT;
	if (siblings_stall(r, rule, span))
		return PCR_STOP_STALL;
	if (r->series.idle_steps >= IDLE_STEPS)
		return pcr_has(r->shmem_bytes) && r->shmem_bytes && !st->swap_free_bytes ?
			PCR_STOP_NO_SWAP : PCR_STOP_NO_PROGRESS;
	r->step_bytes = step_for(r, rule);
	if (pcr_reap_tokens(r, rule, now) < r->step_bytes)
		return PCR_STOP_BUDGET;
	return PCR_STOP_NONE;
}
