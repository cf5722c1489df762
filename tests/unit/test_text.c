// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/base/text.c: the numbers people see, at every change of unit. */
#include "unit/unit.h"

#include <string.h>

#include "base/parse.h"
#include "base/text.h"

struct shown {
	u64 value;
	const char *text;
};

typedef const char *(*show)(char buf[static PCR_TEXT], u64 value);

static void check_all(show fn, const struct shown *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char buf[PCR_TEXT];

		memset(buf, 'x', sizeof(buf));
		ck_assert_str_eq(fn(buf, cases[i].value), cases[i].text);
		ck_assert_str_eq(buf, cases[i].text);
	}
}

START_TEST(bytes)
{
	static const struct shown cases[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 1025, "1.0 KiB" },
		{ 1536, "1.5 KiB" },
		{ 616 << 10, "616 KiB" },
		{ (616 << 10) + 1, "616 KiB" },
		{ (100 << 10) - 1, "100 KiB" },
		{ (1 << 20) - 1, "1.0 MiB" },
		{ 1 << 20, "1 MiB" },
		{ 48 << 20, "48 MiB" },
		{ (48 << 20) + 4096, "48.0 MiB" },
		{ 1ULL << 30, "1 GiB" },
		{ 12240656794ULL, "11.4 GiB" },
		{ UINT64_MAX - 1, "16.0 EiB" },
		{ PCR_ABSENT, "–" },
	};

	check_all(pcr_text_bytes, cases, PCR_ARRAY_SIZE(cases));
}
END_TEST

START_TEST(span)
{
	static const struct shown cases[] = {
		{ 0, "0 s" },
		{ 250, "250 us" },
		{ 999, "999 us" },
		{ 1000, "1 ms" },
		{ 900 * PCR_MSEC, "900 ms" },
		{ PCR_SEC, "1 s" },
		{ 1549 * PCR_MSEC, "1.5 s" },
		{ 9999 * PCR_MSEC, "9.9 s" },
		{ 10900 * PCR_MSEC, "10 s" },
		{ PCR_MIN - 1, "59 s" },
		{ PCR_MIN, "1 min" },
		{ 125 * PCR_SEC, "2 min 5 s" },
		{ PCR_HOUR, "1 h" },
		{ 2 * PCR_HOUR + 5 * PCR_MIN, "2 h 5 min" },
		{ 26 * PCR_HOUR, "1 day 2 h" },
		{ 24 * PCR_HOUR, "1 day" },
		{ 72 * PCR_HOUR, "3 days" },
		{ PCR_NEVER - 1, "213503982 days" },
		{ PCR_NEVER, "never" },
	};

	check_all(pcr_text_span, cases, PCR_ARRAY_SIZE(cases));
}
END_TEST

/* systemd 36434, 33486: "not sampled" was shown as 0 B. Absent is a dash, 0 is 0. */
START_TEST(count_and_share)
{
	static const struct shown counts[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 4812, "4,812" },
		{ 1234567, "1,234,567" },
		{ UINT64_MAX - 1, "18,446,744,073,709,551,614" },
		{ PCR_ABSENT, "–" },
	};
	static const struct shown shares[] = {
		{ 0, "0 %" },	   { 215, "2.15 %" },	 { 40, "0.4 %" },
		{ 5, "0.05 %" },   { 1200, "12 %" },	 { 10000, "100 %" },
		{ UINT64_MAX - 1, "184467440737095516.14 %" },
		{ PCR_ABSENT, "–" },
	};

	check_all(pcr_text_count, counts, PCR_ARRAY_SIZE(counts));
	check_all(pcr_text_bp, shares, PCR_ARRAY_SIZE(shares));
}
END_TEST

/* What is shown as a span can be written into a settings file. */
START_TEST(spans_read_back)
{
	static const u64 spans[] = { 0, 250, 900 * PCR_MSEC, 1500 * PCR_MSEC, 125 * PCR_SEC,
				     2 * PCR_HOUR + 5 * PCR_MIN, 26 * PCR_HOUR };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(spans); i++) {
		char buf[PCR_TEXT];
		u64 back;

		pcr_text_span(buf, spans[i]);
		ck_assert_int_eq(pcr_parse_span(buf, strlen(buf), &back), 0);
		ck_assert_uint_eq(back, spans[i]);
	}
}
END_TEST

PCR_UNIT("text", bytes, span, count_and_share, spans_read_back)
