// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/escape.h"

#include <errno.h>
#include <stdio.h>

static bool plain(u8 c)
{
	return c >= 0x20 && c < 0x7f && c != '\\';
}

size_t pcr_escape(char *to, const char *from)
{
	size_t at = 0;

	for (; *from; from++) {
		if (plain((u8)*from))
			to[at++] = *from;
		else
			at += (size_t)sprintf(to + at, "\\x%02x", (u8)*from);
	}
	to[at] = '\0';
	return at;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte of an escape; -1: it is none. */
static int escaped(const char *from, size_t n)
{
	if (n < 4 || from[1] != 'x' || hex(from[2]) < 0 || hex(from[3]) < 0)
		return -1;
	return hex(from[2]) << 4 | hex(from[3]);
}

int pcr_unescape(char *to, size_t size, const char *from, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		int c = (u8)from[i];

		if (c == '\\') {
			c = escaped(from + i, n - i);
			i += 3;
			if (c <= 0 || plain((u8)c))
				return -EINVAL;
		} else if (!plain((u8)c)) {
			return -EINVAL;
		}
		if (at + 1 >= size)
			return -EINVAL;
		to[at++] = (char)c;
	}
	if (!size)
		return -EINVAL;
	to[at] = '\0';
	return 0;
}
