// SPDX-License-Identifier: GPL-2.0-or-later
/* Per-task collapse: who is worked on, and how Budget= is shared out among them. */
#include <string.h>

#include "model/model.h"
#include "policy/internal.h"

/* One part in so many of what there is goes to everybody alike: nobody starves. */
#define FLOOR_PART 8

/* What is left, in proportion to weight; true while somebody had to be cut to its cap. */
static bool pour(u32 n, const u64 *weight, const u64 *cap, u64 *left, u64 *share)
{
	unsigned __int128 sum = 0;
	u64 amount = *left, given = 0;
	bool cut = false;

	for (u32 i = 0; i < n; i++)
		if (share[i] < cap[i])
			sum += weight[i];
	for (u32 i = 0; sum && i < n; i++) {
		u64 part = (u64)((unsigned __int128)amount * weight[i] / sum);

		if (share[i] >= cap[i])
			continue;
		if (part >= cap[i] - share[i]) {
			part = cap[i] - share[i];
			cut = true;
		}
		share[i] += part;
		given += part;
	}
	*left -= given;
	return cut;
}

u64 pcr_collapse_fill(u64 budget, u32 n, const u64 *weight, const u64 *cap, u64 *ret_share)
{
	u64 left = budget, even = 0;

	for (u32 i = 0; i < n; i++)
		even += weight[i] && cap[i];
	even = even ? budget / FLOOR_PART / even : 0;
	for (u32 i = 0; i < n; i++) {
		ret_share[i] = weight[i] ? pcr_min_u64(even, cap[i]) : 0;
		left -= ret_share[i];
	}
	/* Each time somebody is full, the others share what that one could not take. */
	while (left && pour(n, weight, cap, &left, ret_share))
		;
	return budget - left;
}

/* --- weights --- */

/* As if so much had gone well before: a first failure is no verdict. */
#define PRIOR (64ULL << 20)
/* A process may be gone before it profits. At this age it counts in full. */
#define GROWN (10 * PCR_SEC)
/* Running tasks have more of it than those that sleep. */
#define RUNNING 4

u64 pcr_collapse_weight(const struct pcr_task *t, u64 now)
{
	u64 age = pcr_min_u64(pcr_sub_u64(now, t->born_usec), GROWN);
	u64 gain = pcr_sub_u64(t->anon_bytes, t->huge_bytes) >> 12;
	u64 permille = (pcr_min_u64(t->made_bytes, t->scanned_bytes) + PRIOR) / 1024 * 1000 /
		       ((t->scanned_bytes + PRIOR) / 1024);

	gain = pcr_min_u64(gain, 1ULL << 32) * (permille + 1) * (1 + 15 * age / GROWN);
	return 1 + gain * (t->running ? RUNNING : 1);
}

/* --- one task --- */

const struct pcr_rule *pcr_task_rule(const struct pcr_settings *set, const struct pcr_task *t)
{
	return t->policy >= 0 ? &set->policies[t->policy].rule : &set->rule;
}

bool pcr_policy_collapses(const struct pcr_settings *set)
{
	bool any = set->rule.collapse_bytes > 0;

	for (u32 i = 0; i < set->n_policies; i++)
		any |= set->policies[i].rule.collapse_bytes > 0;
	return any;
}

u64 pcr_collapse_worth(const struct pcr_task *t, const struct pcr_thp *thp)
{
	u64 left = pcr_has(t->anon_bytes) ? pcr_sub_u64(t->anon_bytes, t->huge_bytes) : 0;

	return left >= pcr_max_u64(thp->huge_bytes, 1) ? left : 0;
}

static bool held(const struct pcr_state *st, const struct pcr_rule *rule,
		 const struct pcr_task *t, u64 now, struct pcr_decision *d)
{
	const struct pcr_collapse *c = &st->collapse;

	if (!rule->collapse_bytes)
		return pcr_hold(d, PCR_WHY_OFF, PCR_NEVER);
	if (c->thp.huge_bytes == 0 ||
	    (!c->ready[PCR_HOW_TASK] && !c->ready[PCR_HOW_MADVISE]))
		return pcr_hold(d, PCR_WHY_NO_KNOB, PCR_NEVER);
	if (c->thp.never)
		return pcr_hold(d, PCR_WHY_THP_NEVER, PCR_NEVER);
	if (!pcr_has(t->anon_bytes))
		return pcr_hold(d, PCR_WHY_UNSEEN, t->huge_usec);
	if (t->rest_usec > now)
		return pcr_hold(d, t->rest, t->rest_usec);
	if (d->want == PCR_WHY_NOTHING)
		return pcr_hold(d, PCR_WHY_NOTHING, t->size_usec);
	if (t->said && d->dry_run)
		return pcr_hold(d, PCR_WHY_SAID, PCR_NEVER);
	if (c->paused != PCR_WHY_NOTHING) {
		pcr_hold(d, c->paused, PCR_NEVER);
		d->evidence.value = c->paused == PCR_WHY_PAUSED ? c->some_bp : c->free_huge;
		d->evidence.threshold = PCR_ABSENT;
		d->evidence.since_usec = c->paused_usec;
		return true;
	}
	return false;
}

