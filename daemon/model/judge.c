// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Did the last reap step help, whom did it hurt, and how large is the next one?
 *
 * memory.reclaim on a living parent takes from its living children too. How much
 * differs by kernel. Measured with 1,000 removed cgroups of one page each beside a
 * living one that re-reads 64 MB: on 6.1 one request for 128K frees 934 of them (and
 * 10 MB) at no cost, and each one after that only takes from the living; on 6.12 the
 * same request frees 29, and every larger one in proportion. So a series starts
 * small, grows while it frees cgroups, and never asks for more than those left have
 * been seen to need.
 */
#include "model/agenda.h"
#include "model/internal.h"
#include "model/model.h"

#define PAGE 4096u

/* The smallest request that is worth a system call: 32 pages, one reclaim batch. */
#define STEP_MIN (128u << 10)
/* Steps in a row that free no cgroup before it is given up. */
#define IDLE_STEPS 3
/*
 * Gone cgroups leave slab objects (inodes, dentries) to their parent, and each of
 * those holds a few bytes of percpu memory of the one that made it: 2,000 gone
 * cgroups were seen to keep 1.9 MB populated that way. Where nothing lives below
 * the parent, asking for more than there is makes the kernel look there as well.
 */
#define RESIDUE_MIN (64u << 10)
#define RESIDUE_STEP (1u << 20)
#define RESIDUE_STEPS 3
/* Steps without one gone that the removals during them may excuse. */
#define CROWDED_STEPS 16
/*
 * A page that is not on disk yet can't be reclaimed, and a request that meets such
 * pages starts their writeback. Ask again when they are clean: until then every
 * request is served by the living.
 */
#define DIRTY_MIN (64u << 10)
#define DIRTY_PAUSE (500 * PCR_MSEC)
#define DIRTY_WAITS 20
/* Refaults no matter how little was reclaimed: read-ahead and noise. */
#define REFAULT_FLOOR 128

/*
 * Of those removed during the series some went by themselves: they count, which errs on
 * the side of small steps.
 */
static u64 gone_so_far(const struct pcr_reap *r)
{
	const struct pcr_series *s = &r->series;

	return pcr_sub_u64(s->dying_start + pcr_sub_u64(r->deaths, s->deaths_start), r->dying);
}

/* What so many cgroups need, as far as this series has seen: in proportion to those gone. */
static u64 needed(const struct pcr_reap *r, u64 n)
{
	u64 gone = gone_so_far(r);
	unsigned __int128 bytes = n;

	if (!gone)
		return STEP_MIN;
	bytes = bytes * r->series.asked / gone;
	return bytes > UINT64_MAX ? UINT64_MAX : (u64)bytes;
}

/*
 * Those that no step has failed on yet, and whose page may be on disk by now: what stays
 * whatever is asked for needs nothing.
 */
static u64 movable(const struct pcr_reap *r)
{
	u64 dirty = pcr_has(r->dirty_bytes) ? r->dirty_bytes / PAGE : 0;

	return pcr_max_u64(pcr_sub_u64(pcr_sub_u64(r->dying, r->stuck), dirty), 1);
}

/*
 * After a step that freed none. Where none has gone at all, it may have been too small.
 * Where some have, a step of the size that freed those says that the rest does not go
 * that way: what still has to be tried can be tried with a few cgroups' worth, and all
 * that is more would be taken from the living.
 */
static u64 step_when_idle(const struct pcr_reap *r)
{
	/* The first idle step is done again after pcr_unpin(). */
	u64 larger = r->series.idle_steps > 1 ? r->step_bytes * 2 : r->step_bytes;

	if (!gone_so_far(r))
		return larger;
	return pcr_min_u64(larger, needed(r, 4ULL << pcr_min_u64(r->series.idle_steps, 8)));
}

static u64 step_for(const struct pcr_reap *r, const struct pcr_rule *rule)
{
	const struct pcr_series *s = &r->series;
	u64 step = STEP_MIN;

	if (s->running && !r->dying)
		step = pcr_max_u64(RESIDUE_STEP,
				   pcr_has(r->residue_bytes) ? 2 * r->residue_bytes : 0);
	else if (s->running && r->dying >= r->dying_before_step &&
		 r->deaths > r->deaths_before_step)
		/* More were removed meanwhile: nothing was learned that would call for more. */
		step = pcr_min_u64(needed(r, movable(r)), r->step_bytes);
	else if (s->running && s->idle_steps)
		step = step_when_idle(r);
	else if (s->running)
		step = pcr_min_u64(needed(r, movable(r)), r->step_bytes * 2);
	step = pcr_min_u64(pcr_max_u64(step, STEP_MIN), rule->reap_step_bytes);
	return pcr_min_u64(step, rule->reap_budget_bytes);
}

