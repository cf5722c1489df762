// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/policy/trim.c: when empty percpu pages are given back. */
#include "unit/model_bench.h"

static struct pcr_percpu_sample one;

/* Two units of 4 KiB pages: one empty page is 8 KiB. */
static void see(u64 empty, u64 isolated, u64 high)
{
	memset(&one, 0xff, sizeof(one));
	one.knob = true;
	one.spare = false;
	one.page_bytes = 4096;
	one.nr_units = 2;
	one.empty_pages = empty;
	one.isolated_empty_pages = isolated;
	one.empty_pages_high = high;
	pcr_state_percpu_sample(&bench.st, &one, bench.now);
}

static struct pcr_decision trim_decision(void)
{
	struct pcr_decision d;

	pcr_policy_trim(&bench.st, bench.set, bench.now, &d);
	return d;
}

static void is(enum pcr_reason want, enum pcr_reason why)
{
	struct pcr_decision d = trim_decision();

	ck_assert_str_eq(pcr_reason_name(d.want), pcr_reason_name(want));
	ck_assert_str_eq(pcr_reason_name(d.why), pcr_reason_name(why));
	ck_assert_uint_eq(d.amount, PCR_ABSENT);
	ck_assert_uint_eq(d.target, 0);
}

/* systemd 36434, 33486: a figure that is missing makes the surplus unknown, not large. */
START_TEST(surpluses)
{
	static const struct {
		u64 empty, isolated, high, units, page, surplus;
	} cases[] = {
		{ 207, 0, 4, 2, 4096, 203 * 8192 },
		{ 0, 0, 4, 2, 4096, 0 },
		{ 4, 0, 4, 2, 4096, 0 },
		{ 3, 2, 4, 2, 4096, 8192 },
		{ 0, 100, 4, 128, 65536, 96ULL * 128 * 65536 },
		{ 207, 0, 0, 2, 4096, 207 * 8192 },
		{ NONE, 0, 4, 2, 4096, NONE },
		{ 207, NONE, 4, 2, 4096, NONE },
		{ 207, 0, NONE, 2, 4096, NONE },
		{ 207, 0, 4, NONE, 4096, NONE },
		{ 207, 0, 4, 2, NONE, NONE },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_percpu_sample s = {
			.empty_pages = cases[i].empty, .isolated_empty_pages = cases[i].isolated,
			.empty_pages_high = cases[i].high, .nr_units = cases[i].units,
			.page_bytes = cases[i].page,
		};

		ck_assert_uint_eq(pcr_percpu_surplus(&s), cases[i].surplus);
	}
}
END_TEST

START_TEST(never_sampled_or_no_such_knob)
{
	bench_open("");
	is(PCR_WHY_NOTHING, PCR_WHY_NO_KNOB);
	see(1000, 0, 4);
	bench.st.trim.now.knob = false;
	is(PCR_WHY_ABOVE, PCR_WHY_NO_KNOB);
	/* The knob, and none of the counters. */
	see(NONE, NONE, NONE);
	is(PCR_WHY_NOTHING, PCR_WHY_NOTHING);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	bench.st.trim.after_reap = true;
	is(PCR_WHY_NOTHING, PCR_WHY_NOTHING);
	bench_close();
}
END_TEST

/*
 * Without the knob: the one chunk that the stock allocator keeps, and only after enough
 * removals to have filled it, with nothing left to reap and memory to be had.
 */
START_TEST(the_spare_chunk)
{
	bench_open("[Percpu]\nTrimAfterDeaths=1000\n");
	see(NONE, NONE, NONE);
	bench.st.trim.now.knob = false;
	bench.st.trim.now.spare = true;
	bench.st.dying = 0;
	bench.st.trim.after_reap = true;
	bench.st.trim.deaths = 999;
	is(PCR_WHY_NOTHING, PCR_WHY_FEW_DEATHS);
	bench.st.trim.deaths = 1000;
	is(PCR_WHY_AFTER_DEATHS, PCR_WHY_AFTER_DEATHS);
	ck_assert_uint_eq(trim_decision().evidence.value, 1000);
	ck_assert_uint_eq(trim_decision().evidence.threshold, 1000);
	bench.st.trim.after_reap = false;
	is(PCR_WHY_NOTHING, PCR_WHY_NOT_YET);
	bench.st.trim.after_reap = true;
	bench.st.dying = 1;
	is(PCR_WHY_NOTHING, PCR_WHY_NOT_YET);
	bench.st.dying = NONE;
	is(PCR_WHY_NOTHING, PCR_WHY_NOT_YET);
	bench.st.dying = 0;
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	is(PCR_WHY_NOTHING, PCR_WHY_NOT_YET);
	bench_close();
}
END_TEST

