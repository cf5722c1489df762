// SPDX-License-Identifier: GPL-2.0-or-later
/* What there is, the table, the verdict. See bench.h. */
#include "bench/bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	char name[64];
	double value;
	char unit[16];
	double bound;		/* < 0: none */
	char why[120];
} rows[64];
static unsigned int n_rows;

static void row(const char *name, double value, const char *unit, double bound, const char *why)
{
	if (n_rows == sizeof(rows) / sizeof(rows[0]))
		give_up("too many figures");
	snprintf(rows[n_rows].name, sizeof(rows[0].name), "%s", name);
	snprintf(rows[n_rows].unit, sizeof(rows[0].unit), "%s", unit);
	snprintf(rows[n_rows].why, sizeof(rows[0].why), "%s", why);
	rows[n_rows].value = value;
	rows[n_rows].bound = bound;
	n_rows++;
	printf("BENCH %s=%.4g %s\n", name, value, unit);
	fflush(stdout);
}

void figure(const char *name, double value, const char *unit)
{
	row(name, value, unit, -1, "");
}

void bounded(const char *name, double value, const char *unit, double at_most, const char *why)
{
	row(name, value, unit, at_most, why);
}

double now_sec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void give_up(const char *what)
{
	perror(what);
	exit(2);
}

/* Returns how many bounds were missed. */
static unsigned int table(void)
{
	unsigned int missed = 0;

	printf("\n%-32s %12s %-10s %s\n", "FIGURE", "VALUE", "UNIT", "BOUND");
	for (unsigned int i = 0; i < n_rows; i++) {
		printf("%-32s %12.4g %-10s", rows[i].name, rows[i].value, rows[i].unit);
		if (rows[i].bound >= 0)
			printf(" %s %.4g: %s", rows[i].value <= rows[i].bound ? "<=" : "MISSED", rows[i].bound,
			       rows[i].why);
		putchar('\n');
		missed += rows[i].bound >= 0 && rows[i].value > rows[i].bound;
	}
	return missed;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(const struct bench *b);
	} all[] = {
		{ "policy", bench_policy }, { "match", bench_match }, { "settings", bench_settings }, { "events", bench_events },
		{ "replay", bench_replay }, { "memory", bench_memory }, { "answers", bench_answers },
	};
	struct bench b;
	unsigned int missed, ran = 0;

	if (argc < 5)
		return 2;
	b = (struct bench){ argv[1], argv[2], argv[3], argv[4], getenv("SANITIZED") && *getenv("SANITIZED") };
	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (argc < 6 || !strcmp(argv[5], all[i].name)) {
			all[i].run(&b);
			ran++;
		}
	if (!ran) {
		fprintf(stderr, "no bench \"%s\"; there are:", argv[5]);
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			fprintf(stderr, " %s", all[i].name);
		fputc('\n', stderr);
		return 2;
	}
	missed = table();
	if (missed)
		printf("%u bounds missed\n", missed);
	return missed ? 1 : 0;
}
