// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes, percentages and rates: what is read is written so that it reads back. */
#include "fuzz.h"

#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "conf/form.h"

static void check_size(const char *text, size_t n)
{
	char again[PCR_KEY_TEXT], shown[PCR_TEXT];
	struct pcr_complaint c = {};
	u64 bytes = 4711, back;

	if (pcr_parse_size(text, n, &bytes) != 0) {
		MUST(bytes == 4711);
		MUST(pcr_read_size(text, n, 0, &bytes, &c) < 0 && c.what[0] && c.at <= n);
		/* What is suggested must do. */
		MUST(!c.mean[0] || pcr_parse_size(c.mean, strlen(c.mean), &back) == 0);
		return;
	}
	MUST(bytes < PCR_MAX);
	pcr_write_size(bytes, again);
	MUST(pcr_parse_size(again, strlen(again), &back) == 0 && back == bytes);
	MUST(strlen(pcr_text_bytes(shown, bytes)) < PCR_TEXT);
}

static void check_percent(const char *text, size_t n)
{
	char again[PCR_KEY_TEXT];
	u64 bp, back;

	if (pcr_parse_percent(text, n, 100000, &bp) != 0)
		return;
	MUST(bp <= 100000);
	pcr_write_percent(bp, again);
	MUST(pcr_parse_percent(again, strlen(again), bp, &back) == 0 && back == bp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	u64 bytes, usec = 0;

	check_size(text, size);
	check_percent(text, size);
	if (pcr_parse_rate(text, size, &bytes, &usec) == 0)
		MUST(usec > 0 && usec < PCR_MAX && bytes < PCR_MAX);
	return 0;
}
