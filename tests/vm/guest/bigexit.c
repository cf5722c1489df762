// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bigexit - how long a process with much memory takes to be gone
 *
 *   bigexit [-n NODES] [-k KIND] [-f] [-p N] [-g CGROUP] MB
 *
 * A child touches MB and waits; it is killed, and the clock runs from the kill until
 * waitpid() returns. -n and -k: see bigmem.h; -f: the pages are a parent's as well, so
 * that they are only unmapped; -p: N children share out MB and are killed together;
 * -g: in that cgroup. Prints one line:
 *
 *   usec=N touch_usec=N pending=N free_kb=N pcp_kb=N current_kb=N
 *
 * What follows the times was read right after waitpid(): pages that wait for a
 * worker, what is free on all nodes, what lies on the lists of CPUs, and memory.current
 * (-1 where there is none to read).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bigmem.h"
#include "guest.h"

#define BATCH_FREE "/sys/kernel/mm/batch_free/"

static const char *kind = "anon", *nodes, *cgroup;
static bool shared;

/* Says that it is ready on the pipe, and waits to be killed. */
__attribute__((noreturn)) static void wait_for_kill(int ready)
{
	if (write(ready, "r", 1) != 1)
		die("pipe");
	for (;;)
		pause();
}

static void until_ready(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		die("a child did not get ready");
}

static pid_t start(int mb, int ready)
{
	pid_t pid = cgroup ? fork_into_path(cgroup) : fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	if (nodes)
		bigmem_nodes(nodes);
	bigmem_touch(kind, mb);
	wait_for_kill(ready);
}

/* The one to be killed is a child of a child, which keeps the pages. */
static pid_t start_shared(int mb, int ready)
{
	pid_t pid;

	if (nodes)
		bigmem_nodes(nodes);
	bigmem_touch(kind, mb);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		wait_for_kill(ready);
	return pid;
}

static long pending(void)
{
	long sum = -1;
	glob_t g;
	size_t i;

	if (glob(BATCH_FREE "node*/pending_pages", 0, NULL, &g))
		return sum;
	for (sum = 0, i = 0; i < g.gl_pathc; i++) {
		char buf[32];

		if (read_file(g.gl_pathv[i], buf, sizeof(buf)) > 0)
			sum += atol(buf);
	}
	globfree(&g);
	return sum;
}

static long current_kb(void)
{
	char path[4096], buf[32];

	snprintf(path, sizeof(path), "%s/memory.current", cgroup ? cgroup : "");
	if (!cgroup || read_file(path, buf, sizeof(buf)) < 0)
		return -1;
	return atol(buf) / 1024;
}

/* The sum of what follows a word at a line's beginning, blanks aside. */
static long sum_of(const char *text, const char *word)
{
	size_t len = strlen(word);
	long sum = 0;

	for (; text; text = strchr(text, '\n')) {
		text += strspn(text, " \n");
		if (!strncmp(text, word, len))
			sum += atol(text + len);
	}
	return sum;
}

static void report(uint64_t usec, uint64_t touch_usec)
{
	static char zones[1 << 18];
	long page_kb = sysconf(_SC_PAGESIZE) / 1024;
	long wait_pages = pending();
	long current = current_kb();

	if (read_file("/proc/zoneinfo", zones, sizeof(zones)) <= 0)
		die("/proc/zoneinfo");
	printf("usec=%llu touch_usec=%llu pending=%ld free_kb=%ld pcp_kb=%ld current_kb=%ld\n",
	       (unsigned long long)usec, (unsigned long long)touch_usec, wait_pages,
	       sum_of(zones, "pages free ") * page_kb, sum_of(zones, "count: ") * page_kb,
	       current);
}

static void kill_all(pid_t *pids, int n)
{
	int i, status;

	for (i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < n; i++) {
		if (waitpid(pids[i], &status, 0) != pids[i])
			die("waitpid");
		if (!WIFSIGNALED(status))
			die("a child ended by itself");
	}
}

int main(int argc, char **argv)
{
	uint64_t begin, touched, killed;
	int opt, i, mb, n = 1, fds[2];
	pid_t *pids;

	while ((opt = getopt(argc, argv, "n:k:fp:g:")) != -1) {
		switch (opt) {
		case 'n': nodes = optarg; break;
		case 'k': kind = optarg; break;
		case 'f': shared = true; break;
		case 'p': n = number("N", optarg); break;
		case 'g': cgroup = optarg; break;
		default: return 2;
		}
	}
	errno = 0;
	if (optind + 1 != argc || n < 1)
		die("usage: bigexit [-n NODES] [-k KIND] [-f] [-p N] [-g CGROUP] MB");
	mb = number("MB", argv[optind]);
	pids = calloc((size_t)n, sizeof(*pids));
	if (!pids || pipe(fds))
		die("pipe");
	begin = now_usec();
	for (i = 0; i < n; i++)
		pids[i] = (shared ? start_shared : start)(mb / n, fds[1]);
	/* Or a child that dies would leave us waiting. */
	close(fds[1]);
	for (i = 0; i < n; i++)
		until_ready(fds[0]);
	touched = now_usec();
	kill_all(pids, n);
	killed = now_usec();
	report(killed - touched, touched - begin);
	return 0;
}
