// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/loop/hands.c on processes of this machine: what process_madvise() makes huge, and
 * what it must leave alone. Where the kernel has no MADV_COLLAPSE, or does not let us,
 * that is said and nothing is tested of it; guests do (tests/vm, collapse).
 */
#include "unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loop/collapser.h"
#include "read/task.h"
#include "sys/root.h"
#include "sys/task.h"

#define HUGE (2UL << 20)

static struct pcr_root root;
static struct pcr_thp thp;
static pid_t child;
static struct pcr_hands *hands;

static bool can(void)
{
	struct pcr_collapse_knobs knobs;

	ck_assert_int_eq(pcr_root_open(&root, NULL), 0);
	pcr_collapse_probe(&root, &knobs);
	if (knobs.ready[PCR_HOW_MADVISE] && pcr_read_thp(&root, &thp) == 0 &&
	    thp.huge_bytes == HUGE && !thp.never)
		return true;
	printf("skip: collapse by process_madvise: %s\n",
	       knobs.ready[PCR_HOW_MADVISE] ? "no huge pages of 2 MB" : knobs.why[PCR_HOW_MADVISE]);
	pcr_root_close(&root);
	return false;
}

/* Aligned memory of so many huge pages, each with `touched` pages in it; none of it huge. */
static char *area(size_t n, size_t touched)
{
	char *all = mmap(NULL, (n + 1) * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	char *p = (char *)(((unsigned long)all + HUGE - 1) & ~(HUGE - 1));

	/* Huge only when asked to from here on, whatever the machine's default. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < touched; j++)
			p[i * HUGE + j * 4096] = 1;
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
	return p;
}

/* A child that makes its memory with fill(), then sleeps. */
static void start(void (*fill)(void))
{
	int ready[2];
	char c;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fill();
		(void)!write(ready[1], "x", 1);
		for (;;)
			pause();
	}
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	hands = pcr_hands_new(&root);
	ck_assert_ptr_nonnull(hands);
}

static void stop(void)
{
	hands = pcr_hands_free(hands);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	pcr_root_close(&root);
}

static struct pcr_chore do_one(struct pcr_chore chore)
{
	struct pcr_round *round = pcr_round_new(1);

	round->thp = thp;
	round->chore[0] = chore;
	round->chore[0].pid = child;
	pcr_hands_do(hands, round);
	chore = round->chore[0];
	free(round);
	return chore;
}

static u64 huge_bytes(void)
{
	struct pcr_chore c = do_one((struct pcr_chore){ .depth = PCR_LOOK_HUGE });

	ck_assert_int_eq(c.r, 0);
	return c.sample.huge_bytes;
}

static u64 tried;	/* by the last pass */

/* All of it, in slices; returns what was looked at. */
static u64 pass(u64 slice)
{
	struct pcr_chore c = { 0 };
	u64 scanned = 0;

	tried = 0;
	for (u32 i = 0; i < 1000 && !c.pass_ended; i++) {
		c = do_one((struct pcr_chore){ .how = PCR_HOW_MADVISE, .bytes = slice });
		ck_assert_int_eq(c.r, 0);
		ck_assert_uint_le(c.scanned_bytes, slice + 4096);
		scanned += c.scanned_bytes;
		tried += c.tried_bytes;
	}
	ck_assert(c.pass_ended);
	return scanned;
}

static void fill_dense(void)
{
	madvise(area(16, 512), 16 * HUGE, MADV_HUGEPAGE);
}

START_TEST(makes_touched_memory_huge)
{
	u64 scanned;

	if (!can())
		return;
	start(fill_dense);
	scanned = pass(3 * HUGE);
	ck_assert_uint_ge(huge_bytes(), 14 * HUGE);
	/* khugepaged itself may have come first, to half of them at most. */
	ck_assert_uint_ge(scanned, 8 * HUGE);
	/* Again: what is huge as a whole is not even looked at. */
	ck_assert_uint_lt(pass(64 * HUGE), 16 * HUGE);
	stop();
}
END_TEST

static void fill_sparse(void)
{
	madvise(area(16, 8), 16 * HUGE, MADV_HUGEPAGE);
}

static u64 rss(void)
{
	return do_one((struct pcr_chore){ .depth = PCR_LOOK_SIZE }).sample.anon_bytes;
}

/* A plain MADV_COLLAPSE of 8 touched pages in 2 MB makes 2 MB of them (facts 7.1). */
START_TEST(does_not_bloat)
{
	u64 before;

	if (!can())
		return;
	thp.max_none = 64;
	start(fill_sparse);
	before = rss();
	pass(4 * HUGE);
	/* What khugepaged itself made huge meanwhile is all there is. */
	ck_assert_uint_le(tried, huge_bytes());
	ck_assert_uint_le(rss(), before + huge_bytes());
	/* With khugepaged's default it may. */
	thp.max_none = 511;
	pass(64 * HUGE);
	ck_assert_uint_ge(huge_bytes(), 14 * HUGE);
	stop();
}
END_TEST

static void fill_refused(void)
{
	char *p = area(12, 512);
	int fd = memfd_create("pcr", 0);
	char *shared;

	madvise(p, 4 * HUGE, MADV_HUGEPAGE);
	madvise(p + 4 * HUGE, 4 * HUGE, MADV_NOHUGEPAGE);
	mprotect(p + 8 * HUGE, 4 * HUGE, PROT_READ);
	(void)!ftruncate(fd, 4 * (off_t)HUGE);
	shared = mmap(NULL, 4 * HUGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(shared, 1, 4 * HUGE);
}

START_TEST(leaves_alone_what_is_not_to_be_huge)
{
	if (!can())
		return;
	start(fill_refused);
	pass(8 * HUGE);
	ck_assert_uint_ge(huge_bytes(), 3 * HUGE);
	ck_assert_uint_le(huge_bytes(), 4 * HUGE);
	stop();
}
END_TEST

START_TEST(never_another_process)
{
	struct pcr_chore c;

	if (!can())
		return;
	start(fill_dense);
	c = do_one((struct pcr_chore){ .depth = PCR_LOOK_HUGE });
	ck_assert_int_eq(c.r, 0);
	ck_assert_uint_gt(c.sample.start_ticks, 0);
	/* Its pid, but not its start: somebody else's by now. */
	c = do_one((struct pcr_chore){ .start_ticks = c.sample.start_ticks + 1,
				       .how = PCR_HOW_MADVISE, .bytes = 64 * HUGE });
	ck_assert_int_eq(c.r, PCR_GONE);
	ck_assert_uint_eq(c.scanned_bytes, 0);
	ck_assert_uint_eq(huge_bytes(), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	c = do_one((struct pcr_chore){ .how = PCR_HOW_MADVISE, .bytes = HUGE });
	ck_assert_int_eq(c.r, PCR_GONE);
	child = fork();
	if (child == 0)
		_exit(0);
	usleep(100000);
	/* A zombie is no longer anybody's memory. */
	c = do_one((struct pcr_chore){ .depth = PCR_LOOK_HUGE });
	ck_assert_int_eq(c.r, PCR_NONE);
	stop();
}
END_TEST

#define MANY 40

static void fill_little(void)
{
	madvise(area(3, 1), 3 * HUGE, MADV_HUGEPAGE);
}

/* More tasks than passes may keep their files open: each still comes to the end of its own. */
START_TEST(many_at_once)
{
	pid_t pid[MANY], first;
	u32 ended = 0;
	bool over[MANY] = { false };

	if (!can())
		return;
	thp.max_none = 511;
	start(fill_little);
	first = child;
	for (u32 i = 0; i < MANY; i++) {
		struct pcr_hands *one = hands;

		start(fill_little);
		pid[i] = child;
		pcr_hands_free(hands);
		hands = one;
	}
	for (u32 round = 0; round < 20 && ended < MANY; round++) {
		for (u32 i = 0; i < MANY; i++) {
			struct pcr_chore c;

			if (over[i])
				continue;
			child = pid[i];
			c = do_one((struct pcr_chore){ .how = PCR_HOW_MADVISE, .bytes = HUGE });
			ck_assert_int_eq(c.r, 0);
			over[i] = c.pass_ended;
			ended += over[i];
		}
	}
	ck_assert_uint_eq(ended, MANY);
	for (u32 i = 0; i < MANY; i++) {
		child = pid[i];
		ck_assert_uint_ge(huge_bytes(), 2 * HUGE);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = first;
	stop();
}
END_TEST

/* A directory that was opened leads to no other process, and neither does its pidfd. */
START_TEST(a_directory_stays_its_process)
{
	int dirfd = -1, pidfd = -1, r;
	struct pcr_task_sample s;

	ck_assert_int_eq(pcr_root_open(&root, NULL), 0);
	prctl(PR_SET_NAME, "hands-child");
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	ck_assert_int_eq(pcr_task_open(&root, child, &dirfd), 0);
	ck_assert_int_eq(pcr_task_look(dirfd, PCR_LOOK_HUGE, 4096, &s), 0);
	ck_assert_str_eq(s.comm, "hands-child");
	r = pcr_task_pidfd(dirfd, child, &pidfd);
	if (r == -ENOSYS)	/* valgrind passes on only the system calls it knows */
		printf("skip: pidfds: no pidfd_open() here\n");
	else
		ck_assert_int_eq(r, 0);
	if (r == 0)
		close(pidfd);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ck_assert_int_eq(pcr_task_look(dirfd, PCR_LOOK_NO, 4096, &s), PCR_GONE);
	if (r == 0) {
		ck_assert_int_eq(pcr_task_pidfd(dirfd, child, &pidfd), PCR_GONE);
		/* The pid of a living one, the directory of the dead one. */
		ck_assert_int_eq(pcr_task_pidfd(dirfd, getpid(), &pidfd), PCR_GONE);
	}
	close(dirfd);
	pcr_root_close(&root);
}
END_TEST

PCR_UNIT("hands", makes_touched_memory_huge, does_not_bloat, leaves_alone_what_is_not_to_be_huge,
	 never_another_process, many_at_once, a_directory_stays_its_process)