u64 pcr_reap_step(const struct pcr_reap *r, const struct pcr_rule *rule)
{
	u64 step = r->step_bytes && r->series.running ? r->step_bytes : step_for(r, rule);

	/* Chosen under other settings, perhaps: a step that no budget allows never comes. */
	return pcr_min_u64(step, pcr_min_u64(rule->reap_step_bytes, rule->reap_budget_bytes));
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

/* Switched off under way. What somebody asked for does not depend on what policy wants. */
static bool off(const struct pcr_state *st, const struct pcr_settings *set,
		const struct pcr_reap *r, const struct pcr_rule *rule)
{
	if (!st->reap_knob || rule->dry_run || set->daemon.dry_run)
		return true;
	return r->series.why != PCR_WHY_ASKED && (!rule->reap || r->node->guarded || (st->v1 && !rule->force_empty));
}

/* Tmpfs enough for every other one of them to hold a page, and nowhere to put it. */
static bool no_swap(const struct pcr_state *st, const struct pcr_reap *r)
{
	return pcr_has(r->shmem_bytes) && r->shmem_bytes / PAGE >= (r->dying + 1) / 2 &&
	       !st->swap_free_bytes;
}

static bool worth_residue(struct pcr_reap *r)
{
	return pcr_has(r->residue_bytes) && r->residue_bytes >= RESIDUE_MIN &&
	       r->series.residue_steps++ < RESIDUE_STEPS;
}

/* Counts the step that was just measured; true: it freed some. */
static bool count_step(struct pcr_reap *r)
{
	struct pcr_series *s = &r->series;

	if (r->dying < r->dying_before_step) {
		s->idle_steps = 0;
		/* None was removed meanwhile: some that did not go before may go after all. */
		if (r->deaths == r->deaths_before_step)
			r->stuck /= 2;
		return true;
	}
	r->stuck = r->dying;
	if (r->deaths > r->deaths_before_step && s->crowded_steps < CROWDED_STEPS)
		s->crowded_steps++;
	else
		s->idle_steps++;
	return false;
}

static bool wait_for_disk(struct pcr_state *st, struct pcr_reap *r, u64 now)
{
	if (!r->dying || !pcr_has(r->dirty_bytes) || r->dirty_bytes < DIRTY_MIN ||
	    r->series.waits >= DIRTY_WAITS)
		return false;
	r->series.waits++;
	r->settling = true;
	pcr_reap_look_at(st, r, now + DIRTY_PAUSE);
	return true;
}

enum pcr_stop pcr_reap_judge(struct pcr_state *st, const struct pcr_settings *set,
			     struct pcr_reap *r, u64 now)
{
	const struct pcr_rule *rule = pcr_node_rule(set, r->node);
	u64 span = now - r->series.start_usec;
	bool progress = count_step(r);

	if (!r->dying && !worth_residue(r))
		return PCR_STOP_DONE;
	if (off(st, set, r, rule))
		return PCR_STOP_OFF;
	if (siblings_refault(r, rule, span))
		return PCR_STOP_REFAULT;
	if (siblings_stall(r, rule, span))
		return PCR_STOP_STALL;
	if (!progress && wait_for_disk(st, r, now)) {
		r->series.idle_steps = 0;
		return PCR_STOP_NONE;
	}
	/* force_empty of v1 takes all it can get: once more would get no more. */
	if (r->dying && r->series.idle_steps >= (st->v1 ? 1 : IDLE_STEPS))
		return no_swap(st, r) ? PCR_STOP_NO_SWAP : PCR_STOP_NO_PROGRESS;
	r->step_bytes = step_for(r, rule);
	if (pcr_reap_tokens(r, rule, now) < r->step_bytes)
		return r->dying ? PCR_STOP_BUDGET : PCR_STOP_DONE;
	return PCR_STOP_NONE;
}
