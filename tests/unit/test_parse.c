// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/base/parse.c and parse_units.c: what is taken, what is refused, where it ends. */
#include "unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define U64_TEXT "18446744073709551615"

struct one {
	const char *text;
	int r;
	u64 value;
};

typedef int (*parse_one)(const char *text, size_t n, u64 *ret);

/* Every text stands at the end of a block of its exact size, for the sanitizer to watch. */
static void check_one(const char *what, parse_one parse, const struct one *c)
{
	size_t n = strlen(c->text);
	char *exact = malloc(n + 1);
	u64 value = 4711;
	int r;

	memcpy(exact + 1, c->text, n);
	r = parse(exact + 1, n, &value);
	free(exact);
	ck_assert_msg(r == c->r, "%s(\"%s\") = %d, not %d", what, c->text, r, c->r);
	ck_assert_msg(value == (r == 0 ? c->value : 4711), "%s(\"%s\") gave %llu, not %llu", what,
		      c->text, (unsigned long long)value, (unsigned long long)c->value);
}

#define CHECK_ALL(parse, table)                                                                    \
	do {                                                                                       \
		for (size_t i = 0; i < PCR_ARRAY_SIZE(table); i++)                                 \
			check_one(#parse, parse, &(table)[i]);                                     \
	} while (0)

START_TEST(u64_is_digits_only)
{
	static const struct one cases[] = {
		{ "0", 0, 0 },
		{ "00", 0, 0 },
		{ "4711", 0, 4711 },
		{ U64_TEXT, 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999999999999", -ERANGE, 0 },
		{ "99999999999999999999999999999x", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1\n", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1.0", -EINVAL, 0 },
	};

	CHECK_ALL(pcr_parse_u64, cases);
}
END_TEST

START_TEST(file_u64_takes_one_newline_and_max)
{
	static const struct one cases[] = {
		{ "0\n", 0, 0 },
		{ "12", 0, 12 },
		{ "max\n", 0, PCR_MAX },
		{ "max", 0, PCR_MAX },
		{ "maxi\n", -EINVAL, 0 },
		{ "18446744073709551613\n", 0, PCR_MAX - 1 },
		{ "18446744073709551614\n", -ERANGE, 0 },
		{ U64_TEXT "\n", -ERANGE, 0 },
		{ "1\n\n", -EINVAL, 0 },
		{ "\n", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "1 2\n", -EINVAL, 0 },
	};

	CHECK_ALL(pcr_parse_file_u64, cases);
}
END_TEST

START_TEST(size_counts_in_1024)
{
	static const struct one cases[] = {
		{ "0", 0, 0 },
		{ "4096", 0, 4096 },
		{ "64B", 0, 64 },
		{ "16K", 0, 16 << 10 },
		{ "16M", 0, 16 << 20 },
		{ "16 M", 0, 16 << 20 },
		{ "2G", 0, 2ULL << 30 },
		{ "1T", 0, 1ULL << 40 },
		{ "1P", 0, 1ULL << 50 },
		{ "15E", 0, 15ULL << 60 },
		{ "1.5M", 0, 3 << 19 },
		{ "0.5K", 0, 512 },
		{ "1.000000001G", 0, (1 << 30) + 1 },
		{ "16E", -ERANGE, 0 },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "16MB", -EINVAL, 0 },
		{ "16MiB", -EINVAL, 0 },
		{ "16m", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
		{ "1.5B", -EINVAL, 0 },
		{ "1.M", -EINVAL, 0 },
		{ ".5M", -EINVAL, 0 },
		{ "1.0000000001G", -EINVAL, 0 },
		{ "1..5M", -EINVAL, 0 },
		{ "M", -EINVAL, 0 },
		{ "-1M", -EINVAL, 0 },
		{ "16M ", -EINVAL, 0 },
		{ " 16M", -EINVAL, 0 },
		{ "16 ", -EINVAL, 0 },
		{ "1M1K", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	CHECK_ALL(pcr_parse_size, cases);
}
END_TEST

START_TEST(span_is_spelled_as_systemd_does)
{
	static const struct one cases[] = {
		{ "0", 0, 0 },
		{ "10", 0, 10 * PCR_SEC },
		{ "10s", 0, 10 * PCR_SEC },
		{ "10 s", 0, 10 * PCR_SEC },
		{ "250us", 0, 250 },
		{ "250µs", 0, 250 },
		{ "250μs", 0, 250 },
		{ "500ms", 0, 500 * PCR_MSEC },
		{ "1.5s", 0, 1500 * PCR_MSEC },
		{ "1.5", 0, 1500 * PCR_MSEC },
		{ "1min 30s", 0, 90 * PCR_SEC },
		{ "1min30s", 0, 90 * PCR_SEC },
		{ "1 min 30 seconds", 0, 90 * PCR_SEC },
		{ "2h", 0, 2 * PCR_HOUR },
		{ "1d", 0, 24 * PCR_HOUR },
		{ "1w 1day", 0, 192 * PCR_HOUR },
		{ "infinity", 0, PCR_NEVER },
		{ "Infinity", -EINVAL, 0 },
		{ "infinity ", -EINVAL, 0 },
		{ "18446744073709551613us", 0, PCR_MAX - 1 },
		{ "18446744073709551614us", -ERANGE, 0 },
		{ "18446744073709551613us 1us", -ERANGE, 0 },
		{ "40000000w", -ERANGE, 0 },
		{ "1min 30", -EINVAL, 0 },
		{ "30 1min", -EINVAL, 0 },
		{ "1mins", -EINVAL, 0 },
		{ "1M", -EINVAL, 0 },
		{ "1month", -EINVAL, 0 },
		{ "s", -EINVAL, 0 },
		{ "10s ", -EINVAL, 0 },
		{ " 10s", -EINVAL, 0 },
		{ "10 ", -EINVAL, 0 },
		{ "10s,", -EINVAL, 0 },
		{ "-10s", -EINVAL, 0 },
		{ "1.5us", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	CHECK_ALL(pcr_parse_span, cases);
}
END_TEST

static int percent_to_whole(const char *text, size_t n, u64 *ret)
{
	return pcr_parse_percent(text, n, 10000, ret);
}

START_TEST(percent_ends_at_its_bound)
{
	static const struct one cases[] = {
		{ "0%", 0, 0 },
		{ "12%", 0, 1200 },
		{ "2.5%", 0, 250 },
		{ "2.50%", 0, 250 },
		{ "0.01%", 0, 1 },
		{ "30‰", 0, 300 },
		{ "0.1‰", 0, 1 },
		{ "15‱", 0, 15 },
		{ "100%", 0, 10000 },
		{ "100.01%", -ERANGE, 0 },
		{ "101%", -ERANGE, 0 },
		{ "18446744073709551615%", -ERANGE, 0 },
		{ "0.001%", -EINVAL, 0 },
		{ "1.5‱", -EINVAL, 0 },
		{ "12", -EINVAL, 0 },
		{ "12 %", -EINVAL, 0 },
		{ "%", -EINVAL, 0 },
		{ "12%%", -EINVAL, 0 },
		{ "-1%", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	CHECK_ALL(percent_to_whole, cases);
}
END_TEST

START_TEST(rate_is_bytes_over_span)
{
	static const struct {
		const char *text;
		int r;
		u64 bytes, usec;
	} cases[] = {
		{ "256M/1min", 0, 256 << 20, PCR_MIN },
		{ "0/1s", 0, 0, PCR_SEC },
		{ "1.5G/1h 30min", 0, 3ULL << 29, 90 * PCR_MIN },
		{ "256M", -EINVAL, 0, 0 },
		{ "256M/", -EINVAL, 0, 0 },
		{ "/1min", -EINVAL, 0, 0 },
		{ "256M/0", -EINVAL, 0, 0 },
		{ "256M/infinity", -EINVAL, 0, 0 },
		{ "256M/1min/1s", -EINVAL, 0, 0 },
		{ "256M / 1min", -EINVAL, 0, 0 },
		{ "256MB/1min", -EINVAL, 0, 0 },
		{ "99E/1min", -ERANGE, 0, 0 },
		{ "", -EINVAL, 0, 0 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		u64 bytes = 1, usec = 2;
		int r = pcr_parse_rate(cases[i].text, strlen(cases[i].text), &bytes, &usec);

		ck_assert_msg(r == cases[i].r, "\"%s\": %d", cases[i].text, r);
		ck_assert_uint_eq(bytes, r ? 1 : cases[i].bytes);
		ck_assert_uint_eq(usec, r ? 2 : cases[i].usec);
	}
}
END_TEST

START_TEST(bool_in_any_case)
{
	static const char *const yes[] = { "yes", "YES", "true", "on", "1", "y", "T" };
	static const char *const no[] = { "no", "No", "false", "off", "0", "n", "F" };
	static const char *const neither[] = { "", "yess", "ye", "2", "01", " yes", "enable" };
	bool value;

	for (size_t i = 0; i < PCR_ARRAY_SIZE(yes); i++) {
		value = false;
		ck_assert_int_eq(pcr_parse_bool(yes[i], strlen(yes[i]), &value), 0);
		ck_assert(value);
		value = true;
		ck_assert_int_eq(pcr_parse_bool(no[i], strlen(no[i]), &value), 0);
		ck_assert(!value);
		ck_assert_int_eq(pcr_parse_bool(neither[i], strlen(neither[i]), &value), -EINVAL);
	}
}
END_TEST

START_TEST(cpulist_counts_each_cpu_once)
{
	static const struct one cases[] = {
		{ "", 0, 0 },
		{ "\n", 0, 0 },
		{ "0\n", 0, 1 },
		{ "0-3,7", 0, 5 },
		{ "0-127\n", 0, 128 },
		{ "0,2,4,6-7\n", 0, 5 },
		{ "4294967295", 0, 1 },
		{ "0-4294967295", 0, 1ULL << 32 },
		{ "4294967296", -ERANGE, 0 },
		{ "0-18446744073709551616", -ERANGE, 0 },
		{ "3-0", -EINVAL, 0 },
		{ "0-3,3", -EINVAL, 0 },
		{ "4,0", -EINVAL, 0 },
		{ "0-3,", -EINVAL, 0 },
		{ ",0", -EINVAL, 0 },
		{ "0-", -EINVAL, 0 },
		{ "0--3", -EINVAL, 0 },
		{ "0-3 ", -EINVAL, 0 },
		{ "0-3\n\n", -EINVAL, 0 },
		{ "0-31:2/4", -EINVAL, 0 },
	};

	CHECK_ALL(pcr_parse_cpulist, cases);
}
END_TEST

START_TEST(fixed2_has_two_digits)
{
	static const struct one cases[] = {
		{ "0.00", 0, 0 },
		{ "2.15", 0, 215 },
		{ "100.00", 0, 10000 },
		{ "184467440737095515.99", 0, 18446744073709551599ULL },
		{ "184467440737095517.00", -ERANGE, 0 },
		{ "99999999999999999999.00", -ERANGE, 0 },
		{ "2.1", -EINVAL, 0 },
		{ "2.155", -EINVAL, 0 },
		{ ".15", -EINVAL, 0 },
		{ "2,15", -EINVAL, 0 },
		{ "2.15\n", -EINVAL, 0 },
		{ "-2.15", -EINVAL, 0 },
		{ "2", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
	};

	CHECK_ALL(pcr_parse_fixed2, cases);
}
END_TEST

START_TEST(keyed_wants_the_whole_key)
{
	static const char meminfo[] = "MemTotal:       16000000 kB\n"
				      "SwapCached:            7 kB\n"
				      "Cached:           123456 kB\n"
				      "Percpu:             9900 kB\n";
	static const char stat[] = "inactive_anon 5\nanon 9\nempty\nbad x\nbig " U64_TEXT
				   "\nlast 3";
	static const char percpu_stats[] = "  unit_size           :       262144\n";
	static const struct {
		const char *text, *key;
		int r;
		u64 value;
	} cases[] = {
		{ meminfo, "Percpu", 0, 9900 },
		{ meminfo, "Cached", 0, 123456 },	/* not the tail of SwapCached */
		{ meminfo, "Mem", PCR_NONE, 0 },
		{ meminfo, "kB", PCR_NONE, 0 },
		{ stat, "anon", 0, 9 },			/* not the tail of inactive_anon */
		{ stat, "last", 0, 3 },			/* no newline at the end */
		{ stat, "empty", -EINVAL, 0 },
		{ stat, "bad", -EINVAL, 0 },
		{ stat, "big", -ERANGE, 0 },
		{ stat, "absent", PCR_NONE, 0 },
		{ stat, "", PCR_NONE, 0 },
		{ "", "anon", PCR_NONE, 0 },
		{ "\n\n \n", "anon", PCR_NONE, 0 },
		{ percpu_stats, "unit_size", 0, 262144 },
		{ "a :", "a", -EINVAL, 0 },
		{ "a: b: 3", "b", PCR_NONE, 0 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		u64 value = 4711;
		int r = pcr_keyed_u64(cases[i].text, strlen(cases[i].text), cases[i].key, &value);

		ck_assert_msg(r == cases[i].r, "\"%s\": %d", cases[i].key, r);
		ck_assert_uint_eq(value, r == 0 ? cases[i].value : 4711);
	}
}
END_TEST

START_TEST(lines_and_words_end_where_the_text_does)
{
	const char *text = "a  b\n\nlast", *line, *word;
	size_t n = 8, line_len, len;	/* the "st" is not ours */

	ck_assert(pcr_next_line(&text, &n, &line, &line_len));
	ck_assert_uint_eq(line_len, 4);
	ck_assert(pcr_next_word(&line, &line_len, &word, &len));
	ck_assert(len == 1 && *word == 'a');
	ck_assert(pcr_next_word(&line, &line_len, &word, &len));
	ck_assert(len == 1 && *word == 'b');
	ck_assert(!pcr_next_word(&line, &line_len, &word, &len));
	ck_assert(pcr_next_line(&text, &n, &line, &line_len));
	ck_assert_uint_eq(line_len, 0);
	ck_assert(pcr_next_line(&text, &n, &line, &line_len));
	ck_assert(line_len == 2 && memcmp(line, "la", 2) == 0);
	ck_assert(!pcr_next_line(&text, &n, &line, &line_len));
	ck_assert_uint_eq(n, 0);
}
END_TEST

PCR_UNIT("parse", u64_is_digits_only, file_u64_takes_one_newline_and_max, size_counts_in_1024,
	 span_is_spelled_as_systemd_does, percent_ends_at_its_bound, rate_is_bytes_over_span,
	 bool_in_any_case, cpulist_counts_each_cpu_once, fixed2_has_two_digits,
	 keyed_wants_the_whole_key, lines_and_words_end_where_the_text_does)
