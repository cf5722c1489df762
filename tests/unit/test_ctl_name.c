// SPDX-License-Identifier: GPL-2.0-or-later
/* Names that are no UTF-8 come through JSON and back. */
#include "unit.h"

#include <string.h>

#include <jansson.h>

#include "ctl/name.h"

struct pair {
	const char *bytes, *text;
};

static const struct pair pairs[] = {
	{ "machine.slice/ci", "machine.slice/ci" },
	{ "", "" },
	{ "caf\xc3\xa9", "caf\xc3\xa9" },
	{ "caf\xe9", "caf\\xe9" },
	/* systemd's own escapes stand for themselves ... */
	{ "foo\\x2dbar", "foo\\x2dbar" },
	/* ... but not where they would be read back as bytes */
	{ "foo\\xc3bar", "foo\\x5cxc3bar" },
	{ "foo\\x5cbar", "foo\\x5cx5cbar" },
	{ "foo\\x0abar", "foo\\x5cx0abar" },
	{ "line\nbreak\ttab", "line\\x0abreak\\x09tab" },
	{ "\x1b[31mred\x7f", "\\x1b[31mred\\x7f" },
	{ "c1\xc2\x9b", "c1\\xc2\\x9b" },
	{ "\\\xff", "\\\\xff" },
	{ "\\x8\xff", "\\x8\\xff" },
	{ "over\xc0\xaf", "over\\xc0\\xaf" },
	{ "surrogate\xed\xa0\x80", "surrogate\\xed\\xa0\\x80" },
	{ "beyond\xf4\x90\x80\x80", "beyond\\xf4\\x90\\x80\\x80" },
	{ "cut\xe2\x82", "cut\\xe2\\x82" },
	{ "\xf0\x9f\x90\x98", "\xf0\x9f\x90\x98" },
};

START_TEST(test_pairs)
{
	for (size_t i = 0; i < PCR_ARRAY_SIZE(pairs); i++) {
		char text[256], bytes[256];
		size_t n = strlen(pairs[i].bytes);

		n = pcr_name_write(pairs[i].bytes, n, text);
		ck_assert_str_eq(text, pairs[i].text);
		ck_assert_uint_eq(n, strlen(text));
		n = pcr_name_read(text, n, bytes);
		ck_assert_uint_eq(n, strlen(pairs[i].bytes));
		ck_assert_str_eq(bytes, pairs[i].bytes);
	}
}
END_TEST

/* Every three bytes: what is written is JSON, and is read back as it was. */
START_TEST(test_every_triple)
{
	static const u8 bytes[] = { '\\', 'x', '5', 'c', 'e', '0', '8', '9', 'f', 1, 0x7f, 0x80,
				    0x9f, 0xc2, 0xe2, 0xed, 0xf0, 0xff };
	size_t n = sizeof(bytes);

	for (size_t i = 0; i < n * n * n * n; i++) {
		char in[5] = { (char)bytes[i % n], (char)bytes[i / n % n],
			       (char)bytes[i / n / n % n], (char)bytes[i / n / n / n] };
		char text[PCR_NAME_SIZE(4)], out[sizeof(text)];
		size_t len = pcr_name_write(in, 4, text);
		json_t *json = json_stringn(text, len);

		ck_assert_ptr_nonnull(json);
		json_decref(json);
		ck_assert_uint_eq(pcr_name_read(text, len, out), 4);
		ck_assert_str_eq(in, out);
	}
}
END_TEST

START_TEST(test_sentences_keep_their_lines)
{
	char text[64];

	static const char in[] = "a:1: bad\nb:2: \x1b[m \\x5c \xff\n";

	pcr_text_write(in, strlen(in), text);
	ck_assert_str_eq(text, "a:1: bad\nb:2: \\x1b[m \\x5c \\xff\n");
}
END_TEST

PCR_UNIT("ctl_name", test_pairs, test_every_triple, test_sentences_keep_their_lines)
