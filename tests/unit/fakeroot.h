/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine of plain files in a temporary directory, reached through pcr_root_open(). */
#ifndef PCR_TEST_FAKEROOT_H
#define PCR_TEST_FAKEROOT_H

#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/root.h"

#define CG_MOUNT "/sys/fs/cgroup"

static struct {
	char prefix[64];
	struct pcr_root root;
} fake;

/* The whole path of one that starts with '/' below the prefix. */
static inline const char *fake_path(const char *path)
{
	static char buf[2][5200];
	static int turn;

	turn = !turn;
	snprintf(buf[turn], sizeof(buf[turn]), "%s%s", fake.prefix, path);
	return buf[turn];
}

static inline void fake_dir(const char *path)
{
	char whole[5200];

	snprintf(whole, sizeof(whole), "%s", fake_path(path));
	for (char *at = whole + strlen(fake.prefix) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		(void)mkdir(whole, 0755);
		*at = '/';
	}
	ck_assert(mkdir(whole, 0755) == 0 || errno == EEXIST);
}

static inline void fake_bytes(const char *path, const void *bytes, size_t n)
{
	char dir[5000];
	int fd;

	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	if (*dir)
		fake_dir(dir);
	fd = open(fake_path(path), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ck_assert_msg(fd >= 0, "%s: %s", fake_path(path), strerror(errno));
	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

static inline void fake_file(const char *path, const char *text)
{
	fake_bytes(path, text, strlen(text));
}

static inline void fake_gone(const char *path)
{
	ck_assert_int_eq(remove(fake_path(path)), 0);
}

static inline const char *fake_read(const char *path)
{
	static char buf[4096];
	int fd = open(fake_path(path), O_RDONLY);
	ssize_t n;

	ck_assert_msg(fd >= 0, "%s: %s", fake_path(path), strerror(errno));
	n = read(fd, buf, sizeof(buf) - 1);
	ck_assert_int_ge(n, 0);
	buf[n] = '\0';
	close(fd);
	return buf;
}

static inline int fake_remove_one(const char *path, const struct stat *st, int type,
				  struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void fake_open(void)
{
	snprintf(fake.prefix, sizeof(fake.prefix), "/tmp/pcr-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(fake.prefix));
	ck_assert_int_eq(pcr_root_open(&fake.root, fake.prefix), 0);
}

/* A cgroup2 mount with the memory controller. */
static inline void fake_open_v2(void)
{
	fake_open();
	fake_file("/proc/self/mountinfo",
		  "30 24 0:26 / " CG_MOUNT " rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
	fake_file(CG_MOUNT "/cgroup.controllers", "cpuset cpu io memory pids\n");
	ck_assert_int_eq(pcr_root_find_cgroups(&fake.root), 0);
	ck_assert_int_eq(fake.root.mode, PCR_CGROUP_V2);
}

static inline void fake_close(void)
{
	pcr_root_close(&fake.root);
	nftw(fake.prefix, fake_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
