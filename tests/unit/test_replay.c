// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/trace/replay.c, world.c: what settings would have done to a recorded machine. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "trace/replay.h"

#define HEAD                                                                                       \
	"pcpu-reclaimd trace 1\nrecorded 2026-11-30T21:00:00Z 0.1.0 6.1\nmachine 1 0 1\n"          \
	"settings 0\n"

/* A cgroup of which 100 removed ones are dying, a page each, from the second second on. */
#define DYING HEAD "0 made 2 1 ci\n2000000 look 2 100 409600 0 - - 0 0 0\n"

static struct {
	char text[65536];
	struct pcr_trace trace;
	struct pcr_trace_fault fault;
	struct pcr_replay_figures figures;
	u32 writes, records;
	u64 asked, first_usec;
	struct pcr_decision last;
	struct pcr_record record;
	char path[128];
} run;

static void on_write(void *data, u64 at, const struct pcr_decision *d, const char *path)
{
	(void)data;
	if (!run.writes++)
		run.first_usec = at;
	run.last = *d;
	run.asked += d->action == PCR_ACT_REAP ? d->amount : 0;
	snprintf(run.path, sizeof(run.path), "%s", path);
}

static void on_record(void *data, u64 at, const struct pcr_record *record)
{
	(void)data;
	(void)at;
	run.records++;
	run.record = *record;
}

/* later: those that follow on a reload; NULL: none do. */
static int replay_with(const char *settings, const char *later, const char *lines)
{
	const struct pcr_replay_ops ops = { .write = on_write, .record = on_record };
	struct pcr_conf_report report = { 0 };
	struct pcr_settings *set[2] = { 0 };
	int r;

	memset(&run, 0, sizeof(run));
	snprintf(run.text, sizeof(run.text), "%s", lines);
	ck_assert_int_eq(pcr_trace_parse(run.text, strlen(run.text), &run.trace, &run.fault), 0);
	ck_assert_int_eq(pcr_conf_parse_text("x", settings, strlen(settings), &set[0], &report), 0);
	pcr_conf_report_done(&report);
	if (later)
		ck_assert_int_eq(pcr_conf_parse_text("y", later, strlen(later), &set[1], &report), 0);
	pcr_conf_report_done(&report);
	r = pcr_replay(&run.trace, (const struct pcr_settings *const *)set, later ? 2 : 1, &ops,
		       &run.figures, &run.fault);
	pcr_settings_free(set[0]);
	pcr_settings_free(set[1]);
	pcr_trace_free(&run.trace);
	return r;
}

static int replay(const char *settings, const char *lines)
{
	return replay_with(settings, NULL, lines);
}

START_TEST(nothing_to_do)
{
	ck_assert_int_eq(replay("", HEAD), 0);
	ck_assert_uint_eq(run.figures.usec, 0);
	ck_assert_int_eq(replay("", HEAD "0 made 2 1 ci\n3600000000 end\n"), 0);
	ck_assert_uint_eq(run.writes + run.records, 0);
	ck_assert_uint_eq(run.figures.usec, PCR_HOUR);
	ck_assert_uint_eq(run.figures.cgroups, 2);
}
END_TEST

