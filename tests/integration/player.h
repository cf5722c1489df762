/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plays the kernel on a fake root: what a write to a knob does to the other files.
 * Shared by kernel.c, which learns of writes from inotify, and by tests/fault, where
 * it runs inside of the write itself.
 *
 *   CGROUP/memory.reclaim   dying cgroups go, PLAYER_EACH bytes for each; the counts
 *                           of CGROUP and of all its ancestors, and memory.current,
 *                           follow
 *   percpu/reclaim          empty pages go down to the float, and Percpu: with them
 *
 * Each file is replaced as a whole, since the daemon may be reading it.
 */
#ifndef PCR_TEST_PLAYER_H
#define PCR_TEST_PLAYER_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAYER_PATH 1200
#define PLAYER_EACH 16384ULL
#define PLAYER_CG "sys/fs/cgroup/"
#define PLAYER_PERCPU "sys/kernel/mm/percpu/"

struct player {
	int root;		/* descriptor of the directory */
};

static inline int player_read(const struct player *p, const char *path, char *buf, size_t size)
{
	int fd = openat(p->root, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	buf[n] = '\0';
	return 0;
}

static inline void player_write(const struct player *p, const char *path, const char *text)
{
	size_t n = strlen(text);
	int fd = openat(p->root, ".player", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return;
	if (write(fd, text, n) == (ssize_t)n)
		(void)renameat(p->root, ".player", p->root, path);
	close(fd);
}

static inline unsigned long long player_number(const struct player *p, const char *path,
					       const char *key)
{
	char buf[8192];
	const char *at = buf;

	if (player_read(p, path, buf, sizeof(buf)) < 0)
		return 0;
	if (*key) {
		at = strstr(buf, key);
		if (!at)
			return 0;
		at += strlen(key);
	}
	return strtoull(at, NULL, 10);
}

static inline void player_set_dying(const struct player *p, const char *cgroup,
				    unsigned long long gone)
{
	char path[PLAYER_PATH], text[128];
	unsigned long long dying;

	snprintf(path, sizeof(path), PLAYER_CG "%.1000s/cgroup.stat", cgroup);
	dying = player_number(p, path, "nr_dying_descendants ");
	snprintf(text, sizeof(text), "nr_descendants %llu\nnr_dying_descendants %llu\n",
		 player_number(p, path, "nr_descendants "), dying > gone ? dying - gone : 0);
	player_write(p, path, text);
}

/* memory.reclaim of this cgroup was written: so many bytes. */
static inline void player_reclaim(const struct player *p, const char *cgroup,
				  unsigned long long bytes)
{
	char path[PLAYER_PATH], text[32], at[1000];
	unsigned long long dying, gone, current;

	snprintf(path, sizeof(path), PLAYER_CG "%.1000s/cgroup.stat", cgroup);
	dying = player_number(p, path, "nr_dying_descendants ");
	gone = bytes / PLAYER_EACH < dying ? bytes / PLAYER_EACH : dying;
	snprintf(path, sizeof(path), PLAYER_CG "%.1000s/memory.current", cgroup);
	current = player_number(p, path, "");
	if (current) {
		snprintf(text, sizeof(text), "%llu\n",
			 current > gone * PLAYER_EACH ? current - gone * PLAYER_EACH : 0);
		player_write(p, path, text);
	}
	snprintf(at, sizeof(at), "%s", cgroup);
	for (;;) {
		char *slash;

		player_set_dying(p, at, gone);
		if (!*at)
			break;
		slash = strrchr(at, '/');
		at[slash ? slash - at : 0] = '\0';
	}
}

/* percpu/reclaim was written. */
static inline void player_trim(const struct player *p)
{
	unsigned long long high = player_number(p, PLAYER_PERCPU "empty_pages_high", "");
	unsigned long long empty = player_number(p, PLAYER_PERCPU "empty_pages", "");
	unsigned long long isolated = player_number(p, PLAYER_PERCPU "isolated_empty_pages", "");
	unsigned long long units = player_number(p, PLAYER_PERCPU "nr_units", "");
	unsigned long long kb = player_number(p, "proc/meminfo", "Percpu:");
	unsigned long long gone = empty + isolated > high ? empty + isolated - high : 0;
	unsigned long long less = gone * units * ((unsigned long long)getpagesize() / 1024);
	char text[256];

	snprintf(text, sizeof(text), "%llu\n", empty + isolated - gone);
	player_write(p, PLAYER_PERCPU "empty_pages", text);
	player_write(p, PLAYER_PERCPU "isolated_empty_pages", "0\n");
	snprintf(text, sizeof(text), "MemTotal: 4096000 kB\nSwapFree: %llu kB\nPercpu: %llu kB\n",
		 player_number(p, "proc/meminfo", "SwapFree:"), kb > less ? kb - less : 0);
	player_write(p, "proc/meminfo", text);
}

#endif
