// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/policy/reap.c: what speaks for a reap, and what holds it back. */
#include "unit/model_bench.h"

static void is(const struct pcr_node *node, enum pcr_reason want, enum pcr_reason why)
{
	struct pcr_decision d = decide(node);

	ck_assert_str_eq(pcr_reason_name(d.want), pcr_reason_name(want));
	ck_assert_str_eq(pcr_reason_name(d.why), pcr_reason_name(why));
	ck_assert_int_eq(d.act, why < _PCR_WHY_HOLD && why != PCR_WHY_NOTHING);
	ck_assert(!d.act || d.amount);
	/* What holds back until a time does so beyond now. */
	ck_assert(d.act || d.evidence.until_usec > bench.now);
}

START_TEST(nothing_dies)
{
	bench_open("");
	is(cg("ci"), PCR_WHY_NOTHING, PCR_WHY_NOTHING);
	ck_assert_uint_eq(decide(cg("ci")).evidence.until_usec, PCR_NEVER);
	bench_close();
}
END_TEST

START_TEST(enough_of_them)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nReapAbove=100\nReapAfter=infinity\n");
	ci = cg("ci");
	dying(ci, 99);
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BELOW);
	ck_assert_uint_eq(decide(ci).evidence.value, 99);
	ck_assert_uint_eq(decide(ci).evidence.threshold, 100);
	ck_assert_uint_eq(decide(ci).evidence.until_usec, PCR_NEVER);
	dying(ci, 100);
	is(ci, PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	ck_assert_uint_eq(decide(ci).evidence.since_usec, T0);
	/* Fewer by themselves, before it began: held against the lower edge, and said so. */
	dying(ci, 60);
	is(ci, PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	ck_assert_uint_eq(decide(ci).evidence.value, 60);
	ck_assert_uint_eq(decide(ci).evidence.threshold, 50);
	dying(ci, 49);
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BELOW);
	bench_close();
}
END_TEST

START_TEST(long_enough)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nReapAfter=10s\n");
	ci = cg("ci");
	dying(ci, 1);
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BELOW);
	ck_assert_uint_eq(decide(ci).evidence.until_usec, T0 + 10 * PCR_SEC);
	bench.now = T0 + 10 * PCR_SEC - 1;
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BELOW);
	bench.now++;
	is(ci, PCR_WHY_AGE, PCR_WHY_AGE);
	ck_assert_uint_eq(decide(ci).evidence.value, 10 * PCR_SEC);
	ck_assert_uint_eq(decide(ci).evidence.threshold, 10 * PCR_SEC);
	bench_reload("[Percpu]\nReapAfter=0\n");
	bench.now = T0;
	is(ci, PCR_WHY_AGE, PCR_WHY_AGE);
	bench_close();
}
END_TEST

START_TEST(under_pressure)
{
	struct pcr_node *ci, *other;

	bench_open("[Percpu]\nReapAfter=infinity\n[Pressure]\nHold=10s\nSlices=/ci\n");
	ci = cg("ci");
	other = cg("other");
	bench.st.n_pressure = 2;
	bench.st.pressure[1].id = ci->id;
	dying(ci, 1);
	dying(other, 1);
	pcr_state_pressure_event(&bench.st, 1, bench.now);
	is(ci, PCR_WHY_PRESSURE, PCR_WHY_PRESSURE);
	is(other, PCR_WHY_NOTHING, PCR_WHY_BELOW);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	is(other, PCR_WHY_PRESSURE, PCR_WHY_PRESSURE);
	bench.now += 10 * PCR_SEC;
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BELOW);
	bench_close();
}
END_TEST

START_TEST(switched_off_or_not_there)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nReap=no\n");
	ci = cg("ci");
	dying(ci, 200);
	is(ci, PCR_WHY_ABOVE, PCR_WHY_OFF);
	bench_reload("");
	bench.st.reap_knob = false;
	is(ci, PCR_WHY_ABOVE, PCR_WHY_NO_KNOB);
	bench.st.reap_knob = true;
	/* memory.force_empty takes what the living have as well: only where a policy says so. */
	bench.st.v1 = true;
	is(ci, PCR_WHY_ABOVE, PCR_WHY_OFF);
	bench_reload("[Policy x]\nMatch=/ci\nForceEmpty=yes\n");
	is(ci, PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	bench_close();
}
END_TEST

START_TEST(cooldown)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nCooldown=30s\n");
	ci = cg("ci");
	dying(ci, 200);
	ck_assert(step(ci, 4096, 0));
	dying(ci, 200);
	is(ci, PCR_WHY_ABOVE, PCR_WHY_COOLDOWN);
	ck_assert_uint_eq(decide(ci).evidence.until_usec, bench.now + 30 * PCR_SEC);
	bench.now += 30 * PCR_SEC - 1;
	is(ci, PCR_WHY_ABOVE, PCR_WHY_COOLDOWN);
	bench.now++;
	is(ci, PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	bench_close();
}
END_TEST

