// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loop's side of the triggers. Opening happens here, which epoll allows while
 * the thread waits; closing happens on the thread (psi_thread.c).
 */
#include "loop/psi.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "loop/psi_internal.h"
#include "sys/root.h"

/* Address space, not memory: the thread touches a few pages. */
#define STACK (256 * 1024)

static void wake(struct pcr_psi_watch *w)
{
	u64 one = 1;

	(void)!write(w->wake_fd, &one, sizeof(one));
}

static int arm(struct pcr_psi_watch *w, u32 i)
{
	struct pcr_psi_slot *s = &w->slot[i];
	struct pcr_psi_trigger t;
	struct epoll_event ev = { .events = EPOLLPRI | EPOLLERR };
	int r;

	s->why[0] = '\0';
	r = pcr_psi_arm(w->root, s->path, w->stall_usec, w->window_usec, s->why, sizeof(s->why),
			&t);
	if (r == PCR_GONE && pcr_root_v1(w->root))
		snprintf(s->why, sizeof(s->why), "cgroup v1 has no memory.pressure in its cgroups");
	if (r) {
		s->state = r == PCR_PART ? PCR_PSI_POLL : PCR_PSI_GONE;
		return r;
	}
	if (t.way.window_usec != w->window_usec)
		snprintf(s->why, sizeof(s->why), "window widened to %llu s: a shorter one wants "
			 "CAP_SYS_RESOURCE", (unsigned long long)(t.way.window_usec / PCR_SEC));
	pthread_mutex_lock(&w->lock);
	s->trigger = t;
	s->doubted = true;
	s->state = PCR_PSI_ARMED;
	ev.data.u64 = (u64)s->gen << 32 | i;
	if (epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, t.fd, &ev) < 0) {
		snprintf(s->why, sizeof(s->why), "%s", strerror(errno));
		close(pcr_psi_detach(w, s));
		s->state = PCR_PSI_POLL;
	}
	pthread_mutex_unlock(&w->lock);
	return 0;
}

static int start_thread(struct pcr_psi_watch *w)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u64 = PCR_PSI_WAKE };
	pthread_attr_t attr;
	sigset_t all, old;
	int r;

	if (epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, w->wake_fd, &ev) < 0)
		return -errno;
	/* Signals are the loop's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK);
	r = pthread_create(&w->thread, &attr, pcr_psi_thread, w);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r)
		return -r;
	(void)pthread_setname_np(w->thread, "pcr-psi");
	w->running = true;
	return 0;
}

static int set_up(struct pcr_psi_watch *w, const struct pcr_pressure_rule *rule)
{
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->epoll_fd < 0 || w->wake_fd < 0)
		return -errno;
	w->n = 1;
	for (u32 i = 0; i < rule->n_slices && i < PCR_SLICES_MAX; i++) {
		const char *path = rule->slices[i];

		w->slot[w->n].path = strdup(path + strspn(path, "/"));
		if (!w->slot[w->n].path)
			return -ENOMEM;
		w->n++;
	}
	return 0;
}

int pcr_psi_open(const struct pcr_root *root, const struct pcr_pressure_rule *rule,
		 void (*notify)(void *data), void *data, char *why, size_t size,
		 struct pcr_psi_watch **ret_watch)
{
	struct pcr_psi_watch *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->root = root;
	w->stall_usec = rule->stall_usec;
	w->window_usec = rule->window_usec;
	w->notify = notify;
	w->data = data;
	pthread_mutex_init(&w->lock, NULL);
	for (u32 i = 0; i < PCR_PSI_SLOTS; i++)
		w->slot[i] = (struct pcr_psi_slot){ .trigger.fd = -1, .state = PCR_PSI_GONE };
	r = set_up(w, rule);
	if (r == 0 && arm(w, 0) == PCR_NONE) {
		snprintf(why, size, "no /proc/pressure/memory (psi=0, or a kernel without PSI)");
		r = PCR_NONE;
	}
	if (r == 0)
		r = start_thread(w);
	if (r) {
		pcr_psi_close(w);
		return r;
	}
	*ret_watch = w;
	return 0;
}

struct pcr_psi_watch *pcr_psi_close(struct pcr_psi_watch *w)
{
	if (!w)
		return NULL;
	if (w->running) {
		pthread_mutex_lock(&w->lock);
		w->stop = true;
		pthread_mutex_unlock(&w->lock);
		wake(w);
		pthread_join(w->thread, NULL);
	}
	for (u32 i = 0; i < w->n; i++) {
		if (w->slot[i].trigger.fd >= 0)
			close(w->slot[i].trigger.fd);
		free(w->slot[i].path);
	}
	if (w->epoll_fd >= 0)
		close(w->epoll_fd);
	if (w->wake_fd >= 0)
		close(w->wake_fd);
	pthread_mutex_destroy(&w->lock);
	free(w);
	return NULL;
}

bool pcr_psi_next(struct pcr_psi_watch *w, struct pcr_psi_event *ret_event)
{
	bool any;

	pthread_mutex_lock(&w->lock);
	any = pcr_psi_queue_take(&w->queue, ret_event);
	pthread_mutex_unlock(&w->lock);
	return any;
}

enum pcr_psi_state pcr_psi_rearm(struct pcr_psi_watch *w, u32 slice)
{
	int fd = -1;

	if (slice >= w->n)
		return PCR_PSI_GONE;
	/* The old trigger's end may not have been noticed yet. */
	pthread_mutex_lock(&w->lock);
	fd = pcr_psi_detach(w, &w->slot[slice]);
	if (fd >= 0 && w->n_retired < PCR_PSI_SLOTS) {
		w->retired[w->n_retired++] = fd;
		fd = -1;
	}
	pthread_mutex_unlock(&w->lock);
	wake(w);
	if (fd >= 0)
		close(fd);
	(void)arm(w, slice);
	return pcr_psi_state(w, slice);
}

enum pcr_psi_state pcr_psi_state(struct pcr_psi_watch *w, u32 slice)
{
	enum pcr_psi_state state = PCR_PSI_GONE;

	pthread_mutex_lock(&w->lock);
	if (slice < w->n)
		state = w->slot[slice].state;
	pthread_mutex_unlock(&w->lock);
	return state;
}

static u32 count(struct pcr_psi_watch *w, enum pcr_psi_state state)
{
	u32 n = 0;

	for (u32 i = 0; i < w->n; i++)
		n += pcr_psi_state(w, i) == state;
	return n;
}

u32 pcr_psi_armed(struct pcr_psi_watch *w)
{
	return count(w, PCR_PSI_ARMED);
}

bool pcr_psi_polls(struct pcr_psi_watch *w)
{
	return count(w, PCR_PSI_POLL) > 0;
}

const char *pcr_psi_why(const struct pcr_psi_watch *w)
{
	for (u32 i = 0; i < w->n; i++)
		if (*w->slot[i].why)
			return w->slot[i].why;
	return "";
}

const char *pcr_psi_slice_why(const struct pcr_psi_watch *w, u32 slice)
{
	return slice < w->n ? w->slot[slice].why : "";
}

void pcr_psi_stats(struct pcr_psi_watch *w, struct pcr_psi_stats *ret_stats)
{
	pthread_mutex_lock(&w->lock);
	*ret_stats = w->stats;
	pthread_mutex_unlock(&w->lock);
}
