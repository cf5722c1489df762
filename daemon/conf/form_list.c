// SPDX-License-Identifier: GPL-2.0-or-later
/* Values that name things: cgroup globs, cgroup paths, a group. Lists are blank-separated. */
#include "conf/form.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/parse.h"
#include "conf/report.h"

/* Components that no cgroup is called: they would never match, in silence. */
static bool odd_component(const char *word, size_t n)
{
	size_t start = word[0] == '/';

	for (size_t i = start; i <= n; i++) {
		if (i < n && word[i] != '/')
			continue;
		if (i == start || (i == start + 1 && word[start] == '.') ||
		    (i == start + 2 && word[start] == '.' && word[start + 1] == '.'))
			return true;
		start = i + 1;
	}
	return false;
}

static void suggest(struct pcr_complaint *c, const char *front, const char *word, size_t n)
{
	if (n < 80)
		snprintf(c->mean, sizeof(c->mean), "%s%.*s", front, (int)n, word);
}

/* What globs and paths have in common: absolute, plain components, no slash at the end. */
static int check_path(const char *word, size_t n, size_t at, bool anywhere,
		      struct pcr_complaint *c)
{
	char quoted[PCR_CONF_QUOTE];
	size_t end = n;

	if (word[0] != '/' && !anywhere) {
		pcr_complain(c, at, "\"%.60s\" does not begin with /", pcr_conf_quote(quoted, word, n));
		suggest(c, "/", word, n);
		return -EINVAL;
	}
	if (n > 1 && word[n - 1] == '/') {
		pcr_complain(c, at + n - 1, "no cgroup's path ends with /");
		while (end > 1 && word[end - 1] == '/')
			end--;
		suggest(c, "", word, end);
		return -EINVAL;
	}
	if (n > 1 && odd_component(word, n))
		return pcr_complain(c, at, "no cgroup's path has //, /./ or /../ in it");
	return 0;
}

/* --- taken, since a cgroup may be called anything, but hardly meant --- */

/* True when word begins with this path, as a whole number of components. */
static bool below(const char *word, size_t n, const char *path)
{
	size_t len = strlen(path);

	return n >= len && memcmp(word, path, len) == 0 && (n == len || word[len] == '/');
}

#define MOUNT "/sys/fs/cgroup"

static bool doubt_mount(const char *word, size_t n, size_t at, struct pcr_complaint *c)
{
	/* Where memory is on cgroup v1, it has a mount of its own. */
	size_t skip = below(word, n, MOUNT "/memory") ? strlen(MOUNT "/memory") : strlen(MOUNT);

	pcr_complain(c, at, "the mount point is no part of a cgroup's path");
	suggest(c, n == skip ? "/" : "", word + skip, n - skip);
	return true;
}

/* "x{a,b}y" as "xay xby", where it fits. */
static void spell_out(const char *word, size_t n, const char *open, const char *close,
		      struct pcr_complaint *c)
{
	const char *piece = open + 1;
	char text[sizeof(c->mean)];
	size_t used = 0;

	while (piece <= close) {
		const char *end = memchr(piece, ',', (size_t)(close - piece));
		int len;

		end = end ? end : close;
		len = snprintf(text + used, sizeof(text) - used, "%s%.*s%.*s%.*s", used ? " " : "",
			       (int)(open - word), word, (int)(end - piece), piece,
			       (int)(word + n - close - 1), close + 1);
		used += (size_t)len;
		if (used >= sizeof(text))
			return;
		piece = end + 1;
	}
	strcpy(c->mean, text);
}

/* What other globs have and these do not. */
static bool doubt_special(const char *word, size_t n, size_t at, struct pcr_complaint *c)
{
	const char *open = memchr(word, '{', n), *close, *comma;

	close = open ? memchr(open, '}', (size_t)(word + n - open)) : NULL;
	comma = close ? memchr(open, ',', (size_t)(close - open)) : NULL;
	if (comma) {
		pcr_complain(c, at + (size_t)(open - word), "{ } have no meaning here: write each out");
		spell_out(word, n, open, close, c);
		return true;
	}
	open = memchr(word, '[', n);
	if (!open || !memchr(open, ']', (size_t)(word + n - open)))
		return false;
	pcr_complain(c, at + (size_t)(open - word),
		     "[ ] have no meaning here: ? stands for one byte, * for any");
	return true;
}

/* The first doubt about a line is told. */
static void doubt(const char *word, size_t n, size_t at, struct pcr_complaint *c)
{
	if (!c->doubt)
		c->doubt = below(word, n, MOUNT) ? doubt_mount(word, n, at, c) :
						   doubt_special(word, n, at, c);
}

/* Runs fn over every word. */
static int each_word(const char *text, size_t n, void *dst, struct pcr_complaint *c,
		     int (*fn)(const char *word, size_t len, size_t at, void *dst,
			       struct pcr_complaint *c))
{
	const char *rest = text, *word;
	size_t left = n, len;

	while (pcr_next_word(&rest, &left, &word, &len)) {
		int r = fn(word, len, (size_t)(word - text), dst, c);

		if (r < 0)
			return r;
	}
	return 0;
}

/* globs */

