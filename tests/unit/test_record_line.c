// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/policy/record_line.c: a record comes back as it was written, or is refused. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "policy/record_line.h"

#define BOOT "3f0e6f1a-9d0c-4a52-8a53-3b6f4f9a1c55"
#define OTHER "00000000-0000-4000-8000-000000000000"
#define REAL 1700000000000000ULL

static struct pcr_record a_reap(void)
{
	return (struct pcr_record){
		.seq = 812, .action = PCR_ACT_REAP, .why = PCR_WHY_ABOVE, .stop = PCR_STOP_NO_SWAP,
		.err = EROFS, .steps = 3, .target = 4711, .start_usec = 10, .end_usec = 20,
		.took_usec = 9, .asked = 1 << 20, .freed_bytes = PCR_ABSENT, .before = 1204,
		.after = 224, .value = 1204, .threshold = 20, .refault_pages = 0,
		.policy = "ci", .path = "machine.slice/ci",
	};
}

static char line[PCR_RECORD_LINE];

static size_t written(const struct pcr_record *r)
{
	size_t n = pcr_record_write(line, r, BOOT, REAL);

	ck_assert_uint_eq(n, strlen(line));
	ck_assert_ptr_eq(strchr(line, '\n'), line + n - 1);
	return n - 1;
}

static void same(const struct pcr_record *a, const struct pcr_record *b)
{
	ck_assert_uint_eq(a->seq, b->seq);
	ck_assert_int_eq(a->action, b->action);
	ck_assert_int_eq(a->why, b->why);
	ck_assert_int_eq(a->stop, b->stop);
	ck_assert_int_eq(a->dry_run, b->dry_run);
	ck_assert_int_eq(a->setting, b->setting);
	ck_assert_int_eq(a->err, b->err);
	ck_assert_uint_eq(a->steps, b->steps);
	ck_assert_uint_eq(a->target, b->target);
	ck_assert_mem_eq(&a->start_usec, &b->start_usec,
			 offsetof(struct pcr_record, policy) - offsetof(struct pcr_record, start_usec));
	ck_assert_str_eq(a->policy, b->policy);
	ck_assert_str_eq(a->path, b->path);
}

static void round_trip(struct pcr_record r)
{
	struct pcr_record back;
	u32 column = 0;

	ck_assert_int_eq(pcr_record_read(line, written(&r), BOOT, &back, &column), 0);
	same(&r, &back);
	ck_assert_int_eq(back.past, PCR_PAST_RESTART);
	ck_assert_uint_eq(back.end_real_usec, 0);
}

START_TEST(comes_back)
{
	struct pcr_record r = a_reap();

	round_trip(r);
	r.dry_run = true;
	r.path[0] = r.policy[0] = '\0';
	round_trip(r);
	r.action = PCR_ACT_SET;
	for (u32 i = 0; i < PCR_SETTINGS_ALL; i++) {
		r.setting = i;
		round_trip(r);
	}
}
END_TEST

/* A cgroup's name is anybody's: whatever is in it, a line stays a line. */
START_TEST(any_name)
{
	struct pcr_record r = a_reap();

	for (size_t i = 0; i < sizeof(r.path) - 1; i++)
		r.path[i] = (char)(i + 1);
	round_trip(r);
	memset(r.path, '\n', sizeof(r.path) - 1);
	memset(r.policy, '\\', sizeof(r.policy) - 1);
	round_trip(r);
	memset(r.path, 0xff, sizeof(r.path) - 1);
	round_trip(r);
}
END_TEST

/* What was before a boot has a date, and ids of it are nobody's. */
START_TEST(before_a_boot)
{
	struct pcr_record r = a_reap(), back;
	size_t n = written(&r);
	u32 column;

	ck_assert_int_eq(pcr_record_read(line, n, OTHER, &back, &column), 0);
	ck_assert_int_eq(back.past, PCR_PAST_BOOT);
	ck_assert_uint_eq(back.end_real_usec, REAL);
	ck_assert_uint_eq(back.target, PCR_ABSENT);
	/* Written anew it stays so, also where this boot is not known. */
	n = written(&back);
	ck_assert_int_eq(pcr_record_read(line, n, BOOT, &r, &column), 0);
	ck_assert_int_eq(r.past, PCR_PAST_BOOT);
	ck_assert_int_eq(pcr_record_read(line, n, "-", &r, &column), 0);
	ck_assert_int_eq(r.past, PCR_PAST_BOOT);
	ck_assert_uint_eq(r.end_real_usec, REAL);
}
END_TEST

START_TEST(damaged)
{
	static const struct {
		const char *from, *to;
		u32 column;
	} cases[] = {
		{ "812", "0", 1 },
		{ "812", "-", 1 },
		{ "812", "18446744073709551615", 1 },
		{ BOOT, "", 5 },
		{ BOOT, BOOT "-much-too-long", 5 },
		{ "1700000000000000", "-1", 42 },
		{ "1700000000000000", "18446744073709551614", 42 },
		{ "reap", "none", 59 },
		{ "reap", "rea", 59 },
		{ "above-threshold", "above", 64 },
		{ "no-swap", "noswap", 80 },
		{ "live", "alive", 88 },
		{ "live", "dry-ru", 88 },
		{ "\t-\t30", "\t/etc/passwd\t30", 93 },
		{ "\t30\t", "\t4096\t", 95 },
		{ "\t3\t", "\t4294967296\t", 98 },
		{ "4711", "47 11", 100 },
		{ "4711", "", 100 },
		{ "ci\tmachine", "a-name-of-32-bytes-which-is-long\tmachine", 142 },
		{ "ci\tmachine", "ci\\x00\tmachine", 142 },
		{ "ci\tmachine", "c\\i\tmachine", 142 },
		{ "ci\tmachine", "c\\xZZ\tmachine", 142 },
		{ "machine.slice/ci", "a\x01" "b", 145 },
		{ "machine.slice/ci", "machine.slice/c\\x0", 145 },
		{ "\tmachine.slice/ci", "", 144 },
		{ "/ci", "/ci\t", 145 },
	};
	struct pcr_record r = a_reap(), back = { .seq = 5 };
	char bad[2 * PCR_RECORD_LINE];
	u32 column;

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		char *at;

		line[written(&r)] = '\0';
		at = strstr(line, cases[i].from);
		ck_assert_ptr_nonnull(at);
		snprintf(bad, sizeof(bad), "%.*s%s%s", (int)(at - line), line, cases[i].to,
			 at + strlen(cases[i].from));
		column = 0;
		ck_assert_msg(pcr_record_read(bad, strlen(bad), BOOT, &back, &column) == -EINVAL, "%s",
			      bad);
		ck_assert_msg(column == cases[i].column, "column %u, not %u: %s", column,
			      cases[i].column, bad);
		ck_assert_uint_eq(back.seq, 5);
	}
	/* Cut anywhere but at its end or within the last text. */
	for (size_t n = 0; n < strlen(line) - strlen("machine.slice/ci"); n++)
		ck_assert_int_eq(pcr_record_read(line, n, BOOT, &back, &column), -EINVAL);
}
END_TEST

PCR_UNIT("record-line", comes_back, any_name, before_a_boot, damaged)
