/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of trace_pipe, made into an event. Pure.
 *
 *   cgroup_mkdir: root=0 id=2103 level=2 path=/system.slice/foo.service
 *   CPU:1 [LOST 312 EVENTS]
 *
 * In front of the first kind there is "comm-pid [cpu] flags time: " unless the
 * instance's option context-info is off. The comm is any 15 bytes its owner likes,
 * newlines among them; no event of ours fits into 15 bytes, so the first place
 * where "cgroup_x: root=" stands is the kernel's.
 */
#ifndef PCR_TRACE_LINE_H
#define PCR_TRACE_LINE_H

#include "pcr/types.h"

/* The kernel formats paths into a buffer of this size; longer ones come cut. */
#define PCR_TRACE_PATH_MAX 1024

enum pcr_trace_kind {
	PCR_TRACE_MKDIR,
	PCR_TRACE_RMDIR,
	PCR_TRACE_RELEASE,
	PCR_TRACE_RENAME,	/* cgroup v1; the path is the new one */
	PCR_TRACE_LOST,
};

struct pcr_trace_event {
	enum pcr_trace_kind kind;
	u32 hierarchy;		/* root=, the id in /proc/self/cgroup; 0 is v2 */
	u64 id;
	const char *path;	/* into the line, without leading slash; n 0: the root */
	size_t n;
	u64 lost;		/* PCR_TRACE_LOST: how many, PCR_ABSENT: not told */
};

/* 0; PCR_NONE: nothing of ours; -EBADMSG: ours, and malformed. The line has no newline. */
int pcr_trace_line(const char *line, size_t n, struct pcr_trace_event *ret_event);

#endif
