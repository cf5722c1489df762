// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader thread. It allocates nothing: no heap of its own is to grow for it. */
#include "loop/reader.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

struct queue {
	struct pcr_look *first;
	struct pcr_look **last;
};

struct pcr_reader {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	const struct pcr_root *root;
	void (*notify)(void *data);
	void *data;
	bool stop;
	bool waiting;		/* asked for since the last pcr_reader_go() */
	u32 pending;
	struct queue asked;
	struct queue done;
};

/* Address space, not memory: a path and a memory.stat have to fit, twice over. */
#define STACK (256 * 1024)

static void put(struct queue *q, struct pcr_look *look)
{
	look->next = NULL;
	*q->last = look;
	q->last = &look->next;
}

static struct pcr_look *take(struct queue *q)
{
	struct pcr_look *look = q->first;

	if (!look)
		return NULL;
	q->first = look->next;
	if (!q->first)
		q->last = &q->first;
	return look;
}

/* Of nice: nobody waits for figures, and a step that is started at the same time is to begin. */
#define LATER 5

static void *work(void *data)
{
	struct pcr_reader *r = data;
	struct pcr_look *look;

	/* This thread's alone. */
	(void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + LATER);
	pthread_mutex_lock(&r->lock);
	for (;;) {
		while (!r->asked.first && !r->stop)
			pthread_cond_wait(&r->wake, &r->lock);
		if (r->stop)
			break;
		look = take(&r->asked);
		pthread_mutex_unlock(&r->lock);
		pcr_look_read(r->root, look);
		pthread_mutex_lock(&r->lock);
		put(&r->done, look);
		/* Without the lock: it may well fetch what it is told of. */
		pthread_mutex_unlock(&r->lock);
		r->notify(r->data);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static int start_thread(struct pcr_reader *r)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	/* Signals are the loop's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK);
	err = pthread_create(&r->thread, &attr, work, r);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err == 0)
		(void)pthread_setname_np(r->thread, "pcr-reader");
	return -err;
}

static void discard(struct pcr_reader *r)
{
	struct pcr_look *look;

	while ((look = take(&r->asked)) || (look = take(&r->done)))
		free(look);
	pthread_cond_destroy(&r->wake);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

int pcr_reader_start(const struct pcr_root *root, void (*notify)(void *data), void *data,
		     struct pcr_reader **ret_reader)
{
	struct pcr_reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->root = root;
	r->notify = notify;
	r->data = data;
	r->asked.last = &r->asked.first;
	r->done.last = &r->done.first;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->wake, NULL);
	err = start_thread(r);
	if (err < 0) {
		discard(r);
		return err;
	}
	*ret_reader = r;
	return 0;
}

struct pcr_reader *pcr_reader_stop(struct pcr_reader *r)
{
	if (!r)
		return NULL;
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_mutex_unlock(&r->lock);
	pthread_cond_signal(&r->wake);
	pthread_join(r->thread, NULL);
	discard(r);
	return NULL;
}

void pcr_reader_ask(struct pcr_reader *r, struct pcr_look *look)
{
	pthread_mutex_lock(&r->lock);
	put(&r->asked, look);
	r->pending++;
	r->waiting = true;
	pthread_mutex_unlock(&r->lock);
}

void pcr_reader_go(struct pcr_reader *r)
{
	bool wake;

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	wake = r->waiting;
	r->waiting = false;
	pthread_mutex_unlock(&r->lock);
	if (wake)
		pthread_cond_signal(&r->wake);
}

struct pcr_look *pcr_reader_next(struct pcr_reader *r)
{
	struct pcr_look *look;

	pthread_mutex_lock(&r->lock);
	look = take(&r->done);
	if (look)
		r->pending--;
	pthread_mutex_unlock(&r->lock);
	return look;
}

u32 pcr_reader_pending(struct pcr_reader *r)
{
	u32 n;

	pthread_mutex_lock(&r->lock);
	n = r->pending;
	pthread_mutex_unlock(&r->lock);
	return n;
}
