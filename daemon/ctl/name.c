// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes to UTF-8 and back; the rule is in name.h. */
#include "ctl/name.h"

#include <string.h>

/* Length of the valid UTF-8 sequence at the start, 0 when there is none. */
static size_t sequence(const u8 *p, size_t n)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 :
		     p[0] < 0xf5 ? 4 : 0;

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* over-long forms, surrogates, and beyond U+10FFFF */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

static bool control(const u8 *p, size_t len)
{
	return len == 1 ? p[0] < 0x20 || p[0] == 0x7f : p[0] == 0xc2 && p[1] < 0xa0;
}

static int nibble(u8 c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that an escape at the start stands for, -1: it is none. */
static int escape(const u8 *p, size_t n)
{
	int high, low, byte;

	if (n < 4 || p[0] != '\\' || p[1] != 'x')
		return -1;
	high = nibble(p[2]);
	low = nibble(p[3]);
	if (high < 0 || low < 0)
		return -1;
	byte = high << 4 | low;
	return byte == '\\' || byte < 0x20 || byte >= 0x7f ? byte : -1;
}

static char *put_escape(char *out, u8 byte)
{
	static const char hex[] = "0123456789abcdef";

	*out++ = '\\';
	*out++ = 'x';
	*out++ = hex[byte >> 4];
	*out++ = hex[byte & 15];
	return out;
}

static size_t put(const u8 *p, size_t n, char *ret_text, bool sentence)
{
	char *out = ret_text;

	while (n) {
		size_t len = sequence(p, n);
		bool plain = len && !control(p, len);

		if (sentence)
			plain = plain || *p == '\n' || *p == '\t';
		else if (escape(p, n) >= 0)
			plain = false;
		if (!len)
			len = 1;
		for (size_t i = 0; i < len; i++) {
			if (plain)
				*out++ = (char)p[i];
			else
				out = put_escape(out, p[i]);
		}
		p += len;
		n -= len;
	}
	*out = '\0';
	return (size_t)(out - ret_text);
}

size_t pcr_name_write(const char *bytes, size_t n, char *ret_text)
{
	return put((const u8 *)bytes, n, ret_text, false);
}

size_t pcr_text_write(const char *bytes, size_t n, char *ret_text)
{
	return put((const u8 *)bytes, n, ret_text, true);
}

size_t pcr_name_read(const char *text, size_t n, char *ret_bytes)
{
	const u8 *p = (const u8 *)text;
	char *out = ret_bytes;

	while (n) {
		int byte = escape(p, n);
		size_t len = byte >= 0 ? 4 : 1;

		*out++ = (char)(byte >= 0 ? byte : *p);
		p += len;
		n -= len;
	}
	*out = '\0';
	return (size_t)(out - ret_bytes);
}
