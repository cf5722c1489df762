// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/actions.c: trims, and what is kept of finished actions. */
#include "unit/model_bench.h"

#include <errno.h>

#define PAGE_BYTES 4096
#define UNITS 2

/* So many empty percpu pages above a float of 4. */
static void surplus(u64 pages)
{
	struct pcr_percpu_sample s;

	memset(&s, 0xff, sizeof(s));
	s.knob = true;
	s.spare = false;
	s.page_bytes = PAGE_BYTES;
	s.nr_units = UNITS;
	s.empty_pages = pages + 4;
	s.isolated_empty_pages = 0;
	s.empty_pages_high = 4;
	s.percpu_bytes = 10 << 20;
	pcr_state_percpu_sample(&bench.st, &s, bench.now);
}

static struct pcr_decision trim_decision(void)
{
	struct pcr_decision d;

	pcr_policy_trim(&bench.st, bench.set, bench.now, &d);
	return d;
}

static void trimmed(struct pcr_outcome o)
{
	struct pcr_decision d = trim_decision();

	ck_assert_msg(d.act, "held: %s", pcr_reason_name(d.why));
	pcr_state_started(&bench.st, bench.set, &d, bench.now);
	ck_assert_int_eq(trim_decision().why, PCR_WHY_BUSY);
	o.action = PCR_ACT_TRIM;
	o.asked = d.amount;
	ck_assert(outcome(&o));
}

START_TEST(trim_outcomes)
{
	static const struct {
		struct pcr_outcome o;
		enum pcr_stop stop;
		u64 after, total;
		bool waits;
	} cases[] = {
		{{.freed_bytes = 1 << 20}, PCR_STOP_DONE, 9 << 20, 1 << 20, false},
		{{.freed_bytes = 1 << 20, .part = true}, PCR_STOP_DONE, 9 << 20, 1 << 20, false},
		{{.freed_bytes = 0}, PCR_STOP_NO_PROGRESS, 10 << 20, 0, true},
		/* Not measured is not in vain (systemd 36434). */
		{{.freed_bytes = NONE}, PCR_STOP_DONE, NONE, 0, false},
		{{.freed_bytes = 0, .err = EROFS}, PCR_STOP_ERROR, 10 << 20, 0, true},
		{{.freed_bytes = NONE, .dry_run = true}, PCR_STOP_DRY_RUN, NONE, 0, true},
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		bench_open(cases[i].o.dry_run ? "[Percpu]\nDryRun=yes\n" : "");
		bench.st.trim.deaths = 7;
		bench.st.trim.after_reap = true;
		surplus(1000);
		trimmed(cases[i].o);
		ck_assert_int_eq(bench.rec.stop, cases[i].stop);
		ck_assert_uint_eq(bench.rec.before, 10 << 20);
		ck_assert_uint_eq(bench.rec.after, cases[i].after);
		ck_assert_uint_eq(bench.rec.value, 1000 * PAGE_BYTES * UNITS);
		ck_assert_str_eq(bench.rec.path, "percpu");
		ck_assert_uint_eq(bench.st.totals.trim_freed_bytes, cases[i].total);
		ck_assert_uint_eq(bench.st.trim.deaths, 0);
		ck_assert(!bench.st.trim.after_reap && !bench.st.trim.in_flight);
		/* Looked at again at once; then it has a cooldown in any case. */
		ck_assert_uint_eq(bench.st.trim.sample_usec, bench.now);
		ck_assert_int_eq(trim_decision().why,
				 !cases[i].waits ? PCR_WHY_COOLDOWN :
				 cases[i].o.dry_run ? PCR_WHY_SAID : PCR_WHY_BACKOFF);
		bench_close();
	}
}
END_TEST

/* One look more when removals have ended: a wake-up, and none after it. */
START_TEST(late_frees_are_looked_for_once)
{
	struct pcr_trim *t = &bench.st.trim;
	u64 due;

	bench_open("[Percpu]\nTrimCooldown=0\n");
	surplus(1000);
	trimmed((struct pcr_outcome){ .freed_bytes = 4096 });
	due = bench.now + 5 * PCR_SEC;
	surplus(1);
	ck_assert_uint_eq(t->sample_usec, due);
	ck_assert_int_eq(trim_decision().why, PCR_WHY_BELOW);
	bench.now = due;
	surplus(1);
	ck_assert_int_eq(trim_decision().why, PCR_WHY_LATE);
	trimmed((struct pcr_outcome){ .freed_bytes = 4096 });
	surplus(1);
	ck_assert_uint_eq(t->sample_usec, PCR_NEVER);
	ck_assert_int_eq(trim_decision().why, PCR_WHY_BELOW);
	/* In vain, and with nothing there at the time: no look, no trim. */
	surplus(1000);
	trimmed((struct pcr_outcome){ .freed_bytes = 0 });
	ck_assert_uint_eq(t->late_usec, 0);
	t->late_usec = bench.now;
	surplus(0);
	ck_assert_uint_eq(t->late_usec, 0);
	bench_close();
}
END_TEST

START_TEST(trims_in_vain_suspend)
{
	bench_open("[Percpu]\nTrimCooldown=0\n[Daemon]\nSuspendAfter=3\nSuspendFor=20min\n");
	surplus(1000);
	for (int i = 1; i <= 3; i++) {
		trimmed((struct pcr_outcome){ .freed_bytes = 0 });
		ck_assert_int_eq(trim_decision().why, i == 3 ? PCR_WHY_SUSPENDED : PCR_WHY_BACKOFF);
		ck_assert_uint_eq(trim_decision().evidence.until_usec, bench.st.trim.retry_usec);
		if (i == 3)
			ck_assert_uint_eq(bench.st.trim.retry_usec, bench.now + 20 * PCR_MIN);
		bench.now = bench.st.trim.retry_usec;
	}
	trimmed((struct pcr_outcome){ .freed_bytes = 4096 });
	ck_assert(!bench.st.trim.suspended);
	ck_assert_uint_eq(bench.st.trim.fruitless, 0);
	bench_close();
}
END_TEST

