// SPDX-License-Identifier: GPL-2.0-or-later
/* Values about workers: how many, how nice, on which CPUs. */
#include "conf/form.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

static bool is_word(const char *text, size_t n, const char *word)
{
	struct pcr_complaint unused = {};

	return pcr_read_word(text, n, &word, 1, &unused) == 0;
}

/* A word that is nearly the one there is, or what is allowed. */
static int complain(const struct pcr_key *key, const char *text, size_t n, const char *word,
		    struct pcr_complaint *c)
{
	pcr_complain_range(key, c);
	pcr_read_word(text, n, &word, 1, c);
	return -EINVAL;
}

/* limit: "auto", "4" */

static int parse_limit(const struct pcr_key *key, const char *text, size_t n, void *dst,
		       struct pcr_complaint *c)
{
	u64 value = 0;

	if (!is_word(text, n, "auto") &&
	    (pcr_parse_u64(text, n, &value) || pcr_within(key, value, c)))
		return complain(key, text, n, "auto", c);
	if (dst)
		*(u64 *)dst = value;
	return 0;
}

static void show_limit(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	pcr_write_count(*(const u64 *)src, buf);
	if (!*(const u64 *)src)
		strcpy(buf, "auto");
}

const struct pcr_form pcr_form_limit = { "limit", parse_limit, show_limit, NULL };

/* nice: "keep", "-5", "19" */

static int parse_nice(const struct pcr_key *key, const char *text, size_t n, void *dst,
		      struct pcr_complaint *c)
{
	bool minus = *text == '-';
	u64 value = 0;

	if (is_word(text, n, "keep"))
		value = PCR_NICE_KEEP;
	else if (pcr_parse_u64(text + minus, n - minus, &value) || value > (minus ? 20 : 19))
		return complain(key, text, n, "keep", c);
	if (dst)
		*(s64 *)dst = minus ? -(s64)value : (s64)value;
	return 0;
}

static void show_nice(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	s64 value = *(const s64 *)src;

	if (value == PCR_NICE_KEEP)
		strcpy(buf, "keep");
	else
		snprintf(buf, PCR_KEY_TEXT, "%lld", (long long)value);
}

const struct pcr_form pcr_form_nice = { "nice", parse_nice, show_nice, NULL };

/* cpus: "keep", "0-3,8" */

/* One part of the list; false: none, or beyond what there is room for. */
static bool add_range(const char *text, size_t n, struct pcr_cpus *cpus)
{
	const char *dash = memchr(text, '-', n);
	size_t left = dash ? (size_t)(dash - text) : n;
	u64 from, to;

	if (pcr_parse_u64(text, left, &from))
		return false;
	to = from;
	if (dash && pcr_parse_u64(dash + 1, n - left - 1, &to))
		return false;
	if (from > to || to >= PCR_CPUS_MAX)
		return false;
	for (u64 i = from; i <= to; i++)
		cpus->bit[i / 64] |= 1ULL << (i % 64);
	cpus->any = true;
	return true;
}

static int parse_cpus(const struct pcr_key *key, const char *text, size_t n, void *dst,
		      struct pcr_complaint *c)
{
	struct pcr_cpus cpus = {};
	size_t at = 0;

	while (!is_word(text, n, "keep") && at <= n) {
		const char *comma = memchr(text + at, ',', n - at);
		size_t len = comma ? (size_t)(comma - text) - at : n - at;

		if (!add_range(text + at, len, &cpus)) {
			complain(key, text, n, "keep", c);
			c->at = at;
			return -EINVAL;
		}
		at += len + 1;
	}
	if (dst)
		*(struct pcr_cpus *)dst = cpus;
	return 0;
}

static bool has(const struct pcr_cpus *cpus, u32 i)
{
	return i < PCR_CPUS_MAX && (cpus->bit[i / 64] >> (i % 64) & 1);
}

static void show_cpus(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	const struct pcr_cpus *cpus = src;
	size_t at = 0;

	strcpy(buf, cpus->any ? "" : "keep");
	for (u32 i = 0; cpus->any && i < PCR_CPUS_MAX; i++) {
		u32 from = i;

		if (!has(cpus, i))
			continue;
		while (has(cpus, i + 1))
			i++;
		if (at > PCR_KEY_TEXT - 20) {
			strcpy(buf + at, "...");
			return;
		}
		at += (size_t)snprintf(buf + at, PCR_KEY_TEXT - at, "%s%u", at ? "," : "", from);
		if (i > from)
			at += (size_t)snprintf(buf + at, PCR_KEY_TEXT - at, "-%u", i);
	}
}

const struct pcr_form pcr_form_cpus = { "cpus", parse_cpus, show_cpus, NULL };
