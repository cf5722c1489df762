// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pcr_crank_restore(): write() here is a kernel that holds the low end of the float below
 * the high end at any time, so what was set has to be put back in one order, not the other.
 */
#include "unit/fakeroot.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "loop/crank.h"
#include "pcr/knobs.h"

#define RUN "/run"

static bool strict;

static long value(const char *knob)
{
	return strtol(fake_read(knob), NULL, 10);
}

/* Which knob of the fake root is behind fd. */
static const char *knob_of(int fd)
{
	char link[64], path[512] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!strict || readlink(link, path, sizeof(path) - 1) < 0)
		return NULL;
	for (u32 i = 0; i < _PCR_SETTING_PERCPU; i++)
		if (!strcmp(path, fake_path(pcr_setting_knob(i))))
			return pcr_setting_knob(i);
	return NULL;
}

ssize_t write(int fd, const void *buf, size_t n)
{
	const char *knob = knob_of(fd);
	long v;

	if (!knob)
		return syscall(SYS_write, fd, buf, n);
	v = strtol(buf, NULL, 10);
	if ((!strcmp(knob, PCR_PERCPU_LOW) && v >= value(PCR_PERCPU_HIGH)) ||
	    (!strcmp(knob, PCR_PERCPU_HIGH) && v <= value(PCR_PERCPU_LOW))) {
		errno = EINVAL;
		return -1;
	}
	if (ftruncate(fd, 0) < 0)
		return -1;
	return syscall(SYS_write, fd, buf, n);
}

static void knobs(int low, int high)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", low);
	fake_file(PCR_PERCPU_LOW, text);
	snprintf(text, sizeof(text), "%d\n", high);
	fake_file(PCR_PERCPU_HIGH, text);
}

START_TEST(the_float_in_the_order_the_kernel_takes)
{
	static const struct {
		int low, high, our_low, our_high;
	} cases[] = {
		{ 2, 4, 8, 16 }, { 8, 16, 2, 4 }, { 2, 4, 3, 8 }, { 2, 4, 1, 2 }, { 2, 4, 4, 5 },
	};

	for (size_t i = 0; i < 2 * PCR_ARRAY_SIZE(cases); i++) {
		int low = cases[i / 2].low, high = cases[i / 2].high;
		int our_low = cases[i / 2].our_low, our_high = cases[i / 2].our_high;
		struct pcr_ledger ledger;
		struct pcr_crank c = { .root = &fake.root, .ledger = &ledger };

		fake_open();
		fake_dir(RUN);
		knobs(our_low, our_high);
		ck_assert_int_eq(pcr_ledger_open(&ledger, fake_path(RUN), NULL), 0);
		/* However they came to be in the ledger. */
		if (i % 2)
			pcr_ledger_note(&ledger, PCR_PERCPU_LOW, (u64)low, (u64)our_low, "");
		pcr_ledger_note(&ledger, PCR_PERCPU_HIGH, (u64)high, (u64)our_high, "");
		if (i % 2 == 0)
			pcr_ledger_note(&ledger, PCR_PERCPU_LOW, (u64)low, (u64)our_low, "");
		strict = true;
		pcr_crank_restore(&c);
		strict = false;
		ck_assert_int_eq(value(PCR_PERCPU_LOW), low);
		ck_assert_int_eq(value(PCR_PERCPU_HIGH), high);
		ck_assert_uint_eq(ledger.n, 0);
		fake_close();
	}
}
END_TEST

/* One that can't be put back stays in the ledger, and is in nobody's way. */
START_TEST(what_fails_does_not_hold_up_the_rest)
{
	struct pcr_ledger ledger;
	struct pcr_crank c = { .root = &fake.root, .ledger = &ledger };

	fake_open();
	fake_dir(RUN);
	/* Another program has moved the high end below what low was. */
	knobs(1, 2);
	fake_file(PCR_PERCPU_PERCENT, "50\n");
	ck_assert_int_eq(pcr_ledger_open(&ledger, fake_path(RUN), NULL), 0);
	pcr_ledger_note(&ledger, PCR_PERCPU_HIGH, 4, 8, "");
	pcr_ledger_note(&ledger, PCR_PERCPU_LOW, 2, 1, "");
	pcr_ledger_note(&ledger, PCR_PERCPU_PERCENT, 25, 50, "");
	strict = true;
	pcr_crank_restore(&c);
	strict = false;
	ck_assert_int_eq(value(PCR_PERCPU_LOW), 1);
	ck_assert_int_eq(value(PCR_PERCPU_HIGH), 2);
	ck_assert_int_eq(value(PCR_PERCPU_PERCENT), 25);
	ck_assert_uint_eq(ledger.n, 1);
	ck_assert_str_eq(ledger.entry[0].knob, PCR_PERCPU_LOW);
	fake_close();
}
END_TEST

/* Put back all the same, and no entry is left to claim what somebody sets later. */
START_TEST(a_full_disk)
{
	struct pcr_ledger ledger;
	struct pcr_crank c = { .root = &fake.root, .ledger = &ledger };
	struct rlimit old, small;

	for (int fails = 0; fails < 2; fails++) {
		fake_open();
		fake_dir(RUN);
		knobs(3, 9);
		ck_assert_int_eq(pcr_ledger_open(&ledger, fake_path(RUN), NULL), 0);
		pcr_ledger_note(&ledger, PCR_PERCPU_LOW, 2, 3, "");
		pcr_ledger_note(&ledger, PCR_PERCPU_HIGH, 4, 9, "");
		if (fails)
			fake_file(PCR_PERCPU_HIGH, "x\n");
		getrlimit(RLIMIT_FSIZE, &old);
		small = old;
		small.rlim_cur = 10;
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &small);
		pcr_crank_restore(&c);
		setrlimit(RLIMIT_FSIZE, &old);
		ck_assert_int_eq(value(PCR_PERCPU_LOW), 2);
		ck_assert_int_eq(value(PCR_PERCPU_HIGH), fails ? 0 : 4);
		ck_assert_int_eq(pcr_ledger_open(&ledger, fake_path(RUN), NULL), 0);
		/* What could not be put back is for the next start. */
		ck_assert_uint_eq(ledger.n, fails ? 2 : 0);
		fake_close();
	}
}
END_TEST

PCR_UNIT("restore", the_float_in_the_order_the_kernel_takes, what_fails_does_not_hold_up_the_rest,
	 a_full_disk)
