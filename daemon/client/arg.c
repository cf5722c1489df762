// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names on the command line are bytes; JSON wants UTF-8. What is UTF-8 goes as it
 * is: the daemon takes names both as it writes them and as they are on disk. What is
 * not is written as the daemon would, and so means exactly these bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "client/client.h"
#include "client/utf8.h"

/* A backslash that would be read as an escape has to be written as one. */
static bool reads_as_escape(const char *text)
{
	unsigned int byte;
	char x[3] = "";

	if (text[0] != '\\' || text[1] != 'x' || strspn(text + 2, "0123456789abcdef") < 2)
		return false;
	memcpy(x, text + 2, 2);
	byte = (unsigned int)strtoul(x, NULL, 16);
	return byte == '\\' || byte < 0x20 || byte >= 0x7f;
}

json_t *pcr_arg_json(const char *arg)
{
	PCR_AUTOFREE char *text = NULL;
	char *out;

	if (pcr_utf8_valid(arg))
		return json_string(arg);
	text = out = malloc(4 * strlen(arg) + 1);
	if (!text)
		return NULL;
	while (*arg) {
		u32 code;
		size_t n = pcr_utf8_next(arg, &code);

		if (code == PCR_NO_CHAR || reads_as_escape(arg)) {
			out += sprintf(out, "\\x%02x", (u8)*arg);
			n = 1;
		} else {
			memcpy(out, arg, n);
			out += n;
		}
		arg += n;
	}
	*out = '\0';
	return json_string(text);
}
