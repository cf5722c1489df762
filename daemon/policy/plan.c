// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings + state + now -> plan. */
#include "model/agenda.h"
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

/* A plan while it is made: what each decision weighs against the others. */
struct draft {
	struct pcr_plan *plan;
	u32 room;
	u64 weight[PCR_PLAN_MAX];
};

/*
 * A full order, so that the plan never depends on how a list happens to be linked:
 * settings, then trim, then reaps; of those first the ones under way, then the
 * largest. Evidence is no measure, it is in the unit of each one's reason.
 */
static bool before(const struct pcr_decision *a, u64 weight_a, const struct pcr_decision *b,
		   u64 weight_b)
{
	if (a->action != b->action)
		return a->action > b->action;
	if ((a->why == PCR_WHY_CONTINUE) != (b->why == PCR_WHY_CONTINUE))
		return a->why == PCR_WHY_CONTINUE;
	if (weight_a != weight_b)
		return weight_a > weight_b;
	return a->target < b->target;
}

static void take(struct draft *draft, const struct pcr_decision *d, u64 weight)
{
	struct pcr_plan *plan = draft->plan;
	u32 i;

	if (!d->act) {
		plan->next_usec = pcr_min_u64(plan->next_usec, d->evidence.until_usec);
		return;
	}
	for (i = plan->n; i > 0 && before(d, weight, &plan->d[i - 1], draft->weight[i - 1]); i--)
		if (i < draft->room) {
			plan->d[i] = plan->d[i - 1];
			draft->weight[i] = draft->weight[i - 1];
		}
	if (i >= draft->room)
		return;
	plan->d[i] = *d;
	draft->weight[i] = weight;
	if (plan->n < draft->room)
		plan->n++;
}

static void of_the_machine(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
			   struct draft *draft)
{
	struct pcr_decision d;

	draft->plan->n = 0;
	draft->plan->next_usec = PCR_NEVER;
	for (u32 i = 0; i < pcr_settings_end(st); i++) {
		pcr_policy_setting(st, set, i, now, &d);
		take(draft, &d, 0);
	}
	pcr_policy_trim(st, set, now, &d);
	take(draft, &d, 0);
}

/* What is under way counts: the worker takes one at a time. */
static void leave_room(struct draft *draft, u32 in_flight)
{
	draft->room -= (u32)pcr_min_u64(in_flight, draft->room - draft->plan->n);
}

void pcr_policy_eval(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
		     struct pcr_plan *ret_plan)
{
	struct draft draft = { .plan = ret_plan, .room = PCR_PLAN_MAX };
	struct pcr_decision d;
	const struct pcr_list *pos;
	u32 in_flight = 0;

	of_the_machine(st, set, now, &draft);
	pcr_list_for(pos, &st->reaps)
		in_flight += pcr_container_of(pos, struct pcr_reap, link)->in_flight;
	leave_room(&draft, in_flight);
	pcr_list_for(pos, &st->reaps) {
		const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		pcr_policy_reap(st, set, r->node, now, &d);
		take(&draft, &d, r->dying);
	}
}

/* Of those that were not looked at. */
static u64 first_after(const struct pcr_agenda *a, u64 now)
{
	u64 first = PCR_NEVER;

	for (u32 i = pcr_agenda_first(a, first); i < a->n; i = pcr_agenda_next(a, i, first))
		if (a->entry[i].due_usec > now)
			first = a->entry[i].due_usec;
	return first;
}

void pcr_policy_replan(struct pcr_state *st, const struct pcr_settings *set, u64 now,
		       struct pcr_plan *ret_plan)
{
	const struct pcr_agenda *a = &st->agenda[PCR_AGENDA_PLAN];
	struct draft draft = { .plan = ret_plan, .room = PCR_PLAN_MAX };
	struct pcr_decision d;
	u32 i = pcr_agenda_first(a, now + 1);

	of_the_machine(st, set, now, &draft);
	leave_room(&draft, st->n_in_flight);
	while (i < a->n) {
		struct pcr_reap *r = a->entry[i].reap;

		pcr_policy_reap(st, set, r->node, now, &d);
		take(&draft, &d, r->dying);
		/* What is to be done stays due until it is begun. */
		if (!d.act)
			pcr_reap_planned(st, r, pcr_max_u64(d.evidence.until_usec, now + 1));
		/* Filed later, it has left its place to another, which may be due as well. */
		if (d.act || a->entry[i].due_usec > now)
			i = pcr_agenda_next(a, i, now + 1);
	}
	ret_plan->next_usec = pcr_min_u64(ret_plan->next_usec, first_after(a, now));
}
