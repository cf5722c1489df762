// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/policy/plan.c: what is done now, in which order, and when to look again. */
#include "unit/model_bench.h"

#include <errno.h>

static struct pcr_plan plan;

static void make_plan(void)
{
	memset(&plan, 0xee, sizeof(plan));
	pcr_policy_eval(&bench.st, bench.set, bench.now, &plan);
}

static void surplus(u64 pages)
{
	struct pcr_percpu_sample s;

	memset(&s, 0xff, sizeof(s));
	s.knob = true;
	s.spare = false;
	s.page_bytes = 4096;
	s.nr_units = 2;
	s.empty_pages = pages;
	s.isolated_empty_pages = 0;
	s.empty_pages_high = 4;
	pcr_state_percpu_sample(&bench.st, &s, bench.now);
	pcr_state_setting_sample(&bench.st, PCR_SETTING_HIGH, 4);
}

START_TEST(an_empty_plan)
{
	bench_open("");
	make_plan();
	ck_assert_uint_eq(plan.n, 0);
	ck_assert_uint_eq(plan.next_usec, PCR_NEVER);
	bench_close();
}
END_TEST

START_TEST(next_is_the_first_that_ends)
{
	bench_open("[Percpu]\nReapAfter=10s\n[Policy x]\nMatch=/b\nReapAfter=5s\n");
	dying(cg("a"), 5);
	dying(cg("b"), 5);
	make_plan();
	ck_assert_uint_eq(plan.n, 0);
	ck_assert_uint_eq(plan.next_usec, T0 + 5 * PCR_SEC);
	bench.now = T0 + 5 * PCR_SEC;
	make_plan();
	ck_assert_uint_eq(plan.n, 1);
	ck_assert_uint_eq(plan.d[0].target, cg("b")->id);
	ck_assert_uint_eq(plan.next_usec, T0 + 10 * PCR_SEC);
	bench_close();
}
END_TEST

START_TEST(settings_then_trim_then_reaps)
{
	bench_open("[Percpu]\nEmptyPagesHigh=32\n");
	surplus(1000);
	dying(cg("a"), 300);
	dying(cg("b"), 500);
	make_plan();
	ck_assert_uint_eq(plan.n, 4);
	ck_assert_int_eq(plan.d[0].action, PCR_ACT_SET);
	ck_assert_int_eq(plan.d[1].action, PCR_ACT_TRIM);
	ck_assert_uint_eq(plan.d[2].target, cg("b")->id);
	ck_assert_uint_eq(plan.d[3].target, cg("a")->id);
	bench_close();
}
END_TEST

static u64 seed = 7;

static u32 roll(u32 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % below;
}

/* A hundred cgroups with something to reap; linked in whatever order. */
static void crowd(void)
{
	struct pcr_node *node[100];

	bench_open("[Percpu]\nReapAfter=1s\n");
	for (u32 i = 0; i < 100; i++) {
		char name[8];

		snprintf(name, sizeof(name), "c%02u", i);
		node[i] = cg(name);
	}
	for (u32 i = 0; i < 100; i++) {
		u32 j = i + roll(100 - i);
		struct pcr_node *swap = node[i];

		node[i] = node[j];
		node[j] = swap;
		/* Ids do not depend on the shuffle; sizes go by id, with many alike. */
		dying(node[i], 1 + node[i]->id % 40 * 10);
	}
	bench.now += 2 * PCR_SEC;
}

/*
 * systemd PR 40704: the result must not depend on how a list happens to be linked. And
 * the largest come first, whatever the unit of the reason each one has.
 */
START_TEST(the_largest_whatever_the_order)
{
	struct pcr_plan first;

	crowd();
	make_plan();
	first = plan;
	ck_assert_uint_eq(plan.n, PCR_PLAN_MAX);
	for (u32 i = 1; i < plan.n; i++) {
		const struct pcr_node *a = pcr_tree_by_id(&bench.st.tree, plan.d[i - 1].target);
		const struct pcr_node *b = pcr_tree_by_id(&bench.st.tree, plan.d[i].target);

		ck_assert(a->reap->dying > b->reap->dying ||
			  (a->reap->dying == b->reap->dying && a->id < b->id));
	}
	bench_close();
	for (int round = 0; round < 20; round++) {
		crowd();
		make_plan();
		ck_assert_uint_eq(plan.n, first.n);
		ck_assert_uint_eq(plan.next_usec, first.next_usec);
		for (u32 i = 0; i < plan.n; i++)
			ck_assert_uint_eq(plan.d[i].target, first.d[i].target);
		bench_close();
	}
}
END_TEST

/* systemd PR 40704: one with nothing to do does not end the search. */
START_TEST(one_that_is_held_does_not_hold_the_others)
{
	bench_open("[Policy off]\nMatch=/a\nReap=no\n");
	dying(cg("a"), 900);
	dying(cg("b"), 200);
	make_plan();
	ck_assert_uint_eq(plan.n, 1);
	ck_assert_uint_eq(plan.d[0].target, cg("b")->id);
	bench_close();
}
END_TEST

START_TEST(what_is_under_way_counts)
{
	crowd();
	for (u32 left = PCR_PLAN_MAX; left > 0; left--) {
		make_plan();
		ck_assert_uint_eq(plan.n, left);
		pcr_state_started(&bench.st, bench.set, &plan.d[plan.n - 1], bench.now);
	}
	make_plan();
	ck_assert_uint_eq(plan.n, 0);
	bench_close();
}
END_TEST

/* A series that has begun is not put off for ever by larger ones that come after it. */
START_TEST(those_under_way_come_first)
{
	struct pcr_node *small;

	crowd();
	small = cg("c00");
	dying(small, 5);
	bench.now += 2 * PCR_SEC;
	dying(small, 5);
	make_plan();
	for (u32 i = 0; i < plan.n; i++)
		ck_assert_uint_ne(plan.d[i].target, small->id);
	ck_assert(!step(small, 4096, 4));
	make_plan();
	ck_assert_uint_eq(plan.d[0].target, small->id);
	ck_assert_int_eq(plan.d[0].why, PCR_WHY_CONTINUE);
	bench_close();
}
END_TEST

PCR_UNIT("plan", an_empty_plan, next_is_the_first_that_ends, settings_then_trim_then_reaps,
	 the_largest_whatever_the_order, one_that_is_held_does_not_hold_the_others,
	 what_is_under_way_counts, those_under_way_come_first)
