// SPDX-License-Identifier: GPL-2.0-or-later
/* memory.events: all three counters or none, and a sum that only grows with them. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "read/memory_events.h"

static bool word(const char *text, size_t n, const char *wanted)
{
	const char *found;
	size_t len;

	while (pcr_next_word(&text, &n, &found, &len)) {
		while (len && found[len - 1] == ':')
			len--;
		if (len == strlen(wanted) && !memcmp(found, wanted, len))
			return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct pcr_memory_events e = { 4711, 4712, 4713 };
	u64 sum;
	int r = pcr_memory_events_parse(text, size, &e);

	MUST(r == 0 || r == -EINVAL || r == -ERANGE);
	if (r) {
		MUST(e.high == 4711 && e.max == 4712 && e.oom == 4713);
		return 0;
	}
	MUST(e.high < PCR_MAX && e.max < PCR_MAX && e.oom < PCR_MAX);
	sum = pcr_memory_events_sum(&e);
	MUST(pcr_has(sum) && sum >= e.high && sum >= e.max && sum >= e.oom);
	/* "oom" is a whole word: "oom_kill" alone does not stand for it. */
	MUST(word(text, size, "oom"));
	return 0;
}
