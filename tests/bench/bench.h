/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures, and what they are held against. Everything is a ratio within one run, or
 * stands beside a calibration of the same run: nothing here knows how fast the
 * machine is. Only what repeats on a busy machine has a bound; the rest is for people
 * to look at, and for the guests (tests/vm) to measure on a real kernel.
 *
 *   bench.c     what there is, the table, the verdict
 *   events.c    lifecycle events beside a bare inotify reader; memory per cgroup
 *   answers.c   the socket beside a bare echo, alone and in bad company
 *   pure.c      policy evaluation, matching and settings, without a daemon
 *   replay.c    a recorded hour, by the number of cgroups
 *   proc.c      starting the daemon, and what /proc says of it
 */
#ifndef PCR_BENCH_H
#define PCR_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CGROUPS 10000

/* What the command line gave. */
struct bench {
	const char *daemon;
	const char *fakeroot;	/* tests/integration/fakeroot.sh */
	const char *hostile;	/* tests/integration/hostile */
	const char *scratch;
	bool sanitized;		/* memory and time mean little then */
};

/* "BENCH name=value unit"; a figure that is only shown. */
void figure(const char *name, double value, const char *unit);
/* The same, and a bound that the run stands or falls with. */
void bounded(const char *name, double value, const char *unit, double at_most, const char *why);

double now_sec(void);

/* --- proc.c --- */

struct subject {
	char root[256];
	char socket[300];
	char cgroups[300];	/* the watched mount */
	pid_t pid;
};

/* Makes a fake root, writes its settings, starts the daemon, waits until it answers. */
void subject_start(const struct bench *b, struct subject *s, const char *settings);
void subject_end(struct subject *s);
/* Processor time of all threads so far. */
double cpu_sec(pid_t pid);
uint64_t rss_bytes(pid_t pid);
/* One question: GetStatus; a number of it by section and name. False: no answer. */
bool status_number(const struct subject *s, const char *section, const char *name, long *ret);
void await_status(const struct subject *s, const char *section, const char *name, long value);
int connect_to(const char *path);
_Noreturn void give_up(const char *what);

/* --- the benches --- */

void bench_events(const struct bench *b);
void bench_memory(const struct bench *b);
void bench_answers(const struct bench *b);
void bench_policy(const struct bench *b);
void bench_match(const struct bench *b);
void bench_settings(const struct bench *b);
void bench_replay(const struct bench *b);

#endif
