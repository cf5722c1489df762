// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * UTF-8 without a locale: the daemon's replies are UTF-8 whatever LANG says, and
 * the C library's width table needs a locale that may not be installed.
 */
#include "client/utf8.h"

#include <stdlib.h>
#include <string.h>

size_t pcr_utf8_next(const char *text, u32 *ret_code)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const u8 *p = (const u8 *)text;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 :
		   p[0] < 0xf5 ? 4 : 0;
	u32 code = n == 1 ? p[0] : p[0] & (0x7f >> n);

	*ret_code = PCR_NO_CHAR;
	if (!n)
		return 1;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)	/* also at the end of the text */
			return 1;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 1;
	*ret_code = code;
	return n;
}

bool pcr_utf8_valid(const char *text)
{
	u32 code;

	while (*text) {
		text += pcr_utf8_next(text, &code);
		if (code == PCR_NO_CHAR)
			return false;
	}
	return true;
}

/* Moves the cursor, starts a sequence, or turns what follows around. */
static bool harmful(u32 code)
{
	return code == PCR_NO_CHAR || code < 0x20 || (code >= 0x7f && code < 0xa0) ||
	       code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
	       code == 0xfeff;
}

static char *clean(const char *text, bool lines)
{
	char *copy = malloc(4 * strlen(text) + 1), *out = copy;
	u32 code;

	if (!copy)
		return NULL;
	while (*text) {
		size_t n = pcr_utf8_next(text, &code);
		bool keep = !harmful(code) || (lines && code == '\n');

		for (size_t i = 0; i < n; i++) {
			if (keep)
				*out++ = text[i];
			else
				out += sprintf(out, "\\x%02x", (u8)text[i]);
		}
		text += n;
	}
	*out = '\0';
	return copy;
}

char *pcr_utf8_clean(const char *text)
{
	return clean(text, false);
}

static void print(FILE *out, const char *text, bool lines)
{
	char *copy = clean(text, lines);

	fputs(copy ? copy : "?", out);
	free(copy);
}

void pcr_utf8_print(FILE *out, const char *text)
{
	print(out, text, false);
}

void pcr_utf8_print_lines(FILE *out, const char *text)
{
	print(out, text, true);
}

struct range {
	u32 first, last;
};

static bool within(const struct range *ranges, size_t n, u32 code)
{
	for (size_t i = 0; i < n; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

/* The blocks that matter for names; a rare mark between them costs an odd column, no more. */
static u32 width(u32 code)
{
	static const struct range none[] = {
		{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd }, { 0x610, 0x61a },
		{ 0x64b, 0x65f }, { 0x93c, 0x93c }, { 0x941, 0x948 }, { 0x94d, 0x94d },
		{ 0xe31, 0xe31 }, { 0xe34, 0xe3a }, { 0xe47, 0xe4e }, { 0x1ab0, 0x1aff },
		{ 0x1dc0, 0x1dff }, { 0x200b, 0x200d }, { 0x20d0, 0x20ff }, { 0x3099, 0x309a },
		{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
	};
	static const struct range two[] = {
		{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x2e80, 0x303e }, { 0x3041, 0x33ff },
		{ 0x3400, 0x4dbf }, { 0x4e00, 0x9fff }, { 0xa000, 0xa4cf }, { 0xa960, 0xa97f },
		{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
		{ 0x1f900, 0x1f9ff }, { 0x1fa70, 0x1faff }, { 0x20000, 0x3fffd },
	};

	if (code < 0x300)
		return 1;
	if (within(none, PCR_ARRAY_SIZE(none), code))
		return 0;
	return within(two, PCR_ARRAY_SIZE(two), code) ? 2 : 1;
}

u32 pcr_utf8_width(const char *text)
{
	u32 columns = 0, code;

	while (*text) {
		text += pcr_utf8_next(text, &code);
		columns += width(code);
	}
	return columns;
}

size_t pcr_utf8_fit(const char *text, u32 columns, u32 *ret_used)
{
	const char *p = text;
	u32 used = 0, code;

	while (*p) {
		size_t n = pcr_utf8_next(p, &code);

		if (used + width(code) > columns)
			break;
		used += width(code);
		p += n;
	}
	*ret_used = used;
	return (size_t)(p - text);
}
