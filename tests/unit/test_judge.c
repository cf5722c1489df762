// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/judge.c: did a step help, whom did it hurt, how large is the next one? */
#include "unit/model_bench.h"

#include "base/parse.h"

#define KIB 1024ULL
#define PAGES(n) ((n) * 4096ULL)

static struct pcr_reap_sample now_seen;

static void see(struct pcr_node *node, u64 n)
{
	now_seen.dying = n;
	sample(node, now_seen);
}

/* One step, after which things are as now_seen says. PCR_STOP_NONE: it goes on. */
static enum pcr_stop judged(struct pcr_node *node, u64 freed, u64 left)
{
	go(node);
	ck_assert(!reaped(node, freed));
	bench.now = node->reap->sample_usec;
	node->reap->sample_usec = PCR_NEVER;
	see(node, left);
	if (!pcr_state_settled(&bench.st, bench.set, node->reap, bench.now, &bench.rec))
		return PCR_STOP_NONE;
	return bench.rec.stop;
}

static struct pcr_node *begin(const char *settings, u64 n)
{
	struct pcr_node *ci;

	bench_open(settings);
	memset(&now_seen, 0xff, sizeof(now_seen));
	now_seen.refaults = 0;
	now_seen.stall_usec = 0;
	ci = cg("ci");
	see(ci, n);
	return ci;
}

START_TEST(to_the_end)
{
	struct pcr_node *ci = begin("", 1000);
	int steps = 1;

	while (judged(ci, 100 * KIB, ci->reap->dying * 2 / 3) == PCR_STOP_NONE)
		steps++;
	ck_assert_int_eq(bench.rec.stop, PCR_STOP_DONE);
	ck_assert_int_lt(steps, 20);
	bench_close();
}
END_TEST

START_TEST(in_vain)
{
	struct pcr_node *ci = begin("", 1000);
	int steps = 1;

	while (judged(ci, 100 * KIB, 1000) == PCR_STOP_NONE)
		steps++;
	ck_assert_int_eq(bench.rec.stop, PCR_STOP_NO_PROGRESS);
	ck_assert_int_ge(steps, 2);
	ck_assert_int_le(steps, 5);
	/* What was asked for to no avail is little. */
	ck_assert_uint_le(bench.rec.asked, 4 << 20);
	bench_close();
}
END_TEST

/* Tmpfs keeps its pages where there is no swap; but not whatever has a page of tmpfs. */
START_TEST(no_swap)
{
	static const struct {
		u64 shmem, swap;
		enum pcr_stop stop;
	} cases[] = {
		{ PAGES(1000), 0, PCR_STOP_NO_SWAP },
		{ PAGES(500), 0, PCR_STOP_NO_SWAP },
		{ PAGES(499), 0, PCR_STOP_NO_PROGRESS },
		{ 0, 0, PCR_STOP_NO_PROGRESS },
		{ PAGES(1000), 4096, PCR_STOP_NO_PROGRESS },
		/* Not sampled is neither none nor some (systemd 36434). */
		{ PAGES(1000), NONE, PCR_STOP_NO_PROGRESS },
		{ NONE, 0, PCR_STOP_NO_PROGRESS },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_node *ci = begin("", 1000);
		enum pcr_stop stop;

		now_seen.shmem_bytes = cases[i].shmem;
		bench.st.swap_free_bytes = cases[i].swap;
		do
			stop = judged(ci, 0, 1000);
		while (stop == PCR_STOP_NONE);
		ck_assert_msg(stop == cases[i].stop, "case %zu", i);
		bench_close();
	}
}
END_TEST

/* ReapMaxRefault=25%: of 4 MiB asked for and freed, 256 pages, and some for noise. */
START_TEST(siblings_that_read_back)
{
	static const struct {
		u64 refaults;
		bool stops;
	} cases[] = {{0, false}, {100, false}, {4096, true}, {NONE, false}, {PCR_MAX - 1, true}};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_node *ci = begin("[Percpu]\nReapMaxRefault=25%\n", 1000);

		now_seen.refaults = cases[i].refaults;
		ck_assert_msg(judged(ci, 100 * KIB, 900) ==
			      (cases[i].stops ? PCR_STOP_REFAULT : PCR_STOP_NONE), "case %zu", i);
		bench_close();
	}
}
END_TEST

START_TEST(a_share_of_what_was_reclaimed)
{
	/* Nothing at all, beyond noise; or ten times as much. */
	struct pcr_node *ci = begin("[Percpu]\nReapMaxRefault=0%\n", 100000);
	u64 allowed = 0;

	while (judged(ci, 1 << 20, ci->reap->dying - 100) == PCR_STOP_NONE &&
	       now_seen.refaults < 10000)
		allowed = now_seen.refaults += 16;
	ck_assert_int_eq(bench.rec.stop, PCR_STOP_REFAULT);
	ck_assert_uint_le(allowed, 256);
	bench_close();
	ci = begin("[Percpu]\nReapMaxRefault=1000%\n", 100000);
	for (int i = 0; i < 5; i++) {
		now_seen.refaults += 32;
		ck_assert_int_eq(judged(ci, 1 << 20, ci->reap->dying - 100), PCR_STOP_NONE);
	}
	bench_close();
}
END_TEST

