// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/slabinfo. */
#include "fuzz.h"

#include <errno.h>

#include "base/parse.h"
#include "read/slabinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u64 bytes = 4711;
	int r = pcr_slab_lost_parse((const char *)data, size, &bytes);

	MUST(r == 0 || r == -EINVAL);
	MUST(r == 0 ? bytes <= PCR_MAX : bytes == 4711);
	return 0;
}
