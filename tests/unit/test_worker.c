// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/act/worker.c: jobs in, outcomes out, nothing lost, and an end that does not wait for a
 * kernel. */
#include "unit/fakeroot.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include "act/worker.h"

#define QUEUE (2 * PCR_PLAN_MAX)

static sem_t told;	/* once an outcome */
static sem_t gate;	/* a job ends when it is opened */

static void notify(void *data)
{
	(void)data;
	sem_post(&told);
}

static void answer(const struct pcr_root *root, const struct pcr_job *job, struct pcr_outcome *ret)
{
	(void)root;
	*ret = (struct pcr_outcome){
		.action = job->decision.action, .target = job->decision.target,
		.asked = job->decision.amount, .freed_bytes = PCR_ABSENT,
	};
}

static void answer_at_the_gate(const struct pcr_root *root, const struct pcr_job *job,
			       struct pcr_outcome *ret)
{
	while (sem_wait(&gate) < 0)
		;
	answer(root, job, ret);
}

/* memory.reclaim at its worst: works in the writer's context and does not return. */
static void answer_never(const struct pcr_root *root, const struct pcr_job *job,
			 struct pcr_outcome *ret)
{
	answer(root, job, ret);
	ret->err = -pcr_store(root, "/never", "1");
}

static const struct pcr_backend quick = {
	.name = "quick", .reap = answer, .trim = answer, .set = answer};
static const struct pcr_backend gated = { .name = "gated", .reap = answer_at_the_gate };
static const struct pcr_backend stuck = { .name = "stuck", .reap = answer_never };

static struct pcr_worker *start(void (*fn)(void *data), void *data)
{
	struct pcr_worker *w = NULL;

	sem_init(&told, 0, 0);
	sem_init(&gate, 0, 0);
	ck_assert_int_eq(pcr_worker_start(&w, &fake.root, fn, data), 0);
	return w;
}

static int submit(struct pcr_worker *w, const struct pcr_backend *backend, enum pcr_action action,
		  u64 target)
{
	struct pcr_job job = {.decision = {.action = action, .target = target, .amount = target}};
	int r = pcr_worker_submit(w, backend, &job);

	/* A copy was taken. */
	memset(&job, 0xff, sizeof(job));
	return r;
}

START_TEST(in_order_and_by_value)
{
	struct pcr_worker *w = start(notify, NULL);
	struct pcr_outcome o;

	ck_assert(!pcr_worker_fetch(w, &o));
	for (u64 round = 0; round < 100; round++) {
		for (u64 i = 1; i <= 10; i++)
			ck_assert_int_eq(submit(w, &quick, 1 + i % 3, round * 10 + i), 0);
		for (u64 i = 1; i <= 10; i++) {
			sem_wait(&told);
			ck_assert(pcr_worker_fetch(w, &o));
			ck_assert_uint_eq(o.target, round * 10 + i);
			ck_assert_int_eq(o.action, 1 + i % 3);
		}
		ck_assert_uint_eq(pcr_worker_queued(w), 0);
	}
	ck_assert(!pcr_worker_fetch(w, &o));
	pcr_worker_stop(w);
}
END_TEST

/* What can't be carried out is said when it is handed in, not lost on the way. */
START_TEST(actions_a_backend_does_not_have)
{
	static const struct pcr_backend none = { .name = "none" };
	struct pcr_worker *w = start(notify, NULL);

	ck_assert_int_eq(submit(w, &none, PCR_ACT_REAP, 1), PCR_NONE);
	ck_assert_int_eq(submit(w, &gated, PCR_ACT_TRIM, 1), PCR_NONE);
	ck_assert_int_eq(submit(w, &gated, PCR_ACT_SET, 1), PCR_NONE);
	ck_assert_int_eq(submit(w, &quick, PCR_ACT_NONE, 1), PCR_NONE);
	ck_assert_int_eq(submit(w, &quick, _PCR_ACT_MAX, 1), PCR_NONE);
	ck_assert_uint_eq(pcr_worker_queued(w), 0);
	pcr_worker_stop(w);
}
END_TEST

