// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thpask SECONDS CGROUP SEED - ask processes to collapse, at random.
 *
 * Asks random processes of CGROUP, and now and then pids that are nobody's, for single
 * budgets and for rates of random numbers, and looks whether what thp_collapse_stat
 * says makes sense. Prints
 *
 *   written=N refused=N gone=N read=N collapsed=N
 *
 * refused while it is switched off, gone before they could be asked; collapsed as
 * read, so more than once. Exits 1 when a figure can't be.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define MAX_BUDGET	20000
/* A thread takes so much at a time at most: counters lag by no more. */
#define RUN		4096
#define PIDS		256

static unsigned int seed;
static unsigned long written, refused, gone, reads, collapsed;

static int below(int n)
{
	return (int)((unsigned int)rand_r(&seed) % (unsigned int)n);
}

static int pid_at_random(const char *procs)
{
	static char buf[1 << 14];
	int pid[PIDS], n = 0;
	char *one, *save = NULL;

	if (!below(20))
		return below(2) ? below(1000) + 1 : getpid();
	if (read_file(procs, buf, sizeof(buf)) < 0)
		die("%s", procs);
	for (one = strtok_r(buf, "\n", &save); one && n < PIDS; one = strtok_r(NULL, "\n", &save))
		pid[n++] = atoi(one);
	return n ? pid[below(n)] : getpid();
}

static void unexpected(int err, const char *path, const char *text)
{
	errno = -err;
	die("%s written to %s", text, path);
}

static void ask(int pid)
{
	char path[64], text[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/thp_collapse", pid);
	if (!below(10))
		snprintf(text, sizeof(text), "0");
	else if (!below(3))
		snprintf(text, sizeof(text), "%d", below(MAX_BUDGET));
	else
		snprintf(text, sizeof(text), "%d %d %d", below(MAX_BUDGET), 1 + below(50),
			 1 + below(2000));
	err = write_file(path, text);
	if (!err)
		written++;
	else if (err == -EOPNOTSUPP)
		refused++;	/* it is switched off and on meanwhile */
	else if (err == -ESRCH || err == -ENOENT)
		gone++;
	else
		unexpected(err, path, text);
}

static unsigned long value(const char *stat, const char *name)
{
	const char *at = strstr(stat, name);

	if (!at) {
		errno = 0;
		die("no %s in: %s", name, stat);
	}
	return strtoul(at + strlen(name), NULL, 10);
}

static void look(int pid)
{
	char path[64], stat[512];
	unsigned long scanned, made, pending;

	snprintf(path, sizeof(path), "/proc/%d/thp_collapse_stat", pid);
	if (read_file(path, stat, sizeof(stat)) <= 0)
		return;
	reads++;
	scanned = value(stat, "scanned ");
	made = value(stat, "collapsed ");
	pending = value(stat, "pending ");
	collapsed += made;
	errno = 0;
	if (made * 512 > scanned + RUN || pending > MAX_BUDGET)
		die("this can't be: %s", stat);
}

int main(int argc, char **argv)
{
	char procs[512];
	uint64_t end;

	if (argc != 4) {
		fputs("usage: thpask SECONDS CGROUP SEED\n", stderr);
		return 2;
	}
	end = now_usec() + (uint64_t)number("SECONDS", argv[1]) * 1000000;
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", argv[2]);
	seed = (unsigned int)number("SEED", argv[3]);
	while (now_usec() < end) {
		int pid = pid_at_random(procs);

		ask(pid);
		look(pid);
		if (!below(4))
			usleep(500);
	}
	printf("written=%lu refused=%lu gone=%lu read=%lu collapsed=%lu\n",
	       written, refused, gone, reads, collapsed);
	return 0;
}
