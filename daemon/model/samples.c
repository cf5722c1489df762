// SPDX-License-Identifier: GPL-2.0-or-later
/* What was read, turned into what is known: since when, how usual, what to look at next. */
#include <errno.h>
#include <string.h>

#include "model/agenda.h"
#include "model/internal.h"
#include "model/model.h"
#include "model/tree.h"

/* Two samples closer than this say nothing about what is usual. */
#define USUAL_MIN (500 * PCR_MSEC)

/* Growth per hour between two readings; what it was where that can't be told. */
static u64 usual(u64 was, u64 before, u64 after, u64 span)
{
	unsigned __int128 grown;

	if (!pcr_has(before) || !pcr_has(after) || span < USUAL_MIN)
		return was;
	grown = (unsigned __int128)pcr_sub_u64(after, before) * PCR_HOUR / span;
	return grown > UINT64_MAX ? UINT64_MAX : (u64)grown;
}

static void note_usual(struct pcr_reap *r, const struct pcr_reap_sample *s, u64 now)
{
	u64 span = now - r->figures_usec;

	/* During a series the growth is ours, not usual. */
	if (r->series.running || !r->figures_usec)
		return;
	r->usual_refaults = usual(r->usual_refaults, r->refaults, s->refaults, span);
	r->usual_stall = usual(r->usual_stall, r->stall_usec, s->stall_usec, span);
}

static void note_since(struct pcr_reap *r, const struct pcr_rule *rule, u64 now)
{
	if (!r->dying) {
		/* Whatever held them is over: no reason to distrust the next ones. */
		r->dying_since_usec = 0;
		r->retry_usec = 0;
		r->suspended = false;
		r->fruitless = 0;
		r->backoff = 0;
	} else if (!r->dying_since_usec)
		r->dying_since_usec = now;

	/* Hysteresis: above starts at the threshold and ends below half of it. */
	if (r->dying >= rule->reap_above && r->dying) {
		if (!r->above_since_usec)
			r->above_since_usec = now;
	} else if (r->dying < (rule->reap_above + 1) / 2) {
		r->above_since_usec = 0;
	}
	r->stuck = pcr_min_u64(r->stuck, r->dying);
}

/* Removals that came after the last look, or during it, want another one. */
static u64 next_look(u64 last_death, u64 now)
{
	bool recent = last_death && now < last_death + PCR_SETTLE_DEATH;

	return recent ? last_death + PCR_SETTLE_DEATH : PCR_NEVER;
}

/* What a series is measured from, where that could not be read when it began. */
static void note_start(struct pcr_reap *r)
{
	struct pcr_series *s = &r->series;

	if (!s->running)
		return;
	if (!pcr_has(s->refaults_start))
		s->refaults_start = r->refaults;
	if (!pcr_has(s->stall_start_usec))
		s->stall_start_usec = r->stall_usec;
}

u64 pcr_reap_kept_until(const struct pcr_reap *r, const struct pcr_rule *rule)
{
	return pcr_max_u64(pcr_max_u64(r->cooldown_usec, r->retry_usec),
			   pcr_reap_spent_until(r, rule));
}

/*
 * Nothing dies here and nothing is to be remembered, or only until a time that is
 * known: then another look is due, so that it is not kept for ever.
 */
static bool idle(struct pcr_state *st, struct pcr_reap *r, const struct pcr_rule *rule, u64 now)
{
	u64 until = pcr_reap_kept_until(r, rule);

	if (r->dying || r->sample_usec != PCR_NEVER || r->in_flight || r->settling ||
	    r->series.running)
		return false;
	if (until <= now)
		return true;
	pcr_reap_look_at(st, r, until);
	return false;
}

void pcr_state_suspect(struct pcr_state *st, struct pcr_node *node, u64 now)
{
	struct pcr_reap *r = pcr_reap_get(st, node);

	if (r && !r->settling)
		pcr_reap_look_at(st, r, pcr_min_u64(r->sample_usec, now));
}

static void note_figures(struct pcr_reap *r, const struct pcr_reap_sample *s, u64 now)
{
	note_usual(r, s, now);
	r->pinned_bytes = s->pinned_bytes;
	r->shmem_bytes = s->shmem_bytes;
	r->residue_bytes = s->residue_bytes;
	r->percpu_bytes = s->percpu_bytes;
	r->dirty_bytes = s->dirty_bytes;
	r->refaults = s->refaults;
	r->stall_usec = s->stall_usec;
	r->figures_usec = now;
	note_start(r);
}

