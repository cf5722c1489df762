// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/task.c, procs.c: files of one process, whatever stands in them. */
#include "unit/fakeroot.h"

#include "read/procs.h"
#include "read/task.h"
#include "sys/task.h"

#define STAT(comm) "1234 (" comm ") S 1 1 1 0 -1 4194560 10 0 0 0 70 7 0 0 20 0 48 0 5000 1 1 18\n"

static int stat_of(const char *text, struct pcr_task_sample *s)
{
	return pcr_task_stat_parse(text, strlen(text), s);
}

START_TEST(stat_line)
{
	struct pcr_task_sample s = { 0 };

	ck_assert_int_eq(stat_of(STAT("postgres"), &s), 0);
	ck_assert_str_eq(s.comm, "postgres");
	ck_assert_uint_eq(s.cpu_ticks, 77);
	ck_assert_uint_eq(s.start_ticks, 5000);
	/* A name is anything: 15 bytes of it are kept. */
	ck_assert_int_eq(stat_of(STAT(") R 1 (x y"), &s), 0);
	ck_assert_str_eq(s.comm, ") R 1 (x y");
	ck_assert_uint_eq(s.start_ticks, 5000);
	ck_assert_int_eq(stat_of(STAT("12345678901234567890"), &s), 0);
	ck_assert_str_eq(s.comm, "123456789012345");
	ck_assert_int_eq(stat_of(STAT(""), &s), 0);
	ck_assert_str_eq(s.comm, "");
}
END_TEST

START_TEST(stat_that_is_none)
{
	static const char *const bad[] = {
		"", "1234", "1234 (x", "1234 x) S", ")(", "1234 (x) S 1 1 1 0 -1 4194560 10 0 0 0 70 7",
		"1234 (x) S 1 1 1 0 -1 4194560 10 0 0 0 -70 7 0 0 20 0 48 0 5000",
		"1234 (x) S 1 1 1 0 -1 4194560 10 0 0 0 70 7 0 0 20 0 48 0 99999999999999999999999",
	};
	struct pcr_task_sample s;

	for (size_t i = 0; i < PCR_ARRAY_SIZE(bad); i++)
		ck_assert_msg(stat_of(bad[i], &s) == -EINVAL, "%s", bad[i]);
}
END_TEST

static const char rollup[] =
	"55726933e000-7ffced74f000 ---p 00000000 00:00 0                          [rollup]\n"
	"Rss:             1048576 kB\nPss:                 238 kB\nAnonymous:       1000000 kB\n"
	"LazyFree:              0 kB\nAnonHugePages:     20480 kB\nShmemPmdMapped:        0 kB\n";

START_TEST(sizes)
{
	u64 anon = 1, huge = 1, pages = 1;

	ck_assert_int_eq(pcr_task_rollup_parse(rollup, strlen(rollup), &anon, &huge), 0);
	ck_assert_uint_eq(anon, 1000000 * 1024ULL);
	ck_assert_uint_eq(huge, 20480 * 1024ULL);
	ck_assert_int_eq(pcr_task_rollup_parse("Anonymous: 3 kB\n", 16, &anon, &huge), -EINVAL);
	ck_assert_int_eq(pcr_task_rollup_parse("Anonymous: 18446744073709551613\nAnonHugePages: 0\n", 50,
					       &anon, &huge), -EINVAL);
	ck_assert_uint_eq(anon, 1000000 * 1024ULL);
	ck_assert_int_eq(pcr_task_statm_parse("1000 300 100 1 0 200 0\n", 23, &pages), 0);
	ck_assert_uint_eq(pages, 200);
	ck_assert_int_eq(pcr_task_statm_parse("1000 100 300\n", 13, &pages), 0);
	ck_assert_uint_eq(pages, 0);
	ck_assert_int_eq(pcr_task_statm_parse("1000 100\n", 9, &pages), -EINVAL);
}
END_TEST

