// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/actions.c: actions on their way and done. */
#include "unit/model_bench.h"

#include <errno.h>

static bool reap_ended(const struct pcr_node *node, struct pcr_outcome o)
{
	o.action = PCR_ACT_REAP;
	o.target = node->id;
	return outcome(&o);
}

START_TEST(a_series_from_first_to_last)
{
	struct pcr_node *ci;

	bench_open("[Policy ci]\nMatch=/ci\nReapAbove=20\n");
	ci = cg("ci");
	dying(ci, 100);
	ck_assert(!step(ci, 1 << 20, 60));
	ck_assert(ci->reap->series.running);
	ck_assert(!step(ci, 2 << 20, 10));
	ck_assert(step(ci, 1 << 20, 0));
	ck_assert_int_eq(bench.rec.action, PCR_ACT_REAP);
	ck_assert_int_eq(bench.rec.why, PCR_WHY_ABOVE);
	ck_assert_int_eq(bench.rec.stop, PCR_STOP_DONE);
	ck_assert_uint_eq(bench.rec.seq, 1);
	ck_assert_uint_eq(bench.rec.steps, 3);
	ck_assert_uint_eq(bench.rec.before, 100);
	ck_assert_uint_eq(bench.rec.after, 0);
	ck_assert_uint_eq(bench.rec.value, 100);
	ck_assert_uint_eq(bench.rec.threshold, 20);
	ck_assert_uint_eq(bench.rec.freed_bytes, 4 << 20);
	ck_assert_uint_eq(bench.rec.took_usec, 15000);
	ck_assert_uint_eq(bench.rec.start_usec, T0);
	ck_assert_uint_eq(bench.rec.end_usec, bench.now);
	ck_assert_str_eq(bench.rec.policy, "ci");
	ck_assert_str_eq(bench.rec.path, "ci");
	ck_assert(!ci->reap->series.running);
	ck_assert_uint_eq(bench.st.totals.reap_cgroups, 100);
	ck_assert_uint_eq(bench.st.totals.reap_freed_bytes, 4 << 20);
	ck_assert_uint_eq(bench.st.totals.actions, 1);
	ck_assert(bench.st.trim.after_reap);
	ck_assert_ptr_eq(pcr_state_last(&bench.st, PCR_ACT_REAP, ci->id),
			 pcr_state_history(&bench.st, 0));
	bench_close();
}
END_TEST

/* oomd 29: what is under way is not started again, whoever asks how often. */
START_TEST(one_step_at_a_time)
{
	struct pcr_node *ci;

	bench_open("");
	ci = cg("ci");
	dying(ci, 200);
	go(ci);
	ck_assert_int_eq(decide(ci).why, PCR_WHY_BUSY);
	dying(ci, 300);
	ck_assert_int_eq(decide(ci).why, PCR_WHY_BUSY);
	reaped(ci, 4096);
	ck_assert_int_eq(decide(ci).why, PCR_WHY_BUSY);
	bench_close();
}
END_TEST

/* systemd 43106, 42385: how it ended is one of a few words. */
START_TEST(ends_at_once)
{
	static const struct {
		struct pcr_outcome o;
		enum pcr_stop stop;
		bool failed, backs_off;
	} cases[] = {
		{ { .err = EINVAL }, PCR_STOP_ERROR, true, true },
		{ { .err = EROFS, .freed_bytes = NONE }, PCR_STOP_ERROR, true, true },
		{ { .gone = true, .freed_bytes = NONE }, PCR_STOP_GONE, false, true },
		{ { .dry_run = true, .freed_bytes = NONE }, PCR_STOP_DRY_RUN, false, true },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_node *ci;

		bench_open(cases[i].o.dry_run ? "[Percpu]\nDryRun=yes\n" : "");
		ci = cg("ci");
		dying(ci, 200);
		go(ci);
		ck_assert(reap_ended(ci, cases[i].o));
		ck_assert_int_eq(bench.rec.stop, cases[i].stop);
		ck_assert_int_eq(bench.rec.err, cases[i].o.err);
		ck_assert_uint_eq(bench.rec.freed_bytes, cases[i].o.freed_bytes);
		ck_assert_uint_eq(bench.st.totals.failed, cases[i].failed);
		ck_assert_uint_eq(bench.st.totals.actions, !cases[i].o.dry_run);
		ck_assert_uint_eq(bench.st.totals.dry_runs, cases[i].o.dry_run);
		ck_assert_uint_eq(bench.st.totals.ended[PCR_ACT_REAP][cases[i].stop], 1);
		ck_assert(!ci->reap->series.running && !ci->reap->in_flight && !ci->reap->settling);
		ck_assert_int_eq(ci->reap->retry_usec > bench.now, cases[i].backs_off);
		ck_assert_uint_eq(ci->reap->stuck, 200);
		bench_close();
	}
}
END_TEST

START_TEST(less_than_asked_is_no_failure)
{
	struct pcr_node *ci;

	bench_open("");
	ci = cg("ci");
	dying(ci, 200);
	go(ci);
	ck_assert(!reap_ended(ci, (struct pcr_outcome){ .part = true, .freed_bytes = 0 }));
	ck_assert(ci->reap->settling);
	bench_close();
}
END_TEST

