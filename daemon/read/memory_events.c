// SPDX-License-Identifier: GPL-2.0-or-later
/* "low 0\nhigh 12\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n" */
#include "read/memory_events.h"

#include <errno.h>

#include "base/parse.h"

static int counter(const char *text, size_t n, const char *key, u64 *ret_value)
{
	int r = pcr_keyed_u64(text, n, key, ret_value);

	return r == PCR_NONE ? -EINVAL : r;
}

int pcr_memory_events_parse(const char *text, size_t n, struct pcr_memory_events *ret_events)
{
	struct pcr_memory_events e;
	int r;

	r = counter(text, n, "high", &e.high);
	if (r == 0)
		r = counter(text, n, "max", &e.max);
	if (r == 0)
		r = counter(text, n, "oom", &e.oom);
	if (r == 0)
		*ret_events = e;
	return r;
}

u64 pcr_memory_events_sum(const struct pcr_memory_events *events)
{
	u64 sum = pcr_add_u64(pcr_add_u64(events->high, events->max), events->oom);

	return pcr_min_u64(sum, PCR_MAX);
}
