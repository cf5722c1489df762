// SPDX-License-Identifier: GPL-2.0-or-later
/* Decisions and records as JSON: the same shape in every reply that shows one. */
#include "ctl/reply.h"

#include <string.h>

#include "model/tree.h"
#include "policy/policy.h"

/* Where it happens: a cgroup by its path, or nothing for what is machine-wide. */
static bool put_target(json_t *o, const struct pcr_state *st, u64 target)
{
	const struct pcr_node *node;
	char path[PCR_PATH_MAX];

	if (target == 0)
		return false;
	node = pcr_tree_by_id(&st->tree, target);
	if (!node)
		return false;
	pcr_node_path(node, path, sizeof(path));
	return pcr_put_path(o, "cgroup", path);
}

/* Figures of a reap count cgroups, those of a trim are bytes, a setting's are its own. */
static const char *amount_key(enum pcr_action action)
{
	return action == PCR_ACT_SET ? "amount" : "amount_bytes";
}

/* Whether the figures of a reason mean anything; what waits for a time has none. */
static bool has_figures(enum pcr_reason why)
{
	switch (why) {
	case PCR_WHY_NOTHING:
	case PCR_WHY_ASKED:
	case PCR_WHY_OFF:
	case PCR_WHY_NO_KNOB:
	case PCR_WHY_BUSY:
	case PCR_WHY_COOLDOWN:
	case PCR_WHY_BACKOFF:
	case PCR_WHY_SUSPENDED:
	case PCR_WHY_SAID:
	case PCR_WHY_NOT_YET:
	case PCR_WHY_GUARDED:
	case PCR_WHY_REFUSED:
	case PCR_WHY_UNSEEN:
	case PCR_WHY_THP_NEVER:
	case PCR_WHY_ALL_HUGE:
		return false;
	default:
		return true;
	}
}

static bool put_evidence(json_t *o, const struct pcr_clock *clock, enum pcr_reason why,
			 const struct pcr_evidence *e)
{
	bool bad = false;

	bad |= pcr_put_text(o, "reason", pcr_reason_name(why));
	if (has_figures(why)) {
		bad |= pcr_put_u64(o, "value", e->value);
		bad |= pcr_put_u64(o, "threshold", e->threshold);
		bad |= pcr_put_past(o, clock, "since", e->since_usec);
	}
	return bad | pcr_put_time(o, clock, "until", e->until_usec);
}

bool pcr_held_back(const struct pcr_decision *d)
{
	if (d->act)
		return false;
	if (d->want != PCR_WHY_NOTHING)
		return true;
	/* A reap waits only while something is dying, also where nothing new speaks for it. */
	return d->action == PCR_ACT_REAP &&
	       (d->why == PCR_WHY_BACKOFF || d->why == PCR_WHY_SUSPENDED || d->why == PCR_WHY_SAID);
}

