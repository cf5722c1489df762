// SPDX-License-Identifier: GPL-2.0-or-later
/* Amounts as people write them, spelled as systemd spells them. */
#include "base/parse.h"

#include <errno.h>
#include <string.h>

/* More digits than any unit here can hold are a slip, not a wish for precision. */
#define FRACTION_DIGITS 9

/* A number with an optional decimal fraction: (whole * scale + part) / scale. */
struct decimal {
	u64 whole;
	u64 part;
	u64 scale;
};

static size_t digits(const char *text, size_t n)
{
	size_t len = 0;

	while (len < n && text[len] >= '0' && text[len] <= '9')
		len++;
	return len;
}

static void skip(const char **text, size_t *n, size_t len)
{
	*text += len;
	*n -= len;
}

static void skip_blanks(const char **text, size_t *n)
{
	while (*n > 0 && (**text == ' ' || **text == '\t'))
		skip(text, n, 1);
}

static int take_decimal(const char **text, size_t *n, struct decimal *ret)
{
	struct decimal d = { .scale = 1 };
	size_t len = digits(*text, *n);
	int r = pcr_parse_u64(*text, len, &d.whole);

	if (r < 0)
		return r;
	skip(text, n, len);
	if (*n > 0 && **text == '.') {
		skip(text, n, 1);
		len = digits(*text, *n);
		if (len > FRACTION_DIGITS)
			return -EINVAL;
		r = pcr_parse_u64(*text, len, &d.part);
		if (r < 0)
			return r;
		skip(text, n, len);
		while (len-- > 0)
			d.scale *= 10;
	}
	*ret = d;
	return 0;
}

/* d * unit, rounded down; -EINVAL where a unit of 1 would be cut in pieces. */
static int decimal_times(const struct decimal *d, u64 unit, u64 *ret)
{
	unsigned __int128 value = (unsigned __int128)d->whole * unit;

	if (unit == 1 && d->scale > 1)
		return -EINVAL;
	value += (unsigned __int128)d->part * unit / d->scale;
	if (value >= PCR_MAX)
		return -ERANGE;
	*ret = (u64)value;
	return 0;
}

int pcr_parse_size(const char *text, size_t n, u64 *ret_bytes)
{
	static const char suffixes[] = "BKMGTPE";
	struct decimal d;
	u64 unit = 1;
	int r = take_decimal(&text, &n, &d);

	if (r < 0)
		return r;
	if (n > 0) {
		const char *at;

		skip_blanks(&text, &n);
		if (n != 1)
			return -EINVAL;
		at = memchr(suffixes, *text, sizeof(suffixes) - 1);
		if (!at)
			return -EINVAL;
		unit <<= 10 * (at - suffixes);
	}
	return decimal_times(&d, unit, ret_bytes);
}

/*
 * systemd's words up to weeks. Its months and years are left out: nothing here
 * waits for one, and its "M" for a month reads like a minute.
 */
static const struct {
	const char *word;
	u64 usec;
} span_units[] = {
	{ "us", 1 },
	{ "usec", 1 },
	{ "µs", 1 },			/* micro sign */
	{ "μs", 1 },			/* Greek mu */
	{ "ms", PCR_MSEC },
	{ "msec", PCR_MSEC },
	{ "s", PCR_SEC },
	{ "sec", PCR_SEC },
	{ "second", PCR_SEC },
	{ "seconds", PCR_SEC },
	{ "m", PCR_MIN },
	{ "min", PCR_MIN },
	{ "minute", PCR_MIN },
	{ "minutes", PCR_MIN },
	{ "h", PCR_HOUR },
	{ "hr", PCR_HOUR },
	{ "hour", PCR_HOUR },
	{ "hours", PCR_HOUR },
	{ "d", 24 * PCR_HOUR },
	{ "day", 24 * PCR_HOUR },
	{ "days", 24 * PCR_HOUR },
	{ "w", 7 * 24 * PCR_HOUR },
	{ "week", 7 * 24 * PCR_HOUR },
	{ "weeks", 7 * 24 * PCR_HOUR },
};