static int check_glob(const char *word, size_t n, size_t at, void *dst, struct pcr_complaint *c)
{
	int r;

	if (n > PCR_GLOB_MAX)
		return pcr_complain(c, at, "longer than %d bytes", PCR_GLOB_MAX);
	/* "**" at the start stands for the leading slash as well. */
	r = check_path(word, n, at, n >= 2 && word[0] == '*' && word[1] == '*', c);
	if (r == 0)
		doubt(word, n, at, c);
	return r;
}

static int add_glob(const char *word, size_t n, size_t at, void *dst, struct pcr_complaint *c)
{
	struct pcr_policy *p = pcr_container_of(dst, struct pcr_policy, n_match);

	if (p->n_match >= PCR_MATCH_MAX)
		return pcr_complain(c, at, "more than %d globs", PCR_MATCH_MAX);
	return pcr_strv_push(&p->match, &p->n_match, word, n);
}

/* All are looked at before the first is taken: a refused line changes nothing. */
static int parse_globs(const struct pcr_key *key, const char *text, size_t n, void *dst,
		       struct pcr_complaint *c)
{
	int r = each_word(text, n, NULL, c, check_glob);

	return r < 0 || !dst ? r : each_word(text, n, dst, c, add_glob);
}

/* Blank-separated; what does not fit is "...". */
static void show_words(char *const *words, u32 n, char buf[static PCR_KEY_TEXT])
{
	size_t at = 0;

	buf[0] = '\0';
	for (u32 i = 0; i < n; i++) {
		size_t len = strlen(words[i]) + (i > 0);

		if (at + len + sizeof(" ...") > PCR_KEY_TEXT) {
			strcpy(buf + at, at ? " ..." : "...");
			return;
		}
		at += (size_t)snprintf(buf + at, PCR_KEY_TEXT - at, "%s%s", i ? " " : "", words[i]);
	}
}

static void show_globs(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	const struct pcr_policy *p =
		(const struct pcr_policy *)((const char *)src - offsetof(struct pcr_policy, n_match));

	show_words(p->match, p->n_match, buf);
}

const struct pcr_form pcr_form_globs = { "globs", parse_globs, show_globs, NULL };

/* slices */

static int check_slice(const char *word, size_t n, size_t at, void *dst, struct pcr_complaint *c)
{
	int r;

	if (memchr(word, '*', n) || memchr(word, '?', n))
		return pcr_complain(c, at, "a trigger is for one cgroup: no * or ? here");
	if (n == 1 && word[0] == '/')
		return pcr_complain(c, at, "the whole machine is watched anyway");
	if (n >= 4096)
		return pcr_complain(c, at, "longer than a path can be");
	r = check_path(word, n, at, false, c);
	if (r == 0)
		doubt(word, n, at, c);
	return r;
}

static int add_slice(const char *word, size_t n, size_t at, void *dst, struct pcr_complaint *c)
{
	struct pcr_pressure_rule *p = pcr_container_of(dst, struct pcr_pressure_rule, n_slices);

	for (u32 i = 0; i < p->n_slices; i++) {
		if (strlen(p->slices[i]) == n && memcmp(p->slices[i], word, n) == 0)
			return 0;
	}
	if (p->n_slices >= PCR_SLICES_MAX)
		return pcr_complain(c, at, "more than %d slices", PCR_SLICES_MAX);
	p->slices[p->n_slices] = strndup(word, n);
	if (!p->slices[p->n_slices])
		return -ENOMEM;
	p->n_slices++;
	return 0;
}

static int parse_slices(const struct pcr_key *key, const char *text, size_t n, void *dst,
			struct pcr_complaint *c)
{
	int r = each_word(text, n, NULL, c, check_slice);

	return r < 0 || !dst ? r : each_word(text, n, dst, c, add_slice);
}

static void show_slices(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	const struct pcr_pressure_rule *p =
		(const struct pcr_pressure_rule *)((const char *)src -
						   offsetof(struct pcr_pressure_rule, n_slices));

	show_words(p->slices, p->n_slices, buf);
}

const struct pcr_form pcr_form_slices = { "paths", parse_slices, show_slices, NULL };

/* group: whether it exists is for whoever opens the socket to find out */

static bool group_byte(char c, bool first)
{
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9'))
		return true;
	return !first && (c == '-' || c == '.');
}

static int parse_group(const struct pcr_key *key, const char *text, size_t n, void *dst,
		       struct pcr_complaint *c)
{
	char *copy;

	if (n > 31)
		return pcr_complain(c, 0, "longer than 31 characters");
	for (size_t i = 0; i < n; i++) {
		if (!group_byte(text[i], i == 0))
			return pcr_complain(c, i, "not a group's name or number");
	}
	if (!dst)
		return 0;
	copy = strndup(text, n);
	if (!copy)
		return -ENOMEM;
	free(*(char **)dst);
	*(char **)dst = copy;
	return 0;
}

static void show_group(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	const char *group = *(char *const *)src;

	snprintf(buf, PCR_KEY_TEXT, "%s", group ? group : "");
}

const struct pcr_form pcr_form_group = { "group", parse_group, show_group, NULL };
