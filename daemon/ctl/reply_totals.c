// SPDX-License-Identifier: GPL-2.0-or-later
/* What finished actions add up to. */
#include "ctl/call.h"

#include "policy/policy.h"

/* Closes an object: it, or NULL when something was lost on the way. */
static json_t *done(json_t *o, bool bad)
{
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *outcome(enum pcr_action action, enum pcr_stop stop, u64 count)
{
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_text(o, "action", pcr_action_name(action));
	bad |= pcr_put_text(o, "outcome", pcr_stop_name(stop));
	bad |= pcr_put_u64(o, "count", count);
	return done(o, bad);
}

/* How finished actions ended; what never happened is left out. */
static json_t *outcomes(const struct pcr_totals *t)
{
	json_t *list = json_array();
	bool bad = !list;

	for (u32 i = 0; i < _PCR_ACT_MAX; i++)
		for (u32 j = 0; j < _PCR_STOP_MAX; j++)
			if (t->ended[i][j])
				bad |= json_array_append_new(list, outcome(i, j, t->ended[i][j])) < 0;
	return done(list, bad);
}

json_t *pcr_reply_totals(const struct pcr_totals *t)
{
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_u64(o, "reap_freed_bytes", t->reap_freed_bytes);
	bad |= pcr_put_u64(o, "reap_cgroups", t->reap_cgroups);
	bad |= pcr_put_u64(o, "trim_freed_bytes", t->trim_freed_bytes);
	bad |= pcr_put_u64(o, "actions", t->actions);
	bad |= pcr_put_u64(o, "failed", t->failed);
	bad |= pcr_put_u64(o, "dry_runs", t->dry_runs);
	bad |= pcr_put_u64(o, "created", t->created);
	bad |= pcr_put_u64(o, "removed", t->removed);
	bad |= pcr_put_u64(o, "released", t->released);
	bad |= pcr_put_new(o, "outcomes", outcomes(t));
	return done(o, bad);
}
