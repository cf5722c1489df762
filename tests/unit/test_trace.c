// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/trace/: what is written is read again, and what is damaged is told where. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pcr/knobs.h"
#include "trace/trace.h"

#define HEAD "pcpu-reclaimd trace 1\nrecorded 2026-11-30T21:00:00Z 0.1.0 6.1\nmachine 1 0 1\n"
#define NONE PCR_ABSENT

static struct pcr_trace trace;
static struct pcr_trace_fault fault;
static char text[8192];

static int parse(const char *lines)
{
	fault = (struct pcr_trace_fault){ 0 };
	snprintf(text, sizeof(text), "%s", lines);
	return pcr_trace_parse(text, strlen(text), &trace, &fault);
}

START_TEST(every_event)
{
	static const struct pcr_event events[] = {
		{ PCR_EVENT_MADE, 0, { 2, 1 }, "a b\n\\\xc3\xa4" },
		{ PCR_EVENT_MADE, 0, { NONE, 2 }, "/" },
		{ PCR_EVENT_REMOVED, 5, { 2 }, NULL },
		{ PCR_EVENT_LOOK, 5, { 2, 7, NONE, 1, 2, 3, 4, 5, 6 }, NULL },
		{ PCR_EVENT_COUNT, 6, { 2, 7 }, NULL },
		{ PCR_EVENT_DYING, 6, { 7 }, NULL },
		{ PCR_EVENT_SWAP, 6, { NONE }, NULL },
		{ PCR_EVENT_PERCPU, 7, { 1, 0, 3, 4096, 2, 6, NONE, 8, 9, 10, 11, 12 }, NULL },
		{ PCR_EVENT_SETTING, 7, { 4 }, PCR_PERCPU_HIGH },
		{ PCR_EVENT_PRESSURE, 8, { 0 }, NULL },
		{ PCR_EVENT_LIMIT, 8, { 2 }, NULL },
		{ PCR_EVENT_GAP, 9, { 0 }, NULL },
		{ PCR_EVENT_STEP, 9, { 2, 131072, NONE, 30 }, NULL },
		{ PCR_EVENT_TRIM, 9, { NONE, 4096, 0 }, NULL },
		{ PCR_EVENT_END, 10, { 0 }, NULL },
	};
	char lines[8192] = HEAD "settings 0\n", line[PCR_TRACE_LINE];

	for (size_t i = 0; i < PCR_ARRAY_SIZE(events); i++) {
		ck_assert_uint_eq(pcr_trace_event(line, &events[i], events[i].now), strlen(line));
		strcat(lines, line);
	}
	ck_assert_int_eq(parse(lines), 0);
	ck_assert_uint_eq(trace.n, PCR_ARRAY_SIZE(events));
	ck_assert(trace.ended);
	for (size_t i = 0; i < trace.n; i++) {
		ck_assert_int_eq(trace.event[i].kind, events[i].kind);
		ck_assert_uint_eq(trace.event[i].now, events[i].now);
		ck_assert_uint_eq(pcr_trace_event_line(&trace, (u32)i), 5 + i);
		ck_assert_mem_eq(trace.event[i].value, events[i].value, sizeof(events[i].value));
		ck_assert_int_eq(!trace.event[i].name, !events[i].name);
		if (events[i].name)
			ck_assert_str_eq(trace.event[i].name, events[i].name);
	}
	pcr_trace_free(&trace);
}
END_TEST

START_TEST(the_head)
{
	struct pcr_trace head = { .date = "2026-11-30T21:00:00Z", .version = "0.1.0",
				  .kernel = "6.12.1-x", .root = 4711, .v1 = true };
	char lines[PCR_TRACE_LINE];

	ck_assert_uint_eq(pcr_trace_head(lines, &head, "[Percpu]\nReapAbove=5\n"), strlen(lines));
	strcat(lines, "[Percpu]\nReapAbove=\\xc3\n1 gap\n2 ga");
	ck_assert_int_eq(parse(lines), 0);
	ck_assert_str_eq(trace.date, head.date);
	ck_assert_str_eq(trace.version, head.version);
	ck_assert_str_eq(trace.kernel, head.kernel);
	ck_assert_uint_eq(trace.root, 4711);
	ck_assert(trace.v1 && !trace.reap_knob);
	ck_assert_uint_eq(trace.settings_n, strlen("[Percpu]\nReapAbove=?\n"));
	ck_assert_mem_eq(trace.settings, "[Percpu]\nReapAbove=\xc3\n", trace.settings_n);
	/* The line that is cut off is none. */
	ck_assert_uint_eq(trace.n, 1);
	ck_assert(!trace.ended);
	pcr_trace_free(&trace);
}
END_TEST

/* On a line of its own, as many as it says; what follows is where it stands in the file. */
START_TEST(settings_again)
{
	ck_assert_int_eq(parse(HEAD "settings 0\n5 settings 2\n[Percpu]\nReapAbove=\\xc3\n6 gap\n"
			       "7 settings 0\n8 settings 1\n\n9 end\n"), 0);
	ck_assert_uint_eq(trace.n, 5);
	ck_assert_int_eq(trace.event[0].kind, PCR_EVENT_SETTINGS);
	ck_assert_uint_eq(trace.event[0].now, 5);
	ck_assert_str_eq(trace.event[0].name, "[Percpu]\nReapAbove=\xc3");
	ck_assert_int_eq(trace.event[1].kind, PCR_EVENT_GAP);
	ck_assert_uint_eq(pcr_trace_event_line(&trace, 1), 8);
	ck_assert_str_eq(trace.event[2].name, "");
	ck_assert_str_eq(trace.event[3].name, "");
	ck_assert_uint_eq(pcr_trace_event_line(&trace, 4), 12);
	pcr_trace_free(&trace);
}
END_TEST

