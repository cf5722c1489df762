// SPDX-License-Identifier: GPL-2.0-or-later
/* What should come of it: plans, ends of actions, reasons. */
#include "scn/scn.h"

#include <stdio.h>
#include <string.h>

#include "model/tree.h"
#include "policy/policy.h"

static const char *target(const struct scn *s, const struct pcr_decision *d)
{
	static char buf[2][256];
	static int turn;
	const struct pcr_node *node = d->target ? pcr_tree_by_id(&s->st.tree, d->target) : NULL;
	char path[200];

	turn = !turn;
	if (node)
		pcr_node_path(node, path, sizeof(path));
	if (d->action == PCR_ACT_SET)
		snprintf(path, sizeof(path), "%s", strrchr(pcr_setting_knob(d->setting), '/') + 1);
	snprintf(buf[turn], sizeof(buf[turn]), "%s%s%s why=%s", pcr_action_name(d->action),
		 node ? " /" : " ", node || d->action == PCR_ACT_SET ? path : "machine-wide",
		 pcr_reason_name(d->why));
	return buf[turn];
}

static void make_plan(struct scn *s)
{
	if (s->planned)
		return;
	pcr_policy_eval(&s->st, s->set, s->now, &s->plan);
	s->planned = true;
	s->matched = 0;
}

bool scn_close_plan(struct scn *s)
{
	if (!s->planned)
		return true;
	s->planned = false;
	if (s->matched < s->plan.n)
		return scn_fail(s, "not expected: %s", target(s, &s->plan.d[s->matched]));
	for (u32 i = 0; i < s->plan.n; i++) {
		pcr_state_started(&s->st, s->set, &s->plan.d[i], s->now);
		s->dry[s->plan.d[i].action] = s->plan.d[i].dry_run;
		if (s->plan.d[i].action == PCR_ACT_SET)
			s->set_amount[s->plan.d[i].setting] = s->plan.d[i].amount;
	}
	return true;
}

/* --- decisions --- */

/* Takes the words that are names; what is left are numbers. */
static bool names(struct scn *s, struct scn_line *l, u32 from, const struct pcr_decision *d)
{
	u32 left = from;

	for (u32 i = from; i < l->n; i++) {
		const char *why = scn_after(l->word[i], "why"),
			   *want = scn_after(l->word[i], "want");

		if (why && strcmp(why, pcr_reason_name(d->why)))
			return scn_fail(s, "expected why=%s, got why=%s want=%s", why,
					pcr_reason_name(d->why), pcr_reason_name(d->want));
		if (want && strcmp(want, pcr_reason_name(d->want)))
			return scn_fail(s, "expected want=%s, got %s", want,
					pcr_reason_name(d->want));
		if (!strcmp(l->word[i], "dry") && !d->dry_run)
			return scn_fail(s, "expected a dry run");
		if (!why && !want && strcmp(l->word[i], "dry"))
			l->word[left++] = l->word[i];
	}
	l->n = left;
	return true;
}

/* What figures of this decision are in. */
static enum scn_unit unit_of(const struct pcr_decision *d)
{
	if (d->why == PCR_WHY_AGE)
		return SCN_SPAN;
	if (d->why == PCR_WHY_BUDGET ||
	    (d->action == PCR_ACT_TRIM && d->why != PCR_WHY_AFTER_DEATHS))
		return SCN_SIZE;
	return SCN_NUMBER;
}

static bool decision(struct scn *s, const struct scn_line *whole, u32 from, struct pcr_decision *d)
{
	struct scn_line l = *whole;
	struct scn_key keys[] = {
		{ "amount", d->action == PCR_ACT_SET ? SCN_NUMBER : SCN_SIZE, &d->amount },
		{ "value", unit_of(d), &d->evidence.value },
		{ "threshold", unit_of(d), &d->evidence.threshold },
		{ "since", SCN_TIME, &d->evidence.since_usec },
		{ "until", SCN_TIME, &d->evidence.until_usec },
	};

	return names(s, &l, from, d) && scn_compare(s, &l, from, keys, PCR_ARRAY_SIZE(keys));
}

/* expect reap /path|trim|set low|high|percent [why= amount= value= threshold= dry] */
static bool expect_action(struct scn *s, const struct scn_line *l, enum pcr_action action)
{
	const struct pcr_node *node = NULL;
	u32 setting = 0;
	struct pcr_decision d;

	make_plan(s);
	if (action == PCR_ACT_SET && (l->n < 3 || !scn_setting(l->word[2], &setting)))
		return scn_fail(s, "expect set low|high|percent ...");
	if (action == PCR_ACT_REAP) {
		node = l->n >= 3 ? scn_node(s, l->word[2]) : NULL;
		if (!node)
			return scn_fail(s, "expect reap /path ...");
	}
	if (s->matched == s->plan.n) {
		if (node) {
			pcr_policy_reap(&s->st, s->set, node, s->now, &d);
			return scn_fail(s, "not planned: %s", target(s, &d));
		}
		return scn_fail(s, "not planned");
	}
	d = s->plan.d[s->matched];
	if (d.action != action || (node && d.target != node->id) ||
	    (action == PCR_ACT_SET && d.setting != setting))
		return scn_fail(s, "planned instead: %s", target(s, &d));
	s->matched++;
	if (d.dry_run && strcmp(l->word[l->n - 1], "dry"))
		return scn_fail(s, "a dry run was not expected");
	return decision(s, l, action == PCR_ACT_TRIM ? 2 : 3, &d);
}

