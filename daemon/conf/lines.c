// SPDX-License-Identifier: GPL-2.0-or-later
#include "conf/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_comment(char c)
{
	return c == ';' || c == '#';
}

__attribute__((format(printf, 2, 3)))
static struct pcr_line bad(size_t at, const char *fmt, ...)
{
	struct pcr_line line = { .kind = PCR_LINE_BAD, .column = (u32)at + 1 };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line.what, sizeof(line.what), fmt, ap);
	va_end(ap);
	return line;
}

/* Bytes that belong into no text; fills in ret_line and says true at the first. */
static bool bad_byte(const char *text, size_t n, struct pcr_line *ret_line)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c >= 0x20 && c != 0x7f) || c == '\t')
			continue;
		if (c == '\0')
			*ret_line = bad(i, "NUL byte in the line");
		else if (c == '\r')
			*ret_line = bad(i, "carriage return inside the line: lines end with LF or CR LF");
		else
			*ret_line = bad(i, "control character \\x%02x in the line", c);
		return true;
	}
	return false;
}

/* text[at] is the opening bracket. */
static struct pcr_line look_section(const char *text, size_t n, size_t at)
{
	const char *close = memchr(text + at, ']', n - at);
	size_t end, rest;

	if (!close)
		return bad(n, "no ] behind the section's name");
	end = (size_t)(close - text);
	for (rest = end + 1; rest < n && is_blank(text[rest]); rest++)
		;
	if (rest < n && !is_comment(text[rest]))
		return bad(rest, "text behind the section's ]");
	if (end == at + 1)
		return bad(at, "no name in the section's brackets");
	if (end - at - 1 > PCR_SECTION_MAX)
		return bad(at, "section name longer than %d bytes", PCR_SECTION_MAX);
	return (struct pcr_line){ .kind = PCR_LINE_SECTION,
				  .name = text + at + 1,
				  .name_len = end - at - 1,
				  .column = (u32)at + 1 };
}

/* Where the "=" is; n: nowhere before the comment. */
static size_t find_equals(const char *text, size_t n, size_t at)
{
	for (size_t i = at; i < n; i++) {
		if (text[i] == '=' || text[i] == ':')
			return i;
		if (text[i] == ';' && i > at && is_blank(text[i - 1]))
			return n;
	}
	return n;
}

static struct pcr_line look_key(const char *text, size_t n, size_t at)
{
	size_t sep = find_equals(text, n, at), end = sep, value = sep + 1;

	if (sep == n)
		return bad(at, "neither [Section] nor Key=value");
	if (text[sep] == ':')
		return bad(sep, "a : before the first =: write Key=value");
	if (sep == at)
		return bad(at, "no key before the =");
	while (is_blank(text[end - 1]))
		end--;
	while (value < n && is_blank(text[value]))
		value++;
	/* systemd would go on with the next line; half a value must not pass for a whole. */
	if (text[n - 1] == '\\')
		return bad(n - 1, "a \\ does not continue the line: lists may be given again instead");
	return (struct pcr_line){ .kind = PCR_LINE_KEY,
				  .name = text + at,
				  .name_len = end - at,
				  .column = (u32)at + 1,
				  .value_column = (u32)value + 1 };
}

struct pcr_line pcr_line_look(const char *text, size_t n, bool first)
{
	struct pcr_line line = { .kind = PCR_LINE_BLANK, .column = 1 };
	size_t at = 0;

	if (n > 0 && text[n - 1] == '\r')
		n--;
	if (first && n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	if (bad_byte(text, n, &line))
		return line;
	if (n > PCR_LINE_MAX)
		return bad(PCR_LINE_MAX, "line longer than %d bytes", PCR_LINE_MAX);
	while (at < n && is_blank(text[at]))
		at++;
	if (at == n || is_comment(text[at]))
		return line;
	if (text[at] != '[')
		return look_key(text, n, at);
	line = look_section(text, n, at);
	line.header = line.kind == PCR_LINE_BAD;
	return line;
}
