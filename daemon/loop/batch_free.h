/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help for exits: learns of each one that was helped, and looks at the counters then.
 *
 * The kernel notifies /sys/kernel/mm/batch_free/exits, which is IN_MODIFY on the file.
 * Nothing is read and nothing wakes while nothing exits, while [BatchFree] is off, or on
 * a kernel without the series; only a pause for CPU pressure has a clock, which alone can
 * end it. Where nobody notifies, it looks when the loop is awake for something else.
 * A kernel makes its work queues when help is first switched on: they are looked for then.
 *
 * No libev here: the loop waits for EPOLLIN on the descriptor that on_fd names, calls
 * pcr_batch_ready() then, and pcr_batch_tick() in every turn.
 *
 *   batch_free.c     when to look, and what at
 *   batch_workers.c  nice and cpumask of the workers
 *   batch_cgroups.c  cgroups whose policy says BatchFree=no
 */
#ifndef PCR_LOOP_BATCH_FREE_H
#define PCR_LOOP_BATCH_FREE_H

#include "pcr/settings.h"
#include "pcr/state.h"
#include "sys/root.h"

struct pcr_kept;

/*
 * After each look nobody listens for this long: exits that come thick and fast are
 * told of together.
 */
#define PCR_BATCH_REST (200 * PCR_MSEC)
/* Where nobody notifies, turns of the loop closer than this are not made use of. */
#define PCR_BATCH_SPACING PCR_SEC

struct pcr_batch_watch {
	const struct pcr_root *root;
	struct pcr_state *st;
	const struct pcr_settings *const *set;
	struct pcr_kept *kept;	/* what nice and cpumask of workers were */
	int fd;			/* inotify; -1: not listening */
	bool news;		/* look in the next turn */
	u64 enabled;		/* what that setting was at the last look */
	u64 rest_usec;		/* nobody listens until then; 0: somebody does */
	char why[96];		/* nobody notifies: why; "" */
	void (*on_fd)(void *data, int fd);
	void *on_fd_data;
	/* A node settled for another limit. */
	void (*record)(void *data, const struct pcr_record *record);
	/* Work queues are there now that were not: and so may be what cgroups have. NULL: nobody minds. */
	void (*appeared)(void *data);
	void *data;
};

/* The caller has filled in root, st, set, kept, record and data. */
void pcr_batch_open(struct pcr_batch_watch *w);
void pcr_batch_close(struct pcr_batch_watch *w);

/* Is there such a thing, and do the settings want it? At the start and after a reload. */
void pcr_batch_probe(struct pcr_batch_watch *w, u64 now);
/* Everything as of now, for somebody who asks. */
void pcr_batch_look(struct pcr_batch_watch *w, u64 now);

/* Told whenever what is to be waited on changes: the descriptor, -1: nothing. */
void pcr_batch_on_fd(struct pcr_batch_watch *w, void (*on_fd)(void *data, int fd), void *data);
void pcr_batch_ready(struct pcr_batch_watch *w, u64 now);
void pcr_batch_tick(struct pcr_batch_watch *w, u64 now);
/* When tick must be called at the latest; PCR_NEVER: when something happens. */
u64 pcr_batch_due(const struct pcr_batch_watch *w);

/* --- batch_workers.c: for batch_free.c --- */

void pcr_batch_workers(struct pcr_batch_watch *w);
/* At the end: whatever is still ours. */
void pcr_batch_workers_restore(struct pcr_batch_watch *w);

#endif