/* Above the threshold it reaps, in steps, until what was pinned is gone. */
START_TEST(threshold)
{
	ck_assert_int_eq(replay("[Percpu]\nReapAbove=100\n", DYING "60000000 end\n"), 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_int_eq(run.record.stop, PCR_STOP_DONE);
	ck_assert_uint_eq(run.record.before, 100);
	ck_assert_uint_eq(run.record.after, 0);
	ck_assert_uint_eq(run.first_usec, 2 * PCR_SEC);
	ck_assert_str_eq(run.path, "ci");
	/* 100 pages, 32 at first. */
	ck_assert_uint_ge(run.asked, 409600);
	ck_assert_uint_ge(run.writes, 2);
	ck_assert_int_eq(replay("[Percpu]\nReapAbove=101\nReapAfter=infinity\n",
				DYING "60000000 end\n"), 0);
	ck_assert_uint_eq(run.writes + run.records, 0);
	ck_assert_int_eq(replay("[Percpu]\nReap=no\n", DYING "60000000 end\n"), 0);
	ck_assert_uint_eq(run.writes + run.records, 0);
}
END_TEST

/* By age: at its time, though nothing is recorded then; not where the recording ends before. */
START_TEST(between_events)
{
	static const char after[] = "[Percpu]\nReapAbove=1000\nReapAfter=10s\n";

	ck_assert_int_eq(replay(after, DYING "60000000 end\n"), 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_uint_eq(run.first_usec, 12 * PCR_SEC);
	ck_assert_int_eq(replay(after, DYING "11000000 end\n"), 0);
	ck_assert_uint_eq(run.writes + run.records, 0);
}
END_TEST

START_TEST(dry_run)
{
	ck_assert_int_eq(replay("[Percpu]\nReapAbove=100\n[Daemon]\nDryRun=yes\n",
				DYING "60000000 end\n"), 0);
	ck_assert_uint_eq(run.writes, 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_int_eq(run.record.stop, PCR_STOP_DRY_RUN);
}
END_TEST

/* Recorded steps freed none of them: nor do these. */
START_TEST(as_stubborn_as_recorded)
{
	ck_assert_int_eq(replay("[Percpu]\nReapAbove=100\n",
				DYING "2000100 step 2 131072 0 0\n"
				"2100000 look 2 100 409600 0 - - 0 0 0\n60000000 end\n"), 0);
	ck_assert_int_eq(run.record.stop, PCR_STOP_NO_PROGRESS);
	ck_assert_uint_eq(run.record.after, 100);
}
END_TEST

/* Recorded ones freed them; who does not reap has them still, and who does has none too few. */
START_TEST(what_was_freed)
{
	static const char freed[] = DYING "2000100 step 2 524288 409600 0\n"
					  "2100000 look 2 0 - - - - - - -\n"
					  "30000000 look 2 50 204800 0 - - 0 0 0\n60000000 end\n";

	ck_assert_int_eq(replay("[Percpu]\nReapAbove=150\nReapAfter=infinity\n", freed), 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_uint_eq(run.record.before, 150);
	ck_assert_uint_eq(run.first_usec, 30 * PCR_SEC);
	ck_assert_int_eq(replay("[Percpu]\nReapAbove=50\n", freed), 0);
	ck_assert_uint_eq(run.records, 2);
	ck_assert_uint_eq(run.record.before, 50);
	ck_assert_uint_eq(run.record.after, 0);
}
END_TEST

#define PERCPU(at, populated, empty)                                                               \
	#at " percpu 1 0 41943040 4096 2 " #populated " " #empty " 0 2 4 25 0\n"

START_TEST(trim)
{
	static const char lines[] =
		HEAD "0 setting 2 /sys/kernel/mm/percpu/empty_pages_low\n"
		"0 setting 4 /sys/kernel/mm/percpu/empty_pages_high\n"
		"0 setting 25 /sys/kernel/mm/percpu/reclaim_min_percent\n" PERCPU(1000, 5000, 404)
		PERCPU(60000000, 5000, 404) PERCPU(120000000, 5000, 354) "180000000 end\n";

	ck_assert_int_eq(replay("[Percpu]\nTrimAbove=1M\n", lines), 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_int_eq(run.record.action, PCR_ACT_TRIM);
	ck_assert_uint_eq(run.record.freed_bytes, 400 * 4096 * 2);
	ck_assert_int_eq(replay("[Percpu]\nTrimAbove=100M\n", lines), 0);
	ck_assert_uint_eq(run.records, 0);
	/* The float is these settings' own: written once, and what is above it is less. */
	ck_assert_int_eq(replay("[Percpu]\nTrimAbove=1M\nEmptyPagesHigh=54\n", lines), 0);
	ck_assert_uint_eq(run.records, 2);
	ck_assert_uint_eq(run.writes, 2);
	ck_assert_uint_eq(run.record.freed_bytes, 350 * 4096 * 2);
}
END_TEST

/* A slice has a trigger only where the settings name it. */
START_TEST(pressure)
{
	static const char lines[] = DYING "5000000 pressure 2\n60000000 end\n";
	static const char few[] = "[Percpu]\nReapAbove=1000\nReapAfter=infinity\n";
	char named[160];

	snprintf(named, sizeof(named), "%s[Pressure]\nSlices=/ci\n", few);
	ck_assert_int_eq(replay(few, lines), 0);
	ck_assert_uint_eq(run.records, 0);
	ck_assert_int_eq(replay(named, lines), 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_int_eq(run.record.why, PCR_WHY_PRESSURE);
	ck_assert_uint_eq(run.first_usec, 5 * PCR_SEC);
}
END_TEST

/* Those in force change; those that are tried instead do not. */
START_TEST(a_reload)
{
	static const char lines[] = DYING "30000000 settings 2\n[Percpu]\nReapAbove=100\n"
					  "60000000 end\n";
	static const char few[] = "[Percpu]\nReapAbove=1000\nReapAfter=infinity\n";

	ck_assert_int_eq(replay(few, lines), 0);
	ck_assert_uint_eq(run.records, 0);
	ck_assert_int_eq(replay_with(few, "[Percpu]\nReapAbove=100\n", lines), 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_uint_eq(run.first_usec, 30 * PCR_SEC);
	ck_assert_int_eq(replay_with("[Percpu]\nReapAbove=100\n", few, lines), 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_uint_eq(run.first_usec, 2 * PCR_SEC);
	/* A policy that comes, and a slice whose pressure counts. */
	ck_assert_int_eq(replay_with("[Percpu]\nReapAbove=1000\nReapAfter=40s\n",
				     "[Percpu]\nReapAbove=100\n[Policy x]\nMatch=/ci\nReap=no\n", lines),
			 0);
	ck_assert_uint_eq(run.records, 0);
	ck_assert_int_eq(replay_with(few, "[Percpu]\nReapAbove=1000\nReapAfter=infinity\n"
					  "[Pressure]\nSlices=/ci\n",
				     DYING "30000000 pressure 2\n30000001 settings 0\n"
				     "40000000 pressure 2\n60000000 end\n"), 0);
	ck_assert_uint_eq(run.records, 1);
	ck_assert_uint_eq(run.first_usec, 40 * PCR_SEC);
}
END_TEST

START_TEST(what_cannot_be)
{
	static const struct {
		const char *lines;
		u32 line;
	} cases[] = {
		{ HEAD "0 made 2 3 ci\n", 5 },
		{ HEAD "0 made 2 1 ci\n0 made 1 2 x\n", 6 },
		{ HEAD "0 removed 2\n", 5 },
		{ HEAD "0 settings 2\na\nb\n0 removed 2\n", 8 },
		{ HEAD "0 removed 1\n", 5 },
		{ HEAD "0 gap\n1 count 2 5\n", 6 },
		{ HEAD "0 look 9 1 - - - - - - -\n", 5 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(replay("", cases[i].lines), -EINVAL);
		ck_assert_uint_eq(run.fault.line, cases[i].line);
		ck_assert_uint_eq(run.fault.column, 1);
		ck_assert_ptr_nonnull(run.fault.text);
	}
}
END_TEST

/*
 * What an hour costs is plans made, each over all that is dying: not one for every cgroup
 * that comes or goes, nor for every sample.
 */
START_TEST(plans_are_few)
{
	static char lines[sizeof(run.text)];
	size_t n = (size_t)snprintf(lines, sizeof(lines), HEAD "0 made 2 1 ci\n");

	for (u32 i = 0; i < 600; i++)
		n += (size_t)snprintf(lines + n, sizeof(lines) - n,
				      "%u000000 made %u 2 job\n%u100000 removed %u\n"
				      "%u200000 look 2 1 - - - - - - -\n",
				      i, i + 3, i, i + 3, i);
	ck_assert_int_eq(replay("[Percpu]\nReapAfter=1h\n", lines), 0);
	ck_assert_uint_eq(run.figures.removed, 600);
	ck_assert_uint_le(run.figures.turns, 10);
}
END_TEST

PCR_UNIT("replay", nothing_to_do, threshold, between_events, dry_run, as_stubborn_as_recorded,
	 what_was_freed, trim, pressure, a_reload, what_cannot_be, plans_are_few)
