// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/smaps.c, sieve.c: which ranges of a process khugepaged would take. */
#include "unit/fakeroot.h"

#include "read/sieve.h"
#include "read/smaps.h"
#include "sys/task.h"

#define HUGE (2ULL << 20)
#define PRESENT (1ULL << 63)
#define OWN (PRESENT | 1ULL << 56)

static const struct pcr_thp thp = {
	.huge_bytes = HUGE, .page_bytes = 4096, .max_none = 511, .max_swap = 64, .max_shared = 256,
};

/* Feeds the text; the last mapping that was complete is in *vma. Returns how many were. */
static u32 feed(const char *text, struct pcr_vma *vma)
{
	struct pcr_smaps s = { 0 };
	u32 n = 0;

	for (; *text; text += strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n'))
		n += pcr_smaps_line(&s, text, strcspn(text, "\n"), vma);
	return n;
}

#define FIELDS(anon, huge, eligible, flags) \
	"Size: 8192 kB\nRss: 8192 kB\nAnonymous: " anon " kB\nAnonHugePages: " huge " kB\n" \
	"THPeligible:    " eligible "\nProtectionKey:         0\nVmFlags: " flags " \n"
#define PLAIN FIELDS("8192", "2048", "1", "rd wr mr mw me ac sd")

START_TEST(a_mapping)
{
	struct pcr_vma v = { 0 };
	u64 from = 0, to = 0;

	ck_assert_uint_eq(feed("7f0000100000-7f0000900000 rw-p 00000000 00:00 0 \n" PLAIN, &v), 1);
	ck_assert_uint_eq(v.start, 0x7f0000100000);
	ck_assert_uint_eq(v.end, 0x7f0000900000);
	ck_assert_uint_eq(v.anon_bytes, 8192 * 1024);
	ck_assert_uint_eq(v.huge_bytes, 2048 * 1024);
	ck_assert(v.ordinary && !v.refused);
	ck_assert(pcr_vma_range(&v, &thp, &from, &to));
	ck_assert_uint_eq(from, 0x7f0000200000);
	ck_assert_uint_eq(to, 0x7f0000800000);
	v.huge_bytes = to - from;
	ck_assert(!pcr_vma_range(&v, &thp, &from, &to));
	v.huge_bytes = 0;
	v.anon_bytes = 0;
	ck_assert(!pcr_vma_range(&v, &thp, &from, &to));
}
END_TEST

START_TEST(no_mapping_for_huge_pages)
{
	static const char *const text[] = {
		"7f0000000000-7f0000900000 rw-p 00000000 08:01 4711 /a/file\n" PLAIN,
		"7f0000000000-7f0000900000 rw-s 00000000 00:00 0\n" PLAIN,
		"7f0000000000-7f0000900000 r--p 00000000 00:00 0\n" PLAIN,
		"7f0000000000-7f0000100000 rw-p 00000000 00:00 0\n" PLAIN,
		"7f0000000000-7f0000900000 rw-p 00000000 00:00 0\n" FIELDS("8192", "0", "0", "rd wr"),
		"7f0000000000-7f0000900000 rw-p 00000000 00:00 0\n" FIELDS("8192", "0", "1", "rd wr nh"),
		"7f0000000000-7f0000900000 rw-p 00000000 00:00 0\n" FIELDS("8192", "0", "1", "rd wr um"),
		"7f0000000000-7f0000900000 rw-p 00000000 00:00 0\n" FIELDS("8192", "0", "1", "rd wr uw"),
		"7ffd00000000-7ffd00900000 rw-p 00000000 00:00 0 [stack]\n"
			FIELDS("8192", "0", "1", "rd wr gd"),
	};
	struct pcr_vma v;
	u64 from, to;

	for (size_t i = 0; i < PCR_ARRAY_SIZE(text); i++) {
		ck_assert_uint_eq(feed(text[i], &v), 1);
		ck_assert_msg(!pcr_vma_range(&v, &thp, &from, &to), "%s", text[i]);
	}
}
END_TEST

START_TEST(text_that_is_none)
{
	struct pcr_vma v = { 0 };
	u64 from, to;

	ck_assert_uint_eq(feed("", &v), 0);
	ck_assert_uint_eq(feed("VmFlags: rd\n", &v), 0);
	ck_assert_uint_eq(feed("7f-\nVmFlags: rd\n", &v), 0);
	ck_assert_uint_eq(feed("9000-8000 rw-p 0 00:00 0\nVmFlags: rd\n", &v), 0);
	ck_assert_uint_eq(feed("00000000000000000-8000 rw-p 0 00:00 0\nVmFlags: rd\n", &v), 0);
	ck_assert_uint_eq(feed("8000-9000 rw-p\nVmFlags: rd\n", &v), 0);
	/* One that is cut off is none; the next one counts. */
	ck_assert_uint_eq(feed("8000-9000 rw-p 0 00:00 0\nAnonymous: 4 kB\n"
			       "7f0000000000-7f0000900000 rw-p 0 00:00 0\nVmFlags: rd\n", &v), 1);
	ck_assert_uint_eq(v.start, 0x7f0000000000);
	ck_assert_uint_eq(v.anon_bytes, 0);
	/* At the end of the address space nothing wraps. */
	ck_assert_uint_eq(feed("ffffffffffe00001-ffffffffffffffff rw-p 0 00:00 0\nAnonymous: 9 kB\n"
			       "VmFlags: rd\n", &v), 1);
	ck_assert(!pcr_vma_range(&v, &thp, &from, &to));
}
END_TEST

START_TEST(pages_of_a_range)
{
	struct pcr_thp t = thp;
	u64 entry[512] = { 0 };

	ck_assert(!pcr_range_taken(entry, 512, &t));	/* none at all */
	entry[7] = OWN;
	ck_assert(pcr_range_taken(entry, 512, &t));
	t.max_none = 510;
	ck_assert(!pcr_range_taken(entry, 512, &t));
	for (u32 i = 0; i < 512; i++)
		entry[i] = OWN;
	t.max_none = 0;
	ck_assert(pcr_range_taken(entry, 512, &t));
	entry[3] = PRESENT;		/* shared, or zeroes: the worse of both */
	ck_assert(!pcr_range_taken(entry, 512, &t));
	t.max_none = 1;
	ck_assert(pcr_range_taken(entry, 512, &t));
	t.max_shared = 0;
	ck_assert(!pcr_range_taken(entry, 512, &t));
	entry[3] = OWN;
	for (u32 i = 0; i < 65; i++)
		entry[i] = 1ULL << 62;
	ck_assert(!pcr_range_taken(entry, 512, &t));	/* swapped out */
	entry[0] = OWN;
	ck_assert(pcr_range_taken(entry, 512, &t));
	entry[400] = OWN | 1ULL << 61;			/* of a file */
	ck_assert(!pcr_range_taken(entry, 512, &t));
	entry[400] = OWN | 1ULL << 57;			/* write-protected by userfaultfd */
	ck_assert(!pcr_range_taken(entry, 512, &t));
}
END_TEST

/* Of the process 7, which is plain files. Returns as pcr_sieve_open(). */
static int sieve_of_7(u64 from, struct pcr_sieve **ret_sieve)
{
	int dirfd = -1, r;

	ck_assert_int_eq(pcr_task_open(&fake.root, 7, &dirfd), 0);
	r = pcr_sieve_open(dirfd, &thp, from, ret_sieve);
	close(dirfd);
	return r;
}

/* Mappings at 0x200000 to 0xa00000, and one with a long name before. */
static struct pcr_sieve *open_sieve_at(const char *taken, u64 from)
{
	size_t pages = 5 * 512;
	u64 *map = calloc(pages, sizeof(*map));
	char *smaps = malloc(30000);
	struct pcr_sieve *sieve = NULL;
	int n;

	for (u32 r = 1; r < 5; r++)
		for (u32 i = 0; i < 512; i++)
			map[r * 512 + i] = taken[r - 1] == 'x' ? OWN : 0;
	fake_open_v2();
	n = sprintf(smaps, "1000-2000 rw-p 00000000 08:01 11 /%05000d\n" PLAIN, 0);
	n += sprintf(smaps + n, "1f0000-a10000 rw-p 00000000 00:00 0 [heap]\n" PLAIN);
	sprintf(smaps + n, "b00000-b10000 rw-p 00000000 00:00 0\n" PLAIN);
	fake_file("/proc/7/smaps", smaps);
	fake_bytes("/proc/7/pagemap", map, pages * sizeof(*map));
	ck_assert_int_eq(sieve_of_7(from, &sieve), 0);
	free(map);
	free(smaps);
	return sieve;
}

static struct pcr_sieve *open_sieve(const char *taken)
{
	return open_sieve_at(taken, 0);
}

static void close_sieve(struct pcr_sieve *sieve)
{
	pcr_sieve_close(sieve);
	fake_close();
}

static void run_is(struct pcr_sieve *sieve, u64 max, int r, u64 start, u64 bytes)
{
	struct pcr_run run = { 0 };

	ck_assert_int_eq(pcr_sieve_next(sieve, max, &run), r);
	ck_assert_uint_eq(run.start, start);
	ck_assert_uint_eq(run.bytes, bytes);
	ck_assert_uint_le(run.scanned_bytes, max + 2 * 4096);
	ck_assert_uint_ge(run.scanned_bytes, bytes);
}

START_TEST(runs)
{
	struct pcr_sieve *sieve = open_sieve("xx.x");

	run_is(sieve, 64 * HUGE, 0, HUGE, 2 * HUGE);
	run_is(sieve, 64 * HUGE, 0, 4 * HUGE, HUGE);
	run_is(sieve, 64 * HUGE, PCR_NONE, 0, 0);
	run_is(sieve, 64 * HUGE, PCR_NONE, 0, 0);
	close_sieve(sieve);
}
END_TEST

START_TEST(runs_end_at_the_budget)
{
	struct pcr_sieve *sieve = open_sieve("xxxx");

	run_is(sieve, HUGE, 0, HUGE, HUGE);
	run_is(sieve, 2 * HUGE, 0, 2 * HUGE, 2 * HUGE);
	run_is(sieve, HUGE, 0, 4 * HUGE, HUGE);
	run_is(sieve, HUGE, PCR_NONE, 0, 0);
	close_sieve(sieve);
	sieve = open_sieve("....");
	run_is(sieve, 3 * HUGE, 0, 0, 0);
	run_is(sieve, 3 * HUGE, 0, 0, 0);
	run_is(sieve, 3 * HUGE, PCR_NONE, 0, 0);
	close_sieve(sieve);
}
END_TEST

/* Closed and opened again it goes on where it was, and what lies before is not counted. */
START_TEST(goes_on)
{
	struct pcr_sieve *sieve = open_sieve("xxxx");
	struct pcr_run run;
	u64 at;

	run_is(sieve, HUGE, 0, HUGE, HUGE);
	at = pcr_sieve_at(sieve);
	ck_assert_uint_eq(at, 2 * HUGE);
	close_sieve(sieve);
	sieve = open_sieve_at("xxxx", at);
	ck_assert_int_eq(pcr_sieve_next(sieve, 2 * HUGE + 4096, &run), 0);
	ck_assert_uint_eq(run.start, 2 * HUGE);
	ck_assert_uint_eq(run.scanned_bytes, 2 * HUGE + 4096);
	run_is(sieve, 64 * HUGE, 0, 4 * HUGE, HUGE);
	at = pcr_sieve_at(sieve);
	close_sieve(sieve);
	sieve = open_sieve_at("xxxx", at);
	run_is(sieve, 64 * HUGE, PCR_NONE, 0, 0);
	close_sieve(sieve);
}
END_TEST

/* Mappings by the thousand, each of a page, count as well: a look ends. */
START_TEST(many_mappings)
{
	char *smaps = malloc(2 << 20);
	struct pcr_sieve *sieve = NULL;
	struct pcr_run run = { 0 };
	int n = 0, calls = 0, r;
	u64 scanned = 0;

	fake_open_v2();
	for (int i = 1; i <= 4000; i++)
		n += sprintf(smaps + n, "%x000-%x000 rw-p 00000000 00:00 0\n" PLAIN, 2 * i, 2 * i + 1);
	fake_file("/proc/7/smaps", smaps);
	fake_file("/proc/7/pagemap", "");
	ck_assert_int_eq(sieve_of_7(0, &sieve), 0);
	do {
		r = pcr_sieve_next(sieve, HUGE, &run);
		scanned += run.scanned_bytes;
		ck_assert_uint_le(run.scanned_bytes, HUGE);
		calls++;
	} while (r == 0);
	ck_assert_int_eq(r, PCR_NONE);
	ck_assert_uint_eq(scanned, 4000 * 4096);
	ck_assert_int_ge(calls, 8);
	free(smaps);
	close_sieve(sieve);
}
END_TEST

START_TEST(gone)
{
	struct pcr_sieve *sieve = NULL;
	struct pcr_run run;

	fake_open_v2();
	fake_dir("/proc/7");
	ck_assert_int_eq(sieve_of_7(0, &sieve), PCR_GONE);
	fake_file("/proc/7/smaps", "200000-a00000 rw-p 00000000 00:00 0\n" PLAIN);
	fake_file("/proc/7/pagemap", "");
	ck_assert_int_eq(sieve_of_7(0, &sieve), 0);
	ck_assert_int_eq(pcr_sieve_next(sieve, HUGE, &run), PCR_GONE);
	close_sieve(sieve);
}
END_TEST

PCR_UNIT("smaps", a_mapping, no_mapping_for_huge_pages, text_that_is_none, pages_of_a_range, runs,
	 runs_end_at_the_budget, goes_on, many_mappings, gone)
