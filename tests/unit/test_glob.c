// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/base/glob.c: what matches, what covers, and that neither takes long. */
#include "unit/unit.h"

#include <string.h>

#include "base/glob.h"

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

struct pair {
	const char *a, *b;
	bool yes;
};

START_TEST(match)
{
	static const struct pair cases[] = {
		{ "/a", "/a", true },
		{ "/a", "/ab", false },
		{ "/ab", "/a", false },
		{ "", "", true },
		{ "", "/", false },
		{ "/", "/", true },
		{ "/*", "/", true },
		{ "/*", "/a", true },
		{ "/*", "/a/b", false },
		{ "/a*", "/a", true },
		{ "/a*c", "/abbbc", true },
		{ "/a*c", "/abc/c", false },
		{ "/a?c", "/abc", true },
		{ "/a?c", "/a/c", false },
		{ "/a?c", "/ac", false },
		{ "/?", "/", false },
		{ "/system.slice/postgresql*.service", "/system.slice/postgresql@15-main.service", true },
		{ "/system.slice/postgresql*.service", "/system.slice/x/postgresql.service", false },
		{ "/machine.slice/**", "/machine.slice/ci", true },
		{ "/machine.slice/**", "/machine.slice/ci/a/b", true },
		{ "/machine.slice/**", "/machine.slice", false },
		{ "/machine.slice**", "/machine.slice", true },
		{ "/machine.slice**", "/machine.slice/ci", true },
		{ "**", "", true },
		{ "**", "/a/b/c", true },
		{ "**/b", "/a/b", true },
		{ "/a/**/b", "/a/b", true },
		{ "/a/**/b", "/a/x/b", true },
		{ "/a/**/b", "/a/x/y/b", true },
		{ "/a/**/b", "/a/xb", false },
		{ "/a/**/b", "/ab", false },
		{ "/**/docker-*.scope", "/docker-1.scope", true },
		{ "/**/docker-*.scope", "/a/b/docker-1.scope", true },
		{ "/**/docker-*.scope", "/a/docker-1/x.scope", false },
		{ "/a***b", "/a/x/b", true },
		{ "/*a*b/c", "/xaab/ab/c", false },
		{ "/**/*a*b/c", "/xaab/ab/c", true },
		{ "/**a*b", "/a/a/cab/a/b/ab", true },
		/* names stand as they are on disk */
		{ "/dev-disk-by\\x2duuid*", "/dev-disk-by\\x2duuid-1.swap", true },
		{ "/a[bc]", "/ab", false },
		{ "/a[bc]", "/a[bc]", true },
		{ "/a\\*", "/a\\x", true },
		{ "/{a,b}", "/a", false },
		{ "/\xff*", "/\xff\xfe", true },
		{ "/A", "/a", false },
		/* wild cards on disk are only bytes */
		{ "/a*b", "/a**b", true },
		{ "/a?b", "/a?b", true },
		{ "/a?b", "/a*b", true },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++)
		ck_assert_msg(matches(cases[i].a, cases[i].b) == cases[i].yes,
			      "%s on %s", cases[i].a, cases[i].b);
}
END_TEST

START_TEST(covers)
{
	static const struct pair cases[] = {
		{ "/a", "/a", true },
		{ "/a", "/b", false },
		{ "**", "/a/*/b?", true },
		{ "**", "**", true },
		{ "/**", "**", false },
		{ "/*", "/a*", true },
		{ "/a*", "/*", false },
		{ "/*", "/?", true },
		{ "/?", "/*", false },
		{ "/?", "/?", true },
		{ "/?*", "/??", true },
		{ "/*", "/**", false },
		{ "/*", "/a/b", false },
		{ "/system.slice/**", "/system.slice/postgresql*.service", true },
		{ "/system.slice/*.service", "/system.slice/postgresql*.service", true },
		{ "/system.slice/postgresql*.service", "/system.slice/*.service", false },
		{ "/a/**", "/a/**/b", true },
		{ "/a/**/b", "/a/b", true },
		{ "/a/**/b", "/a/**/b", true },
		{ "/a/**/b", "/a/x/**/b", true },
		{ "/a/*/b", "/a/**/b", false },
		{ "/a/b", "/a/**/b", false },
		{ "/**/b", "/a/**/b", true },
		{ "/a*", "/a\\*", true },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++)
		ck_assert_msg(covered(cases[i].a, cases[i].b) == cases[i].yes,
			      "%s over %s", cases[i].a, cases[i].b);
}
END_TEST

/* Writes the next text over "/a*?" of up to `max` bytes; false when all have been had. */
static bool next_text(char *text, size_t max, const char *alphabet)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++) {
		const char *at = strchr(alphabet, text[i]);

		if (at[1]) {
			text[i] = at[1];
			return true;
		}
		text[i] = alphabet[0];
	}
	if (n == max)
		return false;
	text[n] = alphabet[0];
	text[n + 1] = '\0';
	return true;
}

/* The plain, exponential definition. */
static bool slow_match(const char *p, const char *t)
{
	if (*p == '\0')
		return *t == '\0';
	if (strncmp(p, "/**/", 4) == 0 && slow_match(p + 3, t))
		return true;
	if (strncmp(p, "**", 2) == 0)
		return slow_match(p + 2, t) || (*t && slow_match(p, t + 1));
	if (*p == '*')
		return slow_match(p + 1, t) || (*t && *t != '/' && slow_match(p, t + 1));
	if (*t == '\0' || (*p == '?' ? *t == '/' : *p != *t))
		return false;
	return slow_match(p + 1, t + 1);
}

START_TEST(agrees_with_the_definition)
{
	char pattern[8] = "";

	do {
		char path[8] = "";

		do {
			ck_assert_msg(matches(pattern, path) == slow_match(pattern, path),
				      "%s on %s", pattern, path);
		} while (next_text(path, 4, "/ab"));
	} while (next_text(pattern, 5, "/a*?"));
}
END_TEST

/* Whatever is said to be covered must be: no path matches inner alone. */
START_TEST(covers_never_lies)
{
	char outer[8] = "";

	do {
		char inner[8] = "";

		do {
			char path[8] = "";

			if (!covered(outer, inner))
				continue;
			do {
				ck_assert_msg(!slow_match(inner, path) || slow_match(outer, path),
					      "%s over %s, but %s", outer, inner, path);
			} while (next_text(path, 4, "/ab"));
		} while (next_text(inner, 4, "/a*?"));
	} while (next_text(outer, 4, "/a*?"));
}
END_TEST

/* 250 stars against 4,000 bytes: with backtracking this would not end. */
START_TEST(time_is_bounded)
{
	char pattern[PCR_GLOB_MAX + 3], path[4097];

	for (size_t i = 0; i + 2 < PCR_GLOB_MAX; i += 2)
		memcpy(pattern + i, "*a", 3);
	memset(path, 'a', 4096);
	path[4096] = '\0';
	ck_assert(matches(pattern, path));
	path[4095] = 'b';
	ck_assert(!matches(pattern, path));
	memset(pattern, '*', PCR_GLOB_MAX + 2);
	pattern[PCR_GLOB_MAX + 2] = '\0';
	ck_assert(!matches(pattern, path));
	ck_assert(!covered(pattern, "/a"));
	pattern[PCR_GLOB_MAX] = '\0';
	ck_assert(matches(pattern, path));
}
END_TEST

PCR_UNIT("glob", match, covers, agrees_with_the_definition, covers_never_lies, time_is_bounded)
