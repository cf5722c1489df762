// SPDX-License-Identifier: GPL-2.0-or-later
/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue" */
#include "sys/mountinfo.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

static bool octal(char c)
{
	return c >= '0' && c <= '7';
}

/* The kernel writes blank, tab, newline and backslash as \ooo. */
static int unescape(const char *word, size_t n, char *out, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		char c = word[i];

		if (c == '\\' && i + 3 < n && octal(word[i + 1]) && octal(word[i + 2]) &&
		    octal(word[i + 3])) {
			c = (char)((word[i + 1] - '0') << 6 | (word[i + 2] - '0') << 3 |
				   (word[i + 3] - '0'));
			i += 3;
		}
		if (at + 1 >= size)
			return -ENAMETOOLONG;
		out[at++] = c;
	}
	out[at] = '\0';
	return 0;
}

int pcr_mountinfo_line(const char *line, size_t n, struct pcr_mount *ret_mount)
{
	struct pcr_mount m = { 0 };
	const char *word;
	size_t len;
	int r;

	for (int field = 1; field <= 6; field++) {
		if (!pcr_next_word(&line, &n, &word, &len))
			return -EINVAL;
		if (field == 4)
			m.whole = len == 1 && *word == '/';
		if (field == 5) {
			r = unescape(word, len, m.where, sizeof(m.where));
			if (r < 0)
				return r;
		}
	}
	do {
		if (!pcr_next_word(&line, &n, &word, &len))
			return -EINVAL;
	} while (len != 1 || *word != '-');

	if (!pcr_next_word(&line, &n, &word, &len))
		return -EINVAL;
	r = unescape(word, len, m.type, sizeof(m.type));
	if (r < 0)
		return r;
	/* The source may be empty, and then there is one word less: options are the last. */
	if (!pcr_next_word(&line, &n, &word, &len))
		return -EINVAL;
	while (pcr_next_word(&line, &n, &word, &len))
		;
	r = unescape(word, len, m.options, sizeof(m.options));
	if (r < 0)
		return r;
	*ret_mount = m;
	return 0;
}

bool pcr_mount_option(const struct pcr_mount *mount, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = mount->options; at; at = strchr(at, ',')) {
		if (*at == ',')
			at++;
		if (!strncmp(at, word, len) && (at[len] == ',' || at[len] == '\0'))
			return true;
	}
	return false;
}
