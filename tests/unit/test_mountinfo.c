// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/sys/{mountinfo,mounts}.c: which cgroup tree is the one to watch. */
#include "unit/fakeroot.h"

#include "sys/mountinfo.h"

START_TEST(lines)
{
	static const struct {
		const char *line;
		int r;
		const char *where, *type, *options;
		bool whole;
	} cases[] = {
		{"30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate",
		 0, "/sys/fs/cgroup", "cgroup2", "rw,nsdelegate", true},
		{"30 24 0:26 / /c rw - cgroup2 none rw", 0, "/c", "cgroup2", "rw", true},
		{"30 24 0:26 / /c rw a:1 b:2 c - cgroup x rw,memory", 0, "/c", "cgroup",
		 "rw,memory", true},
		/* bind mount of a part; the root of another cgroup namespace */
		{"30 24 0:26 /a /c rw - cgroup2 none rw", 0, "/c", "cgroup2", "rw", false},
		{"30 24 0:26 /../.. /c rw - cgroup2 none rw", 0, "/c", "cgroup2", "rw", false},
		/* mount -t cgroup2 "" /c: a source of no letters is two blanks */
		{"30 24 0:26 / /c rw - cgroup2  rw,memory", 0, "/c", "cgroup2", "rw,memory", true},
		{"30 24 0:26 / /my\\040dir\\011\\134x rw - cgroup2 none rw", 0, "/my dir\t\\x",
		 "cgroup2", "rw", true},
		{"30 24 0:26 / /a\\04 rw - cgroup2 none rw", 0, "/a\\04", "cgroup2", "rw", true},
		{"30 24 0:26 / /a\\998 rw - cgroup2 none rw", 0, "/a\\998", "cgroup2", "rw", true},
		{"", -EINVAL, NULL, NULL, NULL, false},
		{"30 24 0:26 / /c", -EINVAL, NULL, NULL, NULL, false},
		{"30 24 0:26 / /c rw", -EINVAL, NULL, NULL, NULL, false},
		{"30 24 0:26 / /c rw shared:4", -EINVAL, NULL, NULL, NULL, false},
		{"30 24 0:26 / /c rw -", -EINVAL, NULL, NULL, NULL, false},
		{"30 24 0:26 / /c rw - cgroup2", -EINVAL, NULL, NULL, NULL, false},
		{"30 24 0:26 / /c - - cgroup2 none rw", 0, "/c", "cgroup2", "rw", true},
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_mount m = { .where = "untouched" };
		int r = pcr_mountinfo_line(cases[i].line, strlen(cases[i].line), &m);

		ck_assert_msg(r == cases[i].r, "%s: %d", cases[i].line, r);
		ck_assert_str_eq(m.where, r ? "untouched" : cases[i].where);
		if (r)
			continue;
		ck_assert_str_eq(m.type, cases[i].type);
		ck_assert_str_eq(m.options, cases[i].options);
		ck_assert_int_eq(m.whole, cases[i].whole);
	}
}
END_TEST

START_TEST(long_fields_are_refused_not_cut)
{
	char line[700], where[300];
	struct pcr_mount m;
	int n;

	for (size_t len = 254; len <= 257; len++) {
		memset(where, 'w', len);
		where[len] = '\0';
		n = snprintf(line, sizeof(line), "1 2 0:3 / %s rw - cgroup2 none rw", where);
		ck_assert_int_eq(pcr_mountinfo_line(line, (size_t)n, &m),
				 len < 256 ? 0 : -ENAMETOOLONG);
	}
}
END_TEST

START_TEST(options_are_whole_words)
{
	static const struct {
		const char *options, *word;
		bool has;
	} cases[] = {
		{ "rw,memory", "memory", true },     { "memory", "memory", true },
		{ "rw,memory,cpu", "memory", true }, { "rw,memory_x", "memory", false },
		{ "rw,xmemory", "memory", false },   { "", "memory", false },
		{ "rw,name=memory", "memory", false },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_mount m = { 0 };

		snprintf(m.options, sizeof(m.options), "%s", cases[i].options);
		ck_assert_int_eq(pcr_mount_option(&m, cases[i].word), cases[i].has);
	}
}
END_TEST

