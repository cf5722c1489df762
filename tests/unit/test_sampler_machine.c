// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/loop/sampler.c: what is looked at when, searched for, and read of the machine. */
#include "unit/sampler_bed.h"

START_TEST(searching_goes_only_where_something_dies)
{
	open_bed("");
	counts("", 12);
	counts("quiet", 0);
	cg("quiet/x");		/* has no files: a read would be an error, and is not made */
	counts("busy", 12);
	counts("busy/a", 5);
	counts("busy/b", 0);
	pcr_sampler_search(&sampler);
	ck_assert_uint_eq(pcr_sampler_due(&sampler), 0);
	run();
	ck_assert_uint_eq(bench.st.scan_id, 0);
	ck_assert_uint_eq(own(cg("busy")), 7);
	ck_assert_uint_eq(own(cg("busy/a")), 5);
	ck_assert_uint_eq(own(bench.st.tree.root), 0);
	ck_assert_uint_eq(bench.st.n_reaps, 2);
	/* The place it has come to is removed: it ends, and does not run into nothing. */
	pcr_sampler_search(&sampler);
	bench.st.scan_id = 4711;
	run();
	ck_assert_uint_eq(bench.st.scan_id, 0);
	close_bed();
}
END_TEST

START_TEST(what_the_root_counts)
{
	open_bed("");
	counts("", 5);
	counts("a", 5);
	bench.st.root_sample_usec = bench.now;
	run();
	ck_assert_uint_eq(bench.st.dying, 5);
	/* Nobody explains them: if that lasts they are looked for, without another event. */
	ck_assert_uint_eq(bench.st.scan_id, 0);
	bench.now = pcr_sampler_due(&sampler);
	ck_assert_uint_ne(bench.now, PCR_NEVER);
	run();
	ck_assert_uint_ne(bench.st.scan_id, 0);
	run();
	ck_assert_uint_eq(own(cg("a")), 5);
	/* Found: nothing is left to wake for. */
	bench.now = bench.st.root_sample_usec;
	run();
	ck_assert_uint_eq(bench.st.root_sample_usec, PCR_NEVER);
	/* What no living cgroup explains is the root's own. */
	counts("", 9);
	bench.st.root_sample_usec = bench.now;
	for (u32 n = 0; n < 4 && bench.st.root_sample_usec != PCR_NEVER; n++) {
		bench.now = bench.st.root_sample_usec;
		run();
		while (bench.st.scan_id)
			run();
		run();
	}
	ck_assert_uint_eq(own(bench.st.tree.root), 4);
	ck_assert_uint_eq(bench.st.root_sample_usec, PCR_NEVER);
	close_bed();
}
END_TEST

/* Those that died a moment ago are looked at first: no search for what is known. */
START_TEST(the_root_comes_last)
{
	open_bed("");
	counts("", 5);
	suspect(counts("a", 5));
	sampler.scan_usec = 1;
	bench.st.root_sample_usec = bench.now;
	run();
	ck_assert_uint_eq(bench.st.dying, 5);
	ck_assert_uint_eq(bench.st.scan_id, 0);
	close_bed();
}
END_TEST

START_TEST(the_machine)
{
	open_bed("");
	bench.st.trim.sample_usec = bench.now;
	run();
	ck_assert_uint_eq(bench.st.trim.now.percpu_bytes, PCR_ABSENT);
	ck_assert_uint_eq(bench.st.trim.sample_usec, PCR_NEVER);
	fake_file("/proc/meminfo", "SwapFree: 4 kB\nPercpu: 100 kB\n");
	fake_file(PCR_PERCPU_HIGH, "4\n");
	bench.st.trim.sample_usec = bench.now;
	run();
	ck_assert_uint_eq(bench.st.trim.now.percpu_bytes, 100 << 10);
	ck_assert_uint_eq(bench.st.setting[PCR_SETTING_HIGH].seen, 4);
	/* Swap matters when a step is judged, and is not read for anything else. */
	suspect(counts("a", 200));
	run();
	ck_assert_uint_eq(bench.st.swap_free_bytes, PCR_ABSENT);
	go(cg("a"));
	reaped(cg("a"), 4096);
	bench.now = pcr_sampler_due(&sampler);
	run();
	ck_assert_uint_eq(bench.st.swap_free_bytes, 4096);
	close_bed();
}
END_TEST

/* What a question makes stale is read at most once a minute: it costs all of the machine. */
START_TEST(the_footprint)
{
	const struct pcr_footprint *f = &bench.st.footprint;

	open_bed("");
	pcr_sampler_footprint(&sampler, bench.now);
	ck_assert(!pcr_has(f->memory_bytes) && !pcr_has(f->charged_bytes));
	ck_assert(!pcr_has(f->slab_lost_bytes));
	fake_file("/proc/meminfo", "MemTotal: 1000 kB\n");
	fake_file(CG_MOUNT "/memory.stat", "anon 1\npercpu 4096\n");
	fake_file("/proc/slabinfo", "slabinfo - version: 2.1\nkmalloc-1k 1 3 1024 1 1\n");
	bench.now += PCR_MIN - 1;
	pcr_sampler_footprint(&sampler, bench.now);
	ck_assert_uint_eq(f->memory_bytes, 1000 << 10);
	ck_assert(!pcr_has(f->charged_bytes));
	bench.now++;
	pcr_sampler_footprint(&sampler, bench.now);
	ck_assert_uint_eq(f->charged_bytes, 4096);
	ck_assert_uint_eq(f->slab_lost_bytes, 2048);
	ck_assert_uint_eq(f->sampled_usec, bench.now);
	close_bed();
}
END_TEST

START_TEST(a_step_is_judged_when_its_look_is_due)
{
	struct pcr_node *a;

	open_bed("");
	a = counts("a", 200);
	suspect(a);
	run();
	go(a);
	bench.st.root_sample_usec = PCR_NEVER;
	ck_assert_uint_eq(pcr_sampler_due(&sampler), PCR_NEVER);
	reaped(a, 4096);
	counts("a", 0);
	run();
	ck_assert_uint_eq(ended, 0);
	bench.now = pcr_sampler_due(&sampler);
	run();
	ck_assert_uint_eq(ended, 1);
	close_bed();
}
END_TEST

/* v1 only has a total, so it is read anew; and a bound per parent: those it has lost. */
START_TEST(v1)
{
	struct pcr_node *a, *b;

	open_bed("");
	bench.st.v1 = true;
	a = cg("a");
	b = cg("b");
	for (int i = 0; i < 5; i++) {
		pcr_state_removed(&bench.st, cg("a/x"), bench.now);
		if (i < 2)
			pcr_state_removed(&bench.st, cg("b/x"), bench.now);
	}
	fake_file("/proc/cgroups", "memory\t9\t7\t1\n");	/* three live */
	bench.now += PCR_SEC;
	run();
	ck_assert_uint_eq(bench.st.dying, 4);
	ck_assert_uint_eq(own(a), 4);
	ck_assert_uint_eq(own(b), 2);
	fake_file("/proc/cgroups", "memory\t9\t4\t1\n");
	suspect(a);
	run();
	ck_assert_uint_eq(own(a), 1);
	/* Nothing to search for where nothing is told. */
	pcr_sampler_search(&sampler);
	ck_assert_uint_eq(bench.st.scan_id, 0);
	close_bed();
}
END_TEST

PCR_UNIT("sampler, the machine", searching_goes_only_where_something_dies, what_the_root_counts,
	 the_root_comes_last, the_machine, the_footprint, a_step_is_judged_when_its_look_is_due, v1)
