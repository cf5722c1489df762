// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thpkinds [disabled] - a process with memory of every kind, none of it huge yet.
 *
 * Maps 6 MB of each, touches it while PR_SET_THP_DISABLE keeps huge pages away,
 * and prints a line "KIND START-END" each, as in maps, "no KIND" for what this kernel does
 * not have, then "ready pid=P". Then the flag is taken back (with "disabled" it
 * stays), and it touches all of its memory every 10 ms until it is killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define PAGE	4096UL
#define HUGE	(512 * PAGE)
#define SIZE	(3 * HUGE)

static int uffd = -1;

static int no_huge(char *p) { return madvise(p, SIZE, MADV_NOHUGEPAGE); }
static int want_huge(char *p) { return madvise(p, SIZE, MADV_HUGEPAGE); }
static int lock(char *p) { return mlock(p, SIZE); }
static int read_only(char *p) { return mprotect(p, SIZE, PROT_READ); }

static int uffd_register(char *p, uint64_t mode)
{
	struct uffdio_register reg = {
		.range = { .start = (uintptr_t)p, .len = SIZE }, .mode = mode,
	};

	return ioctl(uffd, UFFDIO_REGISTER, &reg);
}

static int uffd_missing(char *p)
{
	return uffd_register(p, UFFDIO_REGISTER_MODE_MISSING);
}

/* One page of each huge one is protected, and so marked. */
static int uffd_protect(char *p)
{
	size_t at;

	if (uffd_register(p, UFFDIO_REGISTER_MODE_WP))
		return -1;
	for (at = 0; at < SIZE; at += HUGE) {
		struct uffdio_writeprotect wp = {
			.range = { .start = (uintptr_t)p + at + 5 * PAGE, .len = PAGE },
			.mode = UFFDIO_WRITEPROTECT_MODE_WP,
		};

		if (ioctl(uffd, UFFDIO_WRITEPROTECT, &wp))
			return -1;
	}
	return 0;
}

/*
 * Shared with a child that sleeps: the first PAGES of each huge page, what comes
 * behind is written to again by ourselves.
 */
static int share(char *p, size_t pages)
{
	pid_t pid = fork();
	size_t page;

	if (pid < 0)
		return -1;
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	for (page = 0; page < SIZE / PAGE; page++)
		if (page % 512 >= pages)
			*(volatile char *)(p + page * PAGE) = 2;
	return 0;
}

static int share_all(char *p) { return share(p, 512); }
static int share_few(char *p) { return share(p, 100); }

static const struct kind {
	const char *name;
	size_t touched;		/* pages of each 512 */
	int (*make)(char *p);
	size_t shift;		/* so many bytes off, and one huge page fewer */
	bool shared_memory;
	bool leave;		/* not touched again */
} kinds[] = {
	{ "plain", 512, NULL, 0, false, false },
	{ "half", 256, NULL, 0, false, false },
	{ "one", 1, NULL, 0, false, false },
	{ "unaligned", 512, NULL, 300 * PAGE, false, false },
	{ "nohugepage", 512, no_huge, 0, false, false },
	{ "hugepage", 512, want_huge, 0, false, false },
	{ "locked", 512, lock, 0, false, false },
	{ "readonly", 512, read_only, 0, false, true },
	{ "shmem", 512, NULL, 0, true, false },
	{ "uffd-half", 256, uffd_missing, 0, false, false },
	{ "uffd-full", 512, uffd_missing, 0, false, false },
	{ "uffd-protected", 512, uffd_protect, 0, false, true },
	{ "cow-all", 512, share_all, 0, false, true },
	{ "cow-few", 512, share_few, 0, false, true },
};
#define KINDS	(sizeof(kinds) / sizeof(*kinds))

static char *place[KINDS];

/* A gap on both sides, so that no two become one mapping. */
static char *map(const struct kind *k)
{
	char *p = mmap(NULL, SIZE + 3 * HUGE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	p += 2 * HUGE - (uintptr_t)p % HUGE + k->shift;
	if (mmap(p, SIZE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_ANONYMOUS |
		 (k->shared_memory ? MAP_SHARED : MAP_PRIVATE), -1, 0) != p)
		die("mmap %s", k->name);
	return p;
}

static void go_over(const struct kind *k, char *p)
{
	size_t page;

	for (page = 0; page < SIZE / PAGE; page++)
		if (page % 512 < k->touched)
			*(volatile char *)(p + page * PAGE) = 1;
}

static void make(size_t i)
{
	const struct kind *k = &kinds[i];

	place[i] = map(k);
	go_over(k, place[i]);
	if (k->make && k->make(place[i])) {
		printf("no %s\n", k->name);
		munmap(place[i], SIZE);
		place[i] = NULL;
		return;
	}
	printf("%s %lx-%lx\n", k->name, (unsigned long)place[i],
	       (unsigned long)place[i] + SIZE);
}

/* khugepaged learns of the process by a fault that gets a huge page. */
static void be_known(void)
{
	static const struct kind scratch = { "scratch", 1, NULL, 0, false, false };
	char *p = map(&scratch);

	want_huge(p);
	*(volatile char *)p = 1;
	munmap(p, SIZE);
}

static void open_uffd(void)
{
	struct uffdio_api api = { .api = UFFD_API };

	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	if (uffd >= 0 && ioctl(uffd, UFFDIO_API, &api))
		die("UFFDIO_API");
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc > 2 || (argc == 2 && strcmp(argv[1], "disabled"))) {
		fputs("usage: thpkinds [disabled]\n", stderr);
		return 2;
	}
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		die("PR_SET_THP_DISABLE");
	open_uffd();
	for (i = 0; i < KINDS; i++)
		make(i);
	if (argc == 1) {
		if (prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0))
			die("PR_SET_THP_DISABLE");
		be_known();
	}
	printf("ready pid=%d\n", getpid());
	fflush(stdout);
	for (;;) {
		for (i = 0; i < KINDS; i++)
			if (place[i] && !kinds[i].leave)
				go_over(&kinds[i], place[i]);
		usleep(10000);
	}
}
