// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/model/agenda.c, daemon/policy/plan.c: a plan made of what may have changed is the
 * one made of everything, whatever happens meanwhile; and who is to be looked at next.
 */
#include "unit/model_bench.h"

#include "model/agenda.h"

#define PARENTS 40
#define OPERATIONS 20000

static const char *const settings[] = {
	"[Percpu]\nReapAbove=20\nReapAfter=10s\nReapStep=1M\nReapBudget=4M/10s\n",
	"[Percpu]\nReapAbove=100\nReapAfter=1min\nCooldown=1s\n[Daemon]\nSuspendAfter=2\n",
	"[Percpu]\nReapAbove=5\n[Policy x]\nMatch=/p1* /p2?/keep\nReap=no\n",
	"[Percpu]\nReapAbove=10\n[Daemon]\nDryRun=yes\n",
	"[Percpu]\nReapAbove=10\n[Pressure]\nSlices=/p3\nHold=5s\n",
};

static struct {
	u64 seed;
	char name[PARENTS][16];
	struct pcr_decision job[2 * PCR_PLAN_MAX];
	u32 jobs;
	u64 acted, idle;
} run;

static u32 roll(u32 below)
{
	run.seed = run.seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(run.seed >> 33) % below;
}

static struct pcr_node *some(void)
{
	return cg(run.name[roll(PARENTS)]);
}

/* --- what may happen --- */

static void look(struct pcr_node *node)
{
	struct pcr_reap_sample s = {
		.dying = roll(3) ? roll(40) : 0, .pinned_bytes = roll(2) ? roll(1 << 24) : NONE,
		.residue_bytes = roll(4) ? NONE : roll(1 << 22), .dirty_bytes = roll(4) ? 0 : 1 << 20,
		.stall_usec = NONE, .refaults = NONE,
	};

	if (node->reap)
		pcr_reap_look_at(&bench.st, node->reap, PCR_NEVER);
	sample(node, s);
	if (node->reap && node->reap->settling)
		(void)pcr_state_settled(&bench.st, bench.set, node->reap, bench.now, &bench.rec);
}

static void come_and_go(void)
{
	struct pcr_node *node = some();

	switch (roll(4)) {
	case 0:
		pcr_state_removed(&bench.st, node, bench.now);
		break;
	case 1:
		/* A policy may keep hands off this one, and so off its parent. */
		(void)pcr_state_made(&bench.st, bench.set, node, bench.next_id++, "keep", 4,
				     bench.now, &node);
		break;
	case 2:
		node = pcr_tree_child(&bench.st.tree, node, "keep", 4);
		if (node)
			pcr_state_removed(&bench.st, node, bench.now);
		break;
	default:
		(void)pcr_state_made(&bench.st, bench.set, node, bench.next_id++, "job", 3,
				     bench.now, &node);
		pcr_state_removed(&bench.st, node, bench.now);
	}
}

static void reload(void)
{
	bench_reload(settings[roll(PCR_ARRAY_SIZE(settings))]);
	bench.st.n_pressure = 1 + bench.set->pressure.n_slices;
	bench.st.pressure[1].id = cg("p3")->id;
}

static void press(void)
{
	if (roll(2))
		pcr_state_cgroup_pressure(&bench.st, some()->id, bench.now);
	else
		pcr_state_pressure_event(&bench.st, roll(bench.st.n_pressure), bench.now);
}

static void finish(void)
{
	struct pcr_decision d;

	if (!run.jobs)
		return;
	d = run.job[0];
	memmove(run.job, run.job + 1, --run.jobs * sizeof(d));
	(void)outcome(&(struct pcr_outcome){
		.action = d.action, .target = d.target, .asked = d.amount, .dry_run = d.dry_run,
		.freed_bytes = roll(2) * d.amount, .took_usec = 1000, .err = roll(20) ? 0 : 5,
		.gone = !roll(20),
	});
}

static void something(void)
{
	switch (roll(16)) {
	case 0: case 1: case 2: case 3: case 4:
		look(some());
		break;
	case 5: case 6:
		come_and_go();
		break;
	case 7: case 8: case 9:
		finish();
		break;
	case 10:
		press();
		break;
	case 11:
		pcr_state_suspect(&bench.st, some(), bench.now);
		break;
	case 12:
		if (!roll(20))
			reload();
		else if (!roll(20))
			pcr_state_gap(&bench.st, bench.now);
		break;
	default:
		bench.now += roll(4) ? roll(PCR_SEC) : roll(60 * PCR_SEC);
	}
}

/* --- what holds --- */

static void check_look(void)
{
	const struct pcr_agenda *a = &bench.st.agenda[PCR_AGENDA_LOOK];
	u64 first = PCR_NEVER, end = bench.now + 1;
	u32 due = 0, in_flight = 0, found = 0;
	const struct pcr_list *pos;

	pcr_list_for(pos, &bench.st.reaps) {
		const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

		first = pcr_min_u64(first, r->sample_usec);
		due += r->sample_usec < end;
		in_flight += r->in_flight;
		ck_assert_ptr_eq(a->entry[r->place[PCR_AGENDA_LOOK]].reap, r);
		ck_assert_uint_eq(a->entry[r->place[PCR_AGENDA_LOOK]].due_usec, r->sample_usec);
	}
	for (u32 i = pcr_agenda_first(a, end); i < a->n; i = pcr_agenda_next(a, i, end))
		found++;
	ck_assert_uint_eq(found, due);
	ck_assert_uint_eq(a->n, bench.st.n_reaps);
	ck_assert_uint_eq(bench.st.agenda[PCR_AGENDA_PLAN].n, bench.st.n_reaps);
	ck_assert_uint_eq(in_flight, bench.st.n_in_flight);
	if (a->n)
		ck_assert_uint_eq(a->entry[0].due_usec, first);
}

