// SPDX-License-Identifier: GPL-2.0-or-later
/* HTTP requests for the metrics, from anybody. */
#include "fuzz.h"

#include <string.h>

#include "client/request.h"

static int begins(const char *text, size_t n, const char *with)
{
	return n >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	bool head = false, again = false, whole = pcr_request_whole(text, size);
	int status = pcr_request_judge(text, size, &head);
	size_t line = 0;

	MUST(status == 200 || status == 400 || status == 404 || status == 405 || status == 505);
	/* Only a question for the metrics gets them. */
	if (status == 200)
		MUST(begins(text, size, head ? "HEAD /metrics" : "GET /metrics"));
	MUST(!head || begins(text, size, "HEAD "));
	/* What comes after the first line changes nothing. */
	while (line < size && text[line] != '\r' && text[line] != '\n')
		line++;
	if (!memchr(text, '\0', size))
		MUST(pcr_request_judge(text, line, &again) == status && again == head);
	else
		MUST(status == 400);
	MUST(!whole || line < size);
	return 0;
}
