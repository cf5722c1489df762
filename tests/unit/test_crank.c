// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/loop/crank.c: what comes first in a turn, and what waits. */
#include <semaphore.h>

#include "unit/sampler_bed.h"

#include "loop/crank.h"
#include "loop/reader.h"

static struct pcr_crank crank;
static struct pcr_ledger ledger;
static u32 records;
static sem_t outcome_told, look_told;

static void on_outcome(void *data)
{
	(void)data;
	sem_post(&outcome_told);
}

static void on_look(void *data)
{
	(void)data;
	sem_post(&look_told);
}

static void on_record(void *data, const struct pcr_record *record)
{
	(void)data;
	(void)record;
	records++;
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0)
		;
}

/* /a, whose memory.reclaim takes a write only when somebody reads it: like the kernel's, for long. */
static struct pcr_node *start(const char *text)
{
	struct pcr_node *a;

	open_bed(text);
	sem_init(&outcome_told, 0, 0);
	sem_init(&look_told, 0, 0);
	records = 0;
	a = counts("a", 20);
	fake_file(CG_MOUNT "/memory.reclaim", "");
	fake_file(CG_MOUNT "/a/memory.current", "1000000\n");
	ck_assert_int_eq(mkfifo(fake_path(CG_MOUNT "/a/memory.reclaim"), 0600), 0);
	fake_file("/proc/meminfo", "SwapFree: 4 kB\nPercpu: 100 kB\n");
	crank = (struct pcr_crank){
		.root = &fake.root, .st = &bench.st, .set = &settings, .ledger = &ledger,
		.record = on_record, .poll_usec = PCR_NEVER,
	};
	pcr_crank_probe(&crank);
	crank.sampler.slice_usec = PCR_NEVER;
	ck_assert_int_eq(pcr_worker_start(&crank.worker, &fake.root, on_outcome, NULL), 0);
	ck_assert_int_eq(pcr_reader_start(&fake.root, on_look, NULL, &crank.sampler.reader), 0);
	return a;
}

static void stop(void)
{
	pcr_worker_stop(crank.worker);
	pcr_reader_stop(crank.sampler.reader);
	close_bed();
}

static u64 turn(void)
{
	return pcr_crank_turn(&crank, bench.now);
}

/* The step under way is let go on, and its outcome awaited. */
static void let_go(void)
{
	char text[32];
	int fd = open(fake_path(CG_MOUNT "/a/memory.reclaim"), O_RDONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_gt(read(fd, text, sizeof(text)), 0);
	wait_for(&outcome_told);
	close(fd);
}

START_TEST(an_event_is_answered_in_one_turn)
{
	struct pcr_node *a = start("");

	/* Seen dying a moment ago, and never looked at. */
	suspect(a);
	bench.st.trim.sample_usec = bench.now;
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	/* Nothing is due while the worker is at it: no turn after turn. */
	ck_assert_uint_gt(turn(), bench.now);
	ck_assert(a->reap->in_flight);
	/* Percpu memory is read when a trim could begin. */
	ck_assert_uint_eq(bench.st.trim.now.percpu_bytes, NONE);
	wait_for(&look_told);
	turn();
	ck_assert_uint_eq(bench.st.trim.now.percpu_bytes, NONE);
	ck_assert_uint_eq(a->reap->pinned_bytes, 1000000);
	let_go();
	turn();
	ck_assert(!a->reap->in_flight);
	ck_assert_uint_eq(bench.st.trim.now.percpu_bytes, 100 << 10);
	stop();
}
END_TEST

/* What was seen long ago is counted again before it is acted on, in the same turn. */
START_TEST(counted_again_first)
{
	struct pcr_node *a = start("");

	suspect(a);
	turn();
	wait_for(&look_told);
	turn();
	ck_assert(!a->reap->in_flight);
	bench.now += PCR_MIN;
	counts("a", 0);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	turn();
	ck_assert(!a->reap || !a->reap->in_flight);
	stop();
}
END_TEST

START_TEST(an_end_in_the_midst_of_both)
{
	struct pcr_node *a = start("");

	suspect(a);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	turn();
	ck_assert(a->reap->in_flight);
	ck_assert_uint_ne(a->reap->look, 0);
	stop();
}
END_TEST

PCR_UNIT("crank", an_event_is_answered_in_one_turn, counted_again_first,
	 an_end_in_the_midst_of_both)
