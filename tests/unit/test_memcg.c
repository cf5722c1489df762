// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/memcg.c: one cgroup's files, there, absent, empty and odd. */
#include "unit/fakeroot.h"

#include "read/memcg.h"
#include "read/psi_text.h"

#define CI CG_MOUNT "/ci"
#define STAT \
	"anon 4096\nfile 8192\npercpu 98304\nshmem_thp 1\nshmem 12288\nworkingset_refault_anon 3\n" \
	"workingset_refault_file 39\nworkingset_refault_files 1000\n"
#define PSI "some avg10=1.00 avg60=0.00 avg300=0.00 total=5000\n"

START_TEST(dying)
{
	static const struct {
		const char *text;
		int r;
		u64 dying;
	} cases[] = {
		{"nr_descendants 5\nnr_dying_descendants 150\n", 0, 150},
		{"nr_dying_descendants 0\n", 0, 0},
		/* 6.17 and later tell more */
		{"nr_descendants 5\nnr_subsys_memory 3\nnr_dying_descendants "
		 "2\nnr_dying_subsys_memory 9\n",
		 0, 2},
		{"", -EINVAL, 0},
		{"nr_descendants 5\n", -EINVAL, 0},
		{"nr_dying_descendants\n", -EINVAL, 0},
		{"nr_dying_descendants x\n", -EINVAL, 0},
		{"xnr_dying_descendants 5\n", -EINVAL, 0},
	};

	fake_open_v2();
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		u64 v = 77;

		fake_file(CI "/cgroup.stat", cases[i].text);
		ck_assert_msg(pcr_read_dying(&fake.root, "ci", &v) == cases[i].r, "%s",
			      cases[i].text);
		ck_assert_uint_eq(v, cases[i].r ? 77 : cases[i].dying);
	}
	/* koordinator 2408: a cgroup that is gone is gone, no error. */
	fake_gone(CI "/cgroup.stat");
	ck_assert_int_eq(pcr_read_dying(&fake.root, "ci", &(u64){ 0 }), PCR_GONE);
	ck_assert_int_eq(pcr_read_dying(&fake.root, "ci/job", &(u64){ 0 }), PCR_GONE);
	fake_close();
}
END_TEST

START_TEST(a_whole_sample)
{
	struct pcr_memcg_sample s;

	fake_open_v2();
	fake_file(CI "/memory.stat", STAT);
	fake_file(CI "/memory.current", "1048576\n");
	fake_file(CI "/memory.pressure", PSI);
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "ci", &s), 0);
	ck_assert_uint_eq(s.current_bytes, 1048576);
	ck_assert_uint_eq(s.shmem_bytes, 12288);
	ck_assert_uint_eq(s.percpu_bytes, 98304);
	ck_assert_uint_eq(s.refaults, 42);
	ck_assert_uint_eq(s.stall_usec, 5000);
	fake_close();
}
END_TEST

/* systemd 36434, 33486: what was not there is absent, and never becomes a number. */
START_TEST(each_figure_alone)
{
	struct pcr_memcg_sample s;

	fake_open_v2();
	fake_dir(CI);
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "ci", &s), 0);
	ck_assert(!pcr_has(s.current_bytes) && !pcr_has(s.shmem_bytes));
	ck_assert(!pcr_has(s.refaults) && !pcr_has(s.stall_usec) && !pcr_has(s.percpu_bytes));

	fake_file(CI "/memory.current", "0\n");
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "ci", &s), 0);
	ck_assert_uint_eq(s.current_bytes, 0);
	ck_assert(!pcr_has(s.shmem_bytes) && !pcr_has(s.refaults));

	/* One half of a sum is no sum. */
	fake_file(CI "/memory.stat", "shmem 0\nworkingset_refault_file 39\n");
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "ci", &s), 0);
	ck_assert_uint_eq(s.shmem_bytes, 0);
	ck_assert(!pcr_has(s.refaults));

	fake_file(CI "/memory.stat", "");
	fake_file(CI "/memory.pressure", "");
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "ci", &s), 0);
	ck_assert(!pcr_has(s.shmem_bytes) && !pcr_has(s.refaults) && !pcr_has(s.stall_usec));
	fake_close();
}
END_TEST

/* The root cgroup has memory.stat, but neither memory.current nor memory.pressure. */
START_TEST(the_root)
{
	struct pcr_memcg_sample s;
	struct pcr_psi psi;

	fake_open_v2();
	fake_file(CG_MOUNT "/memory.stat", STAT);
	ck_assert_int_eq(pcr_read_pressure(&fake.root, NULL, &psi), PCR_NONE);
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "", &s), 0);
	ck_assert(!pcr_has(s.current_bytes) && !pcr_has(s.stall_usec));
	ck_assert_uint_eq(s.shmem_bytes, 12288);
	fake_file("/proc/pressure/memory", PSI);
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "", &s), 0);
	ck_assert_uint_eq(s.stall_usec, 5000);
	ck_assert_int_eq(pcr_read_pressure(&fake.root, "", &psi), 0);
	ck_assert_uint_eq(psi.some_avg10_bp, 100);
	ck_assert_int_eq(pcr_read_pressure(&fake.root, "ci", &psi), PCR_GONE);
	fake_close();
}
END_TEST

/* A file that can't be parsed is an error, and the outcome stays as it was. */
START_TEST(odd_files)
{
	struct pcr_memcg_sample s = { .current_bytes = 7 };

	fake_open_v2();
	fake_file(CI "/memory.current", "many\n");
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "ci", &s), -EINVAL);
	ck_assert_uint_eq(s.current_bytes, 7);
	fake_file(CI "/memory.current", "");
	ck_assert_int_eq(pcr_read_memcg(&fake.root, "ci", &s), -EINVAL);
	fake_close();
}
END_TEST

START_TEST(v1_counts)
{
	static const struct {
		const char *text;
		int r;
		u64 n;
	} cases[] = {
		{"#subsys_name\thierarchy\tnum_"
		 "cgroups\tenabled\ncpu\t3\t5\t1\nmemory\t9\t3002\t1\n",
		 0, 3002},
		{"memory\t9\t3002", 0, 3002},
		{"memory_x\t9\t1\t1\nmemory\t9\t2\t1\n", 0, 2},
		{"", PCR_NONE, 0},
		{"cpu\t3\t5\t1\n", PCR_NONE, 0},
		{"memory\n", -EINVAL, 0},
		{"memory\t9\n", -EINVAL, 0},
		{"memory\t9\t-2\t1\n", -EINVAL, 0},
	};

	fake_open();
	ck_assert_int_eq(pcr_read_v1_cgroups(&fake.root, &(u64){ 0 }), PCR_NONE);
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		u64 v = 77;

		fake_file("/proc/cgroups", cases[i].text);
		ck_assert_msg(pcr_read_v1_cgroups(&fake.root, &v) == cases[i].r, "%s",
			      cases[i].text);
		ck_assert_uint_eq(v, cases[i].r ? 77 : cases[i].n);
	}
	fake_close();
}
END_TEST

PCR_UNIT("memcg", dying, a_whole_sample, each_figure_alone, the_root, odd_files, v1_counts)