static bool expect_none(struct scn *s, const struct scn_line *l)
{
	struct scn_key keys[] = { { "next", SCN_TIME, &s->plan.next_usec } };

	make_plan(s);
	if (s->plan.n)
		return scn_fail(s, "expected nothing, but planned: %s", target(s, &s->plan.d[0]));
	return scn_compare(s, l, 2, keys, 1);
}

/* --- actions that ended --- */

static bool take_record(struct scn *s)
{
	if (!s->n_rec)
		return scn_fail(s, "no action has ended");
	s->last = s->rec[0];
	memmove(s->rec, s->rec + 1, --s->n_rec * sizeof(s->rec[0]));
	return true;
}

/* expect stop NAME [steps= asked= freed= before= after= refaults= took=] */
static bool expect_stop(struct scn *s, const struct scn_line *l)
{
	struct pcr_record *r = &s->last;
	u64 steps;
	struct scn_key keys[] = {
		{"steps", SCN_NUMBER, &steps},	      {"asked", SCN_SIZE, &r->asked},
		{"freed", SCN_SIZE, &r->freed_bytes}, {"before", SCN_NUMBER, &r->before},
		{"after", SCN_NUMBER, &r->after},     {"refaults", SCN_NUMBER, &r->refault_pages},
		{"took", SCN_SPAN, &r->took_usec},
	};

	if (l->n < 3)
		return scn_fail(s, "expect stop NAME ...");
	if (!take_record(s))
		return false;
	steps = r->steps;
	if (strcmp(l->word[2], pcr_stop_name(r->stop)))
		return scn_fail(s, "expected stop %s, got %s", l->word[2], pcr_stop_name(r->stop));
	return scn_compare(s, l, 3, keys, PCR_ARRAY_SIZE(keys));
}

/* expect line TEXT: the journal's line about the action of the last "expect stop" */
static bool expect_line(struct scn *s, const struct scn_line *l)
{
	char buf[512];

	pcr_record_text(buf, sizeof(buf), &s->last);
	return !strcmp(buf, l->text) || scn_fail(s, "the line is\n\t%s\nnot\n\t%s", buf, l->text);
}

/* explain /path|trim|low|high|percent why= [want= until= value= threshold= since=] */
static bool explain(struct scn *s, const struct scn_line *l)
{
	struct pcr_decision d;
	const struct pcr_node *node;
	u32 setting;

	if (l->n < 3)
		return scn_fail(s, "explain /path|trim|low|high|percent why=...");
	if (!strcmp(l->word[1], "trim")) {
		pcr_policy_trim(&s->st, s->set, s->now, &d);
	} else if (scn_setting(l->word[1], &setting)) {
		pcr_policy_setting(&s->st, s->set, setting, s->now, &d);
	} else {
		node = scn_node(s, l->word[1]);
		if (!node)
			return false;
		pcr_policy_reap(&s->st, s->set, node, s->now, &d);
	}
	return decision(s, l, 2, &d);
}

/* kept /path yes|no: is anything remembered about its dead? */
static bool kept(struct scn *s, const struct scn_line *l)
{
	const struct pcr_node *node = l->n == 3 ? scn_node(s, l->word[1]) : NULL;
	u64 yes;

	if (!node || !scn_value(s, SCN_YES, l->word[2], &yes))
		return scn_fail(s, "kept /path yes|no");
	return (node->reap != NULL) == (yes != 0) || scn_fail(s, "%s is %skept", l->word[1],
							     node->reap ? "" : "not ");
}

bool scn_expect(struct scn *s, const struct scn_line *l)
{
	bool plan = !strcmp(l->word[0], "expect") && l->n > 1;

	if (plan && !strcmp(l->word[1], "reap"))
		return expect_action(s, l, PCR_ACT_REAP) || true;
	if (plan && !strcmp(l->word[1], "trim"))
		return expect_action(s, l, PCR_ACT_TRIM) || true;
	if (plan && !strcmp(l->word[1], "set"))
		return expect_action(s, l, PCR_ACT_SET) || true;
	scn_close_plan(s);
	if (plan && !strcmp(l->word[1], "none"))
		return expect_none(s, l) || true;
	if (plan && !strcmp(l->word[1], "stop"))
		return expect_stop(s, l) || true;
	if (plan && !strcmp(l->word[1], "line"))
		return expect_line(s, l) || true;
	if (!strcmp(l->word[0], "explain"))
		return explain(s, l) || true;
	if (!strcmp(l->word[0], "kept"))
		return kept(s, l) || true;
	return false;
}

bool scn_finish(struct scn *s)
{
	if (s->failed || !scn_close_plan(s))
		return false;
	if (s->n_rec)
		return scn_fail(s, "an action ended with %s, which nobody expected",
				pcr_stop_name(s->rec[0].stop));
	return true;
}