/* What speaks for a decision that is held back: told as if it acted. */
static json_t *wants(const struct pcr_clock *clock, const struct pcr_decision *d)
{
	struct pcr_decision would = *d;
	json_t *o = json_object();
	bool bad = !o;
	char text[320];

	would.act = true;
	would.why = d->want;
	would.evidence = d->wanted;
	bad |= put_evidence(o, clock, d->want, &d->wanted);
	bad |= pcr_put_text(o, "text", pcr_decision_text(text, sizeof(text), &would, clock->now));
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

json_t *pcr_reply_decision(const struct pcr_view *view, const struct pcr_clock *clock,
			   const struct pcr_decision *d)
{
	json_t *o = json_object();
	bool bad = !o;
	char text[320];

	bad |= pcr_put_text(o, "action", pcr_action_name(d->action));
	bad |= pcr_put_bool(o, "act", d->act);
	bad |= put_evidence(o, clock, d->why, &d->evidence);
	bad |= pcr_put_text(o, "text", pcr_decision_text(text, sizeof(text), d, clock->now));
	bad |= pcr_put_bool(o, "dry_run", d->dry_run);
	bad |= pcr_put_text(o, "policy", pcr_policy_label(view->settings, d->policy));
	bad |= put_target(o, view->state, d->target);
	if (d->action == PCR_ACT_SET)
		bad |= pcr_put_text(o, "knob", pcr_setting_knob(d->setting));
	if (d->act)
		bad |= pcr_put_u64(o, amount_key(d->action), d->amount);
	if (!d->act && d->want != PCR_WHY_NOTHING)
		bad |= pcr_put_new(o, "wants", wants(clock, d));
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

/* What the figures before and after are depends on what was done. */
static bool put_figures(json_t *o, const struct pcr_record *r)
{
	bool bad = false;

	switch (r->action) {
	case PCR_ACT_REAP:
		bad |= pcr_put_path(o, "cgroup", r->path);
		bad |= pcr_put_u64(o, "asked_bytes", r->asked);
		bad |= pcr_put_u64(o, "dying_before", r->before);
		bad |= pcr_put_u64(o, "dying_after", r->after);
		bad |= pcr_put_u64(o, "refault_pages", r->refault_pages);
		break;
	case PCR_ACT_TRIM:
		bad |= pcr_put_text(o, "knob", r->path);
		bad |= pcr_put_u64(o, "asked_bytes", r->asked);
		bad |= pcr_put_u64(o, "empty_before_bytes", r->before);
		bad |= pcr_put_u64(o, "empty_after_bytes", r->after);
		break;
	case PCR_ACT_COLLAPSE:
		bad |= pcr_put_text(o, "task", r->path);
		bad |= pcr_put_u64(o, "scanned_bytes", r->asked);
		bad |= pcr_put_u64(o, "huge_before_bytes", r->before);
		bad |= pcr_put_u64(o, "huge_after_bytes", r->after);
		break;
	default:
		bad |= pcr_put_text(o, "knob", r->path);
		bad |= pcr_put_u64(o, "asked_value", r->asked);
		bad |= pcr_put_u64(o, "value_before", r->before);
		bad |= pcr_put_u64(o, "value_after", r->after);
		break;
	}
	if (r->action != PCR_ACT_SET)
		bad |= pcr_put_u64(o, "freed_bytes", r->freed_bytes);
	return bad;
}

/* Of a run before this one, and how long before; its points in time. */
static bool put_when(json_t *o, const struct pcr_clock *clock, const struct pcr_record *r)
{
	static const char *const runs[_PCR_PAST_MAX] = {
		[PCR_PAST_RESTART] = "restart", [PCR_PAST_BOOT] = "boot",
	};
	u64 span = pcr_sub_u64(r->end_usec, r->start_usec);

	if (r->past == PCR_PAST_BOOT)
		return pcr_put_text(o, "run_before", runs[r->past]) |
		       pcr_put_date(o, clock, "start", pcr_sub_u64(r->end_real_usec, span)) |
		       pcr_put_date(o, clock, "end", r->end_real_usec);
	return pcr_put_text(o, "run_before", runs[r->past]) |
	       pcr_put_past(o, clock, "start", r->start_usec) |
	       pcr_put_past(o, clock, "end", r->end_usec);
}

json_t *pcr_reply_record(const struct pcr_clock *clock, const struct pcr_record *r)
{
	json_t *o = json_object();
	bool bad = !o;
	char text[PCR_SHOWN + 384];

	bad |= pcr_put_u64(o, "seq", r->seq);
	bad |= pcr_put_text(o, "action", pcr_action_name(r->action));
	bad |= pcr_put_text(o, "reason", pcr_reason_name(r->why));
	bad |= pcr_put_text(o, "outcome", pcr_stop_name(r->stop));
	bad |= pcr_put_text(o, "outcome_text", pcr_stop_text(r->stop));
	bad |= pcr_put_text(o, "text", pcr_record_text(text, sizeof(text), r));
	bad |= pcr_put_bool(o, "dry_run", r->dry_run);
	if (r->err != 0) {
		bad |= pcr_put_u64(o, "errno", (u64)r->err);
		bad |= pcr_put_text(o, "error", strerror(r->err));
	}
	bad |= pcr_put_text(o, "policy", r->policy);
	bad |= put_figures(o, r);
	bad |= pcr_put_u64(o, "steps", r->steps);
	bad |= pcr_put_u64(o, "value", r->value);
	bad |= pcr_put_u64(o, "threshold", r->threshold);
	bad |= pcr_put_u64(o, "took_usec", r->took_usec);
	bad |= put_when(o, clock, r);
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}