/* --- whole machines --- */

#define V2 "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define UNIFIED "31 24 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define V1_MEMORY "40 24 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define V1_CPU "41 24 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
#define NOISE "1 0 8:1 / / rw - ext4 /dev/vda rw\n\njunk\n22 1 0:4 / /proc rw - proc proc rw\n"

static void check_machine(const char *mountinfo, enum pcr_cgroup_mode mode, const char *where,
			  u32 hierarchy)
{
	fake_file("/proc/self/mountinfo", mountinfo);
	ck_assert_int_eq(pcr_root_find_cgroups(&fake.root), 0);
	ck_assert_int_eq(fake.root.mode, mode);
	ck_assert_int_eq(fake.root.cgroup_fd >= 0, mode != PCR_CGROUP_NONE);
	ck_assert_str_eq(fake.root.cgroup_mount, where);
	ck_assert_uint_eq(fake.root.hierarchy, hierarchy);
	ck_assert_int_eq(pcr_root_v1(&fake.root), mode == PCR_CGROUP_HYBRID);
	/* As at the start of a daemon. */
	pcr_root_close(&fake.root);
	ck_assert_int_eq(pcr_root_open(&fake.root, fake.prefix), 0);
}

/* oomd 61, 62, 67, 128: v1 and hybrid hosts are told from v2 and from nothing. */
START_TEST(machines)
{
	fake_open();
	check_machine(NOISE, PCR_CGROUP_NONE, "", 0);
	/* In the table, but the recording has no such directory. */
	check_machine(V2, PCR_CGROUP_NONE, "", 0);
	fake_dir("/sys/fs/cgroup/memory");
	fake_dir("/sys/fs/cgroup/unified");
	fake_file("/sys/fs/cgroup/cgroup.controllers", "cpu io memory pids\n");
	check_machine(NOISE V2, PCR_CGROUP_V2, "/sys/fs/cgroup", 0);
	fake_file("/sys/fs/cgroup/cgroup.controllers", "cpu memory_x\n");
	check_machine(V2 NOISE, PCR_CGROUP_V2_BARE, "/sys/fs/cgroup", 0);
	fake_file("/sys/fs/cgroup/unified/cgroup.controllers", "\n");
	fake_file("/proc/self/cgroup", "12:pids:/\n9:cpuset,memory:/a:b\n7:name=memory:/\n0::/\n");
	check_machine(UNIFIED V1_CPU V1_MEMORY, PCR_CGROUP_HYBRID, "/sys/fs/cgroup/memory", 9);
	check_machine(V1_MEMORY, PCR_CGROUP_HYBRID, "/sys/fs/cgroup/memory", 9);
	check_machine(UNIFIED V1_CPU, PCR_CGROUP_V2_BARE, "/sys/fs/cgroup/unified", 0);
	fake_file("/proc/self/cgroup", "7:name=memory:/x\n8:memory2:/memory\n");
	check_machine(V1_MEMORY, PCR_CGROUP_HYBRID, "/sys/fs/cgroup/memory", 0);
	/* A bind mount of a part comes first: the whole one is taken. */
	fake_dir("/part");
	fake_file("/sys/fs/cgroup/cgroup.controllers", "memory\n");
	check_machine("9 8 0:26 /x /part rw - cgroup2 none rw\n" V2, PCR_CGROUP_V2,
		      "/sys/fs/cgroup", 0);
	fake_close();
}
END_TEST

START_TEST(no_mountinfo)
{
	fake_open();
	ck_assert_int_eq(pcr_root_find_cgroups(&fake.root), PCR_NONE);
	ck_assert_int_eq(fake.root.mode, PCR_CGROUP_NONE);
	fake_close();
}
END_TEST

PCR_UNIT("mountinfo", lines, long_fields_are_refused_not_cut, options_are_whole_words, machines,
	 no_mountinfo)
