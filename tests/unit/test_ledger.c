// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/act/ledger.c: whoever dies when, the next start knows what to put back, and
 * puts back nothing else. Field report 21 (tuned 416, PR 518, PR 882).
 */
#include "unit/fakeroot.h"

#include <sys/resource.h>
#include <signal.h>

#include "act/ledger.h"
#include "pcr/knobs.h"

#define HIGH PCR_PERCPU_HIGH
#define RUN "/run"

static struct pcr_ledger ledger;

static void reopen(u32 want_damaged)
{
	u32 damaged = 99;

	ck_assert_int_eq(pcr_ledger_open(&ledger, fake_path(RUN), &damaged), 0);
	ck_assert_uint_eq(damaged, want_damaged);
}

static void begin(void)
{
	fake_open();
	fake_dir(RUN);
	reopen(0);
	ck_assert_uint_eq(ledger.n, 0);
}

static void check_entry(const char *knob, u64 old, u64 ours, u64 before, const char *why)
{
	const struct pcr_ledger_entry *e = pcr_ledger_find(&ledger, knob);

	ck_assert_ptr_nonnull(e);
	ck_assert_uint_eq(e->old, old);
	ck_assert_uint_eq(e->ours, ours);
	ck_assert_uint_eq(e->before, before);
	ck_assert_str_eq(e->why, why);
}

START_TEST(comes_back_as_it_went_in)
{
	begin();
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 4, 32, "EmptyPagesHigh=32"), 0);
	ck_assert_int_eq(pcr_ledger_note(&ledger, "/b", 0, PCR_ABSENT - 1, ""), 0);
	ck_assert_int_eq(pcr_ledger_note(&ledger, "/c d", 1, 2, "two\twords\n"), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(ledger.n, 3);
		check_entry(HIGH, 4, 32, PCR_ABSENT, "EmptyPagesHigh=32");
		check_entry("/b", 0, PCR_ABSENT - 1, PCR_ABSENT, "");
		check_entry("/c d", 1, 2, PCR_ABSENT, "two words ");
		reopen(0);
	}
	ck_assert_int_eq(pcr_ledger_drop(&ledger, HIGH), 0);
	ck_assert_int_eq(pcr_ledger_drop(&ledger, HIGH), 0);
	reopen(0);
	ck_assert_uint_eq(ledger.n, 2);
	ck_assert_ptr_null(pcr_ledger_find(&ledger, HIGH));
	fake_close();
}
END_TEST

/* The first old value is the administrator's; every later one is ours. */
START_TEST(one_value_of_ours_after_another)
{
	begin();
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 4, 32, "a"), 0);
	ck_assert_int_eq(pcr_ledger_settle(&ledger, HIGH, 32), 0);
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 32, 64, "b"), 0);
	reopen(0);
	check_entry(HIGH, 4, 64, 32, "b");
	/* A death between the note and the write: 32 stands there, and is ours. */
	ck_assert(pcr_ledger_owns(&ledger.entry[0], 32) && pcr_ledger_owns(&ledger.entry[0], 64));
	ck_assert(!pcr_ledger_owns(&ledger.entry[0], 4) && !pcr_ledger_owns(&ledger.entry[0], 33));
	/* Asked again before it is known: 32 is still what stands there. */
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 32, 64, "b"), 0);
	check_entry(HIGH, 4, 64, 32, "b");
	ck_assert_int_eq(pcr_ledger_settle(&ledger, HIGH, 64), 0);
	reopen(0);
	check_entry(HIGH, 4, 64, PCR_ABSENT, "b");
	ck_assert(!pcr_ledger_owns(&ledger.entry[0], 32));
	/* Refused by the kernel: the one before is what stands. */
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 64, 99, "c"), 0);
	ck_assert_int_eq(pcr_ledger_settle(&ledger, HIGH, 64), 0);
	reopen(0);
	check_entry(HIGH, 4, 64, PCR_ABSENT, "c");
	ck_assert_int_eq(pcr_ledger_settle(&ledger, "/none", 1), 0);
	fake_close();
}
END_TEST