/* The parent is removed while its step runs: still told, with what is known. */
START_TEST(the_target_goes_under_way)
{
	for (int dry = 0; dry < 2; dry++) {
		struct pcr_node *ci;
		struct pcr_outcome o;

		bench_open(dry ? "[Daemon]\nDryRun=yes\n" : "");
		ci = cg("ci");
		dying(ci, 200);
		go(ci);
		o = (struct pcr_outcome){
			.action = PCR_ACT_REAP, .target = ci->id, .asked = 99, .freed_bytes = NONE,
			.took_usec = 5, .dry_run = dry, .path = "ci",
		};
		pcr_state_removed(&bench.st, ci, bench.now);
		ck_assert(outcome(&o));
		ck_assert_int_eq(bench.rec.stop, PCR_STOP_GONE);
		ck_assert_str_eq(bench.rec.path, "ci");
		ck_assert_uint_eq(bench.rec.before, PCR_ABSENT);
		ck_assert_uint_eq(bench.rec.freed_bytes, PCR_ABSENT);
		ck_assert_uint_eq(bench.st.totals.actions, !dry);
		ck_assert_uint_eq(bench.st.totals.dry_runs, dry);
		bench_close();
	}
}
END_TEST

/* systemd 36434: one step that could not be measured, and the sum is not known either. */
START_TEST(sums_of_what_was_not_measured)
{
	struct pcr_node *ci;

	bench_open("");
	ci = cg("ci");
	dying(ci, 200);
	ck_assert(!step(ci, 4096, 150));
	ck_assert(!step(ci, NONE, 100));
	ck_assert(step(ci, 4096, 0));
	ck_assert_uint_eq(bench.rec.freed_bytes, PCR_ABSENT);
	ck_assert_uint_eq(bench.st.totals.reap_freed_bytes, 0);
	ck_assert_uint_eq(bench.st.totals.reap_cgroups, 200);
	bench_close();
}
END_TEST

/* --- backing off --- */

START_TEST(back_off_grows_to_an_hour)
{
	u64 before = 0;

	for (u32 n = 0; n < 100; n++) {
		ck_assert_uint_ge(pcr_backoff(n), before);
		ck_assert_uint_le(pcr_backoff(n), PCR_HOUR);
		before = pcr_backoff(n);
	}
	ck_assert_uint_ge(pcr_backoff(0), PCR_SEC);
	ck_assert_uint_le(pcr_backoff(0), PCR_MIN);
	ck_assert_uint_gt(pcr_backoff(1), pcr_backoff(0));
	ck_assert_uint_eq(pcr_backoff(UINT32_MAX), PCR_HOUR);
}
END_TEST

START_TEST(suspended_after_so_many_in_vain)
{
	struct pcr_node *ci;
	u64 before = 0;

	bench_open("[Percpu]\nCooldown=0\n[Daemon]\nSuspendAfter=3\nSuspendFor=20min\n");
	ci = cg("ci");
	dying(ci, 200);
	for (int i = 1; i <= 3; i++) {
		u64 pause;

		fruitless_series(ci);
		pause = ci->reap->retry_usec - bench.now;
		ck_assert_int_eq(ci->reap->suspended, i == 3);
		ck_assert_int_eq(decide(ci).why, i == 3 ? PCR_WHY_SUSPENDED : PCR_WHY_BACKOFF);
		ck_assert_uint_eq(decide(ci).evidence.until_usec, ci->reap->retry_usec);
		if (i == 3)
			ck_assert_uint_eq(pause, 20 * PCR_MIN);
		else
			ck_assert_uint_gt(pause, before);
		before = pause;
		bench.now = ci->reap->retry_usec;
	}
	/* earlyoom 171: what stays as it is is tried, and told of, ever more rarely. */
	for (int i = 1; i < 10; i++) {
		fruitless_series(ci);
		ck_assert(ci->reap->suspended);
		ck_assert_uint_eq(ci->reap->retry_usec - bench.now,
				  pcr_min_u64((20 * PCR_MIN) << i, 24 * PCR_HOUR));
		bench.now = ci->reap->retry_usec;
	}
	bench_close();
}
END_TEST

START_TEST(one_that_helps_forgets_those_in_vain)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nCooldown=0\n[Daemon]\nSuspendAfter=3\n");
	ci = cg("ci");
	dying(ci, 200);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 2; i++) {
			fruitless_series(ci);
			ck_assert(!ci->reap->suspended);
			bench.now = ci->reap->retry_usec;
		}
		ck_assert_uint_eq(ci->reap->fruitless, 2);
		/* Some go, then no more: it helped, and what is left is waited out. */
		ck_assert(!step(ci, 4096, ci->reap->dying - 1));
		fruitless_series(ci);
		ck_assert_uint_eq(ci->reap->fruitless, 0);
		ck_assert_uint_gt(ci->reap->retry_usec, bench.now);
		bench.now = ci->reap->retry_usec;
	}
	bench_close();
}
END_TEST

START_TEST(suspended_at_the_first_and_for_long)
{
	struct pcr_node *ci;

	bench_open("[Percpu]\nCooldown=0\n[Daemon]\nSuspendAfter=1\nSuspendFor=1w\n");
	ci = cg("ci");
	dying(ci, 200);
	for (int i = 0; i < 3; i++) {
		fruitless_series(ci);
		ck_assert(ci->reap->suspended);
		/* A day is no limit for who wants a week. */
		ck_assert_uint_eq(ci->reap->retry_usec - bench.now, 7 * 24 * PCR_HOUR);
		bench.now = ci->reap->retry_usec;
	}
	bench_close();
}
END_TEST

PCR_UNIT("actions", a_series_from_first_to_last, one_step_at_a_time, ends_at_once,
	 less_than_asked_is_no_failure, the_target_goes_under_way, sums_of_what_was_not_measured,
	 back_off_grows_to_an_hour, suspended_after_so_many_in_vain,
	 one_that_helps_forgets_those_in_vain, suspended_at_the_first_and_for_long)
