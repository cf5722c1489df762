// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/sys/slice.c: asked for, and nothing else about the thread changed. */
#include "unit/unit.h"

#include <linux/sched/types.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/slice.h"

static struct sched_attr now(void)
{
	struct sched_attr attr = { .size = sizeof(attr) };

	ck_assert_int_eq(syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0), 0);
	return attr;
}

START_TEST(all_else_stays)
{
	struct sched_attr before, after;

	ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, 7), 0);
	before = now();
	ck_assert_int_eq(pcr_short_slices(), 0);
	after = now();
	ck_assert_uint_eq(after.sched_policy, before.sched_policy);
	ck_assert_int_eq(after.sched_nice, 7);
	ck_assert_uint_eq(after.sched_flags, before.sched_flags);
	/* Before 6.12 it says 0, whatever was asked for. */
	ck_assert(after.sched_runtime == 0 || after.sched_runtime == 100000);
}
END_TEST

/* A policy that somebody chose for us (CPUSchedulingPolicy=) is kept. */
START_TEST(another_policy)
{
	struct sched_attr idle = now();

	idle.sched_policy = 5;	/* SCHED_IDLE */
	ck_assert_int_eq(syscall(SYS_sched_setattr, 0, &idle, 0), 0);
	ck_assert_int_eq(pcr_short_slices(), 0);
	ck_assert_uint_eq(now().sched_policy, 5);
}
END_TEST

PCR_UNIT("slice", all_else_stays, another_policy)