/*
 *   found   set    stands  ->  put back?
 */
START_TEST(restoring)
{
	static const struct {
		u64 old, ours;
		const char *stands;	/* NULL: no such file */
		enum pcr_restore result;
		const char *after;
	} cases[] = {
		{ 4, 8, "8\n", PCR_RESTORED, "4\n" },
		{ 0, 8, "8\n", PCR_RESTORED, "0\n" },		/* 0 is a value */
		{ 8, 0, "0\n", PCR_RESTORED, "8\n" },
		{ 4, 8, "4\n", PCR_RESTORED, "4\n" },		/* never written, or put back */
		{ 4, 8, "6\n", PCR_RESTORE_NOT_OURS, "6\n" },	/* somebody else's */
		{ 4, 8, "max\n", PCR_RESTORE_NOT_OURS, "max\n" },
		{ 4, 8, NULL, PCR_RESTORE_NOT_OURS, NULL },
		{ 4, 8, "x\n", PCR_RESTORE_FAILED, "x\n" },
		{ 4, 8, "", PCR_RESTORE_FAILED, "" },
	};

	begin();
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		int err = 0;

		if (cases[i].stands)
			fake_file(HIGH, cases[i].stands);
		else
			fake_gone(HIGH);
		ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, cases[i].old, cases[i].ours, "w"),
				 0);
		reopen(0);
		ck_assert_int_eq(pcr_ledger_restore(&ledger, &fake.root, HIGH, &err),
				 cases[i].result);
		ck_assert_int_eq(err, cases[i].result == PCR_RESTORE_FAILED ? EINVAL : 0);
		if (cases[i].after)
			ck_assert_str_eq(fake_read(HIGH), cases[i].after);
		ck_assert_uint_eq(ledger.n, cases[i].result == PCR_RESTORE_FAILED);
		reopen(0);
		ck_assert_uint_eq(ledger.n, cases[i].result == PCR_RESTORE_FAILED);
		ck_assert_int_eq(pcr_ledger_drop(&ledger, HIGH), 0);
	}
	ck_assert_int_eq(pcr_ledger_restore(&ledger, &fake.root, HIGH, NULL), PCR_RESTORE_NOT_OURS);
	fake_close();
}
END_TEST

/* tuned 452: taken, and another value shows. Kept, and said. */
START_TEST(a_value_that_does_not_take)
{
	int err = 0;

	begin();
	/* "4" over "88": a plain file then holds 48, which is neither. */
	fake_file(HIGH, "88\n");
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 4, 88, "w"), 0);
	ck_assert_int_eq(pcr_ledger_restore(&ledger, &fake.root, HIGH, &err), PCR_RESTORE_FAILED);
	ck_assert_int_eq(err, ERANGE);
	ck_assert_uint_eq(ledger.n, 1);
	fake_close();
}
END_TEST

START_TEST(bounds)
{
	char knob[200];

	begin();
	for (int i = 0; i < PCR_LEDGER_MAX; i++) {
		snprintf(knob, sizeof(knob), "/%0126d", i);
		ck_assert_int_eq(
			pcr_ledger_note(
				&ledger, knob, PCR_ABSENT, PCR_ABSENT,
				"123456789012345678901234567890123456789012345678901234567890123"),
			0);
		ck_assert_int_eq(pcr_ledger_note(&ledger, knob, PCR_ABSENT, PCR_ABSENT - 1, "why"),
				 0);
	}
	ck_assert_int_eq(pcr_ledger_note(&ledger, "/more", 1, 2, ""), PCR_FULL);
	reopen(0);
	ck_assert_uint_eq(ledger.n, PCR_LEDGER_MAX);
	ck_assert_int_eq(pcr_ledger_drop(&ledger, knob), 0);
	/* What would not come back as it is, is not taken. */
	memset(knob, '/', sizeof(knob));
	knob[128] = '\0';
	ck_assert_int_eq(pcr_ledger_note(&ledger, knob, 1, 2, ""), -EINVAL);
	ck_assert_int_eq(pcr_ledger_note(&ledger, "relative", 1, 2, ""), -EINVAL);
	ck_assert_int_eq(pcr_ledger_note(&ledger, "/a\tb", 1, 2, ""), -EINVAL);
	ck_assert_int_eq(pcr_ledger_note(&ledger, "/a\nb", 1, 2, ""), -EINVAL);
	ck_assert_uint_eq(ledger.n, PCR_LEDGER_MAX - 1);
	fake_close();
}
END_TEST

