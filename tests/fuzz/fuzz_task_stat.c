// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/PID/stat, statm, smaps_rollup and /proc/buddyinfo. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "read/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct pcr_task_sample s = { .start_ticks = 4711 };
	u64 a = 4711, b = 4711;
	int r = pcr_task_stat_parse(text, size, &s);

	MUST(r == 0 || r == -EINVAL);
	MUST(memchr(s.comm, '\0', sizeof(s.comm)) && (r == 0 || s.start_ticks == 4711));
	r = pcr_task_rollup_parse(text, size, &a, &b);
	MUST(r == 0 ? a <= PCR_MAX && b <= PCR_MAX : a == 4711 && b == 4711);
	a = 4711;
	r = pcr_task_statm_parse(text, size, &a);
	MUST(r == 0 || (r == -EINVAL && a == 4711));
	a = 4711;
	r = pcr_buddy_parse(text, size, 9, &a);
	MUST(r == 0 ? a <= PCR_MAX : r == -EINVAL && a == 4711);
	return 0;
}
