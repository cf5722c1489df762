// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracelat TRACE TID MARK - from waking a thread to the mark it leads to.
 *
 * TRACE is a text trace with sched_waking events and trace_marker lines. A
 * sample runs from the first waking of TID after the previous mark to the next
 * trace_marker line that begins with MARK; a waking that leads to no mark
 * before WINDOW_USEC have passed stands for an event without a decision, and is
 * dropped. Prints
 *
 *   wakings=N samples=N p50_usec=N p99_usec=N max_usec=N
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"

/* Marks later than this after a waking are answers to something else. */
#define WINDOW_USEC	500000

/* "    bash-12  [001] d..2.  123.456789: name: rest" -> usec and "name: rest" */
static bool split(char *line, uint64_t *usec, const char **rest)
{
	char *p = strchr(line, '[');
	unsigned long sec, frac;

	while (p && *p) {
		int len = 0;

		p = strchr(p, ' ');
		if (!p)
			return false;
		p += strspn(p, " ");
		if (sscanf(p, "%lu.%6lu: %n", &sec, &frac, &len) == 2 && len) {
			*usec = (uint64_t)sec * 1000000 + frac;
			*rest = p + len;
			return true;
		}
	}
	return false;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t at(const uint64_t *v, size_t n, unsigned int percent)
{
	/* The smallest that so many are at or below; few samples: the largest. */
	return v[(n * percent + 99) / 100 - 1];
}

int main(int argc, char **argv)
{
	static uint64_t sample[1 << 16];
	const size_t max = sizeof(sample) / sizeof(*sample);
	char *line = NULL, pid[32];
	const char *rest;
	uint64_t usec, woken = 0;
	size_t room = 0, n = 0;
	long wakings = 0;
	FILE *f;

	if (argc != 4) {
		fputs("usage: tracelat TRACE TID MARK\n", stderr);
		return 2;
	}
	snprintf(pid, sizeof(pid), " pid=%s ", argv[2]);
	f = fopen(argv[1], "r");
	if (!f)
		die("%s", argv[1]);
	while (getline(&line, &room, f) > 0) {
		if (!split(line, &usec, &rest))
			continue;
		if (!strncmp(rest, "sched_waking:", 13) && strstr(rest, pid)) {
			wakings++;
			if (!woken || usec - woken > WINDOW_USEC)
				woken = usec;
		} else if (!strncmp(rest, "tracing_mark_write: ", 20) &&
			   !strncmp(rest + 20, argv[3], strlen(argv[3]))) {
			if (woken && usec - woken <= WINDOW_USEC && n < max)
				sample[n++] = usec - woken;
			woken = 0;
		}
	}
	printf("wakings=%ld samples=%zu", wakings, n);
	if (n) {
		qsort(sample, n, sizeof(*sample), by_size);
		printf(" p50_usec=%llu p99_usec=%llu max_usec=%llu",
		       (unsigned long long)at(sample, n, 50),
		       (unsigned long long)at(sample, n, 99),
		       (unsigned long long)sample[n - 1]);
	}
	putchar('\n');
	return n ? 0 : 1;
}