START_TEST(what_the_kernel_did)
{
	static const char text[] = "scanned 262144\ncollapsed 12\nalloc_failed 3\nskipped_busy 4\n"
				   "full_scans 2\npending 512\n";
	struct pcr_collapse_stat s = { 0 };

	ck_assert_int_eq(pcr_collapse_stat_parse(text, strlen(text), &s), 0);
	ck_assert_uint_eq(s.scanned, 262144);
	ck_assert_uint_eq(s.collapsed, 12);
	ck_assert_uint_eq(s.alloc_failed, 3);
	ck_assert_uint_eq(s.full_scans, 2);
	ck_assert_uint_eq(s.pending, 512);
	ck_assert_int_eq(pcr_collapse_stat_parse("scanned 1\n", 10, &s), -EINVAL);
	ck_assert_int_eq(pcr_collapse_stat_parse("scanned x\ncollapsed 1\nfull_scans 1\n", 35, &s),
			 -EINVAL);
	ck_assert_uint_eq(s.scanned, 262144);
}
END_TEST

START_TEST(free_blocks)
{
	static const char text[] =
		"Node 0, zone      DMA      0      0      0      0      0      0      0      0      1      1      2 \n"
		"Node 0, zone   Normal    312    105    198    150     88     60     31     20     12      9    400 \n";
	u64 n = 0;

	ck_assert_int_eq(pcr_buddy_parse(text, strlen(text), 9, &n), 0);
	ck_assert_uint_eq(n, 1 + 2 * 2 + 9 + 400 * 2);
	ck_assert_int_eq(pcr_buddy_parse(text, strlen(text), 10, &n), 0);
	ck_assert_uint_eq(n, 402);
	ck_assert_int_eq(pcr_buddy_parse("", 0, 9, &n), -EINVAL);
	ck_assert_int_eq(pcr_buddy_parse("nonsense\n", 9, 9, &n), -EINVAL);
	ck_assert_int_eq(pcr_buddy_parse("Node 0, zone X 1 2 x\n", 21, 9, &n), 0);
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(looks)
{
	struct pcr_task_sample s;
	int dirfd = -1;

	fake_open_v2();
	ck_assert_int_eq(pcr_task_open(&fake.root, 1234, &dirfd), PCR_GONE);
	fake_file("/proc/1234/stat", STAT("x"));
	fake_file("/proc/1234/statm", "1000 300 100 1 0 200 0\n");
	ck_assert_int_eq(pcr_task_open(&fake.root, 1234, &dirfd), 0);
	ck_assert_int_eq(pcr_task_look(dirfd, PCR_LOOK_SIZE, 4096, &s), 0);
	ck_assert_uint_eq(s.anon_bytes, 200 * 4096);
	ck_assert_uint_eq(s.huge_bytes, PCR_ABSENT);
	/* Without a rollup it is a kernel thread, or has just ended. */
	ck_assert_int_eq(pcr_task_look(dirfd, PCR_LOOK_HUGE, 4096, &s), PCR_NONE);
	fake_file("/proc/1234/smaps_rollup", "");
	ck_assert_int_eq(pcr_task_look(dirfd, PCR_LOOK_HUGE, 4096, &s), PCR_NONE);
	fake_file("/proc/1234/smaps_rollup", rollup);
	ck_assert_int_eq(pcr_task_look(dirfd, PCR_LOOK_HUGE, 4096, &s), 0);
	ck_assert_uint_eq(s.huge_bytes, 20480 * 1024ULL);
	/* A link in a recorded machine leads nowhere. */
	fake_gone("/proc/1234/stat");
	ck_assert_int_eq(symlink("/proc/self/stat", fake_path("/proc/1234/stat")), 0);
	ck_assert_int_eq(pcr_task_look(dirfd, PCR_LOOK_NO, 4096, &s), -ELOOP);
	close(dirfd);
	fake_close();
}
END_TEST

START_TEST(settings_of_the_machine)
{
	struct pcr_thp t = { 0 };
	u64 n = 0;

	fake_open_v2();
	ck_assert_int_eq(pcr_read_thp(&fake.root, &t), PCR_NONE);
	fake_file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	fake_file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "2097152\n");
	fake_file("/sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_none", "511\n");
	fake_file("/sys/kernel/mm/transparent_hugepage/khugepaged/max_ptes_swap", "64\n");
	ck_assert_int_eq(pcr_read_thp(&fake.root, &t), 0);
	ck_assert(!t.never);
	ck_assert_uint_eq(t.huge_bytes, 2 << 20);
	ck_assert_uint_eq(t.max_none, 511);
	ck_assert_uint_eq(t.max_swap, 64);
	/* A limit that can't be read is none of ours to stretch. */
	ck_assert_uint_eq(t.max_shared, 0);
	ck_assert_int_eq(pcr_read_free_huge(&fake.root, &t, &n), PCR_NONE);
	fake_file("/proc/buddyinfo", "Node 0, zone Normal 1 1 1 1 1 1 1 1 1 5 6\n");
	ck_assert_int_eq(pcr_read_free_huge(&fake.root, &t, &n), 0);
	ck_assert_uint_eq(n, 17);
	fake_file("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
	ck_assert_int_eq(pcr_read_thp(&fake.root, &t), 0);
	ck_assert(t.never);
	/* 64 KB pages: huge pages of 512 MB are larger than any block of the allocator. */
	t.huge_bytes = 512 << 20;
	ck_assert_int_eq(pcr_read_free_huge(&fake.root, &t, &n), PCR_NONE);
	fake_file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "4711\n");
	ck_assert_int_eq(pcr_read_thp(&fake.root, &t), PCR_NONE);
	fake_close();
}
END_TEST

