// SPDX-License-Identifier: GPL-2.0-or-later
/* A line of the history file: what is taken is written and taken again as the same. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/record_line.h"

#define BOOT "3f0e6f1a-9d0c-4a52-8a53-3b6f4f9a1c55"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pcr_record r = { .seq = 4711 }, again;
	char line[PCR_RECORD_LINE];
	u32 column = 0;
	size_t n;

	if (pcr_record_read((const char *)data, size, BOOT, &r, &column)) {
		MUST(column >= 1 && column <= size + 1 && r.seq == 4711);
		return 0;
	}
	MUST(r.seq > 0 && r.past != PCR_PAST_NONE && r.action != PCR_ACT_NONE);
	MUST((r.past == PCR_PAST_BOOT) || r.end_real_usec == 0);
	MUST(memchr(r.path, 0, sizeof(r.path)) && memchr(r.policy, 0, sizeof(r.policy)));
	n = pcr_record_write(line, &r, BOOT, r.end_real_usec);
	MUST(n < sizeof(line) && line[n] == '\0' && memchr(line, '\n', n) == line + n - 1);
	MUST(pcr_record_read(line, n - 1, BOOT, &again, &column) == 0);
	MUST(again.past == r.past && again.seq == r.seq && again.end_real_usec == r.end_real_usec);
	MUST(again.action == r.action && again.why == r.why && again.stop == r.stop);
	MUST(again.target == r.target && again.err == r.err && again.freed_bytes == r.freed_bytes);
	MUST(!strcmp(again.path, r.path) && !strcmp(again.policy, r.policy));
	return 0;
}
