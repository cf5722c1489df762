// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/loop/reader.c, look.c: what takes long to read, read elsewhere; and what the loop makes
 * of it when the world has changed meanwhile. */
#include <semaphore.h>

#include "unit/sampler_bed.h"

#include "loop/reader.h"

static sem_t told;	/* once a look */

static void notify(void *data)
{
	(void)data;
	sem_post(&told);
}

static void start(const char *text)
{
	open_bed(text);
	sem_init(&told, 0, 0);
	ck_assert_int_eq(pcr_reader_start(&fake.root, notify, NULL, &sampler.reader), 0);
}

static void stop(void)
{
	sampler.reader = pcr_reader_stop(sampler.reader);
	close_bed();
}

static void wait_told(void)
{
	pcr_reader_go(sampler.reader);
	while (sem_wait(&told) < 0)
		;
}

/* The look asked for is done, and taken in. */
static void take_in(void)
{
	wait_told();
	run();
}

/* /a with so many dying, and these figures of its own. */
static struct pcr_node *figures(u64 total, const char *current, const char *stat)
{
	struct pcr_node *a = counts("a", total);

	fake_file(CG_MOUNT "/a/memory.current", current);
	fake_file(CG_MOUNT "/a/memory.stat", stat);
	return a;
}

#define STAT "shmem 400000\nworkingset_refault_anon 1\nworkingset_refault_file 9\n" \
	     "file_dirty 5\nfile_writeback 6\n"

static struct pcr_node *known(u64 total)
{
	struct pcr_node *a = figures(total, "1000000\n", STAT);

	suspect(a);
	run();
	take_in();
	ck_assert_uint_eq(own(a), total);
	return a;
}

START_TEST(a_look_holds_all_it_needs)
{
	struct pcr_look *look;

	open_bed("");
	cg("a/x");
	figures(3, "1000000\n", STAT);
	fake_file(CG_MOUNT "/a/x/memory.current", "300000\n");
	fake_file(CG_MOUNT "/a/x/memory.stat", "shmem 100000\n");
	look = pcr_look_new(cg("a"), true);
	/* Nothing of the tree is needed any more. */
	pcr_state_removed(&bench.st, cg("a/x"), bench.now);
	pcr_state_removed(&bench.st, cg("a"), bench.now);
	pcr_look_read(&fake.root, look);
	ck_assert_int_eq(look->r, 0);
	ck_assert(look->own.controller);
	ck_assert_uint_eq(look->own.current_bytes, 1000000);
	ck_assert_uint_eq(look->own.refaults, 10);
	ck_assert_uint_eq(look->own.dirty_bytes, 11);
	ck_assert_uint_eq(look->pinned_bytes, 700000);
	ck_assert_uint_eq(look->pinned_shmem_bytes, 300000);
	free(look);

	/* One that can't be read may have been gone, or hold the rest: not told. */
	cg("a/y");
	look = pcr_look_new(cg("a"), true);
	pcr_look_read(&fake.root, look);
	ck_assert_int_eq(look->r, 0);
	ck_assert_uint_eq(look->pinned_bytes, NONE);
	free(look);

	/* The root's path is empty, its children's names are not. */
	fake_file(CG_MOUNT "/b/memory.current", "1\n");
	fake_file(CG_MOUNT "/memory.stat", "shmem 400008\n");
	fake_file(CG_MOUNT "/b/memory.stat", "shmem 3\n");
	cg("b");
	look = pcr_look_new(bench.st.tree.root, true);
	pcr_look_read(&fake.root, look);
	ck_assert_uint_eq(look->pinned_bytes, NONE);
	ck_assert_uint_eq(look->pinned_shmem_bytes, 5);
	free(look);
	close_bed();
}
END_TEST

START_TEST(in_order_and_none_lost)
{
	struct pcr_look *look;

	start("");
	known(1);
	for (u64 i = 1; i <= 100; i++) {
		look = pcr_look_new(cg("a"), false);
		look->serial = i;
		pcr_reader_ask(sampler.reader, look);
	}
	ck_assert_uint_eq(pcr_reader_pending(sampler.reader), 100);
	for (u64 i = 1; i <= 100; i++) {
		wait_told();
		look = pcr_reader_next(sampler.reader);
		ck_assert_uint_eq(look->serial, i);
		ck_assert_uint_eq(look->own.current_bytes, 1000000);
		ck_assert_uint_eq(look->pinned_bytes, NONE);
		free(look);
	}
	ck_assert_ptr_null(pcr_reader_next(sampler.reader));
	ck_assert_uint_eq(pcr_reader_pending(sampler.reader), 0);
	stop();
}
END_TEST

