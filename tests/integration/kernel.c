// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plays the kernel beside the daemon: see player.h for what it does.
 *
 *   kernel ROOT CGROUP...     ("" is the root cgroup)
 *
 * What was written is taken out of the file again, so that the next write is read
 * alone, as a knob would have it. "CGROUP AMOUNT" of every write goes to stdout.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "integration/player.h"

static char *take(const struct player *p, const char *path)
{
	static char text[256];
	int fd;

	/* Our own truncation is an event as well, and the next write may be on its way. */
	if (player_read(p, path, text, sizeof(text)) < 0 || !*text)
		return NULL;
	fd = openat(p->root, path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	close(fd);
	return text;
}

static void written(const struct player *p, const char *cgroup)
{
	char path[PLAYER_PATH];
	const char *text;

	if (!cgroup) {
		text = take(p, PLAYER_PERCPU "reclaim");
		if (text)
			player_trim(p);
		cgroup = "percpu";
	} else {
		snprintf(path, sizeof(path), PLAYER_CG "%.1000s/memory.reclaim", cgroup);
		text = take(p, path);
		if (text)
			player_reclaim(p, cgroup, strtoull(text, NULL, 10));
	}
	if (text)
		printf("%s %s\n", cgroup, text);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct player p = { .root = argc > 1 ? open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1 };
	int fd = inotify_init1(IN_CLOEXEC);
	int wd[256] = { 0 };
	char path[PLAYER_PATH], buf[4096];
	ssize_t n;

	/* inotify knows no directory descriptors: paths are relative to ROOT from here on. */
	if (fd < 0 || p.root < 0 || argc > 256 || chdir(argv[1]) < 0)
		return 2;
	wd[1] = inotify_add_watch(fd, PLAYER_PERCPU "reclaim", IN_MODIFY);
	for (int i = 2; i < argc; i++) {
		snprintf(path, sizeof(path), PLAYER_CG "%.1000s/memory.reclaim", argv[i]);
		wd[i] = inotify_add_watch(fd, path, IN_MODIFY);
		if (wd[i] < 0) {
			perror(path);
			return 1;
		}
	}
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (char *at = buf; at < buf + n;) {
			struct inotify_event e;

			memcpy(&e, at, sizeof(e));
			at += sizeof(e) + e.len;
			for (int i = 1; i < argc; i++)
				if (wd[i] == e.wd)
					written(&p, i == 1 ? NULL : argv[i]);
		}
	}
	return 0;
}
