// SPDX-License-Identifier: GPL-2.0-or-later
/* Help for exits: from samples to limits, and to what the settings want written. */
#include "unit/model_bench.h"

#include <errno.h>

#define NODE(n) (PCR_SETTING_NODE + (n))

static struct pcr_batch_sample counters[4];

static void open_batch(const char *settings, u32 nodes)
{
	bench_open(settings);
	bench.st.batch.there = true;
	ck_assert_int_eq(pcr_state_batch_nodes(&bench.st, nodes), 0);
	for (u32 i = 0; i < nodes; i++) {
		memset(&counters[i], 0, sizeof(counters[i]));
		counters[i].max_active = 2;
		counters[i].cpus = 16;
		pcr_state_batch_node(&bench.st, i, &counters[i], bench.now);
	}
	pcr_state_setting_sample(&bench.st, PCR_SETTING_MIN_RSS, 64);
	pcr_state_setting_sample(&bench.st, PCR_SETTING_MAX_PENDING, 64);
	pcr_state_setting_sample(&bench.st, PCR_SETTING_BATCH, 0);
}

static struct pcr_decision decide_setting(u32 which)
{
	struct pcr_decision d;

	pcr_policy_setting(&bench.st, bench.set, which, bench.now, &d);
	return d;
}

/* What is wanted is written, and the kernel takes it or not. True where it is told of. */
static bool write_setting(u32 which, int err)
{
	struct pcr_decision d = decide_setting(which);
	bool told;

	ck_assert_msg(d.act, "held: %s", pcr_reason_name(d.why));
	pcr_state_started(&bench.st, bench.set, &d, bench.now);
	told = outcome(&(struct pcr_outcome){ .action = PCR_ACT_SET, .setting = which,
					      .asked = d.amount, .err = err,
					      .freed_bytes = PCR_ABSENT });
	if (which >= PCR_SETTING_NODE && !err)
		counters[which - PCR_SETTING_NODE].max_active = d.amount;
	return told;
}

/* An exit with so many pages on each of the first two nodes, and what comes of it. */
static bool an_exit(u64 pages0, u64 pages1, u64 usec)
{
	bool told = false;
	u64 pages[2] = { pages0, pages1 };

	bench.now += PCR_SEC;
	for (u32 i = 0; i < bench.st.batch.n_nodes && i < 2; i++) {
		counters[i].exit_pages += pages[i];
		counters[i].exit_usec += usec * pages[i] / (pages0 + pages1);
		counters[i].worker_usec += usec;
		pcr_state_batch_node(&bench.st, i, &counters[i], bench.now);
	}
	for (u32 i = 0; i < bench.st.batch.n_nodes; i++)
		told |= pcr_state_batch_climb(&bench.st, bench.set, i, bench.now, &bench.rec);
	return told;
}

START_TEST(off_wants_nothing)
{
	open_batch("", 2);
	for (u32 i = _PCR_SETTING_PERCPU; i < pcr_settings_end(&bench.st); i++)
		ck_assert_int_eq(decide_setting(i).why, PCR_WHY_OFF);
	/* Nor is anything looked for. */
	for (int i = 0; i < 10; i++)
		ck_assert(!an_exit(1000000, 0, PCR_SEC));
	ck_assert_uint_eq(bench.st.batch.node[0].climber.exits, 0);
	bench_close();
}
END_TEST

START_TEST(numbers_of_the_settings)
{
	struct pcr_plan plan;

	open_batch("[BatchFree]\nEnabled=yes\nMinRSS=1000000001\nMaxPending=8M\nMaxActive=6\n"
		   "[BatchFree node1]\nMaxActive=3\n", 3);
	ck_assert_uint_eq(decide_setting(PCR_SETTING_MIN_RSS).amount, 954);
	ck_assert_uint_eq(decide_setting(PCR_SETTING_MAX_PENDING).amount, 8);
	ck_assert_uint_eq(decide_setting(PCR_SETTING_BATCH).amount, 1);
	ck_assert_uint_eq(decide_setting(NODE(0)).amount, 6);
	ck_assert_uint_eq(decide_setting(NODE(1)).amount, 3);
	pcr_policy_eval(&bench.st, bench.set, bench.now, &plan);
	ck_assert_uint_eq(plan.n, 6);
	ck_assert(write_setting(NODE(1), 0));
	ck_assert_str_eq(pcr_setting_knob(NODE(1)),
			 "/sys/devices/virtual/workqueue/batch_free_node1/max_active");
	bench_reload("");
	ck_assert_int_eq(decide_setting(NODE(1)).why, PCR_WHY_RESTORE);
	ck_assert_uint_eq(decide_setting(NODE(1)).amount, 2);
	bench_close();
}
END_TEST

