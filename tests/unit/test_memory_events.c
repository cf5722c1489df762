// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/memory_events.c */
#include "unit/unit.h"

#include <errno.h>
#include <string.h>

#include "read/memory_events.h"

START_TEST(words)
{
	static const struct {
		const char *text;
		int r;
		u64 sum;
	} cases[] = {
		{ "low 9\nhigh 12\nmax 3\noom 1\noom_kill 5\noom_group_kill 7\n", 0, 16 },
		{ "high 0\nmax 0\noom 0", 0, 0 },
		/* As old kernels, and as new ones. */
		{ "low 0\nhigh 1\nmax 0\noom 0\noom_kill 0\n", 0, 1 },
		{ "low 0\nhigh 0\nmax 2\noom 0\noom_kill 0\nsock_throttled 4\n", 0, 2 },
		{ "", -EINVAL, 0 },
		{ "low 0\nhigh 12\nmax 3\noo", -EINVAL, 0 },
		{ "high 1\nmax 1\noom_kill 1\n", -EINVAL, 0 },
		{ "high x\nmax 1\noom 1\n", -EINVAL, 0 },
		{ "high -1\nmax 1\noom 1\n", -EINVAL, 0 },
		{ "high\nmax 1\noom 1\n", -EINVAL, 0 },
		{ "high 18446744073709551616\nmax 1\noom 1\n", -ERANGE, 0 },
		/* Never "not sampled", however much it is. */
		{ "high 18446744073709551613\nmax 18446744073709551613\noom 0\n", 0,
		  PCR_ABSENT - 1 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_memory_events e = { 7, 7, 7 };
		int r = pcr_memory_events_parse(cases[i].text, strlen(cases[i].text), &e);

		ck_assert_msg(r == cases[i].r, "%s: %d", cases[i].text, r);
		if (r == 0)
			ck_assert_uint_eq(pcr_memory_events_sum(&e), cases[i].sum);
		else
			ck_assert_uint_eq(e.high + e.max + e.oom, 21);
	}
}
END_TEST

PCR_UNIT("memory.events text", words)
