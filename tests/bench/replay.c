// SPDX-License-Identifier: GPL-2.0-or-later
/* A recorded hour under other settings, by the number of cgroups. */
#include "bench/bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARENTS_MAX 500
#define HOUR_SEC 3600
/* Jobs that come and go in a second, whatever the number of cgroups. */
#define JOBS 20

static unsigned long next_id;

static unsigned int roll(unsigned int below)
{
	static unsigned long long seed = 1;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned int)(seed >> 33) % below;
}

/* A job of one parent is gone, another one's comes; a look finds it dying. */
static unsigned int job(FILE *f, unsigned long at, unsigned int *dying, unsigned long *jobs, unsigned int parents)
{
	unsigned int p = roll(parents), lines = 3;

	fprintf(f, "%lu removed %lu\n%lu made %lu %u job%lu\n", at, jobs[p], at + 1, next_id, p + 2, next_id);
	jobs[p] = next_id++;
	dying[p]++;
	fprintf(f, "%lu look %u %u %u 0 - %u 0 0 0\n", at + 2, p + 2, dying[p], dying[p] * 8192, dying[p] * 4096);
	if (dying[p] == 100) {
		fprintf(f, "%lu step %u 1048576 819200 0\n%lu look %u 0 0 0 - 0 0 0 0\n", at + 3, p + 2, at + 4, p + 2);
		dying[p] = 0;
		lines += 2;
	}
	return lines;
}

/* Half of the cgroups are parents, one job below each. Returns how many lines of events. */
static unsigned int record(const char *path, unsigned int cgroups)
{
	unsigned int dying[PARENTS_MAX] = { 0 }, parents = cgroups / 2, lines = 2 * parents + 1;
	unsigned long jobs[PARENTS_MAX];
	FILE *f = fopen(path, "we");

	if (!f)
		give_up(path);
	next_id = parents + 2;
	fputs("pcpu-reclaimd trace 1\nrecorded 2026-11-30T21:00:00Z 0.1.0 6.12\nmachine 1 0 1\nsettings 0\n", f);
	for (unsigned int i = 0; i < parents; i++) {
		fprintf(f, "0 made %u 1 parent%u\n0 made %lu %u job\n", i + 2, i, next_id, i + 2);
		jobs[i] = next_id++;
	}
	for (unsigned int i = 0; i < HOUR_SEC * JOBS; i++)
		lines += job(f, (i + 1) * (1000000UL / JOBS), dying, jobs, parents);
	fprintf(f, "%lu end\n", (HOUR_SEC + 1) * 1000000UL);
	if (fclose(f) < 0)
		give_up(path);
	return lines;
}

/* Processor time of one replay: its parsing, both settings, the difference. */
static double replay_sec(const struct bench *b, const char *trace, const char *settings)
{
	struct rusage usage;
	int status, out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid_t pid = fork();

	if (pid == 0) {
		dup2(out, STDOUT_FILENO);
		execl(b->daemon, b->daemon, "replay", trace, "--config", settings, (char *)NULL);
		_exit(127);
	}
	if (out < 0 || pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		give_up("replay");
	close(out);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Settings that act on nearly every job: what is dearest. */
static void put_settings(const char *dir)
{
	char path[500];
	FILE *f;

	snprintf(path, sizeof(path), "%s/pcpu-reclaimd.conf", dir);
	if (mkdir(dir, 0755) < 0 || !(f = fopen(path, "we")))
		give_up(dir);
	fputs("[Percpu]\nReapAbove=1\nReapAfter=1s\nCooldown=1s\n", f);
	if (fclose(f) < 0)
		give_up(path);
}

static double hour(const struct bench *b, unsigned int cgroups, const char *settings, double *ret_usec_per_line)
{
	char trace[400];
	double best = 1e9, took;
	unsigned int lines;

	snprintf(trace, sizeof(trace), "%.200s/hour%u.trace", b->scratch, cgroups);
	lines = record(trace, cgroups);
	for (int i = 0; i < 3; i++) {
		took = replay_sec(b, trace, settings);
		best = took < best ? took : best;
	}
	unlink(trace);
	*ret_usec_per_line = best * 1e6 / lines;
	return best;
}

void bench_replay(const struct bench *b)
{
	double few, many, sec;
	char settings[400];

	snprintf(settings, sizeof(settings), "%.200s/replay", b->scratch);
	put_settings(settings);
	(void)hour(b, 100, settings, &few);
	sec = hour(b, 1000, settings, &many);
	figure("replay.sec_per_hour_1000_cgroups", sec, "s");
	figure("replay.us_per_line_1000_cgroups", many, "us");
	/* A plan over all of them for each step showed as 10. */
	bounded("replay.per_line_1000_per_100", many / few, "times", 3, "only what may have changed is decided about");
}
