// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hog CGROUP MB THREADS - processes' worst neighbour: more memory than there is.
 *
 * A process inside CGROUP maps MB of anonymous memory, and each of THREADS threads
 * writes to pages of it, picked at random, for ever. What is beyond the machine's
 * memory has to be in swap, so nearly every write waits for a page and pushes out
 * another. Ends on SIGTERM.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define PAGE	4096UL

static char *memory;
static size_t pages;

static void *thrash(void *data)
{
	uint64_t seed = (uint64_t)(uintptr_t)data * 2654435761u + 1;

	for (;;) {
		/* xorshift: rand_r() has too few bits for so many pages. */
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		memory[seed % pages * PAGE]++;
	}
	return NULL;
}

static void hog(int mb, int threads)
{
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pages = ((size_t)mb << 20) / PAGE;
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		die("mmap");
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	for (i = 1; i < threads; i++) {
		pthread_t thread;

		errno = pthread_create(&thread, NULL, thrash, (void *)(uintptr_t)i);
		if (errno)
			die("pthread_create");
	}
	thrash(NULL);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc != 4) {
		fputs("usage: hog CGROUP MB THREADS\n", stderr);
		return 2;
	}
	pid = fork_into_path(argv[1]);
	if (!pid)
		hog(number("MB", argv[2]), number("THREADS", argv[3]));
	if (waitpid(pid, &status, 0) != pid)
		die("wait");
	printf("ended with %#x\n", status);
	return 1;
}
