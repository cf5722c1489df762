// SPDX-License-Identifier: GPL-2.0-or-later
/* ListPolicies: in the order in which they are tried, with where they stand. */
#include "ctl/call.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "model/tree.h"

/* Rows stay short enough for one piece whatever the settings allow. */
#define MATCHES_SHOWN 64

int pcr_handle_policies(struct pcr_call *call)
{
	return 0;
}

/* How many cgroups each policy applies to now. */
static u32 *count_matches(const struct pcr_view *view)
{
	u32 n = view->settings->n_policies;
	u32 *counts = calloc(n ? n : 1, sizeof(*counts));
	const struct pcr_node *node = view->state->tree.root;

	if (!counts)
		return NULL;
	for (; node; node = pcr_tree_next(node))
		if (node->policy >= 0 && (u32)node->policy < n)
			counts[node->policy]++;
	return counts;
}

static bool put_rule(json_t *o, const struct pcr_rule *rule)
{
	bool bad = false;

	bad |= pcr_put_bool(o, "reap", rule->reap);
	bad |= pcr_put_bool(o, "batch_free", rule->batch_free);
	bad |= pcr_put_bool(o, "force_empty", rule->force_empty);
	bad |= pcr_put_bool(o, "dry_run", rule->dry_run);
	bad |= pcr_put_u64(o, "reap_above", rule->reap_above);
	bad |= pcr_put_u64(o, "reap_after_usec", rule->reap_after_usec);
	bad |= pcr_put_u64(o, "reap_step_bytes", rule->reap_step_bytes);
	bad |= pcr_put_u64(o, "reap_budget_bytes", rule->reap_budget_bytes);
	bad |= pcr_put_u64(o, "reap_budget_usec", rule->reap_budget_usec);
	bad |= pcr_put_u64(o, "reap_refault_bp", rule->reap_refault_bp);
	bad |= pcr_put_u64(o, "reap_pressure_bp", rule->reap_pressure_bp);
	bad |= pcr_put_u64(o, "cooldown_usec", rule->cooldown_usec);
	if (rule->collapse_bytes) {
		bad |= pcr_put_u64(o, "collapse_bytes", rule->collapse_bytes);
		bad |= pcr_put_u64(o, "collapse_usec", rule->collapse_usec);
	}
	return bad;
}

static json_t *policy_row(const struct pcr_settings *set, u32 index, u64 cgroups)
{
	const struct pcr_policy *policy = &set->policies[index];
	json_t *o = json_object(), *match = json_array();
	char where[PATH_MAX + 16];
	bool bad = !o || !match;

	bad |= pcr_put_text(o, "name", policy->name);
	if (pcr_origin_text(set, &policy->where, where, sizeof(where)))
		bad |= pcr_put_text(o, "where", where);
	for (u32 i = 0; i < policy->n_match && i < MATCHES_SHOWN; i++)
		bad |= json_array_append_new(match, pcr_text_json(policy->match[i])) < 0;
	bad |= pcr_put_new(o, "match", match);
	bad |= pcr_put_u64(o, "match_total", policy->n_match);
	bad |= pcr_put_u64(o, "cgroups", cgroups);
	bad |= put_rule(o, &policy->rule);
	bad |= pcr_put_new(o, "overrides", pcr_reply_overrides(set, policy));
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

int pcr_piece_policies(const struct pcr_view *view, const struct pcr_clock *clock,
		       struct pcr_cursor *cursor, json_t *reply, bool *ret_end)
{
	const struct pcr_settings *set = view->settings;
	PCR_AUTOFREE u32 *counts = count_matches(view);
	json_t *rows = json_array();
	bool bad = !counts || !rows;
	u64 given = 0;

	/* rows are long here: overrides and globs */
	while (!bad && cursor->index < set->n_policies && given < PCR_PIECE_ROWS / 4) {
		u32 i = cursor->index++;

		bad |= json_array_append_new(rows, policy_row(set, i, counts[i])) < 0;
		given++;
	}
	bad |= pcr_put_u64(reply, "total", set->n_policies);
	bad |= pcr_put_new(reply, "policies", rows);
	*ret_end = cursor->index >= set->n_policies;
	return bad ? -ENOMEM : 0;
}
