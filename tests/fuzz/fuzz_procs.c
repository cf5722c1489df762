// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroup.procs. */
#include "fuzz.h"

#include "read/procs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	s32 pids[64];
	u32 n = pcr_procs_parse((const char *)data, size, pids, 3, PCR_ARRAY_SIZE(pids));

	MUST(n >= 3 && n <= PCR_ARRAY_SIZE(pids));
	for (u32 i = 3; i < n; i++)
		MUST(pids[i] > 0);
	return 0;
}
