// SPDX-License-Identifier: GPL-2.0-or-later
/* Three lines: an outer glob, an inner one, and a path that tries to tell them apart. */
#include "fuzz.h"

#include <string.h>

#include "base/glob.h"
#include "base/parse.h"

static bool matches(const char *pattern, const char *text)
{
	struct pcr_glob_path path;
	struct pcr_glob glob;

	pcr_glob_prepare(pattern, &glob);
	pcr_glob_path(text, &path);
	return pcr_glob_match(&glob, &path);
}

static bool covered(const char *by, const char *pattern)
{
	struct pcr_glob outer, inner;

	pcr_glob_prepare(by, &outer);
	pcr_glob_prepare(pattern, &inner);
	return pcr_glob_covers(&outer, &inner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *line;
	char word[3][600] = {};
	size_t n = size, len;

	for (size_t i = 0; i < 3 && pcr_next_line(&text, &n, &line, &len); i++) {
		if (len >= sizeof(word[i]) || memchr(line, '\0', len))
			return 0;
		memcpy(word[i], line, len);
	}
	MUST(!covered(word[0], word[1]) || strlen(word[1]) > PCR_GLOB_MAX ||
	     !matches(word[1], word[2]) || matches(word[0], word[2]));
	return 0;
}
