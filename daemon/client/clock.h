/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time for deadlines. */
#ifndef PCR_CLIENT_CLOCK_H
#define PCR_CLIENT_CLOCK_H

#include <time.h>

#include "pcr/types.h"

static inline s64 pcr_now_msec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (s64)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

#endif
