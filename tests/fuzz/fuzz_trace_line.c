// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of trace_pipe: whatever parses lies within the line. */
#include "fuzz.h"

#include "base/parse.h"
#include "read/trace_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *line;
	size_t n;

	while (pcr_next_line(&text, &size, &line, &n)) {
		struct pcr_trace_event e;

		if (pcr_trace_line(line, n, &e) != 0)
			continue;
		MUST(e.path >= line && e.path + e.n <= line + n);
		MUST(e.kind == PCR_TRACE_LOST || e.id != 0);
	}
	return 0;
}
