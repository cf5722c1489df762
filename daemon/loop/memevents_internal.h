/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared between memevents.c and memevents_look.c, and by nobody else. */
#ifndef PCR_LOOP_MEMEVENTS_INTERNAL_H
#define PCR_LOOP_MEMEVENTS_INTERNAL_H

#include "loop/memevents.h"

struct pcr_memwatch {
	u64 id;
	u64 seen;		/* sum of the counters at the last look; PCR_ABSENT: none yet */
	s32 wd;
	bool dirty;		/* to be read */
};

struct pcr_memevents {
	const struct pcr_root *root;
	struct pcr_state *st;
	const struct pcr_settings *const *set;
	int fd;			/* -1: nothing to watch so far */
	u32 n;
	struct pcr_memwatch watch[PCR_MEMEVENTS_MAX];
	u32 wanted;		/* cgroups that should be watched */
	bool limited;		/* some are not, because of a limit: .why */
	bool said;		/* and the log knows */
	u32 freed;		/* places, since then */
	bool rescan;
	char why[160];
	u64 rest_usec;		/* nobody listens until then; 0: somebody does */
	void (*on_fd)(void *data, int fd);
	void *on_fd_data;
};

/* Watches whoever should be and is not: a limit that was met may not be there any more. */
void pcr_memevents_scan(struct pcr_memevents *m);
void pcr_memevents_tell_fd(struct pcr_memevents *m, int fd);
/* The table is small enough to look through. */
struct pcr_memwatch *pcr_memevents_by_wd(struct pcr_memevents *m, s32 wd);
/* Forgets the watch, which the kernel has let go of. */
void pcr_memevents_drop(struct pcr_memevents *m, struct pcr_memwatch *w);

#endif
