/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the lifecycle's tests share: a prefix in a tmpfs whose "cgroups" are plain
 * directories (inode numbers are ids there as well), a clock that can be moved,
 * and the question that matters: is the tree what is on disk?
 */
#ifndef PCR_TEST_LIFECYCLE_H
#define PCR_TEST_LIFECYCLE_H

#include "unit/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/lifecycle.h"
#include "model/model.h"
#include "model/tree.h"

static struct bed {
	char prefix[64];
	char cg[128];		/* the cgroup mount, whole path */
	struct pcr_root root;
	struct pcr_state st;
	struct pcr_settings set;
	const struct pcr_settings *settings;
	struct pcr_lifecycle *lc;
	u32 seed;		/* of what happens at random, for messages */
	u64 skew;		/* the clock is ahead by so much ... */
	u64 stride;		/* ... and by so much more each time it is read */
} bed;

static inline u64 bed_now(void)
{
	bed.skew += bed.stride;
	return pcr_now_usec() + bed.skew;
}

static inline const char *at(const char *path)
{
	static char buf[4400];

	snprintf(buf, sizeof(buf), "%s/%s", bed.cg, path);
	return buf;
}

static inline void mk(const char *path)
{
	ck_assert_msg(mkdir(at(path), 0755) == 0, "mkdir %s: %s", at(path), strerror(errno));
}

static inline void rm(const char *path)
{
	ck_assert_msg(rmdir(at(path)) == 0, "rmdir %s: %s", at(path), strerror(errno));
}

static inline void mv(const char *from, const char *to)
{
	ck_assert_int_eq(renameat(bed.root.cgroup_fd, from, bed.root.cgroup_fd, to), 0);
}

static inline u64 id_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(at(path), &st), 0);
	return st.st_ino;
}

static inline struct pcr_node *node_of(const char *path)
{
	return pcr_tree_lookup(&bed.st.tree, path, strlen(path));
}

static inline void bed_mount(const char *prefix, const char *mount)
{
	struct stat st;

	ck_assert_int_eq(pcr_root_open(&bed.root, prefix), 0);
	snprintf(bed.cg, sizeof(bed.cg), "%s%s", bed.root.prefix, mount);
	snprintf(bed.root.cgroup_mount, sizeof(bed.root.cgroup_mount), "%s", mount);
	bed.root.mode = PCR_CGROUP_V2;
	bed.root.cgroup_fd = open(bed.cg, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(bed.root.cgroup_fd, 0);
	ck_assert_int_eq(stat(bed.cg, &st), 0);
	ck_assert_int_eq(pcr_state_init(&bed.st, st.st_ino), 0);
	bed.set.daemon.walk_usec = PCR_SEC;
	bed.set.daemon.audit_usec = PCR_NEVER;
	bed.settings = &bed.set;
}

static inline void bed_make(void)
{
	memset(&bed, 0, sizeof(bed));
	snprintf(bed.prefix, sizeof(bed.prefix), "%s/pcr-test-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(bed.prefix));
	snprintf(bed.cg, sizeof(bed.cg), "%s/cg", bed.prefix);
	ck_assert_int_eq(mkdir(bed.cg, 0755), 0);
	bed_mount(bed.prefix, "/cg");
}

static inline void bed_open(enum pcr_source source)
{
	bed.set.daemon.source = source;
	ck_assert_int_eq(pcr_lifecycle_open(&bed.root, &bed.st, &bed.settings, &bed.lc), 0);
	bed.lc->now = bed_now;
	ck_assert_int_eq(pcr_lifecycle_source(bed.lc), source);
}

static inline int bed_unlink(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void bed_drop(void)
{
	pcr_lifecycle_close(bed.lc);
	pcr_state_clear(&bed.st);
	pcr_root_close(&bed.root);
	if (bed.prefix[0])
		nftw(bed.prefix, bed_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

/* As the loop does it, until nothing is left to do now. */
static inline void turn(void)
{
	for (int i = 0; i < 100000; i++) {
		bool more = pcr_lifecycle_ready(bed.lc) == PCR_PART;

		more |= pcr_lifecycle_tick(bed.lc, bed_now()) == PCR_PART;
		if (!more)
			return;
	}
	ck_abort_msg("never done");
}

/* Until nothing is left to do at all: the clock is moved to what is due. */
static inline void settle(void)
{
	for (int i = 0; i < 100; i++) {
		u64 due;

		turn();
		due = pcr_lifecycle_due(bed.lc);
		if (!bed.lc->lost && !bed.lc->walk.on)
			return;
		if (due != PCR_NEVER && due > pcr_now_usec() + bed.skew)
			bed.skew = due - pcr_now_usec();
	}
	ck_abort_msg("never settled");
}

static inline u32 count_dirs(const char *path, size_t cut)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	u32 n = 1;

	ck_assert_ptr_nonnull(dir);
	while ((d = readdir(dir))) {
		char child[4400];
		struct pcr_node *node;
		struct stat st;

		if (d->d_type != DT_DIR || !strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		snprintf(child, sizeof(child), "%s/%s", path, d->d_name);
		ck_assert_int_eq(stat(child, &st), 0);
		node = node_of(child + cut);
		ck_assert_msg(node != NULL, "seed %u: %s is missing", bed.seed, child + cut);
		ck_assert_msg(node->id == st.st_ino, "seed %u: %s is another one", bed.seed,
			      child + cut);
		n += count_dirs(child, cut);
	}
	closedir(dir);
	return n;
}

static inline void same_as_disk(void)
{
	u32 n = count_dirs(bed.cg, strlen(bed.cg) + 1);

	ck_assert_msg(n == bed.st.tree.n, "seed %u: %u in the tree, %u on disk", bed.seed,
		      bed.st.tree.n, n);
}

/* Watches as the kernel counts them. */
static inline u32 kernel_watches(int fd)
{
	char path[64], line[256];
	u32 n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		n += !strncmp(line, "inotify wd:", 11);
	fclose(f);
	return n;
}

#endif