static bool ends_unit(char c)
{
	return c == ' ' || c == '\t' || (c >= '0' && c <= '9');
}

/* 0: no such unit. */
static u64 take_span_unit(const char **text, size_t *n)
{
	size_t len = 0;

	while (len < *n && !ends_unit((*text)[len]))
		len++;
	for (size_t i = 0; i < PCR_ARRAY_SIZE(span_units); i++) {
		if (strlen(span_units[i].word) == len &&
		    memcmp(span_units[i].word, *text, len) == 0) {
			skip(text, n, len);
			return span_units[i].usec;
		}
	}
	return 0;
}

/* One "NUMBER UNIT" of a span. A number alone counts seconds, but only if it is all there is. */
static int take_span_part(const char **text, size_t *n, bool first, u64 *ret_usec)
{
	struct decimal d;
	u64 unit = PCR_SEC;
	int r = take_decimal(text, n, &d);

	if (r < 0)
		return r;
	if (*n > 0 || !first) {
		skip_blanks(text, n);
		unit = take_span_unit(text, n);
		if (unit == 0)
			return -EINVAL;
	}
	return decimal_times(&d, unit, ret_usec);
}

int pcr_parse_span(const char *text, size_t n, u64 *ret_usec)
{
	u64 sum = 0, part;
	bool first = true;

	if (n == 8 && memcmp(text, "infinity", 8) == 0) {
		*ret_usec = PCR_NEVER;
		return 0;
	}
	do {
		int r = take_span_part(&text, &n, first, &part);

		if (r < 0)
			return r;
		sum = pcr_add_u64(sum, part);
		first = false;
		if (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'))
			return -EINVAL;
		skip_blanks(&text, &n);
	} while (n > 0);
	if (sum >= PCR_MAX)
		return -ERANGE;
	*ret_usec = sum;
	return 0;
}

/* What one whole unit of the sign at the end is in basis points; 0: no sign. */
static u64 percent_sign(const char *text, size_t *n)
{
	static const struct {
		const char *sign;
		u64 bp;
	} signs[] = { { "%", 100 }, { "‰", 10 }, { "‱", 1 } };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(signs); i++) {
		size_t len = strlen(signs[i].sign);

		if (*n > len && memcmp(text + *n - len, signs[i].sign, len) == 0) {
			*n -= len;
			return signs[i].bp;
		}
	}
	return 0;
}

int pcr_parse_percent(const char *text, size_t n, u64 max_bp, u64 *ret_bp)
{
	struct decimal d;
	u64 bp, unit = percent_sign(text, &n);
	int r;

	if (unit == 0)
		return -EINVAL;
	r = take_decimal(&text, &n, &d);
	if (r < 0)
		return r;
	/* Nothing finer than a basis point is kept, so nothing finer is taken. */
	if (n > 0 || d.part * unit % d.scale != 0)
		return -EINVAL;
	r = decimal_times(&d, unit, &bp);
	if (r < 0)
		return r;
	if (bp > max_bp)
		return -ERANGE;
	*ret_bp = bp;
	return 0;
}

int pcr_parse_rate(const char *text, size_t n, u64 *ret_bytes, u64 *ret_usec)
{
	const char *slash = memchr(text, '/', n);
	u64 bytes, usec;
	size_t left;
	int r;

	if (!slash)
		return -EINVAL;
	left = (size_t)(slash - text);
	r = pcr_parse_size(text, left, &bytes);
	if (r == 0)
		r = pcr_parse_span(slash + 1, n - left - 1, &usec);
	if (r < 0)
		return r;
	/* "So much in no time" and "so much, once" are no rates. */
	if (usec == 0 || usec == PCR_NEVER)
		return -EINVAL;
	*ret_bytes = bytes;
	*ret_usec = usec;
	return 0;
}
