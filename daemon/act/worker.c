// SPDX-License-Identifier: GPL-2.0-or-later
/* The worker thread. See the header for the contract. */
#include "act/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* Twice what one plan starts: a request through the socket always finds room. */
#define QUEUE (2 * PCR_PLAN_MAX)

struct item {
	const struct pcr_backend *backend;
	struct pcr_job job;
};

struct pcr_worker {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	const struct pcr_root *root;
	void (*notify)(void *data);
	void *data;
	bool stop;
	bool ended;
	u32 jobs_at, jobs;
	u32 outcomes_at, outcomes;
	u32 running;
	struct item queue[QUEUE];
	struct pcr_outcome done[QUEUE];
};

static void run(const struct pcr_worker *w, const struct item *item, struct pcr_outcome *o)
{
	switch (item->job.decision.action) {
	case PCR_ACT_REAP:
		item->backend->reap(w->root, &item->job, o);
		break;
	case PCR_ACT_TRIM:
		item->backend->trim(w->root, &item->job, o);
		break;
	default:
		item->backend->set(w->root, &item->job, o);
		break;
	}
}

/* A room for the outcome is kept free from submit on, so nothing is ever lost. */
static void *work(void *data)
{
	struct pcr_worker *w = data;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		struct pcr_outcome o = { 0 };
		struct item item;

		while (!w->jobs && !w->stop)
			pthread_cond_wait(&w->wake, &w->lock);
		if (w->stop)
			break;
		item = w->queue[w->jobs_at];
		w->jobs_at = (w->jobs_at + 1) % QUEUE;
		w->jobs--;
		w->running = 1;
		pthread_mutex_unlock(&w->lock);
		run(w, &item, &o);
		pthread_mutex_lock(&w->lock);
		w->running = 0;
		w->done[(w->outcomes_at + w->outcomes) % QUEUE] = o;
		w->outcomes++;
		/* Without the lock: it may well fetch what it is told of. */
		pthread_mutex_unlock(&w->lock);
		w->notify(w->data);
		pthread_mutex_lock(&w->lock);
	}
	w->ended = true;
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void interrupted(int sig)
{
	(void)sig;
}

int pcr_worker_start(struct pcr_worker **ret_worker, const struct pcr_root *root,
		     void (*notify)(void *data), void *data)
{
	/* No SA_RESTART: EINTR is the point. */
	struct sigaction act = { .sa_handler = interrupted };
	struct pcr_worker *w = calloc(1, sizeof(*w));
	sigset_t all, old;
	int r;

	if (!w)
		return -ENOMEM;
	w->root = root;
	w->notify = notify;
	w->data = data;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	sigaction(SIGUSR1, &act, NULL);
	/* Signals are the loop's; this thread hears only its own. */
	sigfillset(&all);
	sigdelset(&all, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&w->thread, NULL, work, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r) {
		pthread_cond_destroy(&w->wake);
		pthread_mutex_destroy(&w->lock);
		free(w);
		return -r;
	}
	pthread_setname_np(w->thread, "pcr-worker");
	*ret_worker = w;
	return 0;
}

void pcr_worker_stop(struct pcr_worker *w)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	bool ended = false;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	while (!ended) {
		/* Again and again: a signal just before the write begins is lost on it. */
		pthread_kill(w->thread, SIGUSR1);
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&w->lock);
		ended = w->ended;
		pthread_mutex_unlock(&w->lock);
	}
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

static bool able(const struct pcr_backend *backend, enum pcr_action action)
{
	switch (action) {
	case PCR_ACT_REAP:
		return backend->reap;
	case PCR_ACT_TRIM:
		return backend->trim;
	case PCR_ACT_SET:
		return backend->set;
	default:
		return false;
	}
}

int pcr_worker_submit(struct pcr_worker *w, const struct pcr_backend *backend,
		      const struct pcr_job *job)
{
	int r = PCR_FULL;

	if (!able(backend, job->decision.action))
		return PCR_NONE;
	pthread_mutex_lock(&w->lock);
	if (w->jobs + w->running + w->outcomes < QUEUE) {
		struct item *item = &w->queue[(w->jobs_at + w->jobs) % QUEUE];

		item->backend = backend;
		item->job = *job;
		w->jobs++;
		r = 0;
	}
	pthread_mutex_unlock(&w->lock);
	/* Without the lock: woken on this CPU, it would only wait for us to let go of it. */
	if (r == 0)
		pthread_cond_signal(&w->wake);
	return r;
}

bool pcr_worker_fetch(struct pcr_worker *w, struct pcr_outcome *ret_outcome)
{
	bool have;

	pthread_mutex_lock(&w->lock);
	have = w->outcomes > 0;
	if (have) {
		*ret_outcome = w->done[w->outcomes_at];
		w->outcomes_at = (w->outcomes_at + 1) % QUEUE;
		w->outcomes--;
	}
	pthread_mutex_unlock(&w->lock);
	return have;
}

u32 pcr_worker_queued(struct pcr_worker *w)
{
	u32 n;

	pthread_mutex_lock(&w->lock);
	n = w->jobs + w->running;
	pthread_mutex_unlock(&w->lock);
	return n;
}