/* What they read back all day long is not our doing. */
START_TEST(usual_refaults_are_not_held_against_it)
{
	struct pcr_node *ci = begin("", 1000);

	bench.now += PCR_MIN;
	now_seen.refaults = 600000;	/* 10,000 a second */
	see(ci, 1000);
	for (int i = 0; i < 5; i++) {
		u64 from = bench.now, to;

		go(ci);
		reaped(ci, 100 * KIB);
		to = ci->reap->sample_usec;
		bench.now = to;
		ci->reap->sample_usec = PCR_NEVER;
		now_seen.refaults += (to - from) / 100;
		see(ci, ci->reap->dying - 10);
		ck_assert(
			!pcr_state_settled(&bench.st, bench.set, ci->reap, bench.now, &bench.rec));
	}
	bench_close();
}
END_TEST

START_TEST(siblings_that_wait)
{
	static const struct {
		const char *settings;
		u64 stall;
		bool stops;
	} cases[] = {
		{ "", 0, false },
		{ "", 19 * PCR_MSEC, false },		/* a hiccup */
		{ "", 90 * PCR_MSEC, true },
		{ "[Percpu]\nReapMaxPressure=100%\n", 90 * PCR_MSEC, false },
		{ "[Percpu]\nReapMaxPressure=0%\n", 21 * PCR_MSEC, true },
		{ "", NONE, false },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_node *ci = begin(cases[i].settings, 1000);

		now_seen.stall_usec = cases[i].stall;
		ck_assert_msg(judged(ci, 100 * KIB, 900) ==
			      (cases[i].stops ? PCR_STOP_STALL : PCR_STOP_NONE), "case %zu", i);
		bench_close();
	}
}
END_TEST

START_TEST(off_under_way)
{
	static const char *const settings[] = {
		"[Percpu]\nReap=no\n", "[Percpu]\nDryRun=yes\n", "[Daemon]\nDryRun=yes\n",
		"[Policy x]\nMatch=/ci\nReap=no\n",
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(settings); i++) {
		struct pcr_node *ci = begin("", 1000);

		ck_assert_int_eq(judged(ci, 100 * KIB, 900), PCR_STOP_NONE);
		go(ci);
		bench_reload(settings[i]);
		reaped(ci, 100 * KIB);
		bench.now = ci->reap->sample_usec;
		see(ci, 800);
		ck_assert(pcr_state_settled(&bench.st, bench.set, ci->reap, bench.now, &bench.rec));
		ck_assert_int_eq(bench.rec.stop, PCR_STOP_OFF);
		bench_close();
	}
}
END_TEST

START_TEST(the_knob_goes_under_way)
{
	struct pcr_node *ci = begin("", 1000);

	ck_assert_int_eq(judged(ci, 100 * KIB, 900), PCR_STOP_NONE);
	bench.st.reap_knob = false;
	bench_reload("");
	see(ci, 900);
	ck_assert(pcr_state_settled(&bench.st, bench.set, ci->reap, bench.now, &bench.rec));
	ck_assert_int_eq(bench.rec.stop, PCR_STOP_OFF);
	bench_close();
}
END_TEST

/* Asked for through the socket: Reap=no is about what policy does on its own. */
START_TEST(asked_for_where_policy_would_not)
{
	struct pcr_node *ci = begin("[Percpu]\nReap=no\n", 1000);
	struct pcr_decision d = decide(ci);

	ck_assert_int_eq(d.why, PCR_WHY_OFF);
	d.act = true;
	d.why = d.want = PCR_WHY_ASKED;
	d.amount = 1 << 20;
	pcr_state_started(&bench.st, bench.set, &d, bench.now);
	reaped(ci, 100 * KIB);
	bench.now = ci->reap->sample_usec;
	see(ci, 900);
	ck_assert(!pcr_state_settled(&bench.st, bench.set, ci->reap, bench.now, &bench.rec));
	ck_assert_int_eq(decide(ci).why, PCR_WHY_CONTINUE);
	ck_assert(decide(ci).act);
	bench_close();
}
END_TEST

START_TEST(steps_keep_to_their_bounds)
{
	struct pcr_node *ci = begin("[Percpu]\nReapStep=1M\nReapBudget=1T/1min\n", 1000000);
	u64 largest = 0;

	for (int i = 0; i < 30; i++) {
		ck_assert_int_eq(judged(ci, 1 << 20, ci->reap->dying - 100), PCR_STOP_NONE);
		largest = pcr_max_u64(largest, ci->reap->step_bytes);
	}
	ck_assert_uint_eq(largest, 1 << 20);
	bench_reload("[Percpu]\nReapStep=64K\nReapBudget=1T/1min\n");
	ck_assert_uint_eq(decide(ci).amount, 64 << 10);
	/* A budget below the step chosen before: smaller steps, not none for ever. */
	bench_reload("[Percpu]\nReapStep=64K\nReapBudget=64K/1min\n");
	ck_assert_uint_le(decide(ci).amount, 64 << 10);
	ck_assert_uint_ne(decide(ci).evidence.until_usec, PCR_NEVER);
	bench_close();
}
END_TEST

PCR_UNIT("judge", to_the_end, in_vain, no_swap, siblings_that_read_back,
	 a_share_of_what_was_reclaimed, usual_refaults_are_not_held_against_it, siblings_that_wait,
	 off_under_way, the_knob_goes_under_way, asked_for_where_policy_would_not,
	 steps_keep_to_their_bounds)
