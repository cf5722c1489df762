// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reread CGROUP FILE READY [PAUSE_MSEC] - a living sibling that uses its cache.
 *
 * A process inside CGROUP reads FILE from end to end, pauses, and starts over,
 * until SIGTERM. After the third pass (every page was found in the cache twice
 * and is on the active list) it writes one line to READY. The reader's own
 * memory.stat then tells what somebody else's reclaim costs it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

static long read_once(int fd)
{
	static char buf[1 << 17];
	long bytes = 0;
	ssize_t n;

	while (!stop && (n = pread(fd, buf, sizeof(buf), bytes)) != 0) {
		if (n < 0)
			die("read");
		bytes += n;
	}
	return bytes;
}

static int reader(const char *file, const char *ready, int pause_msec)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	long bytes = 0, passes = 0;

	if (fd < 0)
		die("%s", file);
	/* Readahead would be charged to us as well, but let pages age alone. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
	while (!stop) {
		bytes = read_once(fd);
		if (++passes == 3) {
			FILE *f = fopen(ready, "w");

			if (!f)
				die("%s", ready);
			fprintf(f, "%ld\n", bytes / 4096);
			fclose(f);
		}
		usleep((useconds_t)pause_msec * 1000);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_term };
	int status;
	pid_t pid;

	if (argc < 4 || argc > 5) {
		fputs("usage: reread CGROUP FILE READY [PAUSE_MSEC]\n", stderr);
		return 2;
	}
	sigaction(SIGTERM, &sa, NULL);
	pid = fork_into_path(argv[1]);
	if (!pid)
		return reader(argv[2], argv[3],
			      argc > 4 ? number("PAUSE_MSEC", argv[4]) : 200);
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			die("wait");
		kill(pid, SIGTERM);
	}
	return status ? 1 : 0;
}
