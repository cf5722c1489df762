// SPDX-License-Identifier: GPL-2.0-or-later
/* Spans of time: what is read is written so that it reads back. */
#include "fuzz.h"

#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "conf/form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char again[PCR_KEY_TEXT], shown[PCR_TEXT];
	const char *text = (const char *)data;
	struct pcr_complaint c = {};
	u64 usec = 4711, back;

	if (pcr_parse_span(text, size, &usec) != 0) {
		MUST(usec == 4711);
		MUST(pcr_read_span(text, size, 0, &usec, &c) < 0 && c.what[0] && c.at <= size);
		MUST(!c.mean[0] || pcr_parse_span(c.mean, strlen(c.mean), &back) == 0);
		return 0;
	}
	pcr_write_span(usec, again);
	MUST(pcr_parse_span(again, strlen(again), &back) == 0 && back == usec);
	MUST(strlen(pcr_text_span(shown, usec)) < PCR_TEXT);
	return 0;
}
