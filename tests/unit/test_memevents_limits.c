// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/loop/memevents*.c: how many watches, how often, and what is lost is found. */
#include "unit/test_memevents.h"

#include <sched.h>

START_TEST(bounded)
{
	struct pcr_node *job[300];
	char path[32];

	bed_make(CI);
	bed_open();
	cg("ci");
	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "ci/job%d", i);
		job[i] = cg(path);
	}
	ck_assert_uint_eq(stats().watched, PCR_MEMEVENTS_MAX);
	ck_assert_uint_eq(stats().left_out, 301 - PCR_MEMEVENTS_MAX);
	ck_assert_ptr_nonnull(strstr(stats().why, "256"));
	ck_assert_uint_eq(kernel_watches(), PCR_MEMEVENTS_MAX);
	/* Those left out go: nothing else changes. */
	uncg(job[299]);
	ck_assert_uint_eq(stats().left_out, 300 - PCR_MEMEVENTS_MAX);
	/* Places are free: those left out get them, but not at each removal. */
	for (int i = 0; i < 43; i++)
		uncg(job[i]);
	ck_assert_uint_lt(stats().watched, PCR_MEMEVENTS_MAX);
	for (int i = 43; i < 60; i++)
		uncg(job[i]);
	turn();
	ck_assert_uint_eq(stats().watched, 240);
	ck_assert_uint_eq(stats().left_out, 0);
	ck_assert_str_eq(stats().why, "");
	ck_assert_uint_eq(kernel_watches(), 240);
	turn();
	write_events("ci/job290", 0, 1, 0, 0);
	turn();
	ck_assert(pressed(job[290]));
	bed_close();
}
END_TEST

/* Field report 7: the kernel's ENOSPC reads like a full disk. Last: the limit stays. */
START_TEST(no_watches_to_be_had)
{
	int fd;

	if (unshare(CLONE_NEWUSER) < 0) {
		printf("skipped: no user namespace: %s\n", strerror(errno));
		return;
	}
	fd = open("/proc/sys/user/max_inotify_watches", O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1) {
		printf("skipped: no limit to be set: %s\n", strerror(errno));
		return;
	}
	close(fd);
	bed_make(CI);
	bed_open();
	cg("ci");
	cg("ci/job");
	ck_assert_uint_eq(stats().watched, 1);
	ck_assert_uint_eq(stats().left_out, 1);
	ck_assert_ptr_nonnull(strstr(stats().why, "fs.inotify.max_user_watches"));
	bed_close();
}
END_TEST

/* --- how often --- */

START_TEST(rests_after_news)
{
	struct pcr_node *ci;
	int fd;

	bed_make(CI);
	bed_open();
	ci = cg("ci");
	pcr_memevents_tick(bed.m, bed.now);
	fd = bed.fd;
	write_events("ci", 0, 1, 0, 0);
	pcr_memevents_ready(bed.m, bed.now);
	ck_assert_int_eq(bed.fd, -1);
	ck_assert_int_eq(pcr_memevents_tick(bed.m, bed.now), 0);
	/* The first one counts at once ... */
	ck_assert(pressed(ci));
	ck_assert_uint_eq(pcr_memevents_due(bed.m), bed.now + PCR_MEMEVENTS_REST);
	pcr_memevents_tick(bed.m, bed.now + PCR_MEMEVENTS_REST - 1);
	ck_assert_int_eq(bed.fd, -1);
	/* ... and what comes meanwhile is not lost. */
	write_events("ci", 0, 2, 0, 0);
	bed.now += PCR_MEMEVENTS_REST;
	pcr_memevents_tick(bed.m, bed.now);
	ck_assert_int_eq(bed.fd, fd);
	ck_assert_uint_eq(pcr_memevents_due(bed.m), PCR_NEVER);
	pcr_memevents_ready(bed.m, bed.now);
	pcr_memevents_tick(bed.m, bed.now);
	ck_assert_uint_eq(bed.st.pressed_usec, bed.now);
	bed_close();
}
END_TEST

START_TEST(reads_are_bounded)
{
	char path[32];

	bed_make(CI);
	bed_open();
	cg("ci");
	for (int i = 0; i < 2 * PCR_MEMEVENTS_BUDGET; i++) {
		snprintf(path, sizeof(path), "ci/job%d", i);
		cg(path);
	}
	ck_assert_int_eq(pcr_memevents_tick(bed.m, bed.now), PCR_PART);
	ck_assert_int_eq(pcr_memevents_tick(bed.m, bed.now), PCR_PART);
	ck_assert_int_eq(pcr_memevents_tick(bed.m, bed.now), 0);
	bed_close();
}
END_TEST

static u64 queue_limit(void)
{
	FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
	unsigned long long n = 16384;

	if (f) {
		if (fscanf(f, "%llu", &n) != 1)
			n = 16384;
		fclose(f);
	}
	return n;
}

/* Two that take turns fill the queue; the third one's event is lost and found. */
START_TEST(overflow)
{
	struct pcr_node *third;
	u64 limit = queue_limit();
	int fd[2];

	if (limit > 100000) {
		printf("skipped: a queue of %llu events\n", (unsigned long long)limit);
		return;
	}
	bed_make(CI);
	bed_open();
	cg("ci");
	cg("ci/one");
	cg("ci/two");
	third = cg("ci/three");
	turn();
	fd[0] = open(fake_path(file_of("ci/one")), O_WRONLY);
	fd[1] = open(fake_path(file_of("ci/two")), O_WRONLY);
	for (u64 i = 0; i < limit + 10; i++)
		ck_assert_int_eq(pwrite(fd[i % 2], "l", 1, 0), 1);
	close(fd[0]);
	close(fd[1]);
	write_events("ci/three", 0, 1, 0, 0);
	/* A turn takes a part of the queue. */
	turn();
	ck_assert(!pressed(third));
	for (u64 i = 0; i < limit / 1000; i++)
		turn();
	ck_assert(pressed(third));
	bed_close();
}
END_TEST

START_TEST(nothing_at_all)
{
	struct pcr_memevents_stats s;

	pcr_memevents_made(NULL, NULL);
	pcr_memevents_gone(NULL, NULL);
	pcr_memevents_rematch(NULL);
	pcr_memevents_on_fd(NULL, on_fd, NULL);
	pcr_memevents_ready(NULL, T0);
	ck_assert_int_eq(pcr_memevents_tick(NULL, T0), 0);
	ck_assert_uint_eq(pcr_memevents_due(NULL), PCR_NEVER);
	ck_assert_ptr_null(pcr_memevents_close(NULL));
	pcr_memevents_stats(NULL, &s);
	ck_assert_uint_eq(s.watched + s.left_out, 0);
}
END_TEST

PCR_UNIT("memory.events limits", bounded, rests_after_news, reads_are_bounded, overflow,
	 nothing_at_all, no_watches_to_be_had)
