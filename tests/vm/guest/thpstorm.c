// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thpstorm SECONDS PROCESSES SEED - processes that come, change and go.
 *
 * Keeps PROCESSES alive. Each lives for some ten milliseconds: maps memory, touches it
 * from up to four threads, unmaps, moves, protects, locks, drops and forks, then ends,
 * is killed or starts itself anew (exec). Prints "started=N". thpask, beside it, has them
 * collapse.
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
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define PAGE		4096UL
#define HUGE		(512 * PAGE)
#define SLOTS		64
#define AREAS		4

static pid_t process_of[SLOTS];
static unsigned int seed;

static int below(int n)
{
	return (int)((unsigned int)rand_r(&seed) % (unsigned int)n);
}

/* --- one process --- */

static char *area[AREAS];
static size_t length[AREAS];

static void touch(char *p, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += PAGE)
		*(volatile char *)(p + at) = 1;
}

static void *touch_all(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < AREAS; i++)
		if (area[i] && length[i])
			touch(area[i], length[i]);
	return NULL;
}

/* From several threads at once. Nothing is unmapped meanwhile. */
static void touch_by_threads(void)
{
	pthread_t thread[4];
	int n = 1 + below(4), i;

	for (i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, touch_all, NULL))
			break;
	while (i--)
		pthread_join(thread[i], NULL);
}

static void map_area(int i)
{
	size_t bytes = HUGE * (size_t)(1 + below(2)) + PAGE * (size_t)below(512);
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	area[i] = p;
	length[i] = bytes;
	/* Mostly of small pages at first, or there is nothing to collapse. */
	prctl(PR_SET_THP_DISABLE, below(8) ? 1 : 0, 0, 0, 0);
	touch(p, below(3) ? bytes : bytes / 2);
	prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
}

static void unmap_area(int i)
{
	munmap(area[i], length[i]);
	area[i] = NULL;
	length[i] = 0;
}

static void move_area(int i)
{
	char *p = mremap(area[i], length[i], length[i] + HUGE, MREMAP_MAYMOVE);

	if (p == MAP_FAILED)
		return;
	area[i] = p;
	length[i] += HUGE;
}

static void protect_area(int i)
{
	size_t half = length[i] / 2 / PAGE * PAGE;

	mprotect(area[i], half, PROT_READ);
	usleep((useconds_t)below(2000));
	mprotect(area[i], half, PROT_READ | PROT_WRITE);
}

static void advise_area(int i)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_NOHUGEPAGE, MADV_HUGEPAGE, MADV_FREE, MADV_COLD,
	};
	size_t from = PAGE * (size_t)below((int)(length[i] / PAGE));

	madvise(area[i] + from, length[i] - from, advice[below(5)]);
}

/* What is shared with a child for a while, which writes to some of it. */
static void fork_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		touch_all(NULL);
		_exit(0);
	}
	if (pid > 0 && below(2))
		touch_all(NULL);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void change(int i)
{
	switch (below(8)) {
	case 0:
		unmap_area(i);
		break;
	case 1:
		move_area(i);
		break;
	case 2:
		protect_area(i);
		break;
	case 3:
		advise_area(i);
		break;
	case 4:
		if (!mlock(area[i], length[i]))
			munlock(area[i], length[i]);
		break;
	case 5:
		fork_child();
		break;
	default:
		touch_by_threads();
	}
}

/* Half of them sleep a while, and are asked meanwhile. */
static void live(void)
{
	int turns = 1 + below(8);

	while (turns--) {
		int i = below(AREAS);

		if (!area[i])
			map_area(i);
		else
			change(i);
		if (below(2))
			usleep((useconds_t)below(5000));
	}
}

static int process(char **argv)
{
	live();
	switch (below(4)) {
	case 0:
		execv("/proc/self/exe", argv);
		die("exec");
	case 1:
		kill(getpid(), SIGKILL);
	}
	_exit(0);
}

/* --- all of them --- */

static void start(int slot, char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		seed ^= (unsigned int)getpid() * 2654435761U;
		_exit(process(argv));
	}
	process_of[slot] = pid;
}

static int slot_of(pid_t pid, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (process_of[i] == pid)
			return i;
	errno = 0;
	die("%d is none of ours", pid);
}

static long keep_alive(int n, uint64_t end, char **argv)
{
	long started = 0;
	int i;

	for (i = 0; i < n; i++, started++)
		start(i, argv);
	while (now_usec() < end) {
		int status;
		pid_t pid = wait(&status);

		if (pid < 0)
			die("wait");
		errno = 0;
		if (WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL : status)
			die("a process ended with %#x", (unsigned int)status);
		start(slot_of(pid, n), argv);
		started++;
	}
	return started;
}

static void end_all(int n)
{
	int i;

	for (i = 0; i < n; i++)
		kill(process_of[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	static char self[] = "thpstorm", word[] = "process";
	char *again[] = { self, word, NULL };
	int n, seconds;
	long started;

	if (argc == 2 && !strcmp(argv[1], word)) {
		seed = (unsigned int)now_usec() ^ (unsigned int)getpid();
		return process(again);
	}
	if (argc != 4) {
		fputs("usage: thpstorm SECONDS PROCESSES SEED\n", stderr);
		return 2;
	}
	seconds = number("SECONDS", argv[1]);
	n = number("PROCESSES", argv[2]);
	seed = (unsigned int)number("SEED", argv[3]);
	errno = 0;
	if (!n || n > SLOTS)
		die("1 to %d processes", SLOTS);
	started = keep_alive(n, now_usec() + (uint64_t)seconds * 1000000, again);
	end_all(n);
	printf("started=%ld\n", started);
	return 0;
}
