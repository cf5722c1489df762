// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thpload THREADS MB PASS_USEC THINK_USEC [TOUCH[,TOUCH]...] - a process whose
 * memory could be huge and is not.
 *
 * Maps MB of anonymous memory and touches the first TOUCH pages of each 2 MB (all
 * 512; of several, each 2 MB the next one), each of THREADS threads in its own
 * part, while PR_SET_THP_DISABLE keeps huge pages away. Then takes that back, has
 * khugepaged told of the process, and prints "ready pid=P kb=K usec=T": from there
 * on all of it is eligible. Stacks are too small to be huge.
 *
 * Each thread goes over its pages again and again and adds one to a word on each,
 * which is a loop. It works for PASS_USEC of CPU time and sleeps for THINK_USEC
 * (0: never). On SIGUSR1 prints "loops=N usec=T", on SIGUSR2 asks for all of it by
 * madvise(MADV_COLLAPSE) and prints "madvise=RETURNED", on SIGTERM ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/prctl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

#define PAGE	4096UL
#define HUGE	(512 * PAGE)
#define STACK	(64 * 1024)
/* So many additions between two looks at the clock. */
#define BURST	512
#define TOUCHES	16

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE	25
#endif

struct worker {
	pthread_t thread;
	size_t first, end;	/* pages of the region that are its own */
	uint64_t loops;
} __attribute__((aligned(64)));

static char *region;
static size_t touch[TOUCHES] = { 512 };
static size_t touches = 1;
static int pass_usec, think_usec;
static pthread_barrier_t touched, begin;

static uint64_t cpu_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static bool is_touched(size_t page)
{
	return page % 512 < touch[page / 512 % touches];
}

static size_t next_page(const struct worker *w, size_t page)
{
	page++;
	if (!is_touched(page))
		page += 512 - page % 512;
	return page < w->end ? page : w->first;
}

static void add_one(size_t page)
{
	volatile uint64_t *word = (uint64_t *)(region + page * PAGE);

	*word = *word + 1;
}

static size_t burst(struct worker *w, size_t page)
{
	int i;

	for (i = 0; i < BURST; i++) {
		add_one(page);
		page = next_page(w, page);
	}
	__atomic_store_n(&w->loops, w->loops + BURST, __ATOMIC_RELAXED);
	return page;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	size_t page;

	for (page = w->first; page < w->end; page++)
		if (is_touched(page))
			add_one(page);
	pthread_barrier_wait(&touched);
	pthread_barrier_wait(&begin);
	page = w->first;
	for (;;) {
		uint64_t since = think_usec ? cpu_usec() : 0;

		do {
			page = burst(w, page);
		} while (!think_usec || cpu_usec() - since < (uint64_t)pass_usec);
		usleep((useconds_t)think_usec);
	}
	return NULL;
}

static char *map_aligned(size_t bytes)
{
	char *p = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t head;

	if (p == MAP_FAILED)
		die("mmap");
	head = (HUGE - (uintptr_t)p % HUGE) % HUGE;
	if (head)
		munmap(p, head);
	if (head != HUGE)
		munmap(p + head + bytes, HUGE - head);
	return p + head;
}

/*
 * A process whose memory was not eligible when it was touched is not known to
 * khugepaged until a fault that gets a huge page. That one goes again.
 */
static void register_for_huge_pages(void)
{
	char *p;

	if (prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0))
		die("PR_SET_THP_DISABLE");
	p = map_aligned(HUGE);
	*(volatile char *)p = 1;
	if (munmap(p, HUGE))
		die("munmap");
}

static void start(struct worker *w, int n, size_t pages)
{
	pthread_attr_t attr;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	for (i = 0; i < n; i++) {
		w[i].first = pages / 512 * (size_t)i / (size_t)n * 512;
		w[i].end = pages / 512 * (size_t)(i + 1) / (size_t)n * 512;
		/* Fewer huge pages than threads: the first one is as good as any. */
		if (w[i].first == w[i].end)
			w[i].end = w[i].first + 512;
		errno = pthread_create(&w[i].thread, &attr, work, &w[i]);
		if (errno)
			die("pthread_create");
	}
}

static void parse_touch(char *list)
{
	char *one, *save = NULL;

	touches = 0;
	for (one = strtok_r(list, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
		int n = number("TOUCH", one);

		errno = 0;
		if (n < 1 || n > 512 || touches == TOUCHES)
			die("1 to 512 pages, up to %d times", TOUCHES);
		touch[touches++] = (size_t)n;
	}
}

static void tell_loops(const struct worker *w, int threads)
{
	uint64_t loops = 0;
	int i;

	for (i = 0; i < threads; i++)
		loops += __atomic_load_n(&w[i].loops, __ATOMIC_RELAXED);
	printf("loops=%llu usec=%llu\n", (unsigned long long)loops,
	       (unsigned long long)now_usec());
}

static void answer(const sigset_t *asked, const struct worker *w, int threads, size_t bytes)
{
	int sig;

	while (!sigwait(asked, &sig)) {
		if (sig == SIGUSR1)
			tell_loops(w, threads);
		else
			printf("madvise=%d\n", madvise(region, bytes, MADV_COLLAPSE));
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	struct worker *w;
	int threads, mb;
	sigset_t asked;
	size_t bytes;

	if (argc < 5 || argc > 6) {
		fputs("usage: thpload THREADS MB PASS_USEC THINK_USEC [TOUCH[,TOUCH]...]\n", stderr);
		return 2;
	}
	threads = number("THREADS", argv[1]);
	mb = number("MB", argv[2]);
	bytes = (size_t)mb << 20;
	pass_usec = number("PASS_USEC", argv[3]);
	think_usec = number("THINK_USEC", argv[4]);
	if (argc > 5)
		parse_touch(argv[5]);
	errno = 0;
	if (!threads || mb < 2 || mb % 2)
		die("threads, and an even number of megabytes");
	sigemptyset(&asked);
	sigaddset(&asked, SIGUSR1);
	sigaddset(&asked, SIGUSR2);
	sigprocmask(SIG_BLOCK, &asked, NULL);
	if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
		die("PR_SET_THP_DISABLE");
	w = aligned_alloc(64, (size_t)threads * sizeof(*w));
	if (!w)
		die("%d threads", threads);
	memset(w, 0, (size_t)threads * sizeof(*w));
	region = map_aligned(bytes);
	pthread_barrier_init(&touched, NULL, (unsigned int)threads + 1);
	pthread_barrier_init(&begin, NULL, (unsigned int)threads + 1);
	start(w, threads, bytes / PAGE);
	pthread_barrier_wait(&touched);
	register_for_huge_pages();
	printf("ready pid=%d kb=%d usec=%llu\n", getpid(), mb << 10,
	       (unsigned long long)now_usec());
	fflush(stdout);
	pthread_barrier_wait(&begin);
	answer(&asked, w, threads, bytes);
	return 1;
}
