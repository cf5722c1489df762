// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether to reclaim below one living parent of removed cgroups. */
#include "model/model.h"
#include "policy/internal.h"

/*
 * Dying cgroups that the last series has not already failed on: what it left is
 * waited out, what died since is as good a reason as ever.
 */
static u64 fresh(const struct pcr_reap *r, u64 now)
{
	return r->retry_usec > now ? pcr_sub_u64(r->dying, r->stuck) : r->dying;
}

/* Enough of them. Hysteresis is for those that nobody has failed on yet. */
static bool above(const struct pcr_reap *r, const struct pcr_rule *rule, u64 now)
{
	if (r->retry_usec > now)
		return fresh(r, now) >= rule->reap_above;
	return r->above_since_usec && r->dying;
}

static void want(const struct pcr_state *st, const struct pcr_settings *set,
		 const struct pcr_node *node, const struct pcr_rule *rule, u64 now,
		 struct pcr_decision *d)
{
	const struct pcr_reap *r = node->reap;
	u64 n = fresh(r, now);
	u64 old_enough = pcr_add_u64(r->dying_since_usec, rule->reap_after_usec);

	d->wanted = (struct pcr_evidence){
		.value = r->dying, .threshold = rule->reap_above,
		.since_usec = r->dying_since_usec, .until_usec = PCR_NEVER,
	};
	if (r->series.running) {
		d->want = PCR_WHY_CONTINUE;
		d->wanted.threshold = 0;
	} else if (above(r, rule, now)) {
		d->want = PCR_WHY_ABOVE;
		d->wanted.value = n;
		d->wanted.since_usec = r->above_since_usec;
		/* Once above, what counts is the lower edge. */
		if (n < rule->reap_above)
			d->wanted.threshold = (rule->reap_above + 1) / 2;
	} else if (n && pcr_state_pressed(st, set, node, now)) {
		d->want = PCR_WHY_PRESSURE;
		d->wanted.threshold = 1;
	} else if (n && old_enough <= now) {
		d->want = PCR_WHY_AGE;
		d->wanted.value = now - r->dying_since_usec;
		d->wanted.threshold = rule->reap_after_usec;
	} else {
		d->wanted.until_usec = old_enough;
	}
}

static bool held(const struct pcr_state *st, const struct pcr_settings *set,
		 const struct pcr_node *node, const struct pcr_rule *rule, u64 now,
		 struct pcr_decision *d)
{
	const struct pcr_reap *r = node->reap;
	u64 tokens = pcr_reap_tokens(r, rule, now);
	bool running = r->series.running;
	bool asked = running && r->series.why == PCR_WHY_ASKED;

	if (!asked && (!rule->reap || (st->v1 && !rule->force_empty)))
		return pcr_hold(d, PCR_WHY_OFF, PCR_NEVER);
	if (!asked && node->guarded)
		return pcr_hold(d, PCR_WHY_GUARDED, PCR_NEVER);
	if (!st->reap_knob)
		return pcr_hold(d, PCR_WHY_NO_KNOB, PCR_NEVER);
	/* While figures are read it is their coming that counts. */
	if (r->in_flight || r->settling)
		return pcr_hold(d, PCR_WHY_BUSY,
				r->settling && !r->look ? r->sample_usec : PCR_NEVER);
	/* What held a series back before it began does not stop it half way. */
	if (!running && r->retry_usec > now && r->suspended && r->suspended_usec > now)
		return pcr_hold(d, PCR_WHY_SUSPENDED, above(r, rule, now) ? r->suspended_usec :
									    r->retry_usec);
	if (!running && r->retry_usec > now && r->last_stop == PCR_STOP_DRY_RUN &&
	    !above(r, rule, now))
		return pcr_hold(d, PCR_WHY_SAID, r->retry_usec);
	if (!running && r->retry_usec > now && !above(r, rule, now))
		return pcr_hold(d, r->suspended ? PCR_WHY_SUSPENDED : PCR_WHY_BACKOFF,
				r->retry_usec);
	if (d->want == PCR_WHY_NOTHING)
		return pcr_hold(d, PCR_WHY_BELOW, d->wanted.until_usec);
	if (!running && r->cooldown_usec > now)
		return pcr_hold(d, PCR_WHY_COOLDOWN, r->cooldown_usec);
	if (tokens < d->amount) {
		pcr_hold(d, PCR_WHY_BUDGET, pcr_reap_funded(r, rule, d->amount));
		d->evidence.value = tokens;
		d->evidence.threshold = d->amount;
		return true;
	}
	return false;
}

/* A few pages from anywhere: not where somebody is to be kept out of it. */
static bool may_touch_all(const struct pcr_settings *set)
{
	for (u32 i = 0; i < set->n_policies; i++)
		if (!set->policies[i].rule.reap)
			return false;
	return set->rule.reap;
}

void pcr_policy_reap(const struct pcr_state *st, const struct pcr_settings *set,
		     const struct pcr_node *node, u64 now, struct pcr_decision *ret_decision)
{
	const struct pcr_rule *rule = pcr_node_rule(set, node);
	struct pcr_decision d = {
		.action = PCR_ACT_REAP, .policy = node->policy, .target = node->id,
		.dry_run = rule->dry_run || set->daemon.dry_run,
		.wanted = { .until_usec = PCR_NEVER }, .evidence = { .until_usec = PCR_NEVER },
	};

	if (node->reap && (node->reap->dying || node->reap->series.running)) {
		d.amount = pcr_reap_step(node->reap, rule);
		d.unpin = node->reap->series.running && node->reap->series.idle_steps == 1;
		d.unpin_all = d.unpin && may_touch_all(set);
		want(st, set, node, rule, now, &d);
		if (!held(st, set, node, rule, now, &d))
			pcr_go(&d);
	}
	*ret_decision = d;
}
