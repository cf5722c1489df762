/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between psi.c (the loop's side) and psi_thread.c. Under the lock: slots, queue, what to close. */
#ifndef PCR_PSI_INTERNAL_H
#define PCR_PSI_INTERNAL_H

#include <pthread.h>

#include "loop/psi.h"

#define PCR_PSI_SLOTS (1 + PCR_SLICES_MAX)
/* What the wake-up's eventfd bears in epoll, where a trigger has generation and slot. */
#define PCR_PSI_WAKE UINT64_MAX

struct pcr_psi_slot {
	char *path;		/* NULL: the machine */
	enum pcr_psi_state state;
	struct pcr_psi_trigger trigger;	/* .fd -1: none */
	u32 gen;		/* told apart from events of an earlier trigger */
	bool doubted;		/* no event yet: the first may be false */
	char why[160];		/* no trigger, or another window; the loop's alone */
};

struct pcr_psi_watch {
	const struct pcr_root *root;
	u64 stall_usec;
	u64 window_usec;
	void (*notify)(void *data);
	void *data;
	int epoll_fd;
	int wake_fd;
	bool running;
	pthread_t thread;
	pthread_mutex_t lock;
	bool stop;
	u32 n;
	struct pcr_psi_slot slot[PCR_PSI_SLOTS];
	int retired[PCR_PSI_SLOTS];	/* to be closed by the thread */
	u32 n_retired;
	struct pcr_psi_queue queue;
	struct pcr_psi_stats stats;
};

/* The thread: ends when .stop is set and it is woken. */
void *pcr_psi_thread(void *watch);
/* Takes the trigger out of its slot, under the lock; the fd is to be closed outside of it. */
int pcr_psi_detach(struct pcr_psi_watch *w, struct pcr_psi_slot *s);

#endif
