// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings + state + now -> plan. */
#include "model/model.h"
#include "policy/internal.h"

bool pcr_hold(struct pcr_decision *d, enum pcr_reason why, u64 until_usec)
{
	d->act = false;
	d->why = why;
	d->evidence = d->wanted;
	d->evidence.until_usec = until_usec;
	return true;
}

void pcr_go(struct pcr_decision *d)
{
	d->act = true;
	d->why = d->want;
	d->evidence = d->wanted;
}

/* A full order, so that the plan never depends on how a list happens to be linked. */
static bool before(const struct pcr_decision *a, const struct pcr_decision *b)
{
	if (a->action != b->action)
		return a->action > b->action;	/* settings, then trim, then reaps */
	if (a->wanted.value != b->wanted.value)
		return a->wanted.value > b->wanted.value;
	return a->target < b->target;
}

static void take(struct pcr_plan *plan, u32 room, const struct pcr_decision *d)
{
	u32 i;

	if (!d->act) {
		plan->next_usec = pcr_min_u64(plan->next_usec, d->evidence.until_usec);
		return;
	}
	for (i = plan->n; i > 0 && before(d, &plan->d[i - 1]); i--)
		if (i < room)
			plan->d[i] = plan->d[i - 1];
	if (i >= room)
		return;
	plan->d[i] = *d;
	if (plan->n < room)
		plan->n++;
}

void pcr_policy_eval(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
		     struct pcr_plan *ret_plan)
{
	struct pcr_decision d;
	const struct pcr_list *pos;
	u32 room = PCR_PLAN_MAX;

	ret_plan->n = 0;
	ret_plan->next_usec = PCR_NEVER;
	pcr_policy_float(st, set, now, &d);
	take(ret_plan, room, &d);
	pcr_policy_trim(st, set, now, &d);
	take(ret_plan, room, &d);
	pcr_list_for(pos, &st->reaps) {
		const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		/* What is under way counts: the worker takes one at a time. */
		if (r->in_flight && room > ret_plan->n)
			room--;
	}
	pcr_list_for(pos, &st->reaps) {
		const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		pcr_policy_reap(st, set, r->node, now, &d);
		take(ret_plan, room, &d);
	}
}
