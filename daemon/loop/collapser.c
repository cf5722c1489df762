// SPDX-License-Identifier: GPL-2.0-or-later
/* The collapse thread. It sleeps until there is a round to do. */
#include "loop/collapser.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct pcr_collapser {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	void (*notify)(void *data);
	void *data;
	bool stop;
	struct pcr_hands *hands;
	struct pcr_round *asked;
	struct pcr_round *done;
};

struct pcr_round *pcr_round_new(u32 n)
{
	struct pcr_round *round = calloc(1, sizeof(*round) + n * sizeof(round->chore[0]));

	if (round)
		round->n = n;
	return round;
}

static void *work(void *data)
{
	struct pcr_collapser *c = data;
	struct pcr_round *round;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (!c->asked && !c->stop)
			pthread_cond_wait(&c->wake, &c->lock);
		if (c->stop)
			break;
		round = c->asked;
		c->asked = NULL;
		pthread_mutex_unlock(&c->lock);
		pcr_hands_do(c->hands, round);
		pthread_mutex_lock(&c->lock);
		c->done = round;
		/* Without the lock: it may well fetch what it is told of. */
		pthread_mutex_unlock(&c->lock);
		c->notify(c->data);
		pthread_mutex_lock(&c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static int start_thread(struct pcr_collapser *c)
{
	sigset_t all, old;
	int err;

	/* Signals are the loop's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&c->thread, NULL, work, c);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err == 0)
		(void)pthread_setname_np(c->thread, "pcr-collapse");
	return -err;
}

static void discard(struct pcr_collapser *c)
{
	free(c->asked);
	free(c->done);
	(void)pcr_hands_free(c->hands);
	pthread_cond_destroy(&c->wake);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

int pcr_collapser_start(const struct pcr_root *root, void (*notify)(void *data), void *data,
			struct pcr_collapser **ret_collapser)
{
	struct pcr_collapser *c = calloc(1, sizeof(*c));
	int err;

	if (!c)
		return -ENOMEM;
	c->notify = notify;
	c->data = data;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->wake, NULL);
	c->hands = pcr_hands_new(root);
	err = c->hands ? start_thread(c) : -ENOMEM;
	if (err < 0) {
		discard(c);
		return err;
	}
	*ret_collapser = c;
	return 0;
}

struct pcr_collapser *pcr_collapser_stop(struct pcr_collapser *c)
{
	if (!c)
		return NULL;
	pcr_hands_stop(c->hands);
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_mutex_unlock(&c->lock);
	pthread_cond_signal(&c->wake);
	pthread_join(c->thread, NULL);
	discard(c);
	return NULL;
}

void pcr_collapser_ask(struct pcr_collapser *c, struct pcr_round *round)
{
	pthread_mutex_lock(&c->lock);
	c->asked = round;
	pthread_mutex_unlock(&c->lock);
	pthread_cond_signal(&c->wake);
}

struct pcr_round *pcr_collapser_next(struct pcr_collapser *c)
{
	struct pcr_round *round;

	pthread_mutex_lock(&c->lock);
	round = c->done;
	c->done = NULL;
	pthread_mutex_unlock(&c->lock);
	return round;
}