START_TEST(damaged_files)
{
	static const struct {
		const char *text;
		u32 n, damaged;
	} cases[] = {
		{ "", 0, 0 },
		{ "/k\t4\t8\t1700000000\twhy\n", 1, 0 },
		{ "/k\t4\t8\t1700000000\t\n", 1, 0 },
		{ "/k\t4\t8\t1700000000\twhy\t6\n", 1, 0 },
		{ "/k\t4\t8\t1700000000\twhy\t\n", 0, 1 },
		{ "/k\t4\t8\t1700000000\n", 0, 1 },
		{ "/k\t4\t\t1700000000\twhy\n", 0, 1 },
		{ "/k\t4\t-8\t1700000000\twhy\n", 0, 1 },
		{ "k\t4\t8\t1700000000\twhy\n", 0, 1 },
		{ "\t4\t8\t1700000000\twhy\n", 0, 1 },
		{ "\n\n", 0, 2 },
		{ "/k\t4\t8\t1\ta\n/k\t5\t9\t1\tb\n", 1, 1 },	/* the first is the oldest */
		{ "junk\n/k\t4\t8\t1\ta\njunk\n", 1, 2 },
	};
	char *huge = calloc(1, 100000);

	begin();
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		fake_file(RUN "/ledger", cases[i].text);
		reopen(cases[i].damaged);
		ck_assert_uint_eq(ledger.n, cases[i].n);
		if (cases[i].n)
			ck_assert_uint_eq(pcr_ledger_find(&ledger, "/k")->old, 4);
	}
	fake_bytes(RUN "/ledger", huge, 100000);
	reopen(1);
	ck_assert_uint_eq(ledger.n, 0);
	free(huge);
	fake_close();
}
END_TEST

/* Never half written: where the new file can't be, the old one is as it was. */
START_TEST(a_full_disk)
{
	struct rlimit old, small;

	begin();
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 4, 8, "a"), 0);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 10;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 8, 16, "b"), -EFBIG);
	check_entry(HIGH, 4, 8, PCR_ABSENT, "a");
	ck_assert_int_eq(pcr_ledger_note(&ledger, "/other", 1, 2, "b"), -EFBIG);
	ck_assert_uint_eq(ledger.n, 1);
	ck_assert_int_eq(pcr_ledger_settle(&ledger, HIGH, 9), -EFBIG);
	check_entry(HIGH, 4, 8, PCR_ABSENT, "a");
	setrlimit(RLIMIT_FSIZE, &old);
	reopen(0);
	check_entry(HIGH, 4, 8, PCR_ABSENT, "a");
	ck_assert_int_ne(access(fake_path(RUN "/ledger.new"), F_OK), 0);
	fake_close();
}
END_TEST

START_TEST(a_directory_that_is_gone)
{
	begin();
	ck_assert_int_eq(pcr_ledger_note(&ledger, HIGH, 4, 8, "a"), 0);
	fake_gone(RUN "/ledger");
	fake_gone(RUN);
	ck_assert_int_eq(pcr_ledger_drop(&ledger, HIGH), -ENOENT);
	/* What is not undone on disk is not forgotten here. */
	check_entry(HIGH, 4, 8, PCR_ABSENT, "a");
	fake_close();
}
END_TEST

PCR_UNIT("ledger", comes_back_as_it_went_in, one_value_of_ours_after_another, restoring,
	 a_value_that_does_not_take, bounds, damaged_files, a_full_disk, a_directory_that_is_gone)
