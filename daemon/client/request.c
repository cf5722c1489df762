// SPDX-License-Identifier: GPL-2.0-or-later
/* Enough of HTTP/1.0 and 1.1 for one answer. */
#include "client/request.h"

#include <string.h>

struct word {
	const char *at;
	size_t n;
};

static bool is(struct word w, const char *text)
{
	return w.n == strlen(text) && memcmp(w.at, text, w.n) == 0;
}

static bool begins(struct word w, const char *text)
{
	return w.n >= strlen(text) && memcmp(w.at, text, strlen(text)) == 0;
}

/* Up to the first of two bytes; all of it where there is neither. */
static struct word until(const char *at, size_t n, char a, char b)
{
	struct word w = { .at = at };

	while (w.n < n && at[w.n] != a && at[w.n] != b)
		w.n++;
	return w;
}

bool pcr_request_whole(const char *text, size_t n)
{
	return memmem(text, n, "\r\n\r\n", 4) || memmem(text, n, "\n\n", 2);
}

int pcr_request_judge(const char *text, size_t n, bool *ret_head)
{
	struct word line = until(text, n, '\r', '\n'), words[3], path;
	const char *at = line.at, *end = line.at + line.n;

	if (memchr(text, '\0', n))
		return 400;
	for (size_t i = 0; i < 3; i++) {
		words[i] = until(at, (size_t)(end - at), ' ', ' ');
		at = words[i].at + words[i].n;
		/* one blank between two words, and none after the last */
		if (words[i].n == 0 || (i < 2 ? at == end : at != end))
			return 400;
		at += i < 2;
	}
	if (!begins(words[2], "HTTP/"))
		return 400;
	if (!begins(words[2], "HTTP/1."))
		return 505;
	*ret_head = is(words[0], "HEAD");
	if (!*ret_head && !is(words[0], "GET"))
		return 405;
	path = until(words[1].at, words[1].n, '?', '?');
	return is(path, "/metrics") ? 200 : 404;
}
