// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/machine.c: percpu memory, swap and CPUs, on kernels with and without them. */
#include "unit/fakeroot.h"

#include "base/parse.h"
#include "pcr/knobs.h"
#include "read/machine.h"

#define MEMINFO                                                                                    \
	"MemTotal:       4038132 kB\nSwapFree:              0 kB\nPercpu:            15952 kB\n"

START_TEST(a_stock_kernel)
{
	struct pcr_percpu_sample s = { .empty_pages = 7 };

	fake_open();
	fake_file("/proc/meminfo", MEMINFO);
	ck_assert_int_eq(pcr_read_percpu(&fake.root, &s), 0);
	ck_assert_uint_eq(s.percpu_bytes, 15952 * 1024);
	ck_assert_uint_eq(s.page_bytes, (u64)sysconf(_SC_PAGESIZE));
	ck_assert(!s.knob);
	/* systemd 36434, 33486: no such counter is not a count of 0. */
	ck_assert(!pcr_has(s.nr_units) && !pcr_has(s.populated_pages) && !pcr_has(s.empty_pages));
	ck_assert(!pcr_has(s.isolated_empty_pages) && !pcr_has(s.empty_pages_low));
	ck_assert(!pcr_has(s.empty_pages_high) && !pcr_has(s.metadata_bytes));
	ck_assert(!pcr_has(s.depopulated_pages) && !pcr_has(s.repopulated_pages));
	ck_assert(!pcr_has(s.trim_runs));
	fake_close();
}
END_TEST

START_TEST(a_patched_kernel)
{
	static const char *const names[] = {
		"nr_units",	     "populated_pages",	 "empty_pages",	   "isolated_empty_pages",
		"empty_pages_low",   "empty_pages_high", "metadata_bytes", "depopulated_pages",
		"repopulated_pages", "trim_runs",
	};
	struct pcr_percpu_sample s;

	fake_open();
	fake_file("/proc/meminfo", MEMINFO);
	for (size_t i = 0; i < PCR_ARRAY_SIZE(names); i++) {
		char path[96], text[8];

		snprintf(path, sizeof(path), PCR_PERCPU_DIR "%s", names[i]);
		snprintf(text, sizeof(text), "%zu\n", i);
		fake_file(path, text);
	}
	ck_assert_int_eq(pcr_read_percpu(&fake.root, &s), 0);
	ck_assert_uint_eq(s.nr_units, 0);
	ck_assert_uint_eq(s.populated_pages, 1);
	ck_assert_uint_eq(s.empty_pages, 2);
	ck_assert_uint_eq(s.isolated_empty_pages, 3);
	ck_assert_uint_eq(s.empty_pages_low, 4);
	ck_assert_uint_eq(s.empty_pages_high, 5);
	ck_assert_uint_eq(s.metadata_bytes, 6);
	ck_assert_uint_eq(s.depopulated_pages, 7);
	ck_assert_uint_eq(s.repopulated_pages, 8);
	ck_assert_uint_eq(s.trim_runs, 9);

	/* damo 75, 41, 101: one file missing or odd takes only itself away. */
	fake_gone(PCR_PERCPU_DIR "empty_pages");
	fake_file(PCR_PERCPU_DIR "trim_runs", "soon\n");
	fake_file(PCR_PERCPU_DIR "nr_units", "");
	ck_assert_int_eq(pcr_read_percpu(&fake.root, &s), 0);
	ck_assert(!pcr_has(s.empty_pages) && !pcr_has(s.trim_runs) && !pcr_has(s.nr_units));
	ck_assert_uint_eq(s.isolated_empty_pages, 3);
	fake_close();
}
END_TEST

START_TEST(meminfo_of_all_sorts)
{
	static const struct {
		const char *text;
		int percpu_r;
		u64 percpu;
		int swap_r;
		u64 swap;
	} cases[] = {
		{ MEMINFO, 0, 15952 * 1024, 0, 0 },
		{ "SwapFree: 4 kB\n", 0, PCR_ABSENT, 0, 4096 },
		/* earlyoom: "Cached:" is a part of "SwapCached:" */
		{ "XPercpu: 1 kB\nXSwapFree: 1 kB\n", 0, PCR_ABSENT, PCR_NONE, 0 },
		{ "", 0, PCR_ABSENT, PCR_NONE, 0 },
		{ "Percpu: x kB\nSwapFree:\n", -EINVAL, 0, -EINVAL, 0 },
		{ "Percpu: 18014398509481984 kB\nSwapFree: 18446744073709551613 kB\n", -ERANGE, 0,
		  -ERANGE, 0 },
	};

	fake_open();
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_percpu_sample s = { .percpu_bytes = 77 };
		u64 swap = 77;

		fake_file("/proc/meminfo", cases[i].text);
		ck_assert_int_eq(pcr_read_percpu(&fake.root, &s), cases[i].percpu_r);
		ck_assert_uint_eq(s.percpu_bytes, cases[i].percpu_r ? 77 : cases[i].percpu);
		ck_assert_int_eq(pcr_read_swap_free(&fake.root, &swap), cases[i].swap_r);
		ck_assert_uint_eq(swap, cases[i].swap_r ? 77 : cases[i].swap);
	}
	fake_gone("/proc/meminfo");
	ck_assert_int_eq(pcr_read_swap_free(&fake.root, &(u64){ 0 }), PCR_NONE);
	fake_close();
}
END_TEST

START_TEST(cpus)
{
	u64 n = 77;

	fake_open();
	ck_assert_int_eq(pcr_read_cpus(&fake.root, "possible", &n), PCR_NONE);
	fake_file("/sys/devices/system/cpu/possible", "0-127\n");
	fake_file("/sys/devices/system/cpu/online", "0-7,16-23\n");
	ck_assert_int_eq(pcr_read_cpus(&fake.root, "possible", &n), 0);
	ck_assert_uint_eq(n, 128);
	ck_assert_int_eq(pcr_read_cpus(&fake.root, "online", &n), 0);
	ck_assert_uint_eq(n, 16);
	fake_file("/sys/devices/system/cpu/online", "7-0\n");
	ck_assert_int_eq(pcr_read_cpus(&fake.root, "online", &n), -EINVAL);
	ck_assert_uint_eq(n, 16);
	fake_close();
}
END_TEST

PCR_UNIT("machine", a_stock_kernel, a_patched_kernel, meminfo_of_all_sorts, cpus)
