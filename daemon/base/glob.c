// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pattern is run as a set of places in it that the path so far may have led to.
 * One pass over the path, whatever the pattern: no backtracking, so no pattern that
 * somebody writes can make the daemon think for long.
 */
#include "base/glob.h"

#include <string.h>

/* places[i]: the pattern's byte i comes next; places[m]: the pattern is used up. */
struct places {
	size_t m;
	const char *pattern;
	bool at[PCR_GLOB_MAX + 1];
};

/* What moves the set on: one byte, or a piece of another pattern. */
enum input {
	IN_BYTE,	/* this byte */
	IN_ANY,		/* ?: every byte but '/' */
	IN_STAR,	/* *: every run of bytes but '/' */
	IN_DEEP,	/* **: every run of bytes */
};

static bool is_deep(const char *p)
{
	return p[0] == '*' && p[1] == '*';
}

/* "/ * * /" (without the blanks) also stands for a single slash: no component between. */
static bool is_gap(const char *p)
{
	return p[0] == '/' && is_deep(p + 1) && p[3] == '/';
}

/* Places that are reached without any input. Ascending order makes one pass enough. */
static void close_over(struct places *s)
{
	for (size_t i = 0; i < s->m; i++) {
		const char *p = s->pattern + i;

		if (!s->at[i])
			continue;
		if (is_gap(p))
			s->at[i + 3] = true;
		if (is_deep(p))
			s->at[i + 2] = true;
		else if (*p == '*')
			s->at[i + 1] = true;
	}
}

/*
 * How far place p moves for the input: -1 it is left for good, 0 it stays, 1 to the
 * next. Only moves that hold for every text the input stands for are made, which is
 * what lets pcr_glob_covers() use the same engine.
 */
static int move(const char *p, enum input in, char c)
{
	if (is_deep(p))
		return 0;
	if (*p == '*')
		return in == IN_DEEP || (in == IN_BYTE && c == '/') ? -1 : 0;
	if (in == IN_BYTE)
		return (*p == '?' && c != '/') || (*p != '?' && *p == c) ? 1 : -1;
	return in == IN_ANY && *p == '?' ? 1 : -1;
}

static bool step(struct places *s, enum input in, char c)
{
	bool any = false;
	bool carry = false;

	for (size_t i = 0; i <= s->m; i++) {
		int d = i < s->m && s->at[i] ? move(s->pattern + i, in, c) : -1;
		bool here = carry || d == 0;

		carry = d == 1;
		s->at[i] = here;
		any |= here;
	}
	if (any)
		close_over(s);
	return any;
}

static bool start(struct places *s, const char *pattern)
{
	size_t m = strlen(pattern);

	if (m > PCR_GLOB_MAX)
		return false;
	s->m = m;
	s->pattern = pattern;
	memset(s->at, 0, m + 1);
	s->at[0] = true;
	close_over(s);
	return true;
}

/* Bytes up to the first one that is special, or that may stand for less. */
static size_t plain_prefix(const char *pattern)
{
	size_t n = strcspn(pattern, "*?");

	return n > 0 && pattern[n] == '*' ? n - 1 : n;
}

bool pcr_glob_match(const char *pattern, const char *path)
{
	size_t n = plain_prefix(pattern);
	struct places s;

	/* Nearly every cgroup and policy part here, before any set is made. */
	if (strncmp(pattern, path, n) != 0)
		return false;
	if (!start(&s, pattern + n))
		return false;
	for (path += n; *path; path++) {
		if (!step(&s, IN_BYTE, *path))
			return false;
	}
	return s.at[s.m];
}

/* inner's gap stands for both a slash and more: only what both lead to is certain. */
static bool step_gap(struct places *s)
{
	struct places one = *s;
	bool any = false;

	step(&one, IN_BYTE, '/');
	step(s, IN_BYTE, '/');
	step(s, IN_DEEP, 0);
	step(s, IN_BYTE, '/');
	for (size_t i = 0; i <= s->m; i++) {
		s->at[i] &= one.at[i];
		any |= s->at[i];
	}
	return any;
}

bool pcr_glob_covers(const char *outer, const char *inner)
{
	struct places s;

	if (strcmp(outer, inner) == 0)
		return true;
	/* What outer says byte by byte, inner has to say too: nearly all pairs part here. */
	if (strncmp(outer, inner, plain_prefix(outer)) != 0)
		return false;
	if (!start(&s, outer))
		return false;
	while (*inner) {
		bool any;

		if (is_gap(inner)) {
			any = step_gap(&s);
			inner += 4;
		} else if (is_deep(inner)) {
			any = step(&s, IN_DEEP, 0);
			inner += 2;
		} else {
			enum input in = *inner == '*' ? IN_STAR : *inner == '?' ? IN_ANY : IN_BYTE;

			any = step(&s, in, *inner);
			inner++;
		}
		if (!any)
			return false;
	}
	return s.at[s.m];
}
