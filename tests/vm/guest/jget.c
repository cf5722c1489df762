// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jget [-0] PATH - pick values out of the JSON document on standard input.
 *
 *   name.name     members      jget cost.rss
 *   name[2]       one element  jget cgroups[0].path
 *   name[]        each element jget cgroups[].path
 *   name#         length       jget cgroups#
 *
 * One value a line (with -0: ended by NUL), strings bare, objects and arrays as
 * JSON. Exits 1 when nothing is there: absent is not the same as empty.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

static int end = '\n';
static long printed;

static void print(const json_t *v)
{
	if (json_is_string(v)) {
		fwrite(json_string_value(v), 1, json_string_length(v), stdout);
	} else {
		char *s = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);

		fputs(s, stdout);
		free(s);
	}
	putchar(end);
	printed++;
}

static void pick(const json_t *v, const char *path);

static void pick_index(const json_t *v, const char *path)
{
	const char *close = strchr(path, ']');
	size_t i;

	if (!close)
		die("no ] in %s", path);
	if (!json_is_array(v))
		return;
	if (close != path + 1) {
		pick(json_array_get(v, strtoul(path + 1, NULL, 10)), close + 1);
		return;
	}
	for (i = 0; i < json_array_size(v); i++)
		pick(json_array_get(v, i), close + 1);
}

static void pick(const json_t *v, const char *path)
{
	char key[256];
	size_t len;

	if (!v)
		return;
	if (*path == '.')
		path++;
	if (!*path) {
		print(v);
		return;
	}
	if (*path == '[') {
		pick_index(v, path);
		return;
	}
	if (*path == '#') {
		printf("%zu%c", json_is_array(v) ? json_array_size(v) :
		       json_object_size(v), end);
		printed++;
		return;
	}
	len = strcspn(path, ".[#");
	if (len >= sizeof(key))
		die("name too long: %s", path);
	memcpy(key, path, len);
	key[len] = '\0';
	pick(json_object_get(v, key), path + len);
}

int main(int argc, char **argv)
{
	json_error_t err;
	json_t *doc;

	if (argc > 1 && !strcmp(argv[1], "-0")) {
		end = '\0';
		argv++;
		argc--;
	}
	if (argc != 2) {
		fputs("usage: jget [-0] PATH < JSON\n", stderr);
		return 2;
	}
	doc = json_loadf(stdin, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, &err);
	errno = 0;
	if (!doc)
		die("line %d: %s", err.line, err.text);
	pick(doc, argv[1]);
	return printed ? 0 : 1;
}
