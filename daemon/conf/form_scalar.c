// SPDX-License-Identifier: GPL-2.0-or-later
/* Values that are one thing: a number, an amount, a word. */
#include "conf/form.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

static int store_u64(const struct pcr_key *key, u64 value, void *dst, struct pcr_complaint *c)
{
	int r = pcr_within(key, value, c);

	if (r == 0 && dst)
		*(u64 *)dst = value;
	return r;
}

/* bool */

static int parse_bool(const struct pcr_key *key, const char *text, size_t n, void *dst,
		      struct pcr_complaint *c)
{
	static const char *const words[] = { "yes", "no", "true", "false", "on", "off" };
	bool value;

	if (pcr_parse_bool(text, n, &value) < 0) {
		pcr_complain(c, 0, "neither yes nor no");
		pcr_read_word(text, n, words, PCR_ARRAY_SIZE(words), c);
		return -EINVAL;
	}
	if (dst)
		*(bool *)dst = value;
	return 0;
}

static void show_bool(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	strcpy(buf, *(const bool *)src ? "yes" : "no");
}

const struct pcr_form pcr_form_bool = { "bool", parse_bool, show_bool, NULL };

/* count */

/* "1,000" and "1_000" are meant as they look. */
static void mean_digits(const char *text, size_t n, struct pcr_complaint *c)
{
	size_t at = 0;

	for (size_t i = 0; i < n && at < 20; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			c->mean[at++] = text[i];
		else if (i == 0 || i + 1 == n || !memchr(",_'", text[i], 3))
			at = 21;
	}
	c->mean[at <= 20 ? at : 0] = '\0';
}

static int parse_count(const struct pcr_key *key, const char *text, size_t n, void *dst,
		       struct pcr_complaint *c)
{
	u64 value = 0;
	int r = pcr_parse_u64(text, n, &value);

	if (r == -ERANGE)
		return pcr_complain_range(key, c);
	if (r < 0) {
		pcr_complain(c, 0, "not a whole number");
		mean_digits(text, n, c);
		return r;
	}
	return store_u64(key, value, dst, c);
}

static void show_count(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	pcr_write_count(*(const u64 *)src, buf);
}

const struct pcr_form pcr_form_count = { "count", parse_count, show_count, pcr_write_count };

/* size, span */

static int parse_size(const struct pcr_key *key, const char *text, size_t n, void *dst,
		      struct pcr_complaint *c)
{
	u64 value;
	int r = pcr_read_size(text, n, 0, &value, c);

	return r < 0 ? r : store_u64(key, value, dst, c);
}

static void show_size(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	pcr_write_size(*(const u64 *)src, buf);
}

const struct pcr_form pcr_form_size = { "size", parse_size, show_size, pcr_write_size };

static int parse_span(const struct pcr_key *key, const char *text, size_t n, void *dst,
		      struct pcr_complaint *c)
{
	u64 value;
	int r = pcr_read_span(text, n, 0, &value, c);

	return r < 0 ? r : store_u64(key, value, dst, c);
}

static void show_span(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	pcr_write_span(*(const u64 *)src, buf);
}

const struct pcr_form pcr_form_span = { "span", parse_span, show_span, pcr_write_span };

/* percent */

static int parse_percent(const struct pcr_key *key, const char *text, size_t n, void *dst,
			 struct pcr_complaint *c)
{
	char probe[24];
	u64 value = 0;
	int r = pcr_parse_percent(text, n, key->max, &value);

	if (r == -ERANGE)
		return pcr_complain_range(key, c);
	if (r == 0)
		return store_u64(key, value, dst, c);
	pcr_complain(c, 0, "not a percentage: a number with at most two decimals and %%");
	/* "25" and "25 %" */
	while (n > 0 && (text[n - 1] == '%' || text[n - 1] == ' '))
		n--;
	if (n < 20) {
		snprintf(probe, sizeof(probe), "%.*s%%", (int)n, text);
		if (pcr_parse_percent(probe, n + 1, key->max, &value) == 0)
			snprintf(c->mean, sizeof(c->mean), "%s", probe);
	}
	return -EINVAL;
}

static void show_percent(const struct pcr_key *key, const void *src,
			 char buf[static PCR_KEY_TEXT])
{
	pcr_write_percent(*(const u64 *)src, buf);
}

const struct pcr_form pcr_form_percent = { "percentage", parse_percent, show_percent,
					   pcr_write_percent };

/* source */

static const char *const sources[_PCR_SOURCE_MAX] = { "auto", "tracefs", "fanotify", "inotify",
						      "walk" };

static int parse_source(const struct pcr_key *key, const char *text, size_t n, void *dst,
			struct pcr_complaint *c)
{
	int i;

	pcr_complain_range(key, c);
	i = pcr_read_word(text, n, sources, PCR_ARRAY_SIZE(sources), c);
	if (i < 0)
		return -EINVAL;
	if (dst)
		*(enum pcr_source *)dst = (enum pcr_source)i;
	return 0;
}

static void show_source(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	strcpy(buf, sources[*(const enum pcr_source *)src]);
}

const struct pcr_form pcr_form_source = { "source", parse_source, show_source, NULL };

/* level: syslog's names and numbers */

static const char *const levels[] = { "err", "warning", "notice", "info", "debug",
				      "error", "warn" };
static const u8 level_numbers[] = { 3, 4, 5, 6, 7, 3, 4 };

static int parse_level(const struct pcr_key *key, const char *text, size_t n, void *dst,
		       struct pcr_complaint *c)
{
	u64 value;
	int i;

	if (pcr_parse_u64(text, n, &value) != 0) {
		pcr_complain_range(key, c);
		i = pcr_read_word(text, n, levels, PCR_ARRAY_SIZE(levels), c);
		if (i < 0)
			return -EINVAL;
		value = level_numbers[i];
	}
	if (pcr_within(key, value, c) < 0)
		return -EINVAL;
	if (dst)
		*(u32 *)dst = (u32)value;
	return 0;
}

static void show_level(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	strcpy(buf, levels[*(const u32 *)src - 3]);
}

const struct pcr_form pcr_form_level = { "level", parse_level, show_level, NULL };