void pcr_policy_collapse(const struct pcr_state *st, const struct pcr_settings *set,
			 const struct pcr_task *t, u64 now, struct pcr_decision *d)
{
	const struct pcr_rule *rule = pcr_task_rule(set, t);
	u64 worth = pcr_collapse_worth(t, &st->collapse.thp);

	*d = (struct pcr_decision){
		.action = PCR_ACT_COLLAPSE, .policy = t->policy, .target = t->cgroup,
		.amount = t->share_bytes, .dry_run = rule->dry_run || set->daemon.dry_run,
		.wanted = { .value = worth, .threshold = st->collapse.thp.huge_bytes,
			    .since_usec = t->working ? t->start_usec : 0,
			    .until_usec = PCR_NEVER },
		.evidence = { .until_usec = PCR_NEVER },
	};
	if (worth)
		d->want = PCR_WHY_ELIGIBLE;
	if (!held(st, rule, t, now, d))
		pcr_go(d);
}

/* --- all of them --- */

static u64 per_second(u64 bytes, u64 usec)
{
	return (u64)((unsigned __int128)bytes * PCR_SEC / usec);
}

/* Tasks by the rule that is theirs, so that each rule's rate holds for all of them together. */
struct groups {
	u32 n;
	s32 policy[PCR_TASKS_MAX];
	u64 weight[PCR_TASKS_MAX];
	u64 cap[PCR_TASKS_MAX];
	u64 share[PCR_TASKS_MAX];
};

static u32 group_of(struct groups *g, const struct pcr_settings *set, const struct pcr_task *t)
{
	const struct pcr_rule *rule = pcr_task_rule(set, t);
	u32 i = 0;

	while (i < g->n && g->policy[i] != t->policy)
		i++;
	if (i == g->n) {
		g->n++;
		g->policy[i] = t->policy;
		g->weight[i] = 0;
		g->cap[i] = per_second(rule->collapse_bytes, rule->collapse_usec);
	}
	return i;
}

/*
 * What a task leaves of its rate is better given to another: it may have some more than
 * it was last seen to use.
 */
static u64 appetite(const struct pcr_task *t, u64 now)
{
	if (t->how != PCR_HOW_TASK || !pcr_has(t->rate_bytes) || !t->granted_bytes ||
	    now < t->start_usec + 2 * PCR_SEC)
		return PCR_NEVER;
	return 2 * t->rate_bytes + (8ULL << 20);
}

/* Those of one group: its tasks are gathered, filled, and handed back. */
static void fill_group(const struct pcr_collapse *c, const u64 *weight, const u32 *group, u32 which,
		       u64 budget, u64 now, u64 *share)
{
	u64 w[PCR_TASKS_MAX], cap[PCR_TASKS_MAX], part[PCR_TASKS_MAX];
	u32 member[PCR_TASKS_MAX], n = 0;

	for (u32 i = 0; i < c->n; i++) {
		if (!weight[i] || group[i] != which)
			continue;
		member[n] = i;
		w[n] = weight[i];
		cap[n++] = appetite(&c->task[i], now);
	}
	(void)pcr_collapse_fill(budget, n, w, cap, part);
	for (u32 i = 0; i < n; i++)
		share[member[i]] = part[i];
}

void pcr_policy_collapse_shares(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
				u64 *ret_shares)
{
	const struct pcr_collapse *c = &st->collapse;
	u64 budget = per_second(set->collapse.budget_bytes, set->collapse.budget_usec);
	u64 weight[PCR_TASKS_MAX];
	u32 group[PCR_TASKS_MAX];
	struct pcr_decision d;
	struct groups g;

	g.n = 0;
	for (u32 i = 0; i < c->n; i++) {
		ret_shares[i] = weight[i] = 0;
		pcr_policy_collapse(st, set, &c->task[i], now, &d);
		if (!d.act || d.dry_run || c->task[i].last_look)
			continue;
		weight[i] = pcr_collapse_weight(&c->task[i], now);
		group[i] = group_of(&g, set, &c->task[i]);
		g.weight[group[i]] = pcr_add_u64(g.weight[group[i]], weight[i]);
	}
	(void)pcr_collapse_fill(budget, g.n, g.weight, g.cap, g.share);
	for (u32 i = 0; i < g.n; i++)
		fill_group(c, weight, group, i, g.share[i], now, ret_shares);
}
