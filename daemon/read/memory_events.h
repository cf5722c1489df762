/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of memory.events (Documentation/admin-guide/cgroup-v2.rst): how often a cgroup,
 * or one below it, ran into a memory limit. Pure.
 */
#ifndef PCR_MEMORY_EVENTS_H
#define PCR_MEMORY_EVENTS_H

#include "pcr/types.h"

struct pcr_memory_events {
	u64 high;		/* throttled and sent to reclaim by memory.high */
	u64 max;		/* about to go beyond memory.max */
	u64 oom;		/* at memory.max, and nothing could be reclaimed */
};

/*
 * 0, -EINVAL or -ERANGE when one of the three is malformed or is not there: every
 * kernel with the file has them all, so less is half a file.
 */
int pcr_memory_events_parse(const char *text, size_t n, struct pcr_memory_events *ret_events);

/*
 * All of them as one number, which grows whenever a limit was met; never PCR_ABSENT.
 * "low" is not in it: that is a promise to a cgroup, no want of its own. "oom_kill" is
 * not either: its "oom" was counted before.
 */
u64 pcr_memory_events_sum(const struct pcr_memory_events *events);

#endif
