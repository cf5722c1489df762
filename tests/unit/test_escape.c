// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/base/escape.c: what comes back is what was written, and nothing else is taken. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "base/escape.h"
#include "pcr/types.h"

START_TEST(every_byte)
{
	char text[256], line[PCR_ESCAPED(255)], back[256];
	size_t n;

	for (int i = 1; i < 256; i++)
		text[i - 1] = (char)i;
	text[255] = '\0';
	n = pcr_escape(line, text);
	ck_assert_uint_eq(n, strlen(line));
	ck_assert_uint_eq(n, 255 + 3 * (31 + 1 + 129));
	for (size_t i = 0; i < n; i++)
		ck_assert((u8)line[i] >= 0x20 && (u8)line[i] < 0x7f);
	ck_assert_int_eq(pcr_unescape(back, sizeof(back), line, n), 0);
	ck_assert_str_eq(back, text);
	ck_assert_int_eq(pcr_unescape(back, sizeof(back) - 1, line, n), -EINVAL);
	/* In place. */
	ck_assert_int_eq(pcr_unescape(line, sizeof(line), line, n), 0);
	ck_assert_str_eq(line, text);
}
END_TEST

START_TEST(nothing_else)
{
	static const char *const bad[] = {
		"\\", "\\x", "\\x0", "\\x00", "\\xzz", "\\x0A", "\\n", "\\x41", "a\tb", "\x7f", "\xc3",
	};
	char to[8] = "as was";

	for (size_t i = 0; i < PCR_ARRAY_SIZE(bad); i++)
		ck_assert_msg(pcr_unescape(to, sizeof(to), bad[i], strlen(bad[i])) == -EINVAL, "%s",
			      bad[i]);
	ck_assert_int_eq(pcr_unescape(to, 0, "", 0), -EINVAL);
	ck_assert_int_eq(pcr_unescape(to, 1, "", 0), 0);
	ck_assert_str_eq(to, "");
	ck_assert_uint_eq(pcr_escape(to, ""), 0);
}
END_TEST

PCR_UNIT("escape", every_byte, nothing_else)
