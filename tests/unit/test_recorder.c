// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/app/recorder.c: what is recorded is a trace from its first line on, within bounds. */
#include "unit/model_bench.h"

#include <errno.h>

#include "app/recorder.h"
#include "trace/trace.h"

static struct pcr_recorder rec;
static char text[1 << 20];
static size_t text_n;
static struct pcr_trace trace;

static void open_it(const char *settings)
{
	text_n = 0;
	bench_open(settings);
}

static void close_it(void)
{
	pcr_trace_free(&trace);
	bench_close();
}

static void start(void)
{
	ck_assert_int_eq(pcr_recorder_start(&rec, &bench.st, bench.set, bench.now), 0);
}

/* In pieces of so many bytes: whole lines each. */
static void take(size_t max)
{
	const char *piece;
	size_t n;

	while (pcr_recorder_waits(&rec)) {
		ck_assert_int_eq(pcr_recorder_take(&rec, max, &piece, &n), 0);
		ck_assert(n > 0 && n <= max && piece[n - 1] == '\n');
		ck_assert_uint_le(text_n + n, sizeof(text));
		memcpy(text + text_n, piece, n);
		text_n += n;
	}
	ck_assert_int_eq(pcr_recorder_take(&rec, max, &piece, &n), PCR_NONE);
}

static void parse(void)
{
	struct pcr_trace_fault f = { 0 };

	ck_assert_msg(pcr_trace_parse(text, text_n, &trace, &f) == 0, "%u:%u: %s", f.line, f.column,
		      f.text);
}

static u32 count(enum pcr_event_kind kind)
{
	u32 n = 0;

	for (u32 i = 0; i < trace.n; i++)
		n += trace.event[i].kind == kind;
	return n;
}

START_TEST(all_that_is_known)
{
	static const char settings[] = "[Percpu]\nReapAbove=5\n[Pressure]\nSlices=/a\nSlices=/b\n"
				       "[Policy db]\nReap=no\nMatch=/db/**\nMatch=/\xc3\xa4\n";

	open_it(settings);
	dying(cg("ci"), 7);
	cg("a/b\n/c");
	pcr_state_setting_sample(&bench.st, PCR_SETTING_HIGH, 8);
	/* Ours: it was found at 4. */
	bench.st.setting[PCR_SETTING_HIGH].base = 4;
	bench.st.setting[PCR_SETTING_HIGH].set = 8;
	start();
	take(256);
	pcr_recorder_stop(&rec, &bench.st);
	ck_assert_ptr_null(bench.st.tap);
	parse();
	ck_assert_uint_eq(trace.root, bench.st.tree.root->id);
	ck_assert_uint_eq(trace.settings_n, strlen(settings));
	ck_assert_mem_eq(trace.settings, settings, trace.settings_n);
	ck_assert_uint_eq(count(PCR_EVENT_MADE), 4);
	ck_assert_uint_eq(count(PCR_EVENT_LOOK), 1);
	ck_assert_uint_eq(count(PCR_EVENT_SETTING), 1);
	for (u32 i = 0; i < trace.n; i++)
		if (trace.event[i].kind == PCR_EVENT_SETTING)
			ck_assert_uint_eq(trace.event[i].value[0], 4);
	close_it();
}
END_TEST

/* Each once, in order; one that tells of a moment ago does not turn time back. */
START_TEST(what_happens)
{
	struct pcr_node *node;

	open_it("");
	cg("ci");
	bench.now += PCR_SEC;
	start();
	take(65536);
	bench.now += PCR_SEC;
	node = cg("ci/job");
	pcr_state_removed(&bench.st, node, bench.now - 500);
	/* Of the same name, with another id: the first one was removed unseen. */
	ck_assert_int_eq(pcr_state_made(&bench.st, bench.set, cg("ci"), 71, "x", 1, bench.now, &node), 0);
	ck_assert_int_eq(pcr_state_made(&bench.st, bench.set, cg("ci"), 72, "x", 1, bench.now, &node), 0);
	dying(cg("ci"), 3);
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	pcr_state_cgroup_pressure(&bench.st, 72, bench.now);
	pcr_state_gap(&bench.st, bench.now);
	take(65536);
	parse();
	ck_assert_uint_eq(count(PCR_EVENT_MADE), 4);
	ck_assert_uint_eq(count(PCR_EVENT_REMOVED), 1);
	ck_assert_uint_eq(count(PCR_EVENT_LOOK), 1);
	ck_assert_uint_eq(count(PCR_EVENT_COUNT), 0);
	ck_assert_uint_eq(count(PCR_EVENT_PRESSURE), 1);
	ck_assert_uint_eq(count(PCR_EVENT_LIMIT), 1);
	ck_assert_uint_eq(count(PCR_EVENT_GAP), 1);
	ck_assert_uint_eq(trace.event[trace.n - 1].now, PCR_SEC);
	pcr_recorder_stop(&rec, &bench.st);
	/* Nobody records: nothing is told. */
	cg("ci/later");
	ck_assert(!pcr_recorder_waits(&rec));
	close_it();
}
END_TEST

/* Others come into force: in the middle of what happens, and whole. */
START_TEST(a_reload)
{
	static const char later[] = "[Percpu]\nReapAbove=7\n[Policy db]\nReap=no\nMatch=/\xc3\xa4";

	open_it("");
	start();
	bench.now += PCR_SEC;
	cg("a");
	bench_reload(later);
	pcr_recorder_settings(&rec, bench.set, bench.now);
	cg("b");
	take(256);
	parse();
	ck_assert_uint_eq(trace.n, 3);
	ck_assert_int_eq(trace.event[1].kind, PCR_EVENT_SETTINGS);
	ck_assert_uint_eq(trace.event[1].now, PCR_SEC);
	ck_assert_str_eq(trace.event[1].name, later);
	pcr_recorder_stop(&rec, &bench.st);
	/* Nobody records. */
	pcr_recorder_settings(&rec, bench.set, bench.now);
	ck_assert(!pcr_recorder_waits(&rec));
	close_it();
}
END_TEST

/* The two who can't have it: a second one, and one who does not take what there is. */
START_TEST(bounds)
{
	const char *piece;
	size_t n;

	open_it("");
	start();
	ck_assert_int_eq(pcr_recorder_start(&rec, &bench.st, bench.set, bench.now), -EALREADY);
	for (u32 i = 0; i < PCR_RECORDER_MAX / 4 && !rec.lost; i++)
		pcr_state_gap(&bench.st, bench.now);
	ck_assert(rec.lost && rec.cap <= 2 * PCR_RECORDER_MAX);
	ck_assert(pcr_recorder_waits(&rec));
	ck_assert_int_eq(pcr_recorder_take(&rec, 65536, &piece, &n), -ENOBUFS);
	pcr_recorder_stop(&rec, &bench.st);
	start();
	ck_assert_int_eq(pcr_recorder_take(&rec, 65536, &piece, &n), 0);
	pcr_recorder_stop(&rec, &bench.st);
	close_it();
}
END_TEST

PCR_UNIT("recorder", all_that_is_known, what_happens, a_reload, bounds)
