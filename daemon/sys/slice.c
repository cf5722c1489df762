// SPDX-License-Identifier: GPL-2.0-or-later
/* Asking for short slices; see the header. */
#include "sys/slice.h"

#include <errno.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The least the kernel takes: in nanoseconds. */
#define SLICE 100000

int pcr_short_slices(void)
{
	struct sched_attr attr = { .size = sizeof(attr) };

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) < 0)
		return -errno;
	if (attr.sched_policy != SCHED_NORMAL)
		return 0;
	attr.sched_runtime = SLICE;
	return syscall(SYS_sched_setattr, 0, &attr, 0) < 0 ? -errno : 0;
}