START_TEST(damaged)
{
	static const struct {
		const char *lines;
		u32 line, column;
	} cases[] = {
		{ "", 1, 1 },
		{ "pcpu-reclaimd trace 2\n", 1, 1 },
		{ "pcpu-reclaimd trace 1", 1, 1 },
		{ "pcpu-reclaimd trace 1\n", 1, 1 },
		{ "pcpu-reclaimd trace 1\nmachine 1 0 1\n", 2, 1 },
		{ "pcpu-reclaimd trace 1\nrecorded a b\n", 2, 13 },
		{ "pcpu-reclaimd trace 1\nrecorded a b c d\n", 2, 16 },
		{ "pcpu-reclaimd trace 1\nrecorded a b c\nmachine 0 0 1\n", 3, 9 },
		{ "pcpu-reclaimd trace 1\nrecorded a b c\nmachine 1 2 1\n", 3, 11 },
		{ "pcpu-reclaimd trace 1\nrecorded a b c\nmachine 1 0\n", 3, 12 },
		{ HEAD "settings\n", 4, 9 },
		{ HEAD "settings x\n", 4, 10 },
		{ HEAD "settings 2\nx\n", 5, 1 },
		{ HEAD "settings 1\na\tb\n", 5, 1 },
		{ HEAD "settings 0\n\n", 5, 1 },
		{ HEAD "settings 0\nx gap\n", 5, 1 },
		{ HEAD "settings 0\n-1 gap\n", 5, 1 },
		{ HEAD "settings 0\n99999999999999999 gap\n", 5, 1 },
		{ HEAD "settings 0\n5 gap\n4 gap\n", 6, 1 },
		{ HEAD "settings 0\n5\n", 5, 2 },
		{ HEAD "settings 0\n5 gaps\n", 5, 3 },
		{ HEAD "settings 0\n5 gap \n", 5, 7 },
		{ HEAD "settings 0\n5 gap 1\n", 5, 7 },
		{ HEAD "settings 0\n5  gap\n", 5, 3 },
		{ HEAD "settings 0\n5 count 2\n", 5, 10 },
		{ HEAD "settings 0\n5 count 2 -\n", 5, 11 },
		{ HEAD "settings 0\n5 count 2 x\n", 5, 11 },
		{ HEAD "settings 0\n5 count 2 288230376151711745\n", 5, 11 },
		{ HEAD "settings 0\n5 count 0 1\n", 5, 9 },
		{ HEAD "settings 0\n5 count 18446744073709551615 1\n", 5, 9 },
		{ HEAD "settings 0\n5 made 2 1\n", 5, 10 },
		{ HEAD "settings 0\n5 made 2 1 \n", 5, 12 },
		{ HEAD "settings 0\n5 made 2 1 a\\x41\n", 5, 12 },
		{ HEAD "settings 0\n5 made 2 1 \xc3\n", 5, 12 },
		{ HEAD "settings 0\n5 setting 4 /etc/passwd\n", 5, 13 },
		{ HEAD "settings 0\n5 setting 4 " PCR_BATCH_ENABLED "\n", 5, 13 },
		{ HEAD "settings 0\n5 settings\n", 5, 11 },
		{ HEAD "settings 0\n5 settings -\n", 5, 12 },
		{ HEAD "settings 0\n5 settings 2\nx\n", 6, 1 },
		{ HEAD "settings 0\n5 settings 1\na\tb\n", 6, 1 },
		{ HEAD "settings 0\n5 end\n6 gap\n", 6, 1 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		ck_assert_msg(parse(cases[i].lines) == -EINVAL, "taken: %s", cases[i].lines);
		ck_assert_ptr_nonnull(fault.text);
		ck_assert_msg(fault.line == cases[i].line && fault.column == cases[i].column,
			      "%u:%u, not %u:%u: %s (%s)", fault.line, fault.column, cases[i].line,
			      cases[i].column, cases[i].lines, fault.text);
	}
}
END_TEST

/* Whatever has a name of 255 bytes fits a line. */
START_TEST(long_names)
{
	char name[256], line[PCR_TRACE_LINE], lines[PCR_TRACE_LINE + 256];
	struct pcr_event e = { .kind = PCR_EVENT_MADE, .value = { NONE - 1, NONE - 1 }, .name = name };

	memset(name, '\n', 255);
	name[255] = '\0';
	ck_assert_uint_lt(pcr_trace_event(line, &e, 366 * 24 * PCR_HOUR), sizeof(line));
	snprintf(lines, sizeof(lines), HEAD "settings 0\n%s", line);
	ck_assert_int_eq(parse(lines), 0);
	ck_assert_str_eq(trace.event[0].name, name);
	pcr_trace_free(&trace);
}
END_TEST

PCR_UNIT("trace", every_event, the_head, settings_again, damaged, long_names)
