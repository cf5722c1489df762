// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is noted of settings that are text, and of cgroups. Field report 21: put back is
 * what was found, only where ours still stands, whenever the daemon died.
 */
#include "unit/fakeroot.h"

#include "act/ids.h"
#include "act/kept.h"

#define NICE PCR_BATCH_QUEUE "0/nice"
#define MASK PCR_BATCH_QUEUE "0/cpumask"
#define RUN "/run"

static struct pcr_kept kept;

static void set_up(void)
{
	fake_open();
	fake_dir(RUN);
	fake_file(NICE, "0\n");
	fake_file(MASK, "00000000,000000ff\n");
	ck_assert_int_eq(pcr_kept_open(&kept, fake_path(RUN)), 0);
}

static void tear_down(void)
{
	pcr_kept_close(&kept);
	fake_close();
}

/* The daemon is killed, and another one starts. */
static void again(void)
{
	pcr_kept_close(&kept);
	ck_assert_int_eq(pcr_kept_open(&kept, fake_path(RUN)), 0);
}

static int set(const char *knob, const char *value)
{
	return pcr_kept_set(&kept, &fake.root, knob, value);
}

static int restore(const char *knob)
{
	return pcr_kept_restore(&kept, &fake.root, knob);
}

static bool is(const char *knob, const char *value)
{
	const char *text = fake_read(knob);

	return !strncmp(text, value, strlen(value));
}

START_TEST(set_and_put_back)
{
	ck_assert_int_eq(set(NICE, "5"), 0);
	ck_assert(is(NICE, "5"));
	ck_assert_int_eq(set(NICE, "7"), 0);
	ck_assert_str_eq(pcr_kept_find(&kept, NICE)->old, "0");
	again();
	ck_assert_str_eq(pcr_kept_find(&kept, NICE)->ours, "7");
	ck_assert_int_eq(restore(NICE), 0);
	ck_assert(is(NICE, "0"));
	ck_assert_int_eq(restore(NICE), 0);
	ck_assert_int_ne(access(fake_path(RUN "/workers"), F_OK), 0);
}
END_TEST

/* "ff" is what is there already, however many zeros stand before it. */
START_TEST(the_same_in_other_words)
{
	ck_assert_int_eq(set(MASK, "ff"), 0);
	ck_assert_ptr_null(pcr_kept_find(&kept, MASK));
	ck_assert(is(MASK, "00000000,000000ff"));
}
END_TEST

START_TEST(another_program_writes)
{
	ck_assert_int_eq(set(NICE, "5"), 0);
	fake_file(NICE, "9\n");
	ck_assert_int_eq(set(NICE, "5"), PCR_KEPT_FOREIGN);
	ck_assert_int_eq(set(NICE, "6"), PCR_KEPT_FOREIGN);
	again();
	ck_assert_int_eq(restore(NICE), PCR_KEPT_FOREIGN);
	ck_assert(is(NICE, "9"));
	ck_assert_int_eq(restore(NICE), 0);
}
END_TEST

/* Between the note and the write, and after the end of a file. */
START_TEST(killed_in_between)
{
	fake_file(RUN "/workers", NICE "\t0\t5\n" MASK "\tff\t3\nrubbish\n/x\t1\n\n" "\t\t\n");
	again();
	ck_assert_uint_eq(kept.n, 2);
	ck_assert_int_eq(restore(NICE), 0);
	ck_assert(is(NICE, "0"));
	fake_file(MASK, "3\n");
	ck_assert_int_eq(restore(MASK), 0);
	ck_assert(is(MASK, "ff"));
	ck_assert_uint_eq(kept.n, 0);
}
END_TEST

START_TEST(what_can_not_be_written)
{
	ck_assert_int_eq(set(PCR_BATCH_QUEUE "9/nice", "5"), PCR_NONE);
	ck_assert_uint_eq(kept.n, 0);
	if (geteuid() == 0) {
		/* As a read-only file system would have it, for root too. */
		fake_gone(NICE);
		fake_dir(NICE);
		ck_assert_int_lt(set(NICE, "5"), 0);
		ck_assert_uint_eq(kept.n, 0);
	}
	/* No room for the note: then it is not written at all. */
	ck_assert_int_eq(rmdir(fake_path(RUN)), 0);
	ck_assert_int_lt(set(MASK, "3"), 0);
	ck_assert(is(MASK, "00000000,000000ff"));
	ck_assert_uint_eq(kept.n, 0);
}
END_TEST

/* What reads as nothing is not known, and so can't be put back: it is left alone. */
START_TEST(an_empty_read)
{
	fake_file(NICE, "");
	ck_assert_int_eq(set(NICE, "5"), -EINVAL);
	ck_assert_uint_eq(kept.n, 0);
	ck_assert_str_eq(fake_read(NICE), "");
	fake_file(NICE, "0\n");
	ck_assert_int_eq(set(NICE, "5"), 0);
	fake_file(NICE, "");
	ck_assert_int_lt(restore(NICE), 0);
	ck_assert_uint_eq(kept.n, 1);
}
END_TEST

START_TEST(a_knob_that_vanished_is_nobodys)
{
	ck_assert_int_eq(set(NICE, "5"), 0);
	fake_gone(NICE);
	ck_assert_int_eq(restore(NICE), 0);
	ck_assert_uint_eq(kept.n, 0);
}
END_TEST

START_TEST(the_file_is_removed)
{
	ck_assert_int_eq(set(NICE, "5"), 0);
	fake_gone(RUN "/workers");
	ck_assert_int_eq(pcr_kept_again(&kept), 0);
	again();
	ck_assert_uint_eq(kept.n, 1);
}
END_TEST

/* --- cgroups --- */

static u64 sum;
static u32 seen;

static void each(void *data, u64 id)
{
	(void)data;
	sum += id;
	seen++;
}

static void open_ids(struct pcr_ids *ids)
{
	sum = seen = 0;
	ck_assert_int_eq(pcr_ids_open(ids, fake_path(RUN), "off", each, NULL), 0);
}

START_TEST(cgroups_by_id)
{
	struct pcr_ids ids;
	u64 left[] = { 12 };

	open_ids(&ids);
	ck_assert_uint_eq(seen, 0);
	for (u64 i = 10; i < 15; i++)
		ck_assert_int_eq(pcr_ids_add(&ids, i), 0);
	ck_assert_uint_eq(ids.lines, 5);
	pcr_ids_close(&ids);
	open_ids(&ids);
	ck_assert_uint_eq(seen, 5);
	ck_assert_uint_eq(sum, 60);
	ck_assert_int_eq(pcr_ids_rewrite(&ids, left, 1), 0);
	ck_assert_int_eq(pcr_ids_add(&ids, 18446744073709551614ULL), 0);
	ck_assert_str_eq(fake_read(RUN "/off"), "12\n18446744073709551614\n");
	ck_assert_int_eq(pcr_ids_rewrite(&ids, NULL, 0), 0);
	ck_assert_int_ne(access(fake_path(RUN "/off"), F_OK), 0);
	pcr_ids_close(&ids);
	/* Cut, and what is none of ours. */
	fake_file(RUN "/off", "7\nx\n-1\n99999999999999999999999999999999\n\n8\n9");
	open_ids(&ids);
	ck_assert_uint_eq(sum, 15);
	pcr_ids_close(&ids);
}
END_TEST

PCR_UNIT_FIXTURE("kept", set_up, tear_down, set_and_put_back, the_same_in_other_words,
		 another_program_writes, killed_in_between, what_can_not_be_written, an_empty_read,
		 a_knob_that_vanished_is_nobodys, the_file_is_removed, cgroups_by_id)
