// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/PID/thp_collapse_stat. */
#include "fuzz.h"

#include <errno.h>

#include "read/task.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pcr_collapse_stat s = { .scanned = 4711 };
	int r = pcr_collapse_stat_parse((const char *)data, size, &s);

	MUST(r == 0 || (r == -EINVAL && s.scanned == 4711));
	MUST(r != 0 || s.scanned != PCR_ABSENT);
	return 0;
}
