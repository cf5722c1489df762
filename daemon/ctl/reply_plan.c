// SPDX-License-Identifier: GPL-2.0-or-later
/* GetPlan: what would be done now, without doing it, and what is held back. */
#include "ctl/call.h"

#include <errno.h>

#include "policy/policy.h"

/* Enough to see a pattern; ListCgroups and Explain have the rest. */
#define HELD_MAX 32

static bool add(json_t *list, const struct pcr_view *view, const struct pcr_clock *clock,
		const struct pcr_decision *d)
{
	return json_array_append_new(list, pcr_reply_decision(view, clock, d)) < 0;
}

static bool put_held(json_t *reply, const struct pcr_view *view, const struct pcr_clock *clock)
{
	const struct pcr_state *st = view->state;
	const struct pcr_list *link;
	json_t *list = json_array();
	struct pcr_decision d;
	bool bad = !list;
	u64 n = 0;

	pcr_policy_trim(st, view->settings, clock->now, &d);
	if (pcr_held_back(&d))
		bad |= add(list, view, clock, &d);
	for (u32 i = 0; i < pcr_settings_end(st); i++) {
		pcr_policy_setting(st, view->settings, i, clock->now, &d);
		if (pcr_held_back(&d))
			bad |= add(list, view, clock, &d);
	}
	pcr_list_for(link, &st->reaps) {
		const struct pcr_reap *reap = pcr_container_of(link, struct pcr_reap, link);

		pcr_policy_reap(st, view->settings, reap->node, clock->now, &d);
		if (pcr_held_back(&d) && n++ < HELD_MAX)
			bad |= add(list, view, clock, &d);
	}
	bad |= pcr_put_u64(reply, "held_more", n > HELD_MAX ? n - HELD_MAX : PCR_ABSENT);
	return bad | pcr_put_new(reply, "held", list);
}

int pcr_handle_plan(struct pcr_call *call)
{
	const struct pcr_view *view = call->view;
	json_t *list = json_array();
	struct pcr_plan plan;
	bool bad = !list;

	pcr_policy_eval(view->state, view->settings, call->clock.now, &plan);
	for (u32 i = 0; i < plan.n; i++)
		bad |= add(list, view, &call->clock, &plan.d[i]);
	bad |= pcr_put_new(call->reply, "decisions", list);
	bad |= put_held(call->reply, view, &call->clock);
	bad |= pcr_put_time(call->reply, &call->clock, "next_look", plan.next_usec);
	return bad ? -ENOMEM : 0;
}