START_TEST(an_end_with_looks_pending)
{
	start("");
	known(1);
	for (int i = 0; i < 1000; i++)
		pcr_reader_ask(sampler.reader, pcr_look_new(cg("a"), true));
	pcr_reader_go(sampler.reader);
	stop();
	ck_assert_ptr_null(pcr_reader_stop(NULL));
}
END_TEST

/* How many are dying is acted on before the rest is read, at the first look as well. */
START_TEST(the_first_look)
{
	struct pcr_node *a;

	start("");
	a = figures(200, "1000000\n", STAT);
	bench.st.root_sample_usec = bench.now;
	counts("", 200);
	suspect(a);
	run();
	ck_assert_uint_eq(own(a), 200);
	ck_assert(decide(a).act);
	/* Not known, which is not 0. */
	ck_assert_uint_eq(a->reap->pinned_bytes, NONE);
	ck_assert_uint_eq(a->reap->refaults, NONE);
	/* Nothing to do but to wait for it: not for the root's count either. */
	ck_assert_uint_eq(pcr_sampler_due(&sampler), PCR_NEVER);
	ck_assert_uint_eq(bench.st.dying, NONE);
	take_in();
	ck_assert_uint_eq(own(a), 200);
	ck_assert_uint_eq(a->reap->pinned_bytes, 1000000);
	ck_assert_uint_eq(bench.st.dying, 200);
	stop();
}
END_TEST

/* What an event asks for does not wait for figures: how many are dying is quickly read. */
START_TEST(what_is_known_is_acted_on_at_once)
{
	struct pcr_node *a;

	start("");
	a = known(20);
	bench.now += PCR_MIN;
	figures(30, "2000000\n", "workingset_refault_anon 0\nworkingset_refault_file 100\n");
	ck_assert_int_eq(pcr_sampler_look(&sampler, a, false, bench.now), PCR_PART);
	ck_assert_uint_eq(own(a), 30);
	ck_assert_uint_eq(a->reap->sampled_usec, bench.now);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	go(a);
	/* The old figures are no start to measure from, those on their way are. */
	ck_assert_uint_eq(a->reap->series.refaults_start, NONE);
	counts("a", 7);
	take_in();
	ck_assert_uint_eq(a->reap->series.refaults_start, 100);
	/* The step is not over: its outcome says when to count. */
	ck_assert_uint_eq(own(a), 30);
	ck_assert_uint_eq(a->reap->dying_before_step, 30);
	/* Asked again while it is under way: once is enough. */
	ck_assert_uint_eq(pcr_reader_pending(sampler.reader), 0);
	stop();
}
END_TEST

START_TEST(asked_for_once)
{
	struct pcr_node *a;

	start("");
	a = known(20);
	bench.now += PCR_MIN;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pcr_sampler_look(&sampler, a, false, bench.now), PCR_PART);
	suspect(a);
	ck_assert_uint_eq(pcr_reader_pending(sampler.reader), 1);
	ck_assert_uint_eq(pcr_sampler_due(&sampler), PCR_NEVER);
	take_in();
	ck_assert_uint_eq(a->reap->look, 0);
	stop();
}
END_TEST

/* A look from before the step's end says nothing of the step. */
START_TEST(a_step_is_judged_by_a_look_of_its_own)
{
	struct pcr_node *a;

	start("");
	a = known(200);
	bench.now += PCR_MIN;
	ck_assert_int_eq(pcr_sampler_look(&sampler, a, false, bench.now), PCR_PART);
	go(a);
	reaped(a, 4096);
	/* Nothing to do but to wait for the one under way, however long that takes. */
	bench.now = a->reap->sample_usec + 1;
	run();
	ck_assert_uint_eq(pcr_sampler_due(&sampler), PCR_NEVER);
	ck_assert_uint_eq(decide(a).evidence.until_usec, PCR_NEVER);
	wait_told();
	counts("a", 0);
	run();
	/* Taken in, and its own asked for in the same run. */
	ck_assert_uint_eq(ended, 0);
	ck_assert(a->reap->settling);
	ck_assert_uint_ne(a->reap->look, 0);
	take_in();
	ck_assert_uint_eq(ended, 1);
	stop();
}
END_TEST