static void check_plan(struct pcr_plan *plan)
{
	struct pcr_plan all;

	pcr_policy_eval(&bench.st, bench.set, bench.now, &all);
	pcr_policy_replan(&bench.st, bench.set, bench.now, plan);
	ck_assert_uint_eq(plan->n, all.n);
	for (u32 i = 0; i < all.n; i++) {
		ck_assert_uint_eq(plan->d[i].target, all.d[i].target);
		ck_assert_int_eq(plan->d[i].action, all.d[i].action);
		ck_assert_int_eq(plan->d[i].why, all.d[i].why);
		ck_assert_uint_eq(plan->d[i].amount, all.d[i].amount);
		ck_assert_uint_eq(plan->d[i].evidence.value, all.d[i].evidence.value);
	}
	/* Never too late; what was noted of one that is held back longer by now is too early. */
	ck_assert_uint_le(plan->next_usec, pcr_max_u64(all.next_usec, bench.now + 1));
}

static void start(const struct pcr_plan *plan)
{
	for (u32 i = 0; i < plan->n && run.jobs < PCR_ARRAY_SIZE(run.job); i++) {
		/* Some had no room. */
		if (!roll(4))
			continue;
		pcr_state_started(&bench.st, bench.set, &plan->d[i], bench.now);
		run.job[run.jobs++] = plan->d[i];
		run.acted++;
	}
}

START_TEST(whatever_happens)
{
	struct pcr_plan plan;

	run.seed = 7;
	bench_open(settings[0]);
	for (u32 i = 0; i < PARENTS; i++)
		snprintf(run.name[i], sizeof(run.name[i]), "p%u", i);
	for (u32 i = 0; i < OPERATIONS; i++) {
		something();
		check_look();
		check_plan(&plan);
		run.idle += !plan.n;
		start(&plan);
		check_look();
	}
	/* Both are seen often. */
	ck_assert_uint_gt(run.acted, OPERATIONS / 50);
	ck_assert_uint_gt(run.idle, OPERATIONS / 10);
	bench_close();
}
END_TEST

/* What is held back until some time costs nothing before: that is what it is for. */
START_TEST(only_what_is_due)
{
	const struct pcr_agenda *a = &bench.st.agenda[PCR_AGENDA_PLAN];
	struct pcr_plan plan;
	char name[16];
	u32 due = 0;

	bench_open("[Percpu]\nReapAbove=100\nReapAfter=10s\n");
	for (u32 i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%u", i);
		dying(cg(name), 1);
		bench.now += PCR_MSEC;
	}
	pcr_policy_replan(&bench.st, bench.set, bench.now, &plan);
	ck_assert_uint_eq(plan.next_usec, T0 + 10 * PCR_SEC);
	dying(cg("7"), 2);
	for (u32 i = pcr_agenda_first(a, bench.now); i < a->n; i = pcr_agenda_next(a, i, bench.now))
		due++;
	ck_assert_uint_eq(due, 1);
	/* Room for a thousand is given back. */
	ck_assert_uint_ge(a->cap, 1000);
	for (u32 i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%u", i);
		dying(cg(name), 0);
	}
	ck_assert_uint_eq(a->n, 0);
	ck_assert_uint_lt(a->cap, 100);
	bench_close();
}
END_TEST

/* Whom it guarded may be reaped at once; and what other settings want, when they are in force. */
START_TEST(of_others_making)
{
	struct pcr_plan plan;

	bench_open("[Percpu]\nReapAbove=10\n[Policy db]\nMatch=/ci/db\nReap=no\n");
	cg("ci/db");
	dying(cg("ci"), 20);
	pcr_policy_replan(&bench.st, bench.set, bench.now, &plan);
	ck_assert_uint_eq(plan.n, 0);
	ck_assert_uint_eq(plan.next_usec, PCR_NEVER);
	pcr_state_removed(&bench.st, cg("ci/db"), bench.now);
	pcr_policy_replan(&bench.st, bench.set, bench.now, &plan);
	ck_assert_uint_eq(plan.n, 1);
	bench_reload("[Percpu]\nReap=no\n");
	pcr_policy_replan(&bench.st, bench.set, bench.now, &plan);
	ck_assert_uint_eq(plan.n, 0);
	ck_assert_uint_eq(plan.next_usec, PCR_NEVER);
	bench_reload("[Percpu]\nReapAbove=10\n");
	pcr_policy_replan(&bench.st, bench.set, bench.now, &plan);
	ck_assert_uint_eq(plan.n, 1);
	bench_close();
}
END_TEST

PCR_UNIT("agenda", whatever_happens, only_what_is_due, of_others_making)
