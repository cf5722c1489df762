// SPDX-License-Identifier: GPL-2.0-or-later
/* Keyed kernel files (memory.stat, /proc/meminfo): the input's first line is the key. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

/* Lines tile the text: nothing is lost, nothing read twice. */
static void check_lines(const char *text, size_t n)
{
	const char *line, *at = text;
	size_t left = n, len, seen = 0;

	while (pcr_next_line(&at, &left, &line, &len)) {
		MUST(line == text + seen);
		MUST(!memchr(line, '\n', len));
		seen = (size_t)(at - text);
		MUST(seen + left == n && seen >= len);
	}
	MUST(left == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *line;
	char key[64];
	size_t n = size, len;
	u64 value = 4711;
	int r;

	check_lines(text, n);
	if (!pcr_next_line(&text, &n, &line, &len) || len >= sizeof(key))
		return 0;
	memcpy(key, line, len);
	key[len] = '\0';
	r = pcr_keyed_u64(text, n, key, &value);
	MUST(r == 0 || r == PCR_NONE || r == -EINVAL || r == -ERANGE);
	MUST(r == 0 ? value < PCR_MAX : value == 4711);
	/* What is found stands there. */
	MUST(r == PCR_NONE || memmem(text, n, key, strlen(key)));
	return 0;
}
