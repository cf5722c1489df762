// SPDX-License-Identifier: GPL-2.0-or-later
/* /proc/PID/smaps, and the words of pagemap that it is made of. */
#include "fuzz.h"

#include <string.h>

#include "base/parse.h"
#include "read/smaps.h"

static const struct pcr_thp thp = {
	.huge_bytes = 2 << 20, .page_bytes = 4096, .max_none = 5, .max_swap = 2, .max_shared = 2,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *line;
	struct pcr_smaps s = { 0 };
	struct pcr_vma vma;
	size_t n = size, len;
	u64 entry[16] = { 0 }, from, to;

	while (pcr_next_line(&text, &n, &line, &len)) {
		if (!pcr_smaps_line(&s, line, len, &vma))
			continue;
		MUST(vma.start < vma.end && !s.open);
		if (!pcr_vma_range(&vma, &thp, &from, &to))
			continue;
		MUST(from >= vma.start && from < to && to <= vma.end);
		MUST(from % thp.huge_bytes == 0 && to % thp.huge_bytes == 0);
	}
	memcpy(entry, data, size < sizeof(entry) ? size : sizeof(entry));
	(void)pcr_range_taken(entry, PCR_ARRAY_SIZE(entry), &thp);
	return 0;
}