/* One line for what it comes to, none for a step on the way. */
START_TEST(a_search_is_told_of_once)
{
	char text[400];
	u32 told = 0, steps = 0;

	open_batch("[BatchFree]\nEnabled=yes\n", 1);
	ck_assert(write_setting(PCR_SETTING_BATCH, 0));
	for (int i = 0; i < 20; i++) {
		u64 limit = counters[0].max_active;

		told += an_exit(1000000, 0, limit == 8 ? PCR_SEC : 2 * PCR_SEC / limit * 2);
		if (decide_setting(NODE(0)).act) {
			ck_assert(!write_setting(NODE(0), 0));
			steps++;
		}
	}
	ck_assert_uint_eq(told, 1);
	ck_assert_uint_ge(steps, 1);
	ck_assert_uint_eq(bench.st.totals.actions, 2);
	pcr_record_text(text, sizeof(text), pcr_state_history(&bench.st, 0));
	ck_assert_msg(strstr(text, "batch_free_node0/max_active: 4 instead of 2, the best after "),
		      "%s", text);
	ck_assert_int_eq(decide_setting(NODE(0)).why, PCR_WHY_NOTHING);
	bench_close();
}
END_TEST

/* Without any workers for a few exits, and for good where that is no worse. */
START_TEST(what_workers_are_worth)
{
	for (u64 alone = 2; alone <= 4; alone += 2) {
		bool gains = alone == 4;
		u32 told = 0;

		open_batch("[BatchFree]\nEnabled=yes\nMaxPending=64M\n", 1);
		counters[0].cpus = 2;
		for (int i = 0; i < 30; i++) {
			bool helped = bench.st.setting[PCR_SETTING_MAX_PENDING].seen;

			/* With one worker as with two: so one. */
			told += an_exit(1000000, 0, (helped ? 2 : alone) * PCR_SEC);
			for (u32 s = PCR_SETTING_MAX_PENDING; s <= NODE(0); s++)
				if (s != PCR_SETTING_BATCH && decide_setting(s).act)
					told += write_setting(s, 0);
		}
		ck_assert_uint_eq(counters[0].max_active, 1);
		ck_assert_uint_eq(bench.st.setting[PCR_SETTING_MAX_PENDING].seen, gains ? 64 : 0);
		/* The limit it settled for, or that workers are left out. */
		ck_assert_uint_eq(told, 1);
		ck_assert_int_eq(pcr_state_history(&bench.st, 0)->why,
				 gains ? PCR_WHY_SETTLED : PCR_WHY_NO_GAIN);
		ck_assert_uint_eq(pcr_state_history(&bench.st, 0)->threshold, 1000000 / alone);
		ck_assert_uint_eq(bench.st.batch.node[0].climber.without.n >= 3, true);
		/* Off: as it was found. */
		bench_reload("");
		if (!gains)
			ck_assert_uint_eq(decide_setting(PCR_SETTING_MAX_PENDING).amount, 64);
		bench_close();
	}
}
END_TEST

/* The other node's workers are worth it: nobody is left without. */
START_TEST(one_node_gains_and_one_does_not)
{
	open_batch("[BatchFree]\nEnabled=yes\n[BatchFree node1]\nMaxActive=4\n", 2);
	bench.st.batch.node[0].climber.phase = PCR_CLIMB_SETTLED;
	bench.st.batch.node[0].climber.idle = true;
	ck_assert(!pcr_batch_alone(&bench.st, bench.set, false));
	bench_reload("[BatchFree]\nEnabled=yes\n");
	/* One that has seen no exit has no say. */
	ck_assert(pcr_batch_alone(&bench.st, bench.set, false));
	an_exit(1, 1000000, PCR_SEC);
	ck_assert(!pcr_batch_alone(&bench.st, bench.set, false));
	bench.st.batch.node[1].climber.phase = PCR_CLIMB_WITHOUT;
	ck_assert(pcr_batch_alone(&bench.st, bench.set, false));
	ck_assert(!pcr_batch_alone(&bench.st, bench.set, true));
	bench_close();
}
END_TEST

