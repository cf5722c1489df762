// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of kernel settings: those for calm, those for memory pressure, or as found. */
#include "model/model.h"
#include "policy/internal.h"

/* By a key with a value for calm and one for memory pressure. */
static void wish_pair(const struct pcr_state *st, const struct pcr_settings *set, u32 which,
		      struct pcr_wish *w)
{
	const struct pcr_pair *pair = &set->trim.kernel[which];
	u64 value = w->pressed ? pair->pressed : pair->calm;

	w->value = value ? value : PCR_ABSENT;
	w->why = PCR_WHY_SETTING;
	w->dry_run = set->rule.dry_run || set->daemon.dry_run;
	w->passing = pair->calm != pair->pressed;
	if (w->pressed && w->passing) {
		w->why = PCR_WHY_PRESSURE;
		w->since_usec = st->pressure[0].last_usec;
	}
}

/*
 * The switch of tasks that scan their own memory has no key: whoever asks for huge pages
 * asks for it. Where there is none, there is the other way.
 */
static void wish_switch(const struct pcr_state *st, const struct pcr_settings *set,
			struct pcr_wish *w)
{
	bool on = set->rule.collapse_bytes && !set->rule.dry_run;

	for (u32 i = 0; i < set->n_policies; i++)
		on |= set->policies[i].rule.collapse_bytes && !set->policies[i].rule.dry_run;
	w->value = on && pcr_has(st->setting[PCR_SETTING_TASK_COLLAPSE].seen) ? 1 : PCR_ABSENT;
	w->why = PCR_WHY_SETTING;
	w->dry_run = set->daemon.dry_run;
	w->pressed = false;
}

static void want(const struct pcr_setting_state *s, const struct pcr_wish *w,
		 struct pcr_decision *d)
{
	d->amount = pcr_has(w->value) ? w->value : s->base;
	d->wanted.value = s->seen;
	d->wanted.threshold = d->amount;
	if (!pcr_has(d->amount) || s->seen == d->amount)
		return;
	d->want = pcr_has(w->value) ? w->why : PCR_WHY_RESTORE;
	d->wanted.since_usec = w->since_usec;
}

static bool held(const struct pcr_setting_state *s, u64 until, u64 now, struct pcr_decision *d)
{
	if (!pcr_has(d->amount))
		return pcr_hold(d, PCR_WHY_OFF, until);
	if (!pcr_has(s->seen))
		return pcr_hold(d, PCR_WHY_NO_KNOB, PCR_NEVER);
	if (d->want == PCR_WHY_NOTHING)
		return pcr_hold(d, PCR_WHY_NOTHING, until);
	if (s->in_flight)
		return pcr_hold(d, PCR_WHY_BUSY, PCR_NEVER);
	if (s->foreign)
		return pcr_hold(d, PCR_WHY_FOREIGN, PCR_NEVER);
	if (s->retry_usec > now)
		return pcr_hold(d, PCR_WHY_BACKOFF, pcr_min_u64(until, s->retry_usec));
	/* Refused once is refused: no storm of retries until the settings change. */
	if (s->vain[d->pressed] == d->amount)
		return pcr_hold(d, PCR_WHY_REFUSED, until);
	return false;
}

/* As if it stood alone. */
static void decide(const struct pcr_state *st, const struct pcr_settings *set, u32 which, u64 now,
		   struct pcr_decision *d)
{
	const struct pcr_setting_state *s = &st->setting[which];
	u64 until = pcr_state_pressed_until(st, set);
	struct pcr_wish w = { .pressed = now < until };

	if (which < _PCR_SETTING_PAIRS)
		wish_pair(st, set, which, &w);
	else if (which == PCR_SETTING_TASK_COLLAPSE)
		wish_switch(st, set, &w);
	else
		pcr_wish_batch(st, set, which, &w);
	*d = (struct pcr_decision){
		.action = PCR_ACT_SET, .setting = which, .policy = -1, .pressed = w.pressed,
		.dry_run = w.dry_run,
		.wanted = { .until_usec = PCR_NEVER }, .evidence = { .until_usec = PCR_NEVER },
	};
	/* When calm comes there is something to do only where that is another value. */
	if (!d->pressed || !w.passing)
		until = PCR_NEVER;
	want(s, &w, d);
	if (!held(s, until, now, d))
		pcr_go(d);
}

/* Would the kernel refuse this, as long as the other end of the float is where it is? */
static bool crosses(const struct pcr_state *st, const struct pcr_decision *d)
{
	u64 low = st->setting[PCR_SETTING_LOW].seen, high = st->setting[PCR_SETTING_HIGH].seen;

	if (!pcr_has(low) || !pcr_has(high))
		return false;
	return d->setting == PCR_SETTING_LOW ? d->amount >= high : d->amount <= low;
}

void pcr_policy_setting(const struct pcr_state *st, const struct pcr_settings *set,
			u32 which, u64 now, struct pcr_decision *ret_decision)
{
	struct pcr_decision other;

	decide(st, set, which, now, ret_decision);
	if (!ret_decision->act || which >= PCR_SETTING_PERCENT || !crosses(st, ret_decision))
		return;
	/* The other one first, if it is about to make room; two that never fit are told apart by errno. */
	decide(st, set, which == PCR_SETTING_LOW ? PCR_SETTING_HIGH : PCR_SETTING_LOW, now, &other);
	if (other.why == PCR_WHY_BUSY || other.why == PCR_WHY_BACKOFF ||
	    (other.act && !crosses(st, &other)))
		(void)pcr_hold(ret_decision, PCR_WHY_ORDER, PCR_NEVER);
}
