// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/sys/{root,clock}.c: the one door to kernel files, and the clocks. */
#include "unit/fakeroot.h"

#include "base/parse.h"

/* --- opening --- */

START_TEST(prefixes)
{
	struct pcr_root root;

	ck_assert_int_eq(pcr_root_open(&root, NULL), 0);
	ck_assert(root.live);
	ck_assert_str_eq(root.prefix, "");
	pcr_root_close(&root);
	pcr_root_close(&root);
	ck_assert_int_eq(pcr_root_open(&root, "//"), 0);
	ck_assert(root.live);
	pcr_root_close(&root);
	ck_assert_int_eq(pcr_root_open(&root, "/tmp///"), 0);
	ck_assert(!root.live);
	ck_assert_str_eq(root.prefix, "/tmp");
	ck_assert_int_eq(root.cgroup_fd, -1);
	pcr_root_close(&root);
	ck_assert_int_eq(pcr_root_open(&root, "/nonexistent"), -ENOENT);
	ck_assert_int_eq(pcr_root_open(&root, "/etc/passwd"), -ENOTDIR);
	pcr_root_close(NULL);
}
END_TEST

/* No such file is PCR_NONE for the machine and PCR_GONE for a cgroup, never an error. */
START_TEST(absent_files)
{
	char buf[16], deep[4500];
	size_t n = 77;
	int fd = -5;

	fake_open();
	ck_assert_int_eq(pcr_slurp(&fake.root, "/proc/nothing", buf, sizeof(buf), &n), PCR_NONE);
	ck_assert_int_eq(pcr_root_openat(&fake.root, "proc/nothing", O_RDONLY, &fd), PCR_NONE);
	ck_assert_int_eq(pcr_store(&fake.root, "/proc/nothing", "1"), PCR_NONE);
	/* No mount, no cgroups. */
	ck_assert_int_eq(pcr_cgroup_openat(&fake.root, "a", "b", O_RDONLY, &fd), PCR_GONE);
	fake_close();

	fake_open_v2();
	fake_dir(CG_MOUNT "/a");
	fake_file("/plain", "1\n");
	ck_assert_int_eq(pcr_cgroup_slurp(&fake.root, "a", "x", buf, sizeof(buf), &n), PCR_GONE);
	ck_assert_int_eq(pcr_cgroup_slurp(&fake.root, "b", "x", buf, sizeof(buf), &n), PCR_GONE);
	ck_assert_int_eq(pcr_cgroup_store(&fake.root, "b", "x", "1"), PCR_GONE);
	ck_assert_int_eq(pcr_slurp(&fake.root, "/plain/x", buf, sizeof(buf), &n), -ENOTDIR);
	memset(deep, 'd', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	ck_assert_int_eq(pcr_cgroup_openat(&fake.root, deep, "x", O_RDONLY, &fd), -ENAMETOOLONG);
	/* Untouched on failure. */
	ck_assert_uint_eq(n, 77);
	ck_assert_int_eq(fd, -5);
	fake_close();
}
END_TEST

START_TEST(cgroup_paths)
{
	u64 v;

	fake_open_v2();
	fake_file(CG_MOUNT "/memory.current", "11\n");
	fake_file(CG_MOUNT "/a/b c/memory.current", "12\n");
	ck_assert_int_eq(pcr_cgroup_slurp_u64(&fake.root, "", "memory.current", &v), 0);
	ck_assert_uint_eq(v, 11);
	ck_assert_int_eq(pcr_cgroup_slurp_u64(&fake.root, "a/b c", "memory.current", &v), 0);
	ck_assert_uint_eq(v, 12);
	/* A cgroup that calls itself like the root does not become it. */
	ck_assert_int_eq(pcr_cgroup_slurp_u64(&fake.root, "a", "memory.current", &v), PCR_GONE);
	fake_close();
}
END_TEST

/* --- reading --- */

START_TEST(a_buffer_that_just_fits)
{
	char buf[9];
	size_t n;

	fake_open();
	fake_file("/f", "12345678");
	for (size_t size = 0; size <= sizeof(buf); size++) {
		int r;

		memset(buf, '~', sizeof(buf));
		r = pcr_slurp(&fake.root, "/f", buf, size, &n);
		ck_assert_int_eq(r, size == sizeof(buf) ? 0 : -EFBIG);
		if (size < sizeof(buf))
			ck_assert_int_eq(buf[size], '~');
	}
	ck_assert_uint_eq(n, 8);
	ck_assert_str_eq(buf, "12345678");
	fake_file("/f", "");
	ck_assert_int_eq(pcr_slurp(&fake.root, "/f", buf, 0, &n), -EFBIG);
	ck_assert_int_eq(pcr_slurp(&fake.root, "/f", buf, 1, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_str_eq(buf, "");
	fake_close();
}
END_TEST

START_TEST(numbers_in_files)
{
	static const struct {
		const char *text;
		int r;
		u64 value;
	} cases[] = {
		{ "0\n", 0, 0 },
		{ "18446744073709551613\n", 0, UINT64_MAX - 2 },
		{ "7", 0, 7 },
		{ "max\n", 0, PCR_MAX },
		{ "18446744073709551615\n", -ERANGE, 0 },	/* would read as "not sampled" */
		{ "", -EINVAL, 0 },
		{ "\n", -EINVAL, 0 },
		{ "7\n8\n", -EINVAL, 0 },
		{ "-1\n", -EINVAL, 0 },
		{ "0000000000000000000000000000000000000000007\n", -EFBIG, 0 },
	};

	fake_open();
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		u64 v = 99;

		fake_file("/f", cases[i].text);
		ck_assert_msg(pcr_slurp_u64(&fake.root, "/f", &v) == cases[i].r, "%s",
			      cases[i].text);
		ck_assert_uint_eq(v, cases[i].r ? 99 : cases[i].value);
	}
	fake_close();
}
END_TEST

START_TEST(a_kept_fd_is_read_from_the_start)
{
	char buf[16];
	size_t n;
	int fd;

	fake_open();
	fake_file("/f", "one");
	ck_assert_int_eq(pcr_root_openat(&fake.root, "/f", O_RDONLY, &fd), 0);
	ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(pcr_slurp_fd(fd, buf, sizeof(buf), &n), 0);
		ck_assert_str_eq(buf, "one");
	}
	close(fd);
	fake_close();
}
END_TEST

/* systemd PR 15206: points in time are of a clock that never steps back. */
/* Of people's own files: not of a directory, a FIFO, or one that is too large. */
START_TEST(a_whole_file)
{
	char *text = NULL;
	size_t n = 77;
	char link[5200];

	fake_open();
	fake_file("/x", "some text\n");
	fake_file("/empty", "");
	ck_assert_int_eq(pcr_slurp_file(fake_path("/x"), 0, 10, &text, &n), 0);
	ck_assert_uint_eq(n, 10);
	ck_assert_str_eq(text, "some text\n");
	free(text);
	ck_assert_int_eq(pcr_slurp_file(fake_path("/empty"), 0, 0, &text, &n), 0);
	ck_assert_uint_eq(n, 0);
	ck_assert_str_eq(text, "");
	free(text);
	text = NULL;
	ck_assert_int_eq(pcr_slurp_file(fake_path("/x"), 0, 9, &text, &n), -EFBIG);
	ck_assert_int_eq(pcr_slurp_file(fake_path("/nothing"), 0, 9, &text, &n), -ENOENT);
	ck_assert_int_eq(pcr_slurp_file(fake.prefix, 0, 9, &text, &n), -EISDIR);
	ck_assert_int_eq(mkfifo(fake_path("/fifo"), 0600), 0);
	ck_assert_int_eq(pcr_slurp_file(fake_path("/fifo"), 0, 9, &text, &n), -EINVAL);
	snprintf(link, sizeof(link), "%s", fake_path("/link"));
	ck_assert_int_eq(symlink(fake_path("/x"), link), 0);
	ck_assert_int_eq(pcr_slurp_file(link, O_NOFOLLOW, 10, &text, &n), -ELOOP);
	ck_assert_ptr_null(text);
	ck_assert_int_eq(pcr_slurp_file(link, 0, 10, &text, &n), 0);
	free(text);
	fake_close();
}
END_TEST

START_TEST(clocks)
{
	u64 before = pcr_now_usec();
	u64 slept = pcr_suspended_usec();

	ck_assert_uint_gt(before, 0);
	for (int i = 0; i < 1000; i++) {
		u64 now = pcr_now_usec();

		ck_assert_uint_ge(now, before);
		before = now;
	}
	/* Nobody suspended this machine within the last millisecond. */
	ck_assert_uint_lt(pcr_suspended_usec(), slept + PCR_SEC);
}
END_TEST

PCR_UNIT("root", prefixes, absent_files, cgroup_paths, a_buffer_that_just_fits, numbers_in_files,
	 a_kept_fd_is_read_from_the_start, a_whole_file, clocks)