/* Most pages lay on node 0: its workers made the time, and node 1 learns nothing from it. */
START_TEST(an_exit_of_another_node)
{
	open_batch("[BatchFree]\nEnabled=yes\n", 2);
	an_exit(1000000, 10000, PCR_SEC);
	ck_assert_uint_eq(bench.st.batch.node[0].climber.exits, 1);
	ck_assert_uint_eq(bench.st.batch.node[1].climber.exits, 0);
	an_exit(1000000, 1000000, PCR_SEC);
	ck_assert_uint_eq(bench.st.batch.node[0].climber.exits, 2);
	ck_assert_uint_eq(bench.st.batch.node[1].climber.exits, 1);
	/* Counters that step back, or none at all, say nothing. */
	counters[0].exit_pages = 5;
	pcr_state_batch_node(&bench.st, 0, &counters[0], bench.now);
	ck_assert(!pcr_state_batch_climb(&bench.st, bench.set, 0, bench.now, &bench.rec));
	counters[0].exit_usec = PCR_ABSENT;
	an_exit(1000000, 0, PCR_SEC);
	ck_assert_uint_eq(bench.st.batch.node[0].climber.exits, 2);
	bench_close();
}
END_TEST

/* Field report 20: a refused value is not lost, and not asked for again and again. */
START_TEST(a_limit_that_is_refused)
{
	open_batch("[BatchFree]\nEnabled=yes\n", 1);
	for (int i = 0; i < 20 && !decide_setting(NODE(0)).act; i++)
		an_exit(1000000, 0, PCR_SEC);
	ck_assert_uint_eq(decide_setting(NODE(0)).amount, 4);
	ck_assert(write_setting(NODE(0), EINVAL));
	ck_assert_int_eq(bench.rec.stop, PCR_STOP_ERROR);
	/* It looks among those that are left. */
	ck_assert_uint_eq(bench.st.batch.node[0].climber.cap, 3);
	ck_assert(!decide_setting(NODE(0)).act);
	for (int i = 0; i < 20; i++)
		an_exit(1000000, 0, PCR_SEC);
	ck_assert_uint_lt(decide_setting(NODE(0)).amount, 4);
	pcr_state_settings_anew(&bench.st);
	an_exit(1000000, 0, PCR_SEC);
	ck_assert_uint_eq(bench.st.batch.node[0].climber.cap, 16);
	bench_close();
}
END_TEST

/* One that can't be written at all: told once, and the search stays where it is. */
START_TEST(a_limit_that_is_read_only)
{
	open_batch("[BatchFree]\nEnabled=yes\n", 1);
	for (int i = 0; i < 20 && !decide_setting(NODE(0)).act; i++)
		an_exit(1000000, 0, PCR_SEC);
	ck_assert(write_setting(NODE(0), EROFS));
	for (int i = 0; i < 50; i++) {
		an_exit(1000000, 0, PCR_SEC);
		ck_assert_int_eq(decide_setting(NODE(0)).why, PCR_WHY_REFUSED);
	}
	bench_close();
}
END_TEST

START_TEST(another_program_sets_a_limit)
{
	open_batch("[BatchFree]\nEnabled=yes\nMaxActive=4\n", 1);
	write_setting(NODE(0), 0);
	counters[0].max_active = 7;
	an_exit(1000000, 0, PCR_SEC);
	ck_assert_int_eq(decide_setting(NODE(0)).why, PCR_WHY_FOREIGN);
	/* Ours again, by its doing. */
	counters[0].max_active = 4;
	an_exit(1000000, 0, PCR_SEC);
	ck_assert_int_eq(decide_setting(NODE(0)).why, PCR_WHY_NOTHING);
	bench_close();
}
END_TEST

static void cpu(u64 bp)
{
	bench.now += PCR_SEC;
	pcr_state_batch_cpu(&bench.st, bench.set, bp, bench.now);
}