START_TEST(a_dry_trim_is_not_waited_out_after_a_reload)
{
	bench_open("[Percpu]\nDryRun=yes\nTrimCooldown=0\n");
	surplus(1000);
	trimmed((struct pcr_outcome){ .dry_run = true, .freed_bytes = NONE });
	ck_assert_int_eq(trim_decision().why, PCR_WHY_SAID);
	bench_reload("[Percpu]\nTrimCooldown=0\n");
	ck_assert(trim_decision().act && !trim_decision().dry_run);
	bench_close();
}
END_TEST

/* A ring: the newest 256, newest first, numbers never used twice. */
START_TEST(the_ring)
{
	enum { N = PCR_HISTORY * 2 + 10 };

	bench_open("[Percpu]\nTrimCooldown=0\n");
	for (u64 i = 1; i <= N; i++) {
		bench.now += PCR_SEC;
		surplus(1000);
		trimmed((struct pcr_outcome){ .freed_bytes = i });
		ck_assert_uint_eq(bench.rec.seq, i);
		ck_assert_uint_eq(bench.st.n_history, pcr_min_u64(i, PCR_HISTORY));
		ck_assert_uint_eq(pcr_state_history(&bench.st, 0)->freed_bytes, i);
	}
	for (u32 i = 0; i < PCR_HISTORY; i++)
		ck_assert_uint_eq(pcr_state_history(&bench.st, i)->seq, N - i);
	ck_assert_ptr_null(pcr_state_history(&bench.st, PCR_HISTORY));
	ck_assert_uint_eq(bench.st.totals.actions, N);
	bench_close();
}
END_TEST

/* Of an earlier run: numbers go on, and nothing else of it counts for this one. */
START_TEST(remembered)
{
	struct pcr_record old = { .seq = 900, .past = PCR_PAST_RESTART, .action = PCR_ACT_TRIM,
				  .stop = PCR_STOP_ERROR };

	bench_open("[Percpu]\nTrimCooldown=0\n");
	ck_assert_int_eq(pcr_state_remember(&bench.st, &old), 0);
	ck_assert_int_eq(pcr_state_remember(&bench.st, &old), -EINVAL);
	old.seq = 902;
	ck_assert_int_eq(pcr_state_remember(&bench.st, &old), -EINVAL);
	old.seq = 901;
	ck_assert_int_eq(pcr_state_remember(&bench.st, &old), 0);
	ck_assert_uint_eq(bench.st.totals.actions, 0);
	ck_assert_uint_eq(bench.st.totals.failed, 0);
	ck_assert_ptr_eq(pcr_state_last(&bench.st, PCR_ACT_TRIM, 0), pcr_state_history(&bench.st, 0));
	surplus(1000);
	trimmed((struct pcr_outcome){ .freed_bytes = 1 });
	ck_assert_uint_eq(bench.rec.seq, 902);
	ck_assert_int_eq(bench.rec.past, PCR_PAST_NONE);
	ck_assert_uint_eq(bench.st.n_history, 3);
	ck_assert_uint_eq(pcr_state_history(&bench.st, 2)->seq, 900);
	bench_close();
}
END_TEST

START_TEST(the_last_on_a_target)
{
	struct pcr_node *ci, *db;

	bench_open("[Percpu]\nReapAbove=1\n");
	ci = cg("ci");
	db = cg("db");
	surplus(1000);
	ck_assert_ptr_null(pcr_state_last(&bench.st, PCR_ACT_REAP, ci->id));
	dying(ci, 5);
	ck_assert(step(ci, 4096, 0));
	trimmed((struct pcr_outcome){ .freed_bytes = 1 });
	dying(db, 6);
	ck_assert(step(db, 4096, 0));
	ck_assert_uint_eq(pcr_state_last(&bench.st, PCR_ACT_REAP, ci->id)->before, 5);
	ck_assert_uint_eq(pcr_state_last(&bench.st, PCR_ACT_REAP, db->id)->before, 6);
	ck_assert_uint_eq(pcr_state_last(&bench.st, PCR_ACT_TRIM, 0)->freed_bytes, 1);
	ck_assert_ptr_null(pcr_state_last(&bench.st, PCR_ACT_SET, 0));
	bench_close();
}
END_TEST

START_TEST(long_names_are_cut_at_the_right_end)
{
	static char deep[400];
	struct pcr_node *node;

	for (int i = 0; i < 60; i++)
		strcat(deep, i ? "/part" : "top");
	bench_open("[Policy a-policy-of-just-31-bytes-named]\nMatch=/**\nReapAbove=1\n");
	node = cg(deep);
	dying(node, 5);
	ck_assert(step(node, 4096, 0));
	ck_assert_str_eq(bench.rec.policy, "a-policy-of-just-31-bytes-named");
	ck_assert_uint_lt(strlen(bench.rec.path), sizeof(bench.rec.path));
	ck_assert_str_eq(bench.rec.path, deep + strlen(deep) - strlen(bench.rec.path));
	bench_close();
}
END_TEST

PCR_UNIT("history", trim_outcomes, late_frees_are_looked_for_once, trims_in_vain_suspend,
	 a_dry_trim_is_not_waited_out_after_a_reload, the_ring, remembered, the_last_on_a_target,
	 long_names_are_cut_at_the_right_end)