START_TEST(procs)
{
	char text[60000] = "";
	s32 *pids = NULL;
	size_t at = 0;
	u32 n = 9;

	fake_open_v2();
	ck_assert_int_eq(pcr_read_procs(&fake.root, "a", 10, &pids, &n), PCR_GONE);
	fake_file(CG_MOUNT "/a/cgroup.procs", "");
	ck_assert_int_eq(pcr_read_procs(&fake.root, "a", 10, &pids, &n), 0);
	ck_assert_uint_eq(n, 0);
	free(pids);
	/* 0 lives outside of our pid namespace; the rest is no kernel's. */
	fake_file(CG_MOUNT "/a/cgroup.procs", "12\n0\n-3\nx\n4294967296\n7\n34");
	ck_assert_int_eq(pcr_read_procs(&fake.root, "a", 10, &pids, &n), 0);
	ck_assert_uint_eq(n, 3);
	ck_assert(pids[0] == 12 && pids[1] == 7 && pids[2] == 34);
	free(pids);
	for (u32 i = 1; i <= 9000; i++)
		at += (size_t)sprintf(text + at, "%u\n", i);
	fake_file(CG_MOUNT "/a/cgroup.procs", text);
	ck_assert_int_eq(pcr_read_procs(&fake.root, "a", 20000, &pids, &n), 0);
	ck_assert_uint_eq(n, 9000);
	for (u32 i = 0; i < n; i++)
		ck_assert_int_eq(pids[i], (s32)i + 1);
	free(pids);
	ck_assert_int_eq(pcr_read_procs(&fake.root, "a", 100, &pids, &n), 0);
	ck_assert_uint_eq(n, 100);
	free(pids);
	memset(text, '1', 10000);
	text[10000] = '\0';
	fake_file(CG_MOUNT "/a/cgroup.procs", text);
	ck_assert_int_eq(pcr_read_procs(&fake.root, "a", 100, &pids, &n), 0);
	ck_assert_uint_eq(n, 0);
	free(pids);
	fake_close();
}
END_TEST

PCR_UNIT("task_files", stat_line, stat_that_is_none, sizes, what_the_kernel_did, free_blocks, looks,
	 settings_of_the_machine, procs)
