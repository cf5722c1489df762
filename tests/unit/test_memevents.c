// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/loop/memevents*.c: what counts, who is watched, coming and going. */
#include "unit/test_memevents.h"

START_TEST(an_increase_is_pressure)
{
	static const struct {
		u64 low, high, max, oom;
		bool pressure;
	} cases[] = {
		{ 0, 1, 0, 0, true },	{ 0, 1, 0, 0, false },	{ 5, 1, 0, 0, false },
		{ 5, 1, 1, 0, true },	{ 5, 1, 1, 2, true },	{ 5, 9, 1, 2, true },
		/* Counted from anew: no news, but what follows is. */
		{ 0, 0, 0, 0, false },	{ 0, 1, 0, 0, true },
	};
	struct pcr_node *ci;

	bed_make(CI);
	ci = cg("ci");
	write_events("ci", 0, 0, 0, 0);
	bed_open();
	turn();
	ck_assert(!pressed(ci));
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		write_events("ci", cases[i].low, cases[i].high, cases[i].max, cases[i].oom);
		turn();
		ck_assert_msg(pressed(ci) == cases[i].pressure, "case %zu", i);
		bed.now += PCR_MIN;
	}
	bed_close();
}
END_TEST

/* What was counted before it was watched is no news; half a file is none either. */
START_TEST(only_what_is_new)
{
	struct pcr_node *ci;

	bed_make(CI);
	write_events("ci", 3, 700, 20, 1);
	ci = cg_bare("ci");
	bed_open();
	turn();
	write_events("ci", 4, 700, 20, 1);
	turn();
	fake_file(file_of("ci"), "low 0\nhigh 9");
	turn();
	fake_file(file_of("ci"), "");
	turn();
	write_events("ci", 4, 700, 20, 1);
	turn();
	ck_assert(!pressed(ci));
	write_events("ci", 4, 701, 20, 1);
	turn();
	ck_assert(pressed(ci));
	bed_close();
}
END_TEST

START_TEST(who_is_watched)
{
	static const struct {
		const char *settings;
		enum pcr_cgroup_mode mode;
		u32 watched, matched;
	} cases[] = {
		{ CI, PCR_CGROUP_V2, 2, 2 },
		{ "", PCR_CGROUP_V2, 0, 0 },
		{ "[Policy a]\nMatch=/a\n", PCR_CGROUP_V2, 0, 0 },
		{ "[Policy all]\nMatch=/**\n", PCR_CGROUP_V2, 3, 4 },	/* one without the file */
		{ CI "Reap=no\n", PCR_CGROUP_V2, 0, 0 },
		{ CI "[Pressure]\nPressure=no\n", PCR_CGROUP_V2, 0, 0 },
		{ CI, PCR_CGROUP_V2_BARE, 0, 0 },
		{ CI, PCR_CGROUP_HYBRID, 0, 0 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_node *other;

		bed_make(cases[i].settings);
		fake.root.mode = cases[i].mode;
		cg("ci");
		cg("ci/job");
		other = cg("other");
		cg_bare("bare");
		bed_open();
		ck_assert_msg(stats().watched == cases[i].watched, "case %zu", i);
		ck_assert_uint_eq(stats().left_out, cases[i].matched - cases[i].watched);
		ck_assert_str_eq(stats().why, "");
		ck_assert_uint_eq(kernel_watches(), cases[i].watched);
		/* Nobody to watch: not even an instance. */
		ck_assert_int_eq(bed.fd >= 0, cases[i].watched > 0);
		turn();
		write_events("other", 0, 1, 0, 0);
		turn();
		ck_assert(pressed(other) == (cases[i].watched == 3));
		bed_close();
	}
}
END_TEST

/* --- coming and going --- */

START_TEST(come_and_go)
{
	struct pcr_node *job;
	int fd;

	bed_make(CI);
	bed_open();
	ck_assert_int_eq(bed.fd, -1);
	ck_assert_uint_eq(pcr_memevents_due(bed.m), PCR_NEVER);
	cg("ci");
	fd = bed.fd;
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 1000; i++) {
		job = cg("ci/job");
		if (i % 2)
			turn();
		ck_assert_uint_eq(stats().watched, 2);
		/* On cgroup2 the file is gone before we know, and the watch stays. */
		if (i % 3 == 0)
			fake_gone(file_of("ci/job"));
		if (i % 4 == 0)
			turn();
		uncg(job);
		ck_assert_uint_eq(stats().watched, 1);
		ck_assert_uint_eq(stats().left_out, 0);
		ck_assert_uint_eq(kernel_watches(), 1);
	}
	/* The kernel's answers to the removals are no news. */
	turn();
	ck_assert_int_eq(bed.fd, fd);
	pcr_memevents_ready(bed.m, bed.now);
	ck_assert_uint_eq(pcr_memevents_due(bed.m), PCR_NEVER);
	bed_close();
}
END_TEST

START_TEST(a_name_used_again)
{
	struct pcr_node *job;

	bed_make(CI);
	bed_open();
	cg("ci");
	write_events("ci/job", 0, 50, 0, 0);
	job = cg_bare("ci/job");
	turn();
	uncg(job);
	fake_gone(file_of("ci/job"));
	job = cg("ci/job");
	turn();
	ck_assert(!pressed(job));
	write_events("ci/job", 0, 1, 0, 0);
	turn();
	ck_assert(pressed(job) && !pressed(job->parent));
	bed_close();
}
END_TEST

START_TEST(settings_change)
{
	struct pcr_node *ci, *other;

	bed_make(CI);
	bed_open();
	ci = cg("ci");
	other = cg("other");
	turn();
	/* What is watched already keeps what it has seen: news in between is news. */
	write_events("ci", 0, 1, 0, 0);
	reload("[Policy all]\nMatch=/**\n");
	ck_assert_uint_eq(stats().watched, 2);
	turn();
	ck_assert(pressed(ci) && !pressed(other));
	reload("[Policy other]\nMatch=/other\n");
	ck_assert_uint_eq(stats().watched, 1);
	ck_assert_uint_eq(kernel_watches(), 1);
	write_events("other", 0, 1, 0, 0);
	turn();
	ck_assert(pressed(other));
	reload("");
	ck_assert_uint_eq(stats().watched, 0);
	ck_assert_int_eq(bed.fd, -1);
	ck_assert_int_eq(bed.m->fd, -1);
	reload(CI);
	ck_assert_int_ge(bed.fd, 0);
	ck_assert_uint_eq(stats().watched, 1);
	bed_close();
}
END_TEST

PCR_UNIT("memory.events", an_increase_is_pressure, only_what_is_new, who_is_watched,
	 come_and_go, a_name_used_again, settings_change)