START_TEST(budget)
{
	struct pcr_node *ci;
	int steps = 0;
	u64 until;

	bench_open("[Percpu]\nCooldown=0\nReapStep=64K\nReapBudget=256K/1min\n");
	ci = cg("ci");
	dying(ci, 1000);
	while (decide(ci).act && steps++ < 100)
		if (step(ci, 4096, ci->reap->dying - 10))
			break;
	ck_assert_int_eq(steps, 4);
	ck_assert_int_eq(bench.rec.stop, PCR_STOP_BUDGET);
	is(ci, PCR_WHY_ABOVE, PCR_WHY_BUDGET);
	ck_assert_uint_eq(decide(ci).evidence.value, 0);
	ck_assert_uint_eq(decide(ci).evidence.threshold, 64 << 10);
	until = decide(ci).evidence.until_usec;
	ck_assert_uint_ge(until, T0 + PCR_MIN);
	bench.now = until - 1;
	is(ci, PCR_WHY_ABOVE, PCR_WHY_BUDGET);
	bench.now++;
	is(ci, PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	bench_close();
}
END_TEST

/*
 * What a series could not free is waited out; what died since is as good a reason as
 * ever, once there is as much of it.
 *
 *   dying   200 ──┐ in vain            299  300
 *             stuck = 200               held  go
 */
START_TEST(stuck_and_fresh)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nReapAbove=100\nCooldown=0\n");
	ci = cg("ci");
	dying(ci, 200);
	fruitless_series(ci);
	ck_assert_uint_eq(ci->reap->stuck, 200);
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BACKOFF);
	dying(ci, 299);
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BACKOFF);
	dying(ci, 300);
	is(ci, PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	ck_assert_uint_eq(decide(ci).evidence.value, 100);
	/* Some of the stuck went by themselves: those that died since count from there. */
	dying(ci, 150);
	ck_assert_uint_eq(ci->reap->stuck, 150);
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BACKOFF);
	dying(ci, 250);
	is(ci, PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	/* Pressure is no reason to try the same in vain. */
	dying(ci, 150);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	is(ci, PCR_WHY_NOTHING, PCR_WHY_BACKOFF);
	bench.now = ci->reap->retry_usec;
	ck_assert(decide(ci).act);
	bench_close();
}
END_TEST

/* One that began for new deaths goes on to its end, though a back-off still runs. */
START_TEST(a_back_off_is_no_brake)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nReapAbove=100\nCooldown=0\n");
	ci = cg("ci");
	dying(ci, 200);
	fruitless_series(ci);
	dying(ci, 320);
	ck_assert(!step(ci, 4096, 210));
	ck_assert_uint_gt(ci->reap->retry_usec, bench.now);
	is(ci, PCR_WHY_CONTINUE, PCR_WHY_CONTINUE);
	ck_assert(step(ci, 4096, 0));
	bench_close();
}
END_TEST

START_TEST(suspension_holds_whatever_dies)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nCooldown=0\n[Daemon]\nSuspendAfter=1\nSuspendFor=10min\n");
	ci = cg("ci");
	dying(ci, 200);
	fruitless_series(ci);
	dying(ci, 100000);
	is(ci, PCR_WHY_ABOVE, PCR_WHY_SUSPENDED);
	ck_assert_uint_eq(decide(ci).evidence.until_usec, bench.now + 10 * PCR_MIN);
	bench_close();
}
END_TEST

START_TEST(dry_runs)
{
	static const char *const settings[] = {
		"[Percpu]\nDryRun=yes\n",
		"[Daemon]\nDryRun=yes\n",
		"[Policy x]\nMatch=/ci\nDryRun=yes\n",
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(settings); i++) {
		bench_open(settings[i]);
		dying(cg("ci"), 200);
		dying(cg("other"), 200);
		ck_assert(decide(cg("ci")).act && decide(cg("ci")).dry_run);
		ck_assert_int_eq(decide(cg("other")).dry_run, i < 2);
		bench_close();
	}
}
END_TEST

START_TEST(whose_rule_it_is)
{
	bench_open("[Policy a]\nMatch=/a\nReapAbove=10\n[Policy b]\nMatch=/b\nReapAbove=20\n");
	dying(cg("a"), 15);
	dying(cg("b"), 15);
	is(cg("a"), PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	is(cg("b"), PCR_WHY_NOTHING, PCR_WHY_BELOW);
	ck_assert_int_eq(decide(cg("a")).policy, 0);
	ck_assert_int_eq(decide(cg("b")).policy, 1);
	ck_assert_uint_eq(decide(cg("a")).target, cg("a")->id);
	bench_close();
}
END_TEST

PCR_UNIT("policy, reap", nothing_dies, enough_of_them, long_enough, under_pressure,
	 switched_off_or_not_there, cooldown, budget, stuck_and_fresh, a_back_off_is_no_brake,
	 suspension_holds_whatever_dies, dry_runs, whose_rule_it_is)
