// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * psiwatch FILE TRIGGER MARK - the least a program can do on a PSI event.
 *
 * One thread in epoll_wait() on one trigger, which writes MARK to trace_marker
 * as soon as it runs: what the kernel and the (emulated) machine alone take
 * from waking a thread to its first write. The daemon is measured beside it.
 * Runs until SIGTERM, then prints "events=N".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "guest.h"

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	(void)sig;
	stop = 1;
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_term };
	struct epoll_event ev = { .events = EPOLLPRI | EPOLLERR };
	sigset_t term, old;
	long events = 0;
	int fd, ep, marker;

	if (argc != 4) {
		fputs("usage: psiwatch FILE TRIGGER MARK\n", stderr);
		return 2;
	}
	/* Only while it waits: one that came just before would be waited through. */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &old);
	sigaction(SIGTERM, &sa, NULL);
	fd = open(argv[1], O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || write(fd, argv[2], strlen(argv[2]) + 1) < 0)
		die("%s: %s", argv[1], argv[2]);
	marker = open("/sys/kernel/tracing/trace_marker", O_WRONLY | O_CLOEXEC);
	if (marker < 0)
		die("trace_marker");
	ep = epoll_create1(EPOLL_CLOEXEC);
	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev))
		die("epoll");
	while (!stop) {
		if (epoll_pwait(ep, &ev, 1, -1, &old) < 0) {
			if (errno == EINTR)
				continue;
			die("epoll_wait");
		}
		if (ev.events & EPOLLERR) {
			errno = 0;
			die("%s: the cgroup is gone", argv[1]);
		}
		if (write(marker, argv[3], strlen(argv[3])) < 0)
			die("trace_marker");
		events++;
	}
	printf("events=%ld\n", events);
	return 0;
}