START_TEST(above_a_threshold)
{
	bench_open("[Percpu]\nTrimAbove=80K\n");
	see(4 + 9, 0, 4);
	is(PCR_WHY_NOTHING, PCR_WHY_BELOW);
	ck_assert_uint_eq(trim_decision().evidence.value, 72 << 10);
	ck_assert_uint_eq(trim_decision().evidence.threshold, 80 << 10);
	see(4 + 10, 0, 4);
	is(PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	see(4 + 9, 1, 4);
	is(PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	bench_reload("[Percpu]\nTrimAbove=0\n");
	see(4 + 1, 0, 4);
	is(PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	see(4, 0, 4);
	is(PCR_WHY_NOTHING, PCR_WHY_BELOW);
	bench_close();
}
END_TEST

/* Each of these makes any surplus worth it, and none of them makes one. */
START_TEST(other_reasons)
{
	bench_open("[Percpu]\nTrimAfterDeaths=1000\n");
	see(5, 0, 4);
	is(PCR_WHY_NOTHING, PCR_WHY_BELOW);
	bench.st.trim.deaths = 999;
	is(PCR_WHY_NOTHING, PCR_WHY_BELOW);
	bench.st.trim.deaths = 1000;
	is(PCR_WHY_AFTER_DEATHS, PCR_WHY_AFTER_DEATHS);
	ck_assert_uint_eq(trim_decision().evidence.value, 1000);
	bench.st.trim.after_reap = true;
	is(PCR_WHY_AFTER_REAP, PCR_WHY_AFTER_REAP);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	is(PCR_WHY_PRESSURE, PCR_WHY_PRESSURE);
	see(4, 0, 4);
	is(PCR_WHY_NOTHING, PCR_WHY_BELOW);
	bench_close();
}
END_TEST

/* Percpu memory is the machine's: a slice that waits for memory does not make it short. */
START_TEST(pressure_of_a_slice_is_none)
{
	bench_open("[Pressure]\nSlices=/ci\n");
	bench.st.n_pressure = 2;
	bench.st.pressure[1].id = cg("ci")->id;
	pcr_state_pressure_event(&bench.st, 1, bench.now);
	see(5, 0, 4);
	is(PCR_WHY_NOTHING, PCR_WHY_BELOW);
	bench_close();
}
END_TEST

START_TEST(holds)
{
	struct pcr_decision d;

	bench_open("[Percpu]\nTrimCooldown=30s\n");
	see(1000, 0, 4);
	d = trim_decision();
	pcr_state_started(&bench.st, bench.set, &d, bench.now);
	is(PCR_WHY_ABOVE, PCR_WHY_BUSY);
	ck_assert(outcome(&(struct pcr_outcome){ .action = PCR_ACT_TRIM, .freed_bytes = 8192 }));
	is(PCR_WHY_ABOVE, PCR_WHY_COOLDOWN);
	ck_assert_uint_eq(trim_decision().evidence.until_usec, T0 + 30 * PCR_SEC);
	bench.now = T0 + 30 * PCR_SEC;
	is(PCR_WHY_ABOVE, PCR_WHY_ABOVE);
	bench_reload("[Percpu]\nTrim=no\n");
	is(PCR_WHY_ABOVE, PCR_WHY_OFF);
	bench_close();
}
END_TEST

START_TEST(dry_runs)
{
	bench_open("[Percpu]\nDryRun=yes\n");
	see(1000, 0, 4);
	ck_assert(trim_decision().act && trim_decision().dry_run);
	bench_reload("[Daemon]\nDryRun=yes\n");
	ck_assert(trim_decision().dry_run);
	/* A policy's dry run is about its cgroups. */
	bench_reload("[Policy x]\nMatch=/**\nDryRun=yes\n");
	ck_assert(!trim_decision().dry_run);
	bench_close();
}
END_TEST

PCR_UNIT("policy, trim", surpluses, never_sampled_or_no_such_knob, the_spare_chunk, above_a_threshold,
	 other_reasons, pressure_of_a_slice_is_none, holds, dry_runs)
