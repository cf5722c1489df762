// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether to give empty percpu pages back. */
#include "model/model.h"
#include "policy/internal.h"

u64 pcr_percpu_surplus(const struct pcr_percpu_sample *s)
{
	u64 empty;

	if (!pcr_has(s->empty_pages) || !pcr_has(s->isolated_empty_pages) ||
	    !pcr_has(s->empty_pages_high) || !pcr_has(s->nr_units) || !pcr_has(s->page_bytes))
		return PCR_ABSENT;
	empty = pcr_sub_u64(s->empty_pages + s->isolated_empty_pages, s->empty_pages_high);
	return empty * s->nr_units * s->page_bytes;
}

/*
 * Without the knob nobody can say what is empty. So many cgroups must be gone that the
 * spare chunk is one they filled, none must be left that still holds another, and memory
 * must be to be had, since to drive the chunk out it is filled first.
 */
static void want_spare(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
		       struct pcr_decision *d)
{
	const struct pcr_trim *t = &st->trim;

	d->wanted.value = t->deaths;
	d->wanted.threshold = set->trim.after_deaths;
	if (t->after_reap && set->trim.after_deaths && t->deaths >= set->trim.after_deaths &&
	    !st->dying && !pcr_state_pressed(st, set, NULL, now))
		d->want = PCR_WHY_AFTER_DEATHS;
}

static void want(const struct pcr_state *st, const struct pcr_settings *set, u64 surplus, u64 now,
		 struct pcr_decision *d)
{
	const struct pcr_trim *t = &st->trim;

	d->wanted.value = surplus;
	d->wanted.threshold = set->trim.above_bytes;
	if (!surplus || !pcr_has(surplus))
		return;
	if (surplus >= set->trim.above_bytes) {
		d->want = PCR_WHY_ABOVE;
	} else if (pcr_state_pressed(st, set, NULL, now)) {
		d->want = PCR_WHY_PRESSURE;
		d->wanted.threshold = 1;
	} else if (t->after_reap) {
		d->want = PCR_WHY_AFTER_REAP;
		d->wanted.threshold = 1;
	} else if (set->trim.after_deaths && t->deaths >= set->trim.after_deaths) {
		d->want = PCR_WHY_AFTER_DEATHS;
		d->wanted.value = t->deaths;
		d->wanted.threshold = set->trim.after_deaths;
	} else if (t->late_usec && t->late_usec <= now) {
		d->want = PCR_WHY_LATE;
		d->wanted.threshold = 1;
	}
}

/* As much again as is worth a trim, beyond what the last one could not give back. */
static bool fresh(const struct pcr_trim *t, const struct pcr_settings *set, u64 surplus)
{
	return pcr_has(surplus) && t->last_stop != PCR_STOP_DRY_RUN &&
	       pcr_sub_u64(surplus, t->stuck_bytes) >= pcr_max_u64(set->trim.above_bytes, 1);
}

/* Why nothing speaks for it. */
static enum pcr_reason idle(const struct pcr_trim *t, const struct pcr_settings *set, u64 surplus)
{
	if (t->now.spare && !t->now.knob)
		return t->deaths < set->trim.after_deaths ? PCR_WHY_FEW_DEATHS : PCR_WHY_NOT_YET;
	return pcr_has(surplus) ? PCR_WHY_BELOW : PCR_WHY_NOTHING;
}

static bool held(const struct pcr_trim *t, const struct pcr_settings *set, u64 surplus, u64 now,
		 struct pcr_decision *d)
{
	if (!t->now.knob && !t->now.spare)
		return pcr_hold(d, PCR_WHY_NO_KNOB, PCR_NEVER);
	if (!set->trim.trim)
		return pcr_hold(d, PCR_WHY_OFF, PCR_NEVER);
	if (t->in_flight)
		return pcr_hold(d, PCR_WHY_BUSY, PCR_NEVER);
	if (t->retry_usec > now && (!fresh(t, set, surplus) ||
				    (t->suspended && t->suspended_usec > now)))
		return pcr_hold(d, t->suspended ? PCR_WHY_SUSPENDED :
				t->last_stop == PCR_STOP_DRY_RUN ? PCR_WHY_SAID : PCR_WHY_BACKOFF,
				fresh(t, set, surplus) ? t->suspended_usec : t->retry_usec);
	if (d->want == PCR_WHY_NOTHING)
		return pcr_hold(d, idle(t, set, surplus), PCR_NEVER);
	if (t->cooldown_usec > now)
		return pcr_hold(d, PCR_WHY_COOLDOWN, t->cooldown_usec);
	return false;
}

void pcr_policy_trim(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
		     struct pcr_decision *ret_decision)
{
	u64 surplus = pcr_percpu_surplus(&st->trim.now);
	struct pcr_decision d = {
		.action = PCR_ACT_TRIM, .policy = -1, .amount = PCR_ABSENT,
		.dry_run = set->rule.dry_run || set->daemon.dry_run,
		.wanted = { .until_usec = PCR_NEVER }, .evidence = { .until_usec = PCR_NEVER },
	};

	if (st->trim.now.spare && !st->trim.now.knob)
		want_spare(st, set, now, &d);
	else
		want(st, set, surplus, now, &d);
	if (!held(&st->trim, set, surplus, now, &d))
		pcr_go(&d);
	*ret_decision = d;
}