/* Waiting, running and done share one bound, so that there is room for every outcome. */
START_TEST(full)
{
	struct pcr_worker *w = start(notify, NULL);
	struct pcr_outcome o;
	u64 next = 1;

	while (submit(w, &gated, PCR_ACT_REAP, next) == 0)
		next++;
	ck_assert_uint_eq(next - 1, QUEUE);
	ck_assert_int_eq(submit(w, &gated, PCR_ACT_REAP, next), PCR_FULL);
	/* Done but not fetched: still full. */
	sem_post(&gate);
	sem_wait(&told);
	ck_assert_uint_eq(pcr_worker_queued(w), QUEUE - 1);
	ck_assert_int_eq(submit(w, &gated, PCR_ACT_REAP, next), PCR_FULL);
	ck_assert(pcr_worker_fetch(w, &o));
	ck_assert_int_eq(submit(w, &gated, PCR_ACT_REAP, next), 0);
	for (u64 i = 2; i <= next; i++) {
		sem_post(&gate);
		sem_wait(&told);
		ck_assert(pcr_worker_fetch(w, &o));
		ck_assert_uint_eq(o.target, i);
	}
	pcr_worker_stop(w);
}
END_TEST

static struct pcr_worker *told_of;
static u32 fetched;

static void fetch_at_once(void *data)
{
	struct pcr_outcome o;

	(void)data;
	while (pcr_worker_fetch(told_of, &o))
		fetched++;
	sem_post(&told);
}

START_TEST(an_outcome_may_be_fetched_by_whom_it_is_told)
{
	struct pcr_worker *w = start(fetch_at_once, NULL);

	told_of = w;
	fetched = 0;
	for (u64 i = 0; i < QUEUE; i++)
		ck_assert_int_eq(submit(w, &quick, PCR_ACT_REAP, i), 0);
	for (u64 i = 0; i < QUEUE; i++)
		sem_wait(&told);
	ck_assert_uint_eq(fetched, QUEUE);
	pcr_worker_stop(w);
}
END_TEST

START_TEST(stopping_interrupts_what_blocks)
{
	char fill[4096] = "";
	struct pcr_worker *w;
	int fd;

	fake_open();
	ck_assert_int_eq(mkfifo(fake_path("/never"), 0600), 0);
	fd = open(fake_path("/never"), O_RDWR | O_NONBLOCK);
	while (write(fd, fill, sizeof(fill)) > 0)
		;
	w = start(notify, NULL);
	for (u64 i = 0; i < 5; i++)
		ck_assert_int_eq(submit(w, &stuck, PCR_ACT_REAP, i), 0);
	usleep(20000);
	ck_assert_uint_eq(pcr_worker_queued(w), 5);
	/* Would block for ever; what waits behind it is not begun. */
	pcr_worker_stop(w);
	close(fd);
	fake_close();
}
END_TEST

START_TEST(starting_and_stopping)
{
	for (int i = 0; i < 50; i++) {
		struct pcr_worker *w = start(notify, NULL);

		if (i % 2)
			submit(w, &quick, PCR_ACT_REAP, 1);
		pcr_worker_stop(w);
	}
	pcr_worker_stop(NULL);
}
END_TEST

static sigset_t seen_mask;

static void note_mask(const struct pcr_root *root, const struct pcr_job *job,
		      struct pcr_outcome *ret)
{
	pthread_sigmask(SIG_SETMASK, NULL, &seen_mask);
	answer(root, job, ret);
}

/* SIGTERM and SIGHUP are the loop's: a thread that took them would swallow them. */
START_TEST(signals_are_the_loops)
{
	static const struct pcr_backend looks = { .name = "looks", .reap = note_mask };
	struct pcr_worker *w = start(notify, NULL);
	sigset_t own;

	ck_assert_int_eq(submit(w, &looks, PCR_ACT_REAP, 1), 0);
	sem_wait(&told);
	ck_assert(sigismember(&seen_mask, SIGTERM) && sigismember(&seen_mask, SIGHUP));
	ck_assert(sigismember(&seen_mask, SIGCHLD) && !sigismember(&seen_mask, SIGUSR1));
	pthread_sigmask(SIG_SETMASK, NULL, &own);
	ck_assert(!sigismember(&own, SIGTERM));
	pcr_worker_stop(w);
}
END_TEST

PCR_UNIT("worker", in_order_and_by_value, actions_a_backend_does_not_have, full,
	 an_outcome_may_be_fetched_by_whom_it_is_told, stopping_interrupts_what_blocks,
	 starting_and_stopping, signals_are_the_loops)