static void note_dying(struct pcr_state *st, const struct pcr_settings *set, struct pcr_node *node,
		       u64 dying, u64 now)
{
	const struct pcr_rule *rule = pcr_node_rule(set, node);
	struct pcr_reap *r = node->reap;
	u64 next = next_look(r->last_death_usec, now);

	pcr_reap_stir(st, r);
	r->dying = dying;
	r->sampled_usec = now;
	if (st->v1)
		r->deaths = dying;
	note_since(r, rule, now);
	/* Somebody else asked: the look that a step waits for is still to come. */
	if (r->settling)
		next = pcr_min_u64(next, r->sample_usec);
	pcr_reap_look_at(st, r, next);
	if (idle(st, r, rule, now))
		pcr_reap_drop(st, node);
}

void pcr_state_dying_sample(struct pcr_state *st, const struct pcr_settings *set,
			    struct pcr_node *node, u64 dying, u64 now)
{
	pcr_tap(st, .kind = PCR_EVENT_COUNT, .now = now, .value = { node->id, dying });
	note_dying(st, set, node, dying, now);
}

int pcr_state_reap_sample(struct pcr_state *st, const struct pcr_settings *set,
			  struct pcr_node *node, const struct pcr_reap_sample *s, u64 now)
{
	if (!node->reap && !s->dying)
		return 0;
	if (!pcr_reap_get(st, node))
		return -ENOMEM;
	pcr_tap(st, .kind = PCR_EVENT_LOOK, .now = now,
		.value = { node->id, s->dying, s->pinned_bytes, s->shmem_bytes, s->residue_bytes,
			   s->percpu_bytes, s->dirty_bytes, s->refaults, s->stall_usec });
	note_figures(node->reap, s, now);
	note_dying(st, set, node, s->dying, now);
	return 0;
}

void pcr_state_dying_total(struct pcr_state *st, u64 dying, u64 now)
{
	pcr_tap(st, .kind = PCR_EVENT_DYING, .now = now, .value = { dying });
	st->dying = dying;
}

void pcr_state_swap_sample(struct pcr_state *st, u64 free_bytes, u64 now)
{
	if (st->swap_free_bytes != free_bytes)
		pcr_tap(st, .kind = PCR_EVENT_SWAP, .now = now, .value = { free_bytes });
	st->swap_free_bytes = free_bytes;
}

static bool none_empty(const struct pcr_percpu_sample *s)
{
	return !pcr_has(s->empty_pages) || !pcr_has(s->isolated_empty_pages) ||
	       s->empty_pages + s->isolated_empty_pages <= s->empty_pages_high;
}

void pcr_state_percpu_sample(struct pcr_state *st, const struct pcr_percpu_sample *s, u64 now)
{
	pcr_tap(st, .kind = PCR_EVENT_PERCPU, .now = now,
		.value = { s->knob, s->spare, s->percpu_bytes, s->page_bytes, s->nr_units,
			   s->populated_pages, s->empty_pages, s->isolated_empty_pages,
			   s->empty_pages_low, s->empty_pages_high, s->reclaim_min_percent,
			   s->metadata_bytes });
	st->trim.now = *s;
	st->trim.sampled_usec = now;
	pcr_footprint_note(st, now);
	st->trim.sample_usec = next_look(st->trim.last_death_usec, now);
	if (st->trim.late_usec > now)
		st->trim.sample_usec = pcr_min_u64(st->trim.sample_usec, st->trim.late_usec);
	else if (none_empty(s))
		st->trim.late_usec = 0;
}

void pcr_state_setting_sample(struct pcr_state *st, enum pcr_setting which, u64 value)
{
	struct pcr_setting_state *s = &st->setting[which];

	/* Which of the two values this is, the outcome will tell. */
	if (s->in_flight)
		return;
	/* Ours is no news, nor are those that no replay is for. */
	if (value != s->seen && value != s->set && which < _PCR_SETTING_PAIRS)
		pcr_tap(st, .kind = PCR_EVENT_SETTING, .value = { value },
			.name = pcr_setting_knob(which));
	s->seen = value;
	/* Somebody else wrote after us: theirs stays. */
	s->foreign = pcr_has(s->set) && pcr_has(value) && value != s->set;
}

void pcr_state_gap(struct pcr_state *st, u64 now)
{
	struct pcr_list *pos;

	pcr_tap(st, .kind = PCR_EVENT_GAP, .now = now);
	pcr_pressure_gap(st);
	/* What was counted across a sleep is no rate. Look afresh, then judge. */
	pcr_list_for(pos, &st->reaps) {
		struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		r->refaults = PCR_ABSENT;
		r->stall_usec = PCR_ABSENT;
		r->series.refaults_start = PCR_ABSENT;
		r->series.stall_start_usec = PCR_ABSENT;
		if (!r->in_flight && r->sample_usec > now)
			pcr_reap_look_at(st, r, now);
	}
	pcr_state_stir(st);
	st->root_sample_usec = now;
}
