// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/actions.c: dry runs, from the first word to the day they are meant. */
#include "unit/model_bench.h"

static bool reap_ended(const struct pcr_node *node, struct pcr_outcome o)
{
	o.action = PCR_ACT_REAP;
	o.target = node->id;
	return outcome(&o);
}

START_TEST(a_dry_run_is_said_once_and_asks_for_no_budget)
{
	struct pcr_node *ci;

	bench_open("[Policy ci]\nMatch=/ci\nDryRun=yes\n");
	ci = cg("ci");
	dying(ci, 200);
	ck_assert(go(ci).dry_run);
	ck_assert(reap_ended(ci, (struct pcr_outcome){ .dry_run = true, .freed_bytes = NONE }));
	ck_assert_uint_eq(ci->reap->n_spent, 0);
	bench.now += PCR_MIN;
	ck_assert_int_eq(decide(ci).why, PCR_WHY_SAID);
	/* As many again is news. */
	dying(ci, 300);
	ck_assert(decide(ci).act);
	dying(ci, 200);
	/* It is meant from now on: nothing to wait for. */
	bench_reload("");
	dying(ci, 200);
	ck_assert(decide(ci).act && !decide(ci).dry_run);
	bench_close();
}
END_TEST

/* Told to only talk about it half way: the rest is not done, and what was done is told. */
START_TEST(a_series_under_way_becomes_a_dry_run)
{
	struct pcr_node *ci;

	bench_open("");
	ci = cg("ci");
	dying(ci, 200);
	ck_assert(!step(ci, 1 << 20, 100));
	bench_reload("[Daemon]\nDryRun=yes\n");
	ck_assert_uint_le(ci->reap->sample_usec, bench.now);
	dying(ci, 100);
	ck_assert(pcr_state_settled(&bench.st, bench.set, ci->reap, bench.now, &bench.rec));
	ck_assert_int_eq(bench.rec.stop, PCR_STOP_OFF);
	ck_assert(!bench.rec.dry_run);
	ck_assert_uint_eq(bench.st.totals.reap_cgroups, 100);
	bench_close();
}
END_TEST

/* The settings came to mean it while the dry run was with the worker. */
START_TEST(a_dry_run_that_comes_too_late)
{
	struct pcr_node *ci;

	bench_open("[Daemon]\nDryRun=yes\n[Percpu]\nCooldown=0\n");
	ci = cg("ci");
	dying(ci, 200);
	ck_assert(go(ci).dry_run);
	bench_reload("[Percpu]\nCooldown=0\n");
	ck_assert(reap_ended(ci, (struct pcr_outcome){ .dry_run = true, .freed_bytes = NONE }));
	ck_assert(decide(ci).act && !decide(ci).dry_run);
	bench_close();
}
END_TEST

PCR_UNIT("dry run", a_dry_run_is_said_once_and_asks_for_no_budget,
	 a_series_under_way_becomes_a_dry_run, a_dry_run_that_comes_too_late)
