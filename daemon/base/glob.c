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

/* The first eight of n bytes at most, or the last. */
static struct pcr_glob_key key(const char *text, size_t n, bool from_end)
{
	unsigned char bytes[8] = { 0 }, mask[8] = { 0 };
	size_t len = n < 8 ? n : 8;
	struct pcr_glob_key k;

	memcpy(bytes + (from_end ? 8 - len : 0), from_end ? text + n - len : text, len);
	memset(mask + (from_end ? 8 - len : 0), 0xff, len);
	memcpy(&k.bits, bytes, 8);
	memcpy(&k.mask, mask, 8);
	return k;
}

void pcr_glob_prepare(const char *pattern, struct pcr_glob *ret_glob)
{
	struct pcr_glob g = { .text = pattern, .len = (u32)strlen(pattern),
			      .prefix = (u32)plain_prefix(pattern) };
	const char *slash = strrchr(pattern, '/');

	while (g.tail < g.len && !strchr("*?", pattern[g.len - 1 - g.tail]))
		g.tail++;
	/* Neither * nor ? stands for a slash: behind the last one it is name against name. */
	if (slash && !strstr(slash, "**")) {
		g.base = (u32)(slash + 1 - pattern);
		g.head = (u32)strcspn(slash + 1, "*?");
	}
	g.first = key(pattern, g.prefix, false);
	g.last = key(pattern + g.len - g.tail, g.tail, true);
	g.name = key(pattern + g.base, g.head, false);
	*ret_glob = g;
}

void pcr_glob_path(const char *path, struct pcr_glob_path *ret_path)
{
	const char *slash = strrchr(path, '/');
	struct pcr_glob_path p = { .text = path, .len = (u32)strlen(path),
				   .base = slash ? (u32)(slash + 1 - path) : 0 };

	p.first = key(path, p.len, false);
	p.last = key(path, p.len, true);
	p.name = key(path + p.base, p.len - p.base, false);
	*ret_path = p;
}

/* Everything plain in a is said by b as well, so far. */
static bool says(struct pcr_glob_key b, struct pcr_glob_key a)
{
	return ((b.bits ^ a.bits) & a.mask) == 0 && (b.mask & a.mask) == a.mask;
}

static bool plain_parts(const struct pcr_glob *g, const struct pcr_glob_path *p)
{
	return p->len - p->base >= g->head && p->len >= g->tail && p->len >= g->prefix &&
	       memcmp(p->text + p->base, g->text + g->base, g->head) == 0 &&
	       memcmp(p->text + p->len - g->tail, g->text + g->len - g->tail, g->tail) == 0 &&
	       memcmp(p->text, g->text, g->prefix) == 0;
}

bool pcr_glob_match(const struct pcr_glob *glob, const struct pcr_glob_path *path)
{
	struct places s;

	/* Nearly every cgroup and policy part here, before any set is made. */
	if (!says(path->name, glob->name) || !says(path->last, glob->last) ||
	    !says(path->first, glob->first) || !plain_parts(glob, path))
		return false;
	if (!start(&s, glob->text + glob->prefix))
		return false;
	for (const char *c = path->text + glob->prefix; *c; c++) {
		if (!step(&s, IN_BYTE, *c))
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

static bool covers(const char *outer, const char *inner)
{
	struct places s;

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

bool pcr_glob_covers(const struct pcr_glob *outer, const struct pcr_glob *inner)
{
	/* What outer says plainly, inner has to say too: nearly all pairs part here. */
	if (!says(inner->first, outer->first) || !says(inner->last, outer->last) ||
	    !says(inner->name, outer->name) || inner->prefix < outer->prefix ||
	    memcmp(inner->text, outer->text, outer->prefix) != 0)
		return false;
	return strcmp(outer->text, inner->text) == 0 || covers(outer->text, inner->text);
}
