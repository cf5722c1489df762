// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/samples.c: since when, how usual, and what to look at next. */
#include "unit/model_bench.h"

#include "base/parse.h"

/*
 *   dying   ReapAbove=100
 *    100 ─ ─ ─ ─ ─┌─┐─ ─ ─ ─ ─   above begins at the threshold
 *     50 ─ ─ ─┌───┘ └──┐─ ─ ─   and ends below half of it
 *      0 ─────┘        └─────
 */
START_TEST(hysteresis_at_its_edges)
{
	static const struct {
		u64 dying;
		bool above;
	} cases[] = {
		{1, false},  {99, false}, {100, true}, {101, true}, {99, true}, {50, true},
		{49, false}, {50, false}, {99, false}, {100, true}, {0, false}, {100, true},
	};
	struct pcr_node *ci;
	u64 since = 0;

	bench_open("");
	ci = cg("ci");
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_reap *r;

		bench.now += PCR_SEC;
		/* Something died just now: the state is kept through a 0. */
		if (ci->reap)
			ci->reap->last_death_usec = bench.now;
		r = dying(ci, cases[i].dying);
		ck_assert_msg((r->above_since_usec != 0) == cases[i].above, "case %zu", i);
		if (!cases[i].above)
			since = 0;
		else if (!since)
			since = bench.now;
		ck_assert_uint_eq(r->above_since_usec, since);
	}
	bench_close();
}
END_TEST

START_TEST(odd_thresholds)
{
	static const struct {
		u64 above, dying;
		bool stays;
	} cases[] = {
		{ 1, 1, true }, { 2, 1, true }, { 3, 2, true }, { 3, 1, false }, { 101, 51, true },
		{ 101, 50, false }, { 1000000000, 500000000, true },
	};

	bench_open("");
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_node *ci = cg("ci");

		bench.set->rule.reap_above = cases[i].above;
		dying(ci, cases[i].above);
		ck_assert_uint_ne(ci->reap->above_since_usec, 0);
		dying(ci, cases[i].dying);
		ck_assert_msg((ci->reap->above_since_usec != 0) == cases[i].stays, "case %zu", i);
		pcr_state_removed(&bench.st, ci, bench.now);
	}
	bench_close();
}
END_TEST

START_TEST(dying_since)
{
	struct pcr_node *ci;
	struct pcr_reap *r;

	bench_open("");
	ci = cg("ci");
	ck_assert_ptr_null(dying(ci, 0));
	r = dying(ci, 5);
	ck_assert_uint_eq(r->dying_since_usec, T0);
	bench.now += PCR_MIN;
	dying(ci, 3);
	ck_assert_uint_eq(r->dying_since_usec, T0);
	r->last_death_usec = bench.now;
	dying(ci, 0);
	ck_assert_uint_eq(r->dying_since_usec, 0);
	dying(ci, 1);
	ck_assert_uint_eq(r->dying_since_usec, bench.now);
	bench_close();
}
END_TEST

/* --- what is kept, and until when --- */

START_TEST(dropped_when_nothing_is_to_be_remembered)
{
	struct pcr_node *ci;

	bench_open("");
	ci = cg("ci");
	dying(ci, 5);
	ck_assert_uint_eq(bench.st.n_reaps, 1);
	ck_assert_ptr_null(dying(ci, 0));
	ck_assert_uint_eq(bench.st.n_reaps, 0);
	ck_assert(pcr_list_empty(&bench.st.reaps));
	bench_close();
}
END_TEST

/* kubernetes 112151: what a pod's end leaves behind must go one day, without another one's. */
START_TEST(kept_for_a_cooldown_and_not_for_ever)
{
	struct pcr_node *ci;
	struct pcr_reap *r;

	bench_open("[Percpu]\nCooldown=10s\nReapBudget=256M/1min\n");
	ci = cg("ci");
	dying(ci, 200);
	ck_assert(step(ci, 1 << 20, 0));
	r = ci->reap;
	ck_assert_ptr_nonnull(r);
	/* The budget outlasts the cooldown: forgotten too early, it would start full. */
	ck_assert_uint_ge(r->sample_usec, T0 + PCR_MIN);
	ck_assert_uint_lt(r->sample_usec, T0 + PCR_MIN + 10 * PCR_SEC);
	bench.now = r->sample_usec - 1;
	r = dying(ci, 0);
	ck_assert_ptr_nonnull(r);
	bench.now++;
	ck_assert_uint_eq(r->sample_usec, bench.now);
	ck_assert_ptr_null(dying(ci, 0));
	bench_close();
}
END_TEST

/* Somebody looks at a cgroup whose step is being measured: the measurement still comes. */
START_TEST(a_look_in_between)
{
	struct pcr_node *ci;
	u64 due;

	bench_open("");
	ci = cg("ci");
	dying(ci, 200);
	go(ci);
	ck_assert(!reaped(ci, 1 << 20));
	due = ci->reap->sample_usec;
	ck_assert_uint_gt(due, bench.now);
	dying(ci, 150);
	ck_assert_uint_eq(ci->reap->sample_usec, due);
	ck_assert(ci->reap->settling);
	ck_assert_int_eq(decide(ci).why, PCR_WHY_BUSY);
	ck_assert_uint_eq(decide(ci).evidence.until_usec, due);
	bench_close();
}
END_TEST

