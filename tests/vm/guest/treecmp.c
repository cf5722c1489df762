// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * treecmp ROOT - hold a list of cgroups against the tree itself.
 *
 * Standard input: paths relative to ROOT, NUL-terminated, in any order, with
 * or without a leading slash; the root itself is "" or "/" and may be left out.
 * Prints "tree=N listed=N missing=N extra=N", names the first few on standard
 * error, and exits 1 unless the two are equal.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

struct names {
	char **v;
	size_t n, room;
};

static void add(struct names *s, const char *name)
{
	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 1024;
		s->v = realloc(s->v, s->room * sizeof(*s->v));
		if (!s->v)
			die("memory");
	}
	s->v[s->n] = strdup(name);
	if (!s->v[s->n++])
		die("memory");
}

static void walk(int fd, const char *path, struct names *out)
{
	DIR *dir = fdopendir(fd);
	struct dirent *de;

	if (!dir)
		die("opendir %s", path);
	while ((de = readdir(dir))) {
		char *sub;
		int child;

		if (de->d_type != DT_DIR || !strcmp(de->d_name, ".") ||
		    !strcmp(de->d_name, ".."))
			continue;
		if (asprintf(&sub, "%s%s%s", path, *path ? "/" : "",
			     de->d_name) < 0)
			die("memory");
		add(out, sub);
		child = openat(dirfd(dir), de->d_name,
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (child >= 0)
			walk(child, sub, out);
		else if (errno != ENOENT)
			die("open %s", sub);
		free(sub);
	}
	closedir(dir);
}

static void listed(struct names *out)
{
	char *line = NULL;
	size_t room = 0;

	while (getdelim(&line, &room, '\0', stdin) > 0) {
		const char *name = line + strspn(line, "/");

		if (*name)
			add(out, name);
	}
	free(line);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void name_one(size_t n, const char *what, const char *name)
{
	if (n <= 5)
		fprintf(stderr, "treecmp: %s: %s\n", what, name);
}

int main(int argc, char **argv)
{
	struct names tree = {}, list = {};
	size_t i = 0, j = 0, missing = 0, extra = 0;
	int fd;

	if (argc != 2) {
		fputs("usage: treecmp ROOT < PATHS\n", stderr);
		return 2;
	}
	listed(&list);
	fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		die("%s", argv[1]);
	walk(fd, "", &tree);
	qsort(tree.v, tree.n, sizeof(*tree.v), by_name);
	qsort(list.v, list.n, sizeof(*list.v), by_name);
	while (i < tree.n || j < list.n) {
		int d = i == tree.n ? 1 : j == list.n ? -1 :
			strcmp(tree.v[i], list.v[j]);

		if (d < 0)
			name_one(++missing, "not listed", tree.v[i]);
		else if (d > 0)
			name_one(++extra, "listed, but gone", list.v[j]);
		i += d <= 0;
		j += d >= 0;
	}
	printf("tree=%zu listed=%zu missing=%zu extra=%zu\n", tree.n, list.n,
	       missing, extra);
	return missing || extra ? 1 : 0;
}
