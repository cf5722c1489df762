/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walking the buffers that reading an inotify or fanotify descriptor fills. Pure:
 * every length in them is held against what is really there.
 *
 * All return 0 with an event, PCR_NONE at the end, -EBADMSG when what follows
 * can't be trusted; the rest of the buffer is then lost.
 */
#ifndef PCR_EVENT_BUF_H
#define PCR_EVENT_BUF_H

#include "pcr/types.h"

struct pcr_event_buf {
	const char *at;
	size_t n;
};

struct pcr_inotify_record {
	s32 wd;
	u32 mask;
	const char *name;	/* into the buffer, not terminated; n 0: none */
	size_t n;
};

struct pcr_fanotify_record {
	u64 mask;
	u64 parent;		/* cgroup id of the directory, 0: not told */
	u64 id;			/* of the cgroup itself, 0: not told */
	const char *name;
	size_t n;
};

/* File handle type of kernfs: 8 bytes, the node's id. */
#define PCR_HANDLE_KERNFS 0xfe

int pcr_inotify_next(struct pcr_event_buf *buf, struct pcr_inotify_record *ret_record);
int pcr_fanotify_next(struct pcr_event_buf *buf, struct pcr_fanotify_record *ret_record);

#endif