static void remove_files(void)
{
	fake_gone(CG_MOUNT "/a/cgroup.stat");
	fake_gone(CG_MOUNT "/a/memory.stat");
	fake_gone(CG_MOUNT "/a/memory.current");
}

/* koordinator 2408: gone between the question and the answer, the event still on its way. */
START_TEST(gone_before_anybody_tells)
{
	struct pcr_node *a;

	start("");
	a = known(20);
	bench.now += PCR_MIN;
	suspect(a);
	run();
	wait_told();
	remove_files();
	run();
	ck_assert_uint_eq(a->reap->look, 0);
	ck_assert_uint_eq(a->reap->sample_usec, bench.now + PCR_MIN);
	stop();
}
END_TEST

START_TEST(gone_while_a_step_runs)
{
	struct pcr_look *look;
	struct pcr_node *a;

	start("");
	a = known(200);
	go(a);
	remove_files();
	look = pcr_look_new(a, false);
	pcr_look_read(&fake.root, look);
	ck_assert_int_eq(pcr_sampler_answer(&sampler, a, look, bench.now), 0);
	ck_assert_uint_eq(own(a), 200);
	ck_assert_ptr_null(bench.st.tree.root->reap);
	free(look);
	stop();
}
END_TEST

START_TEST(removed_and_made_anew)
{
	struct pcr_node *a;

	start("");
	a = known(20);
	bench.now += PCR_MIN;
	suspect(a);
	run();
	wait_told();
	pcr_state_removed(&bench.st, a, bench.now);
	run();
	/* The same name, or the same cgroup with nothing known of it: not its answer. */
	suspect(cg("a"));
	cg("a")->reap->sample_usec = PCR_NEVER;
	run();
	ck_assert_uint_eq(own(cg("a")), 0);
	ck_assert_uint_eq(cg("a")->reap->sampled_usec, 0);
	stop();
}
END_TEST

START_TEST(a_reload_between)
{
	struct pcr_node *a;

	start("");
	a = figures(30, "1000000\n", STAT);
	suspect(a);
	run();
	bench_reload("[Percpu]\nReapAbove=10\n");
	settings = bench.set;
	take_in();
	ck_assert_uint_eq(own(a), 30);
	/* Held against the threshold that is in force when it comes. */
	ck_assert_uint_eq(a->reap->above_since_usec, bench.now);
	ck_assert(decide(a).act);
	stop();
}
END_TEST

/* However many want a look: so many are with the reader at a time, and the loop sleeps. */
START_TEST(a_bounded_number_is_asked_for)
{
	const struct pcr_list *pos;
	u32 seen = 0;

	start("");
	for (int i = 0; i < 200; i++) {
		char path[16];

		snprintf(path, sizeof(path), "s%d", i);
		suspect(counts(path, 1));
	}
	run();
	ck_assert_uint_le(pcr_reader_pending(sampler.reader), PCR_SAMPLER_BUDGET);
	for (int i = 0; i < 200; i++)
		take_in();
	run();
	pcr_list_for(pos, &bench.st.reaps)
		seen += pcr_container_of(pos, struct pcr_reap, link)->dying == 1;
	ck_assert_uint_eq(seen, 200);
	ck_assert_uint_eq(pcr_sampler_due(&sampler), PCR_NEVER);
	stop();
}
END_TEST

/* The controller was switched off: the next one up has to be asked. */
START_TEST(without_the_controller)
{
	struct pcr_node *a;

	start("");
	a = known(20);
	bench.now += PCR_MIN;
	fake_gone(CG_MOUNT "/a/memory.stat");
	suspect(a);
	run();
	take_in();
	ck_assert_uint_eq(own(a), 0);
	ck_assert_ptr_nonnull(bench.st.tree.root->reap);

	/* Never was on: nothing is to be tried there. */
	suspect(a);
	run();
	ck_assert_uint_eq(own(a), 0);
	take_in();
	ck_assert_uint_eq(own(a), 0);
	stop();
}
END_TEST

PCR_UNIT("reader", a_look_holds_all_it_needs, in_order_and_none_lost, an_end_with_looks_pending,
	 the_first_look, what_is_known_is_acted_on_at_once, asked_for_once,
	 a_step_is_judged_by_a_look_of_its_own, gone_before_anybody_tells, gone_while_a_step_runs,
	 removed_and_made_anew, a_reload_between, a_bounded_number_is_asked_for,
	 without_the_controller)
