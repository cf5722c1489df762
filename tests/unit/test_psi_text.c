// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/psi_text.c */
#include "unit/unit.h"

#include <errno.h>
#include <string.h>

#include "read/psi_text.h"

#define FULL "full avg10=9.99 avg60=0.00 avg300=0.00 total=77\n"

START_TEST(texts)
{
	static const struct {
		const char *text;
		int r;
		u64 avg10_bp, total;
	} cases[] = {
		{"some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n" FULL, 0, 0, 0},
		{"some avg10=2.15 avg60=1.00 avg300=0.50 total=123456789\n" FULL, 0, 215,
		 123456789},
		{"some avg10=100.00 avg60=0.00 avg300=0.00 total=18446744073709551613\n", 0, 10000,
		 UINT64_MAX - 2},
		/* order of lines and words is the kernel's to change */
		{FULL "some total=5 avg10=0.01\n", 0, 1, 5},
		{"some avg10=0.00 total=5", 0, 0, 5},
		{"", -EINVAL, 0, 0},
		{"\n", -EINVAL, 0, 0},
		{FULL, -EINVAL, 0, 0},
		{"some\n", -EINVAL, 0, 0},
		{"some avg10=0.00\n", -EINVAL, 0, 0},
		{"some total=5\n", -EINVAL, 0, 0},
		{"some avg10=0.0 total=5\n", -EINVAL, 0, 0},
		{"some avg10= total=5\n", -EINVAL, 0, 0},
		{"some avg10=0.00 total=\n", -EINVAL, 0, 0},
		{"some avg10=0.00 total=-5\n", -EINVAL, 0, 0},
		{"some avg10=0.00 subtotal=5\n", -EINVAL, 0, 0},
		{"something avg10=0.00 total=5\n", -EINVAL, 0, 0},
		{"some avg10=0.00 total=99999999999999999999\n", -ERANGE, 0, 0},
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_psi psi = { .some_avg10_bp = 1234, .some_total_usec = 5678 };
		int r = pcr_psi_parse(cases[i].text, strlen(cases[i].text), &psi);

		ck_assert_msg(r == cases[i].r, "%s: %d", cases[i].text, r);
		ck_assert_uint_eq(psi.some_avg10_bp, r ? 1234 : cases[i].avg10_bp);
		ck_assert_uint_eq(psi.some_total_usec, r ? 5678 : cases[i].total);
	}
}
END_TEST

START_TEST(nothing_is_read_past_the_length)
{
	static const char text[] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\n";
	struct pcr_psi psi;

	/* Cut within the number: what is there is what was said. */
	ck_assert_int_eq(pcr_psi_parse(text, sizeof(text) - 4, &psi), 0);
	ck_assert_uint_eq(psi.some_total_usec, 12);
	for (size_t n = 0; n < sizeof(text) - 6; n++) {
		char *copy = malloc(n + 1);

		memcpy(copy, text, n);
		ck_assert_int_eq(pcr_psi_parse(copy, n, &psi), -EINVAL);
		free(copy);
	}
}
END_TEST

PCR_UNIT("psi_text", texts, nothing_is_read_past_the_length)