START_TEST(suspects_are_looked_at_at_once)
{
	struct pcr_node *ci;

	bench_open("");
	ci = cg("ci");
	pcr_state_suspect(&bench.st, ci, bench.now);
	ck_assert_uint_eq(ci->reap->sample_usec, bench.now);
	ci->reap->sample_usec = bench.now + 5;
	ci->reap->settling = true;
	pcr_state_suspect(&bench.st, ci, bench.now);
	ck_assert_uint_eq(ci->reap->sample_usec, bench.now + 5);
	bench_close();
}
END_TEST

START_TEST(on_v1_deaths_follow_the_count)
{
	struct pcr_node *ci;

	bench_open("");
	bench.st.v1 = true;
	ci = cg("ci");
	dying(ci, 5)->deaths = 100;
	dying(ci, 60);
	ck_assert_uint_eq(ci->reap->deaths, 60);
	bench_close();
}
END_TEST

/* --- what is usual --- */

static void reading(struct pcr_node *node, u64 refaults, u64 stall)
{
	struct pcr_reap_sample s;

	memset(&s, 0xff, sizeof(s));
	s.dying = 5;
	s.refaults = refaults;
	s.stall_usec = stall;
	sample(node, s);
}

START_TEST(usual_rates)
{
	struct pcr_node *ci;
	struct pcr_reap *r;

	bench_open("");
	ci = cg("ci");
	reading(ci, 1000, NONE);
	r = ci->reap;
	ck_assert_uint_eq(r->usual_refaults, 0);
	bench.now += PCR_MIN;
	reading(ci, 1600, 77);
	ck_assert_uint_eq(r->usual_refaults, 36000);	/* 600 a minute */
	/* systemd 36434: from absent to 77 is no growth. */
	ck_assert_uint_eq(r->usual_stall, 0);
	/* Too close to say anything. */
	bench.now += 499 * PCR_MSEC;
	reading(ci, 9999, 77);
	ck_assert_uint_eq(r->usual_refaults, 36000);
	/* A counter that steps back is not a huge growth. */
	bench.now += PCR_MIN;
	reading(ci, 0, 77);
	ck_assert_uint_eq(r->usual_refaults, 0);
	bench.now += PCR_MIN;
	reading(ci, NONE, 77);
	ck_assert_uint_eq(r->usual_refaults, 0);
	/* The largest counters there are. */
	bench.now += PCR_SEC;
	reading(ci, 0, 77);
	bench.now += PCR_SEC;
	reading(ci, PCR_MAX - 1, 77);
	ck_assert_uint_eq(r->usual_refaults, UINT64_MAX);
	bench_close();
}
END_TEST

START_TEST(a_series_is_not_usual)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nReapAbove=1\n");
	ci = cg("ci");
	reading(ci, 1000, 0);
	bench.now += PCR_MIN;
	reading(ci, 1001, 0);
	ck_assert_uint_eq(ci->reap->usual_refaults, 60);
	go(ci);
	reaped(ci, 4096);
	bench.now += PCR_MIN;
	reading(ci, 900000, 0);
	ck_assert_uint_eq(ci->reap->usual_refaults, 60);
	bench_close();
}
END_TEST

/* --- the machine slept --- */

START_TEST(a_gap)
{
	struct pcr_node *ci;
	struct pcr_reap *r;

	bench_open("[Percpu]\nReapAbove=1\n");
	ci = cg("ci");
	reading(ci, 1000, 500);
	r = ci->reap;
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	go(ci);
	pcr_state_gap(&bench.st, bench.now);
	/* In flight: the outcome will ask for the look. */
	ck_assert_uint_eq(r->sample_usec, PCR_NEVER);
	ck_assert(!pcr_state_pressed(&bench.st, bench.set, NULL, bench.now));
	reaped(ci, 4096);
	pcr_state_gap(&bench.st, bench.now);
	ck_assert_uint_eq(r->sample_usec, bench.now);
	ck_assert_uint_eq(bench.st.root_sample_usec, bench.now);
	/* Measured from the first look after it, so that siblings stay protected. */
	ck_assert_uint_eq(r->series.refaults_start, PCR_ABSENT);
	reading(ci, 70000, 9000);
	ck_assert_uint_eq(r->series.refaults_start, 70000);
	ck_assert_uint_eq(r->series.stall_start_usec, 9000);
	ck_assert(!pcr_state_settled(&bench.st, bench.set, r, bench.now, &bench.rec));
	ck_assert_uint_eq(r->series.refault_pages, 0);
	bench_close();
}
END_TEST

PCR_UNIT("samples", hysteresis_at_its_edges, odd_thresholds, dying_since,
	 dropped_when_nothing_is_to_be_remembered, kept_for_a_cooldown_and_not_for_ever,
	 a_look_in_between, suspects_are_looked_at_at_once, on_v1_deaths_follow_the_count,
	 usual_rates, a_series_is_not_usual, a_gap)