START_TEST(pauses_while_cpus_are_short)
{
	open_batch("[BatchFree]\nEnabled=yes\n[Pressure]\nHold=10s\n", 1);
	write_setting(PCR_SETTING_BATCH, 0);
	cpu(6000);
	ck_assert_int_eq(decide_setting(PCR_SETTING_BATCH).why, PCR_WHY_NOTHING);
	cpu(6001);
	ck_assert_int_eq(decide_setting(PCR_SETTING_BATCH).why, PCR_WHY_CPU_PRESSURE);
	ck_assert_uint_eq(decide_setting(PCR_SETTING_BATCH).amount, 0);
	ck_assert_uint_eq(bench.st.batch.sample_usec, bench.now + 10 * PCR_SEC);
	ck_assert(write_setting(PCR_SETTING_BATCH, 0));
	/* What exits now is no measure. */
	an_exit(1000000, 0, PCR_SEC);
	ck_assert_uint_eq(bench.st.batch.node[0].climber.exits, 0);
	cpu(4501);
	ck_assert_int_eq(decide_setting(PCR_SETTING_BATCH).why, PCR_WHY_NOTHING);
	/* Memory that is free sooner is worth it. */
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	ck_assert_uint_eq(decide_setting(PCR_SETTING_BATCH).amount, 1);
	write_setting(PCR_SETTING_BATCH, 0);
	ck_assert_uint_eq(decide_setting(PCR_SETTING_BATCH).evidence.until_usec,
			  bench.now + 60 * PCR_SEC);
	bench.now += 61 * PCR_SEC;
	ck_assert_uint_eq(decide_setting(PCR_SETTING_BATCH).amount, 0);
	write_setting(PCR_SETTING_BATCH, 0);
	cpu(4500);
	ck_assert_uint_eq(decide_setting(PCR_SETTING_BATCH).amount, 1);
	ck_assert_uint_eq(bench.st.batch.sample_usec, PCR_NEVER);
	/* Not told: no reason to pause. */
	cpu(PCR_ABSENT);
	ck_assert_uint_eq(bench.st.batch.paused_usec, 0);
	bench_close();
}
END_TEST

/* More workers that gain little for much CPU are for when memory is short. */
START_TEST(goes_higher_under_memory_pressure)
{
	static const u64 msec[] = { 0, 3100, 2440, 0, 2070, 0, 0, 0, 1980, 0, 0, 0, 0, 0, 0, 0, 2010 };

	open_batch("[BatchFree]\nEnabled=yes\n", 1);
	for (int i = 0; i < 20; i++) {
		u64 usec = msec[counters[0].max_active] * PCR_MSEC;

		counters[0].worker_usec += usec * (counters[0].max_active - 1);
		an_exit(31000000, 0, usec);
		if (decide_setting(NODE(0)).act)
			write_setting(NODE(0), 0);
	}
	ck_assert_uint_eq(counters[0].max_active, 4);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	ck_assert_int_eq(decide_setting(NODE(0)).why, PCR_WHY_PRESSURE);
	ck_assert_uint_eq(decide_setting(NODE(0)).amount, 8);
	ck_assert(write_setting(NODE(0), 0));
	bench.now += 61 * PCR_SEC;
	ck_assert_uint_eq(decide_setting(NODE(0)).amount, 4);
	bench_close();
}
END_TEST

START_TEST(nodes_come_and_go)
{
	open_batch("[BatchFree]\nEnabled=yes\nMaxActive=4\n", 1);
	ck_assert_int_eq(pcr_state_batch_nodes(&bench.st, 4), 0);
	ck_assert_uint_eq(pcr_settings_end(&bench.st), NODE(4));
	/* A number without a node. */
	ck_assert_int_eq(decide_setting(NODE(2)).why, PCR_WHY_NO_KNOB);
	counters[3] = counters[0];
	pcr_state_batch_node(&bench.st, 3, &counters[3], bench.now);
	ck_assert_uint_eq(decide_setting(NODE(3)).amount, 4);
	write_setting(NODE(3), 0);
	pcr_state_batch_node_gone(&bench.st, 3);
	ck_assert_int_eq(decide_setting(NODE(3)).why, PCR_WHY_NO_KNOB);
	ck_assert_int_eq(pcr_state_batch_nodes(&bench.st, PCR_NODES_MAX), 0);
	ck_assert_int_eq(pcr_state_batch_nodes(&bench.st, PCR_NODES_MAX + 1), -E2BIG);
	for (u32 i = 0; i < PCR_NODES_MAX; i++) {
		char knob[96];

		snprintf(knob, sizeof(knob), PCR_BATCH_QUEUE "%u/max_active", i);
		ck_assert_str_eq(pcr_setting_knob(NODE(i)), knob);
		ck_assert_uint_lt(strlen(knob), sizeof(((struct pcr_outcome *)0)->knob));
	}
	bench_close();
}
END_TEST

PCR_UNIT("batch model", off_wants_nothing, numbers_of_the_settings, a_search_is_told_of_once,
	 what_workers_are_worth, one_node_gains_and_one_does_not,
	 an_exit_of_another_node, a_limit_that_is_refused, a_limit_that_is_read_only,
	 another_program_sets_a_limit, pauses_while_cpus_are_short,
	 goes_higher_under_memory_pressure, nodes_come_and_go)
