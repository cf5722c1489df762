// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Explain: of one cgroup, of percpu memory, of a NUMA node, or of a knob: what is wanted, what
 * holds it back, by how much, since when, what happened last, what stays and why,
 * and which line of which file says so.
 */
#include "ctl/call.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "ctl/target.h"
#include "model/model.h"
#include "model/tree.h"
#include "policy/policy.h"

static json_t *done(json_t *o, bool bad)
{
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

static const struct pcr_record *last_of(const struct pcr_call *call, const struct pcr_decision *d)
{
	/* History knows tasks by their names alone. */
	if (d->action == PCR_ACT_COLLAPSE)
		return NULL;
	return pcr_state_last(call->view->state, d->action,
			      d->action == PCR_ACT_SET ? d->setting : d->target);
}

/* One action: the decision, the last time, what it left. */
static json_t *explained(const struct pcr_call *call, const struct pcr_decision *d, u64 dying,
			 enum pcr_stop last_stop)
{
	const struct pcr_record *last = last_of(call, d);
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_text(o, "action", pcr_action_name(d->action));
	bad |= pcr_put_bool(o, "machine_wide", d->target == 0);
	bad |= pcr_put_new(o, "decision", pcr_reply_decision(call->view, &call->clock, d));
	if (last)
		bad |= pcr_put_new(o, "last", pcr_reply_record(&call->clock, last));
	if (pcr_has(dying) && dying > 0 && last_stop != PCR_STOP_NONE &&
	    last_stop != PCR_STOP_DONE && last_stop != PCR_STOP_DRY_RUN) {
		bad |= pcr_put_u64(o, "stays", dying);
		bad |= pcr_put_text(o, "stays_reason", pcr_stop_name(last_stop));
		bad |= pcr_put_text(o, "stays_text", pcr_stop_text(last_stop));
	}
	return done(o, bad);
}

static json_t *sample(const struct pcr_call *call, const struct pcr_reap *reap)
{
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_u64(o, "dying", reap->dying);
	bad |= pcr_put_u64(o, "pinned_bytes", reap->pinned_bytes);
	bad |= pcr_put_u64(o, "shmem_bytes", reap->shmem_bytes);
	bad |= pcr_put_u64(o, "percpu_bytes", reap->percpu_bytes);
	bad |= pcr_put_u64(o, "refaults", reap->refaults);
	bad |= pcr_put_u64(o, "stall_usec", reap->stall_usec);
	bad |= pcr_put_u64(o, "fruitless", reap->fruitless);
	bad |= pcr_put_bool(o, "under_way", reap->series.running);
	bad |= pcr_put_past(o, &call->clock, "dying_since", reap->dying_since_usec);
	bad |= pcr_put_past(o, &call->clock, "sampled", reap->sampled_usec);
	return done(o, bad);
}

static bool put_policy(json_t *o, const struct pcr_settings *set, s32 index)
{
	const struct pcr_policy *policy;
	char where[PATH_MAX + 16];
	bool bad = false;

	if (index < 0 || (u32)index >= set->n_policies)
		return false;
	policy = &set->policies[index];
	bad |= pcr_put_text(o, "policy", policy->name);
	if (pcr_origin_text(set, &policy->where, where, sizeof(where)))
		bad |= pcr_put_text(o, "where", where);
	return bad | pcr_put_new(o, "overrides", pcr_reply_overrides(set, policy));
}

static int explain_cgroup(struct pcr_call *call, struct pcr_node *node)
{
	const struct pcr_view *view = call->view;
	json_t *o = call->reply, *actions = json_array(), *action;
	struct pcr_decision d;
	char path[PCR_PATH_MAX];
	bool bad = !actions;
	u64 id = node->id;

	/* Its figures as of now; the look itself may find that it is gone. */
	if (view->ops && view->ops->refresh)
		(void)view->ops->refresh(view->data, id);
	node = pcr_tree_by_id(&view->state->tree, id);
	if (!node) {
		json_decref(actions);
		return pcr_call_refuse(call, PCR_E_CGROUP, "cgroup",
				       pcr_call_string(call, "target"));
	}
	pcr_node_path(node, path, sizeof(path));
	pcr_policy_reap(view->state, view->settings, node, call->clock.now, &d);
	bad |= pcr_put_text(o, "kind", "cgroup");
	bad |= pcr_put_path(o, "cgroup", path);
	bad |= pcr_put_u64(o, "id", id);
	bad |= pcr_put_u64(o, "children", node->n_children);
	bad |= put_policy(o, view->settings, node->policy);
	if (node->reap)
		bad |= pcr_put_new(o, "sample", sample(call, node->reap));
	if (node->reap)
		action = explained(call, &d, node->reap->dying, node->reap->last_stop);
	else
		action = explained(call, &d, PCR_ABSENT, PCR_STOP_NONE);
	bad |= json_array_append_new(actions, action) < 0;
	bad |= pcr_put_new(o, "actions", actions);
	return bad ? -ENOMEM : 0;
}

static bool add_trim(const struct pcr_call *call, json_t *actions)
{
	const struct pcr_view *view = call->view;
	struct pcr_decision d;

	pcr_policy_trim(view->state, view->settings, call->clock.now, &d);
	return json_array_append_new(actions, explained(call, &d, PCR_ABSENT, PCR_STOP_NONE)) < 0;
}

/* One that nobody wants anything of is news only to who asks for it. */
static bool add_setting(const struct pcr_call *call, json_t *actions, u32 which,
			bool asked)
{
	const struct pcr_view *view = call->view;
	struct pcr_decision d;

	pcr_policy_setting(view->state, view->settings, which, call->clock.now, &d);
	if (!asked && d.why == PCR_WHY_OFF && !last_of(call, &d))
		return false;
	return json_array_append_new(actions, explained(call, &d, PCR_ABSENT, PCR_STOP_NONE)) < 0;
}

/* One of khugepaged's has nothing to do with percpu memory. */
static bool of_percpu(const char *knob)
{
	return !knob || strncmp(knob, PCR_PERCPU_DIR, strlen(PCR_PERCPU_DIR)) == 0;
}

static int explain_percpu(struct pcr_call *call, const char *knob)
{
	const struct pcr_view *view = call->view;
	json_t *o = call->reply, *actions = json_array();
	bool bad = !actions;

	bad |= pcr_put_text(o, "kind", knob ? "knob" : "percpu");
	bad |= pcr_put_text(o, "knob", knob);
	if (of_percpu(knob) && !view->health->trim_knob)
		bad |= pcr_put_text(o, "why_not", view->health->trim_why);
	if (of_percpu(knob))
		bad |= pcr_put_new(o, "percpu", pcr_reply_percpu(&call->clock, &view->state->trim));
	if (!knob || strcmp(knob, PCR_PERCPU_RECLAIM) == 0)
		bad |= add_trim(call, actions);
	for (u32 i = 0; i < _PCR_SETTING_THP; i++)
		if (knob ? strcmp(knob, pcr_setting_knob(i)) == 0 : i < _PCR_SETTING_PERCPU)
			bad |= add_setting(call, actions, i, knob != NULL);
	bad |= pcr_put_new(o, "actions", actions);
	return bad ? -ENOMEM : 0;
}

/* Of [BatchFree]: one knob, or all that a node's workers depend on. */
static int explain_batch(struct pcr_call *call, u32 which, bool node)
{
	const struct pcr_view *view = call->view;
	const struct pcr_batch *b = &view->state->batch;
	u32 number = pcr_setting_of_node(which) ? which - PCR_SETTING_NODE : PCR_NODES_MAX;
	json_t *o = call->reply, *actions = json_array();
	bool bad = !actions;

	if (view->ops && view->ops->refresh)
		(void)view->ops->refresh(view->data, 0);
	bad |= pcr_put_text(o, "kind", node ? "node" : "knob");
	bad |= pcr_put_text(o, "knob", pcr_setting_knob(which));
	if (!view->health->batch_knob)
		bad |= pcr_put_text(o, "why_not", view->health->batch_why);
	if (number < b->n_nodes && b->node[number].there)
		bad |= pcr_put_new(o, "node", pcr_reply_batch_node(view, &call->clock, number, true));
	if (number < PCR_NODES_MAX)
		bad |= pcr_put_new(o, "overrides", pcr_reply_node_keys(view->settings, number));
	if (node && b->there)
		bad |= add_setting(call, actions, PCR_SETTING_BATCH, true);
	if (which < pcr_settings_end(view->state))
		bad |= add_setting(call, actions, which, true);
	bad |= pcr_put_new(o, "actions", actions);
	return bad ? -ENOMEM : 0;
}

static int explain_task(struct pcr_call *call, const struct pcr_task *t)
{
	const struct pcr_view *view = call->view;
	json_t *o = call->reply, *actions = json_array();
	struct pcr_decision d;
	bool bad = !actions;

	pcr_policy_collapse(view->state, view->settings, t, call->clock.now, &d);
	bad |= pcr_put_text(o, "kind", "task");
	bad |= put_policy(o, view->settings, t->policy);
	bad |= pcr_reply_task(o, view, &call->clock, t);
	bad |= json_array_append_new(actions, explained(call, &d, PCR_ABSENT, PCR_STOP_NONE)) < 0;
	bad |= pcr_put_new(o, "actions", actions);
	return bad ? -ENOMEM : 0;
}

/* "node1", where there is such a node or no node at all; PCR_ABSENT. */
static u32 find_node(const struct pcr_state *st, const char *target)
{
	u64 number;

	if (strncmp(target, "node", 4) || pcr_parse_u64(target + 4, strlen(target + 4), &number) ||
	    number >= PCR_NODES_MAX)
		return PCR_NODES_MAX;
	if (st->batch.there && (number >= st->batch.n_nodes || !st->batch.node[number].there))
		return PCR_NODES_MAX;
	return (u32)number;
}

/* A file of [BatchFree]; 0: none. */
static u32 find_batch_knob(const struct pcr_state *st, const char *target)
{
	for (u32 i = _PCR_SETTING_THP; i < pcr_settings_end(st); i++)
		if (strcmp(target, pcr_setting_knob(i)) == 0)
			return i;
	return 0;
}

/* The knobs that something is decided about. */
static const char *find_knob(const char *target)
{
	if (strcmp(target, PCR_PERCPU_RECLAIM) == 0)
		return PCR_PERCPU_RECLAIM;
	for (u32 i = 0; i < _PCR_SETTING_THP; i++)
		if (strcmp(target, pcr_setting_knob(i)) == 0)
			return pcr_setting_knob(i);
	return NULL;
}

/* The same by the file's name alone, "empty_pages_high". */
static const char *find_short(const char *target)
{
	char path[128];
	int n = snprintf(path, sizeof(path), PCR_PERCPU_DIR "%s", target);

	return n < (int)sizeof(path) ? find_knob(path) : NULL;
}

int pcr_handle_explain(struct pcr_call *call)
{
	const char *target = pcr_call_string(call, "target");
	struct pcr_node *node = pcr_target_cgroup(call->view, target);
	const struct pcr_task *task = pcr_target_task(call->view, target);
	const char *knob = find_knob(target);
	u32 batch = find_batch_knob(call->view->state, target);
	u32 numa = find_node(call->view->state, target);

	/* A cgroup may be called "percpu"; its path with a slash in front names it. */
	if (strcmp(target, "percpu") == 0)
		return explain_percpu(call, NULL);
	if (knob)
		return explain_percpu(call, knob);
	if (batch)
		return explain_batch(call, batch, false);
	/* As with "percpu". */
	if (numa < PCR_NODES_MAX)
		return explain_batch(call, PCR_SETTING_NODE + numa, true);
	/* A cgroup may also be called as a pid. */
	if (task)
		return explain_task(call, task);
	if (node)
		return explain_cgroup(call, node);
	knob = find_short(target);
	if (knob)
		return explain_percpu(call, knob);
	if (*target && strspn(target, "0123456789") == strlen(target))
		return pcr_call_refuse(call, PCR_E_TASK, "task", target);
	if (strncmp(target, "/sys/kernel/", 12) == 0 || strncmp(target, "/sys/devices/", 13) == 0)
		return pcr_call_refuse(call, PCR_E_KNOB, "knob", target);
	return pcr_call_refuse(call, PCR_E_CGROUP, "cgroup", target);
}
