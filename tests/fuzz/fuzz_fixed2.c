// SPDX-License-Identifier: GPL-2.0-or-later
/* Shares of time as PSI prints them. */
#include "fuzz.h"

#include <string.h>

#include "base/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	char again[32];
	u64 bp = 4711;
	int r = pcr_parse_fixed2(text, size, &bp);

	if (r != 0) {
		MUST(bp == 4711);
		return 0;
	}
	/* Printed as the kernel does, it is the same text but for zeros in front. */
	snprintf(again, sizeof(again), "%llu.%02llu", (unsigned long long)(bp / 100),
		 (unsigned long long)(bp % 100));
	MUST(strlen(again) <= size);
	MUST(memcmp(text + size - strlen(again), again, strlen(again)) == 0);
	return 0;
}
