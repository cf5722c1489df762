/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the client makes of replies, held against files: tests/golden/ctl/NAME.json is a
 * reply as the daemon makes it. PCR_GOLDEN_UPDATE=1 writes what is made of it anew, to be
 * looked at.
 */
#ifndef PCR_TEST_GOLDEN_H
#define PCR_TEST_GOLDEN_H

#include "unit/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"

#define GOLDEN "tests/golden/ctl/"

/* A file's text; free() it. */
static inline char *golden_slurp(const char *path)
{
	PCR_AUTOFCLOSE FILE *f = fopen(path, "r");
	const size_t size = 1 << 17;
	char *text = calloc(1, size);

	ck_assert_msg(f && text, "%s", path);
	ck_assert_msg(fread(text, 1, size, f) < size, "%s is too long", path);
	return text;
}

/* The reply NAME.json. */
static inline json_t *golden_reply(const char *name)
{
	char path[128];
	json_error_t error;
	json_t *reply;

	snprintf(path, sizeof(path), GOLDEN "%s.json", name);
	reply = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(reply, "%s: %s", path, error.text);
	return reply;
}

/* The text is that of the file, whose name is without the directory. */
static inline void golden_is(const char *file, const char *text)
{
	char path[128], *want;

	snprintf(path, sizeof(path), GOLDEN "%s", file);
	if (getenv("PCR_GOLDEN_UPDATE")) {
		FILE *f = fopen(path, "w");

		ck_assert_msg(f, "%s", path);
		fputs(text, f);
		fclose(f);
	}
	want = golden_slurp(path);
	ck_assert_str_eq(text, want);
	free(want);
}

#endif
