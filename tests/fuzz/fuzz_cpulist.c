// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of CPUs. */
#include "fuzz.h"

#include <errno.h>

#include "base/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u64 count = 4711;
	int r = pcr_parse_cpulist((const char *)data, size, &count);

	MUST(r == 0 || r == -EINVAL || r == -ERANGE);
	MUST(r == 0 ? count <= 1ULL << 32 : count == 4711);
	/* Every CPU takes a digit at least, or a range does. */
	MUST(r != 0 || (count == 0) == (size == 0 || (size == 1 && data[0] == '\n')));
	return 0;
}
