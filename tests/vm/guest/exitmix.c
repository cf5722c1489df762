// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exitmix - processes with much memory that end in every way there is
 *
 *   exitmix KIND MB END ROUNDS
 *
 * KIND: see bigmem.h. END is
 *   exit     by itself
 *   kill     by SIGKILL
 *   exec     the memory goes because another program takes the process over
 *   vfork    by itself, after a child that had the same memory for a moment
 *   fork     four processes that share the pages end at the same time
 *   threads  by itself, with threads running
 *   mrelease killed, and the killer frees its memory beside it
 *   reader   killed, while another process reads its memory and may be the last
 *            that holds it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bigmem.h"
#include "guest.h"

static const char *kind, *end;
static int mb;

static bool ends_by(const char *name)
{
	return !strcmp(end, name);
}

static bool is_killed(void)
{
	return ends_by("kill") || ends_by("mrelease") || ends_by("reader");
}

__attribute__((noreturn)) static void run_true(void)
{
	execl("/usr/bin/busybox", "true", NULL);
	_exit(127);
}

static void *wait_in_thread(void *unused)
{
	pause();
	return unused;
}

static void start_threads(void)
{
	pthread_t thread;
	int i;

	for (i = 0; i < 3; i++) {
		errno = pthread_create(&thread, NULL, wait_in_thread, NULL);
		if (errno)
			die("pthread_create");
	}
}

/* The process whose end it is about. */
__attribute__((noreturn)) static void child(int ready)
{
	pid_t pid;

	bigmem_touch(kind, mb);
	if (is_killed()) {
		if (write(ready, "r", 1) != 1)
			die("pipe");
		for (;;)
			pause();
	}
	if (ends_by("exec"))
		run_true();
	if (ends_by("vfork")) {
		pid = vfork();
		if (!pid)
			run_true();
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("vfork");
	}
	/* Four of them, three of which nobody waits for. */
	if (ends_by("fork") && (fork() < 0 || fork() < 0))
		die("fork");
	if (ends_by("threads"))
		start_threads();
	_exit(0);
}

static void mrelease(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		die("pidfd_open");
	kill(pid, SIGKILL);
	/* It may be gone already; that it never says anything else is a test of its own. */
	if (syscall(SYS_process_mrelease, fd, 0) && errno != ESRCH && errno != EAGAIN)
		die("process_mrelease");
	close(fd);
}

/* Reads all writable memory of a process, again and again until it has none. */
__attribute__((noreturn)) static void read_it(pid_t pid)
{
	static char buf[1 << 16];
	unsigned long from, to;
	char path[64], line[512];
	FILE *maps;
	int mem;

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	while (mem >= 0 && (maps = fopen(path, "re"))) {
		bool any = false;

		while (fgets(line, sizeof(line), maps)) {
			if (sscanf(line, "%lx-%lx rw", &from, &to) != 2 || strstr(line, "[v"))
				continue;
			for (any = true; from < to; from += sizeof(buf)) {
				if (pread(mem, buf, sizeof(buf), (off_t)from) <= 0)
					break;
			}
		}
		fclose(maps);
		if (!any)
			break;
	}
	_exit(0);
}

static void kill_beside_reader(pid_t pid)
{
	pid_t reader = fork();

	if (reader < 0)
		die("fork");
	if (!reader)
		read_it(pid);
	usleep(20000);
	kill(pid, SIGKILL);
	/* It ends when there is nothing left to read. */
	if (waitpid(reader, NULL, 0) != reader)
		die("waitpid");
}

static void round_of(void)
{
	int fds[2], status;
	pid_t pid;
	char c;

	if (pipe(fds))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		child(fds[1]);
	close(fds[1]);
	if (is_killed() && read(fds[0], &c, 1) != 1)
		die("the child did not get ready");
	close(fds[0]);
	if (ends_by("mrelease"))
		mrelease(pid);
	else if (ends_by("reader"))
		kill_beside_reader(pid);
	else if (ends_by("kill"))
		kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	errno = 0;
	if (is_killed() ? !WIFSIGNALED(status) : status)
		die("%s, %s: the child's status is %#x", kind, end, (unsigned int)status);
}

int main(int argc, char **argv)
{
	static const char *const ends[] = {
		"exit", "kill", "exec", "vfork", "fork", "threads", "mrelease", "reader",
	};
	int i, n, rounds;

	if (argc != 5)
		die("usage: exitmix KIND MB END ROUNDS");
	kind = argv[1];
	mb = number("MB", argv[2]);
	end = argv[3];
	rounds = number("ROUNDS", argv[4]);
	for (n = 0; n < (int)(sizeof(ends) / sizeof(*ends)); n++) {
		if (ends_by(ends[n]))
			break;
	}
	if (n == sizeof(ends) / sizeof(*ends))
		die("no way to end: %s", end);
	for (i = 0; i < rounds; i++)
		round_of();
	printf("rounds=%d\n", rounds);
	return 0;
}
