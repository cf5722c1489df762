// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/sys/inside.c: links of a recorded machine stay in it, with openat2() and by hand. */
#include "unit/fakeroot.h"

#include <sys/syscall.h>

#include "sys/inside.h"

static void put_link(const char *target, const char *path)
{
	ck_assert_int_eq(symlink(target, fake_path(path)), 0);
}

/* What a path leads to, as a number: 0 and the inode, or -errno. */
static s64 leads_to(int (*fn)(int, const char *, int), const char *path)
{
	int fd = fn(fake.root.fd, path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return fd;
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	return (s64)st.st_ino;
}

static s64 inode(const char *path)
{
	struct stat st;

	ck_assert_int_eq(lstat(fake_path(path), &st), 0);
	return (s64)st.st_ino;
}

static void tree(void)
{
	fake_open();
	fake_file("/etc/real", "inside\n");
	fake_file("/a/b/file", "inside\n");
	put_link("/etc/real", "/etc/absolute");
	put_link("real", "/etc/relative");
	put_link("../../../../../../../../etc/real", "/a/dots");
	put_link("/a", "/to-a");
	put_link("/to-a/b", "/to-b");
	put_link("/", "/a/top");
	put_link("/proc/self/root/etc", "/a/magic");
	put_link("/etc/passwd", "/etc/out");
	put_link("/a/loop", "/a/loop");
	put_link("/etc/absolute/", "/a/no-dir");
}

START_TEST(links_stay_inside)
{
	static const struct {
		const char *path, *file;	/* NULL: err is what comes */
		int err;
	} cases[] = {
		{ "etc/real", "/etc/real", 0 },
		{ "/etc/real", "/etc/real", 0 },
		{ "etc//./absolute", "/etc/real", 0 },
		{ "etc/relative", "/etc/real", 0 },
		{ "a/dots", "/etc/real", 0 },
		{ "../../../etc/real", "/etc/real", 0 },
		{ "a/../../etc/real", "/etc/real", 0 },
		{ "to-b/file", "/a/b/file", 0 },
		{ "to-b/..", "/a", 0 },
		{ "to-a/top/to-b/", "/a/b", 0 },
		{ "..", "", 0 },
		{ ".", "", 0 },
		{ "a/top", "", 0 },
		{ "etc/out", NULL, -ENOENT },
		{ "a/magic", NULL, -ENOENT },
		{ "a/loop", NULL, -ELOOP },
		{ "a/no-dir", NULL, -ENOTDIR },
		{ "etc/real/x", NULL, -ENOTDIR },
		{ "etc/real/", NULL, -ENOTDIR },
		{ "nowhere/x", NULL, -ENOENT },
	};

	tree();
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		s64 want = cases[i].file ? inode(cases[i].file) : cases[i].err;

		ck_assert_msg(leads_to(pcr_open_inside, cases[i].path) == want, "%s", cases[i].path);
		ck_assert_msg(leads_to(pcr_walk_inside, cases[i].path) == want, "%s by hand: %lld",
			      cases[i].path, (long long)leads_to(pcr_walk_inside, cases[i].path));
	}
	fake_close();
}
END_TEST

START_TEST(bounds)
{
	char path[5000];

	tree();
	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	ck_assert_int_eq(leads_to(pcr_open_inside, path), -ENAMETOOLONG);
	ck_assert_int_eq(leads_to(pcr_walk_inside, path), -ENAMETOOLONG);
	path[300] = '\0';
	ck_assert_int_eq(leads_to(pcr_walk_inside, path), -ENAMETOOLONG);
	/* A link's text and what is behind it, together. */
	memset(path, '/', sizeof(path));
	memcpy(path, "to-b", 4);
	path[4095] = '\0';
	ck_assert_int_eq(leads_to(pcr_walk_inside, path), -ENAMETOOLONG);
	fake_close();
}
END_TEST

START_TEST(kernel_files_through_links)
{
	char buf[32];
	size_t n;

	tree();
	ck_assert_int_eq(pcr_slurp(&fake.root, "/to-b/file", buf, sizeof(buf), &n), 0);
	ck_assert_str_eq(buf, "inside\n");
	ck_assert_int_eq(pcr_slurp(&fake.root, "/etc/out", buf, sizeof(buf), &n), PCR_NONE);
	ck_assert_int_eq(pcr_store(&fake.root, "/etc/absolute", "written\n"), 0);
	ck_assert_str_eq(fake_read("/etc/real"), "written\n");
	fake_close();
}
END_TEST

START_TEST(those_who_open_by_name)
{
	const char *prefix;

	tree();
	prefix = fake.root.prefix;
	ck_assert_int_eq(pcr_stays_inside("", "/etc/out"), 0);
	ck_assert_int_eq(pcr_stays_inside(prefix, "/etc/real"), 0);
	ck_assert_int_eq(pcr_stays_inside(prefix, "/etc/relative"), 0);
	ck_assert_int_eq(pcr_stays_inside(prefix, "/nowhere"), 0);
	ck_assert_int_eq(pcr_stays_inside(prefix, "/etc/real/x"), 0);
	ck_assert_int_eq(pcr_stays_inside(prefix, "/etc/out"), -EXDEV);
	ck_assert_int_eq(pcr_stays_inside(prefix, "/a/top"), -EXDEV);
	/* there inside only: it would not be found by name */
	ck_assert_int_eq(pcr_stays_inside(prefix, "/to-b/file"), -EXDEV);
	ck_assert_int_eq(pcr_stays_inside("/nonexistent", "/x"), -ENOENT);
	fake_close();
}
END_TEST

START_TEST(no_cgroup_mount_outside)
{
	fake_open();
	fake_file("/proc/self/mountinfo",
		  "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fake_dir("/sys/fs");
	fake_dir("/elsewhere");
	put_link("/elsewhere", "/sys/fs/cgroup");
	ck_assert_int_eq(pcr_root_find_cgroups(&fake.root), -EXDEV);
	ck_assert_int_eq(fake.root.cgroup_fd, -1);
	fake_close();
}
END_TEST

PCR_UNIT("inside", links_stay_inside, bounds, kernel_files_through_links, those_who_open_by_name,
	 no_cgroup_mount_outside)
