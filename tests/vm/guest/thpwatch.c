// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thpwatch CGROUP KB SECONDS [SAMPLES [CGROUP...]] - until a cgroup has KB of huge pages.
 *
 * Looks at memory.stat of CGROUP every 250 ms, until its anonymous huge pages
 * come to KB or SECONDS are over, and prints
 *
 *   start=T reached=0|1 kb=K usec=T first_kb=K first_usec=T
 *
 * where start is the clock then, and the others are from there on: when there were
 * KB or as many as ever, and when huge pages were first seen. Into
 * SAMPLES goes, every 500 ms, a line "USEC KB SCANNED": what the per-task
 * collapse of the processes in all the CGROUPs named has scanned so far, in base pages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

static uint64_t huge_kb(const char *cgroup)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/memory.stat", cgroup);
	return keyed_value(path, "anon_thp") >> 10;
}

/* A process that is gone, or a kernel without the file, counts for nothing. */
static uint64_t scanned_by(const char *pid)
{
	char path[64], buf[1024];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%s/thp_collapse_stat", pid);
	if (read_file(path, buf, sizeof(buf)) < 0)
		return 0;
	at = strstr(buf, "scanned ");
	return at ? strtoull(at + strlen("scanned "), NULL, 10) : 0;
}

static uint64_t scanned_in(const char *cgroup)
{
	char path[512], buf[1 << 14];
	char *pid, *save = NULL;
	uint64_t sum = 0;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	if (read_file(path, buf, sizeof(buf)) < 0)
		die("%s", path);
	for (pid = strtok_r(buf, "\n", &save); pid; pid = strtok_r(NULL, "\n", &save))
		sum += scanned_by(pid);
	return sum;
}

static void sample(FILE *f, uint64_t usec, uint64_t kb, char **cgroup)
{
	uint64_t sum = 0;

	for (; *cgroup; cgroup++)
		sum += scanned_in(*cgroup);
	fprintf(f, "%llu %llu %llu\n", (unsigned long long)usec,
		(unsigned long long)kb, (unsigned long long)sum);
}

int main(int argc, char **argv)
{
	uint64_t since = now_usec(), first = 0, first_kb = 0, last = 0, last_kb = 0;
	uint64_t usec, kb, want, end;
	FILE *samples = NULL;
	int turn;

	if (argc < 4) {
		fputs("usage: thpwatch CGROUP KB SECONDS [SAMPLES [CGROUP...]]\n", stderr);
		return 2;
	}
	want = (uint64_t)number("KB", argv[2]);
	end = (uint64_t)number("SECONDS", argv[3]) * 1000000;
	if (argc > 4) {
		samples = fopen(argv[4], "w");
		if (!samples)
			die("%s", argv[4]);
	}
	for (turn = 0;; turn++) {
		kb = huge_kb(argv[1]);
		usec = now_usec() - since;
		if (kb && !first) {
			first = usec;
			first_kb = kb;
		}
		if (kb != last_kb) {
			last = usec;
			last_kb = kb;
		}
		if (samples && turn % 2 == 0)
			sample(samples, usec, kb, argv + 5);
		if (kb >= want || usec >= end)
			break;
		usleep(250000);
	}
	if (samples && fclose(samples))
		die("%s", argv[4]);
	printf("start=%llu reached=%d kb=%llu usec=%llu first_kb=%llu first_usec=%llu\n",
	       (unsigned long long)since, kb >= want, (unsigned long long)kb,
	       (unsigned long long)last, (unsigned long long)first_kb,
	       (unsigned long long)first);
	return 0;
}
