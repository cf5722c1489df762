// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens on the trigger thread: waiting, doubting, queueing, closing. */
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop/psi_internal.h"
#include "read/psi_text.h"
#include "sys/root.h"

int pcr_psi_queue_put(struct pcr_psi_queue *q, const struct pcr_psi_event *e)
{
	if (q->n == PCR_PSI_QUEUE)
		return PCR_FULL;
	q->e[(q->head + q->n++) % PCR_PSI_QUEUE] = *e;
	return 0;
}

bool pcr_psi_queue_take(struct pcr_psi_queue *q, struct pcr_psi_event *ret_event)
{
	if (q->n == 0)
		return false;
	*ret_event = q->e[q->head];
	q->head = (q->head + 1) % PCR_PSI_QUEUE;
	q->n--;
	return true;
}

static void put(struct pcr_psi_watch *w, u32 i, bool gone, u64 now)
{
	struct pcr_psi_event e = { .slice = i, .gone = gone, .usec = now };

	if (pcr_psi_queue_put(&w->queue, &e) == PCR_FULL)
		w->stats.dropped++;
	else if (gone)
		w->stats.gone++;
	else
		w->stats.events++;
}

/*
 * The kernel's first window of a trigger without the capability starts counting at
 * a total kept for those with it, often 0, and so fires for stall of long ago: the
 * first event has to be borne out by the file itself.
 */
static bool is_false(const struct pcr_psi_slot *s)
{
	struct pcr_psi psi;
	char text[512];
	size_t n;

	if (pcr_slurp_fd(s->trigger.fd, text, sizeof(text), &n) || pcr_psi_parse(text, n, &psi) < 0)
		return false;
	return !pcr_psi_believable(s->trigger.total_usec, psi.some_total_usec,
				   s->trigger.way.stall_usec);
}

int pcr_psi_detach(struct pcr_psi_watch *w, struct pcr_psi_slot *s)
{
	int fd = s->trigger.fd;

	if (fd >= 0)
		(void)epoll_ctl(w->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	s->trigger.fd = -1;
	s->state = PCR_PSI_GONE;
	s->gen++;
	return fd;
}

/* True when the loop has something to look at. */
static bool on_event(struct pcr_psi_watch *w, const struct epoll_event *ev, u64 now)
{
	u32 i = (u32)ev->data.u64;
	struct pcr_psi_slot *s = &w->slot[i];
	bool told = true;
	int fd = -1;

	pthread_mutex_lock(&w->lock);
	if (s->gen != (u32)(ev->data.u64 >> 32) || s->trigger.fd < 0) {
		told = false;
	} else if (ev->events & EPOLLERR) {
		/* The cgroup is gone; from now on the fd would be ready for ever. */
		fd = pcr_psi_detach(w, s);
		put(w, i, true, now);
	} else if (s->doubted && is_false(s)) {
		w->stats.false_first++;
		told = false;
	} else {
		put(w, i, false, now);
	}
	s->doubted = false;
	pthread_mutex_unlock(&w->lock);
	if (fd >= 0)
		close(fd);
	return told;
}

/* False: time to go. */
static bool on_wake(struct pcr_psi_watch *w)
{
	int fds[PCR_PSI_SLOTS];
	u64 count;
	u32 n;
	bool go_on;

	(void)!read(w->wake_fd, &count, sizeof(count));
	pthread_mutex_lock(&w->lock);
	n = w->n_retired;
	memcpy(fds, w->retired, n * sizeof(fds[0]));
	w->n_retired = 0;
	go_on = !w->stop;
	pthread_mutex_unlock(&w->lock);
	while (n > 0)
		close(fds[--n]);
	return go_on;
}

void *pcr_psi_thread(void *watch)
{
	struct pcr_psi_watch *w = watch;
	struct epoll_event ev[PCR_PSI_SLOTS + 1];
	bool go_on = true;

	while (go_on) {
		int n = epoll_wait(w->epoll_fd, ev, PCR_PSI_SLOTS + 1, -1);
		u64 now = pcr_now_usec();
		bool tell = false;

		for (int i = 0; i < n; i++) {
			if (ev[i].data.u64 == PCR_PSI_WAKE)
				go_on = on_wake(w);
			else
				tell |= on_event(w, &ev[i], now);
		}
		if (tell && w->notify)
			w->notify(w->data);
	}
	return NULL;
}
