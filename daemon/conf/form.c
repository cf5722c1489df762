// SPDX-License-Identifier: GPL-2.0-or-later
/* Amounts with reasons: the strict parsers say no, this says why and what would do. */
#include "conf/form.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/suggest.h"
#include "conf/report.h"

int pcr_complain(struct pcr_complaint *c, size_t at, const char *fmt, ...)
{
	va_list ap;

	c->at = at;
	c->mean[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(c->what, sizeof(c->what), fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int pcr_complain_range(const struct pcr_key *key, struct pcr_complaint *c)
{
	char range[PCR_KEY_TEXT];

	return pcr_complain(c, 0, "must be %.100s", pcr_key_range((size_t)(key - pcr_keys), range));
}

int pcr_within(const struct pcr_key *key, u64 value, struct pcr_complaint *c)
{
	return value < key->min || value > key->max ? pcr_complain_range(key, c) : 0;
}

/* The number in front: what a unit is behind. */
static size_t number_len(const char *text, size_t n)
{
	size_t len = 0;

	while (len < n && ((text[len] >= '0' && text[len] <= '9') || text[len] == '.'))
		len++;
	return len;
}

static size_t blanks_len(const char *text, size_t n)
{
	size_t len = 0;

	while (len < n && (text[len] == ' ' || text[len] == '\t'))
		len++;
	return len;
}

/* "MB", "MiB", "m", "mb": K to E in any case, with or without what people put behind. */
static char size_letter(const char *unit, size_t n)
{
	static const char *const tails[] = { "", "b", "ib", "bytes" };
	char letter = n > 0 && *unit >= 'a' ? *unit - 'a' + 'A' : n > 0 ? *unit : 0;

	for (size_t i = 0; n > 0 && i < PCR_ARRAY_SIZE(tails); i++) {
		if (strlen(tails[i]) == n - 1 && strncasecmp(tails[i], unit + 1, n - 1) == 0)
			return memchr("KMGTPE", letter, 6) ? letter : 0;
	}
	return 0;
}

/* Whether there is a number to put a suffix behind; those of base/ are the judges. */
static bool is_number(const char *text, size_t n)
{
	char probe[40];
	u64 unused;

	if (n + 2 > sizeof(probe))
		return false;
	snprintf(probe, sizeof(probe), "%.*sK", (int)n, text);
	return pcr_parse_size(probe, n + 1, &unused) != -EINVAL;
}

int pcr_read_size(const char *text, size_t n, size_t at, u64 *ret, struct pcr_complaint *c)
{
	size_t len = number_len(text, n), blanks = blanks_len(text + len, n - len);
	const char *unit = text + len + blanks;
	size_t unit_len = n - len - blanks;
	char quoted[PCR_CONF_QUOTE], letter;
	int r = pcr_parse_size(text, n, ret);
	u64 unused;

	if (r == 0)
		return 0;
	if (r == -ERANGE)
		return pcr_complain(c, at, "too large");
	if (!is_number(text, len))
		return pcr_complain(c, at, "not a size: a number and K, M, G or T");
	if (unit_len == 0 || (unit_len == 1 && *unit == 'B'))
		return pcr_complain(c, at, "not a whole number of bytes");
	pcr_complain(c, at + len + blanks, "unknown suffix \"%.60s\"",
		     pcr_conf_quote(quoted, unit, unit_len));
	letter = size_letter(unit, unit_len);
	if (letter)
		snprintf(c->mean, sizeof(c->mean), "%.*s%c", (int)len, text, letter);
	if (pcr_parse_size(c->mean, strlen(c->mean), &unused) < 0)
		c->mean[0] = '\0';
	return -EINVAL;
}

static const char *const span_words[] = { "us", "ms", "s", "min", "h", "d", "w", "sec", "seconds",
					  "minutes", "hours", "days", "weeks" };

/* The first unit in text that is none; false: it is not the units. */
static bool bad_unit(const char *text, size_t n, size_t *ret_at, size_t *ret_len)
{
	size_t i = 0;
	char probe[32];
	u64 unused;

	while (i < n) {
		size_t len = number_len(text + i, n - i), start;

		if (len == 0)
			return false;
		start = i + len + blanks_len(text + i + len, n - i - len);
		i = start;
		while (i < n && !(text[i] >= '0' && text[i] <= '9') && text[i] != ' ' && text[i] != '\t')
			i++;
		snprintf(probe, sizeof(probe), "1%.*s", (int)(i - start < 20 ? i - start : 20),
			 text + start);
		/* A number alone is fine alone, but then nobody asks here. */
		if (i == start || pcr_parse_span(probe, strlen(probe), &unused) < 0) {
			*ret_at = start;
			*ret_len = i - start;
			return true;
		}
		i += blanks_len(text + i, n - i);
	}
	return false;
}

static void mean_span(const char *text, size_t n, size_t unit, size_t unit_len,
		      struct pcr_complaint *c)
{
	char word[16], whole[64];
	const char *near;
	u64 unused;

	if (unit_len == 0 || unit_len >= sizeof(word) || n >= 40)
		return;
	snprintf(word, sizeof(word), "%.*s", (int)unit_len, text + unit);
	near = strcasecmp(word, "mins") == 0 ? "min" :
	       strcasecmp(word, "hrs") == 0  ? "h" :
	       strcasecmp(word, "secs") == 0 ? "s" :
					       pcr_suggest(word, span_words, PCR_ARRAY_SIZE(span_words));
	/* A month, an S or an H: one letter is near nothing. */
	for (size_t i = 0; !near && i < PCR_ARRAY_SIZE(span_words); i++) {
		if (strcasecmp(span_words[i], word) == 0)
			near = span_words[i];
	}
	if (!near)
		return;
	snprintf(whole, sizeof(whole), "%.*s%s%.*s", (int)unit, text, near,
		 (int)(n - unit - unit_len), text + unit + unit_len);
	if (pcr_parse_span(whole, strlen(whole), &unused) == 0)
		snprintf(c->mean, sizeof(c->mean), "%s", whole);
}

int pcr_read_span(const char *text, size_t n, size_t at, u64 *ret, struct pcr_complaint *c)
{
	char quoted[PCR_CONF_QUOTE];
	size_t unit, len;
	int r = pcr_parse_span(text, n, ret);

	if (r == 0)
		return 0;
	if (r == -ERANGE)
		return pcr_complain(c, at, "too long");
	if (n > 0 && n < 16 && strncasecmp(text, "infinity", n) == 0 && n >= 3) {
		pcr_complain(c, at, "not a span of time");
		strcpy(c->mean, "infinity");
		return -EINVAL;
	}
	if (!bad_unit(text, n, &unit, &len))
		return pcr_complain(c, at, "not a span of time: a number and us, ms, s, min, h, d or w");
	if (len == 0)
		return pcr_complain(c, at + unit, "no unit behind the number");
	pcr_complain(c, at + unit, "unknown unit \"%.60s\"", pcr_conf_quote(quoted, text + unit, len));
	mean_span(text, n, unit, len, c);
	return -EINVAL;
}

int pcr_read_word(const char *text, size_t n, const char *const *words, size_t n_words,
		  struct pcr_complaint *c)
{
	char word[32];
	const char *near;

	for (size_t i = 0; i < n_words; i++) {
		if (strlen(words[i]) == n && memcmp(words[i], text, n) == 0)
			return (int)i;
	}
	if (n < sizeof(word)) {
		snprintf(word, sizeof(word), "%.*s", (int)n, text);
		near = pcr_suggest(word, words, n_words);
		if (near)
			snprintf(c->mean, sizeof(c->mean), "%s", near);
	}
	return -1;
}

void pcr_write_count(u64 value, char buf[static PCR_KEY_TEXT])
{
	snprintf(buf, PCR_KEY_TEXT, "%llu", (unsigned long long)value);
}

void pcr_write_size(u64 value, char buf[static PCR_KEY_TEXT])
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };
	size_t i = 0;

	while (value > 0 && value % 1024 == 0 && i + 1 < PCR_ARRAY_SIZE(units)) {
		value /= 1024;
		i++;
	}
	snprintf(buf, PCR_KEY_TEXT, "%llu%s", (unsigned long long)value, units[i]);
}

void pcr_write_span(u64 value, char buf[static PCR_KEY_TEXT])
{
	static const struct {
		const char *word;
		u64 usec;
	} units[] = {
		{ "w", 168 * PCR_HOUR }, { "d", 24 * PCR_HOUR }, { "h", PCR_HOUR }, { "min", PCR_MIN },
		{ "s", PCR_SEC },	 { "ms", PCR_MSEC },	 { "us", 1 },
	};
	size_t at = 0;

	strcpy(buf, value == PCR_NEVER ? "infinity" : "0");
	if (value == PCR_NEVER)
		return;
	for (size_t i = 0; i < PCR_ARRAY_SIZE(units); i++) {
		u64 many = value / units[i].usec;

		if (many == 0)
			continue;
		value %= units[i].usec;
		at += (size_t)snprintf(buf + at, PCR_KEY_TEXT - at, "%s%llu%s", at ? " " : "",
				       (unsigned long long)many, units[i].word);
	}
}

void pcr_write_percent(u64 value, char buf[static PCR_KEY_TEXT])
{
	u64 whole = value / 100, cents = value % 100;

	if (cents == 0)
		snprintf(buf, PCR_KEY_TEXT, "%llu%%", (unsigned long long)whole);
	else
		snprintf(buf, PCR_KEY_TEXT, "%llu.%02llu%%", (unsigned long long)whole,
			 (unsigned long long)cents);
}
