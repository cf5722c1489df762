// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers, lines and words as kernel files hold them. Units: parse_units.c. */
#include "base/parse.h"

#include <errno.h>
#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

int pcr_parse_u64(const char *text, size_t n, u64 *ret_value)
{
	u64 value = 0;
	bool over = false;

	if (n == 0)
		return -EINVAL;
	/* To the end even after an overflow: "99999999999999999999x" is junk first. */
	for (size_t i = 0; i < n; i++) {
		if (!is_digit(text[i]))
			return -EINVAL;
		over |= __builtin_mul_overflow(value, 10, &value);
		over |= __builtin_add_overflow(value, (u64)(text[i] - '0'), &value);
	}
	if (over)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

/* The two top values mean "not sampled" and "max"; no real figure comes near. */
static int parse_sampled(const char *text, size_t n, u64 *ret_value)
{
	u64 value;
	int r = pcr_parse_u64(text, n, &value);

	if (r < 0)
		return r;
	if (value >= PCR_MAX)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int pcr_parse_file_u64(const char *text, size_t n, u64 *ret_value)
{
	if (n > 0 && text[n - 1] == '\n')
		n--;
	if (n == 3 && memcmp(text, "max", 3) == 0) {
		*ret_value = PCR_MAX;
		return 0;
	}
	return parse_sampled(text, n, ret_value);
}

int pcr_parse_bool(const char *text, size_t n, bool *ret_value)
{
	static const char *const words[2][6] = {
		{ "no", "false", "off", "0", "n", "f" },
		{ "yes", "true", "on", "1", "y", "t" },
	};

	for (size_t side = 0; side < 2; side++) {
		for (size_t i = 0; i < 6; i++) {
			if (strlen(words[side][i]) == n && strncasecmp(text, words[side][i], n) == 0) {
				*ret_value = side == 1;
				return 0;
			}
		}
	}
	return -EINVAL;
}

/* Digits up to the first byte that is none; at least one, and no CPU beyond 32 bits. */
static int cpu_number(const char **text, size_t *n, u64 *ret_cpu)
{
	size_t len = 0;
	int r;

	while (len < *n && is_digit((*text)[len]))
		len++;
	r = pcr_parse_u64(*text, len, ret_cpu);
	if (r < 0)
		return r;
	if (*ret_cpu > UINT32_MAX)
		return -ERANGE;
	*text += len;
	*n -= len;
	return 0;
}

static bool eat(const char **text, size_t *n, char c)
{
	if (*n == 0 || **text != c)
		return false;
	(*text)++;
	(*n)--;
	return true;
}

/*
 * The kernel prints ranges in ascending order and apart; anything else is not from
 * a kernel, and counting it would count CPUs twice.
 */
int pcr_parse_cpulist(const char *text, size_t n, u64 *ret_count)
{
	u64 count = 0, next = 0;

	if (n > 0 && text[n - 1] == '\n')
		n--;
	if (n == 0) {
		*ret_count = 0;
		return 0;
	}
	do {
		u64 first, last;
		int r = cpu_number(&text, &n, &first);

		if (r < 0)
			return r;
		last = first;
		if (eat(&text, &n, '-'))
			r = cpu_number(&text, &n, &last);
		if (r < 0)
			return r;
		if (first < next || last < first)
			return -EINVAL;
		count += last - first + 1;
		next = last + 1;
	} while (eat(&text, &n, ','));
	if (n > 0)
		return -EINVAL;
	*ret_count = count;
	return 0;
}

int pcr_parse_fixed2(const char *text, size_t n, u64 *ret_bp)
{
	u64 whole, cents;
	int r;

	if (n < 4 || text[n - 3] != '.')
		return -EINVAL;
	r = pcr_parse_u64(text + n - 2, 2, &cents);
	if (r == 0)
		r = pcr_parse_u64(text, n - 3, &whole);
	if (r < 0)
		return r;
	if (whole > (PCR_MAX - 100) / 100)
		return -ERANGE;
	*ret_bp = whole * 100 + cents;
	return 0;
}

bool pcr_next_line(const char **text, size_t *n, const char **ret_line, size_t *ret_len)
{
	const char *end;
	size_t len;

	if (*n == 0)
		return false;
	end = memchr(*text, '\n', *n);
	len = end ? (size_t)(end - *text) : *n;
	*ret_line = *text;
	*ret_len = len;
	len += end ? 1 : 0;
	*text += len;
	*n -= len;
	return true;
}

bool pcr_next_word(const char **text, size_t *n, const char **ret_word, size_t *ret_len)
{
	size_t at = 0, len = 0;

	while (at < *n && is_blank((*text)[at]))
		at++;
	while (at + len < *n && !is_blank((*text)[at + len]))
		len++;
	if (len > 0) {
		*ret_word = *text + at;
		*ret_len = len;
	}
	*text += at + len;
	*n -= at + len;
	return len > 0;
}

/* "key", or "key:" of /proc/meminfo; never a part of a longer word. */
static bool key_is(const char *word, size_t len, const char *key, size_t key_len)
{
	if (len == key_len + 1 && word[key_len] == ':')
		len--;
	return len == key_len && memcmp(word, key, key_len) == 0;
}

int pcr_keyed_u64(const char *text, size_t n, const char *key, u64 *ret_value)
{
	const char *line, *word;
	size_t line_len, len, key_len = strlen(key);

	while (pcr_next_line(&text, &n, &line, &line_len)) {
		if (!pcr_next_word(&line, &line_len, &word, &len) ||
		    !key_is(word, len, key, key_len))
			continue;
		if (!pcr_next_word(&line, &line_len, &word, &len))
			return -EINVAL;
		/* percpu_stats pads its keys and lets the colon stand alone. */
		if (len == 1 && *word == ':' && !pcr_next_word(&line, &line_len, &word, &len))
			return -EINVAL;
		return parse_sampled(word, len, ret_value);
	}
	return PCR_NONE;
}
