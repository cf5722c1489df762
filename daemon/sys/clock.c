// SPDX-License-Identifier: GPL-2.0-or-later
/* The two clocks that matter: one that never jumps, and how long we were suspended. */
#include <time.h>

#include "sys/root.h"

static u64 read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (u64)ts.tv_sec * PCR_SEC + (u64)ts.tv_nsec / 1000;
}

u64 pcr_now_usec(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

u64 pcr_suspended_usec(void)
{
	return pcr_sub_u64(read_clock(CLOCK_BOOTTIME), read_clock(CLOCK_MONOTONIC));
}
