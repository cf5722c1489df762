// SPDX-License-Identifier: GPL-2.0-or-later
/* Every form of value: both ends of its range, one step beyond, and what is meant by slips. */
#include "unit/test_conf.h"

START_TEST(defaults_are_these)
{
	struct pcr_settings *s = pcr_settings_default();

	ck_assert(s->rule.reap && !s->rule.force_empty && !s->rule.dry_run);
	ck_assert_uint_eq(s->rule.reap_above, 100);
	ck_assert_uint_eq(s->rule.reap_after_usec, 10 * PCR_SEC);
	ck_assert_uint_eq(s->rule.reap_step_bytes, 16 << 20);
	ck_assert_uint_eq(s->rule.reap_budget_bytes, 256 << 20);
	ck_assert_uint_eq(s->rule.reap_budget_usec, PCR_MIN);
	ck_assert_uint_eq(s->rule.reap_refault_bp, 1000);
	ck_assert_uint_eq(s->rule.reap_pressure_bp, 1000);
	ck_assert_uint_eq(s->rule.cooldown_usec, 10 * PCR_SEC);
	ck_assert(s->trim.trim);
	ck_assert_uint_eq(s->trim.above_bytes, 1 << 20);
	ck_assert_uint_eq(s->trim.after_deaths, 1000);
	ck_assert_uint_eq(s->trim.cooldown_usec, 10 * PCR_SEC);
	for (u32 i = 0; i < _PCR_SETTING_PERCPU; i++)
		ck_assert(s->trim.kernel[i].calm == 0 && s->trim.kernel[i].pressed == 0);
	ck_assert(s->pressure.enabled && s->pressure.n_slices == 0);
	ck_assert_uint_eq(s->pressure.stall_usec, 200 * PCR_MSEC);
	ck_assert_uint_eq(s->pressure.window_usec, 2 * PCR_SEC);
	ck_assert_uint_eq(s->pressure.hold_usec, 10 * PCR_SEC);
	ck_assert_uint_eq(s->pressure.poll_usec, 10 * PCR_SEC);
	ck_assert_int_eq(s->daemon.source, PCR_SOURCE_AUTO);
	ck_assert_uint_eq(s->daemon.walk_usec, 10 * PCR_SEC);
	ck_assert_uint_eq(s->daemon.audit_usec, 10 * PCR_MIN);
	ck_assert_uint_eq(s->daemon.suspend_after, 5);
	ck_assert_uint_eq(s->daemon.suspend_usec, 10 * PCR_MIN);
	ck_assert_uint_eq(s->daemon.log_level, 6);
	ck_assert(!s->daemon.trace_marker && !s->daemon.dry_run && !s->daemon.socket_group);
	ck_assert(s->n_policies == 0 && s->n_files == 0);
	pcr_settings_free(s);
}
END_TEST

/* What is taken, and how it is shown: a file that says the same. */
START_TEST(both_ends_are_taken)
{
	static const struct {
		const char *section, *key, *value, *shown;
	} cases[] = {
		{ "Percpu", "Reap", "OFF", "no" },
		{ "Percpu", "ReapAbove", "1", "1" },
		{ "Percpu", "ReapAbove", "1000000000", "1000000000" },
		{ "Percpu", "ReapAfter", "0", "0" },
		{ "Percpu", "ReapAfter", "infinity", "infinity" },
		{ "Percpu", "ReapAfter", "90", "1min 30s" },
		{ "Percpu", "ReapStep", "64K", "64K" },
		{ "Percpu", "ReapStep", "1.5M", "1536K" },
		{ "Percpu", "ReapBudget", "1T/1us", "1T/1us" },
		{ "Percpu", "ReapMaxRefault", "0%", "0%" },
		{ "Percpu", "ReapMaxRefault", "1000%", "1000%" },
		{ "Percpu", "ReapMaxRefault", "12.5‰", "1.25%" },
		{ "Percpu", "ReapMaxPressure", "100%", "100%" },
		{ "Percpu", "Cooldown", "7d", "1w" },
		{ "Percpu", "TrimAbove", "0", "0" },
		{ "Percpu", "TrimAbove", "1T", "1T" },
		{ "Percpu", "EmptyPagesLow", "1/63", "1/63" },
		{ "Percpu", "EmptyPagesHigh", "8/8", "8" },
		{ "Percpu", "EmptyPagesHigh", "8/keep", "8/keep" },
		{ "Percpu", "EmptyPagesHigh", "keep/4", "keep/4" },
		{ "Percpu", "ReclaimMinPercent", "100/1", "100/1" },
		{ "Percpu", "EmptyPagesHigh", "keep", "keep" },
		{ "Percpu", "EmptyPagesHigh", "2", "2" },
		{ "Percpu", "EmptyPagesHigh", "64", "64" },
		{ "Pressure", "Trigger", "1ms/500ms", "1ms/500ms" },
		{ "Pressure", "Trigger", "10s/10s", "10s/10s" },
		{ "Pressure", "Hold", "1h", "1h" },
		{ "Pressure", "Slices", "/a /b.slice/c /a", "/a /b.slice/c" },
		{ "Daemon", "Lifecycle", "walk", "walk" },
		{ "Daemon", "AuditPeriod", "infinity", "infinity" },
		{ "Daemon", "SuspendAfter", "1000", "1000" },
		{ "Daemon", "LogLevel", "3", "err" },
		{ "Daemon", "LogLevel", "7", "debug" },
		{ "Daemon", "LogLevel", "warn", "warning" },
		{ "Daemon", "SocketGroup", "adm", "adm" },
		{ "Daemon", "SocketGroup", "1000", "1000" },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		char text[256];
		struct loaded l;

		snprintf(text, sizeof(text), "[%s]\n%s=%s\n%s", cases[i].section, cases[i].key,
			 cases[i].value,
			 strcmp(cases[i].key, "ReapStep") == 0 ? "ReapBudget=1T/1s\n" : "");
		l = load_text(text);
		ck_assert_msg(l.r == 0, "%s", l.text);
		VALUE_IS(l.s, -1, cases[i].section, cases[i].key, cases[i].shown);
		unload(&l);
	}
}
END_TEST

/* Section, line, what is said about it; the second line of the file, so f:2:COLUMN. */
static const struct {
	const char *section, *line, *said;
} slips[] = {
	{ "Percpu", "Reap=yse", "6: Reap=yse: neither yes nor no; did you mean yes?" },
	{ "Percpu", "Reap=maybe", "6: Reap=maybe: neither yes nor no" },
	{ "Percpu", "ReapAbove=0", "11: ReapAbove=0: must be 1 to 1000000000" },
	{ "Percpu", "ReapAbove=1000000001", "11: ReapAbove=1000000001: must be 1 to 1000000000" },
	{ "Percpu", "ReapAbove=99999999999999999999",
	  "11: ReapAbove=99999999999999999999: must be 1 to 1000000000" },
	{ "Percpu", "ReapAbove=-1", "11: ReapAbove=-1: not a whole number" },
	{ "Percpu", "ReapAbove=1,000", "11: ReapAbove=1,000: not a whole number; did you mean 1000?" },
	{ "Percpu", "ReapAbove=many", "11: ReapAbove=many: not a whole number" },
	{ "Percpu", "ReapStep=16MB", "12: ReapStep=16MB: unknown suffix \"MB\"; did you mean 16M?" },
	{ "Percpu", "ReapStep = 16 MiB",
	  "15: ReapStep=16 MiB: unknown suffix \"MiB\"; did you mean 16M?" },
	{ "Percpu", "ReapStep=16m", "12: ReapStep=16m: unknown suffix \"m\"; did you mean 16M?" },
	{ "Percpu", "ReapStep=16X", "12: ReapStep=16X: unknown suffix \"X\"" },
	{ "Percpu", "ReapStep=M", "10: ReapStep=M: not a size: a number and K, M, G or T" },
	{ "Percpu", "ReapStep=1.5", "10: ReapStep=1.5: not a whole number of bytes" },
	{ "Percpu", "ReapStep=99E", "10: ReapStep=99E: too large" },
	{ "Percpu", "ReapStep=65535", "10: ReapStep=65535: must be 64K to 1T" },
	{ "Percpu", "ReapStep=2T", "10: ReapStep=2T: must be 64K to 1T" },
	{ "Percpu", "ReapAfter=10 mins",
	  "14: ReapAfter=10 mins: unknown unit \"mins\"; did you mean 10 min?" },
	{ "Percpu", "ReapAfter=10S", "13: ReapAfter=10S: unknown unit \"S\"; did you mean 10s?" },
	{ "Percpu", "ReapAfter=1min 30",
	  "18: ReapAfter=1min 30: no unit behind the number" },
	{ "Percpu", "ReapAfter=1month", "12: ReapAfter=1month: unknown unit \"month\"" },
	{ "Percpu", "ReapAfter=soon",
	  "11: ReapAfter=soon: not a span of time: a number and us, ms, s, min, h, d or w" },
	{ "Percpu", "ReapAfter=inf", "11: ReapAfter=inf: not a span of time; did you mean infinity?" },
	{ "Percpu", "ReapAfter=99999999999w", "11: ReapAfter=99999999999w: too long" },
	{ "Percpu", "Cooldown=infinity", "10: Cooldown=infinity: must be 0 to 1w" },
	{ "Percpu", "Cooldown=8d", "10: Cooldown=8d: must be 0 to 1w" },
	{ "Percpu", "ReapBudget=256M",
	  "16: ReapBudget=256M: no time to count it by; did you mean 256M/1min?" },
	{ "Percpu", "ReapBudget=256M/min",
	  "17: ReapBudget=256M/min: no number before the unit; did you mean 256M/1min?" },
	{ "Percpu", "ReapBudget=256MB/1min",
	  "15: ReapBudget=256MB/1min: unknown suffix \"MB\"; did you mean 256M/1min?" },
	{ "Percpu", "ReapBudget=256M/0", "17: ReapBudget=256M/0: no time to count it by" },
	{ "Percpu", "ReapBudget=0/1s", "12: ReapBudget=0/1s: must be 64K to 1T" },
	{ "Percpu", "ReapMaxRefault=25",
	  "16: ReapMaxRefault=25: not a percentage: a number with at most two decimals and %; "
	  "did you mean 25%?" },
	{ "Percpu", "ReapMaxPressure=101%", "17: ReapMaxPressure=101%: must be 0% to 100%" },
	{ "Percpu", "EmptyPagesHigh=1", "16: EmptyPagesHigh=1: must be keep, or 2 to 64" },
	{ "Percpu", "EmptyPagesHigh=65", "16: EmptyPagesHigh=65: must be keep, or 2 to 64" },
	{ "Percpu", "EmptyPagesHigh=kep",
	  "16: EmptyPagesHigh=kep: must be keep, or 2 to 64; did you mean keep?" },
	{ "Percpu", "EmptyPagesHigh=0", "16: EmptyPagesHigh=0: must be keep, or 2 to 64" },
	{ "Percpu", "EmptyPagesHigh=8/1", "18: EmptyPagesHigh=8/1: must be keep, or 2 to 64" },
	{ "Percpu", "EmptyPagesHigh=8/", "18: EmptyPagesHigh=8/: must be keep, or 2 to 64" },
	{ "Percpu", "EmptyPagesHigh=/8", "16: EmptyPagesHigh=/8: must be keep, or 2 to 64" },
	{ "Percpu", "EmptyPagesHigh=8/4/2", "18: EmptyPagesHigh=8/4/2: must be keep, or 2 to 64" },
	{ "Percpu", "EmptyPagesHigh=kep/4",
	  "16: EmptyPagesHigh=kep/4: must be keep, or 2 to 64; did you mean keep/4?" },
	{ "Percpu", "EmptyPagesHigh=8/kep",
	  "18: EmptyPagesHigh=8/kep: must be keep, or 2 to 64; did you mean 8/keep?" },
	{ "Percpu", "ReclaimMinPercent=25%",
	  "19: ReclaimMinPercent=25%: must be keep, or 1 to 100" },
	{ "Pressure", "Trigger=3s/2s", "9: Trigger=3s/2s: the stall can't be longer than its window" },
	{ "Pressure", "Trigger=200ms/499ms", "15: Trigger=200ms/499ms: the window must be 500ms to 10s" },
	{ "Pressure", "Trigger=200ms/11s", "15: Trigger=200ms/11s: the window must be 500ms to 10s" },
	{ "Pressure", "Trigger=999us/2s", "9: Trigger=999us/2s: the stall must be at least 1ms" },
	{ "Pressure", "Trigger=200ms",
	  "14: Trigger=200ms: no window to count it by; did you mean 200ms/2s?" },
	{ "Pressure", "Hold=0", "6: Hold=0: must be 1s to 1h" },
	{ "Pressure", "Slices=/a machine.slice",
	  "11: Slices=/a machine.slice: \"machine.slice\" does not begin with /; "
	  "did you mean /machine.slice?" },
	{ "Pressure", "Slices=/a/", "10: Slices=/a/: no cgroup's path ends with /; did you mean /a?" },
	{ "Pressure", "Slices=/a*", "8: Slices=/a*: a trigger is for one cgroup: no * or ? here" },
	{ "Pressure", "Slices=/", "8: Slices=/: the whole machine is watched anyway" },
	{ "Pressure", "Slices=/a/../b", "8: Slices=/a/../b: no cgroup's path has //, /./ or /../ in it" },
	{ "Pressure", "Slices=/1 /2 /3 /4 /5 /6 /7 /8 /9 /a /b /c /d /e /f /g /h",
	  "56: Slices=/1 /2 /3 /4 /5 /6 /7 /8 /9 /a /b /c /d /e /f /g /h: more than 16 slices" },
	{ "Daemon", "Lifecycle=tracfs",
	  "11: Lifecycle=tracfs: must be auto, tracefs, fanotify, inotify or walk; "
	  "did you mean tracefs?" },
	{ "Daemon", "LogLevel=2",
	  "10: LogLevel=2: must be err, warning, notice, info or debug, or 3 to 7" },
	{ "Daemon", "LogLevel=Info",
	  "10: LogLevel=Info: must be err, warning, notice, info or debug, or 3 to 7; "
	  "did you mean info?" },
	{ "Daemon", "SuspendAfter=0", "14: SuspendAfter=0: must be 1 to 1000" },
	{ "Daemon", "SocketGroup=a b", "14: SocketGroup=a b: not a group's name or number" },
	/* habits from other formats */
	{ "Percpu", "Reap=\"yes\"",
	  "6: Reap=\"yes\": values are written without quotes; did you mean yes?" },
	{ "Percpu", "ReapAbove=20 # few",
	  "14: ReapAbove=20 # few: a comment behind a value begins with ; instead of #" },
	/* keys */
	{ "Percpu", "ReapAbov=20", "1: ReapAbov=20: unknown key in [Percpu]; did you mean ReapAbove?" },
	{ "Percpu", "reapabove=20", "1: reapabove=20: unknown key in [Percpu]; did you mean ReapAbove?" },
	{ "Percpu", "Fish=1", "1: Fish=1: unknown key in [Percpu]" },
	{ "Percpu", "LogLevel=info", "1: LogLevel=info: not a key of [Percpu]: it belongs in [Daemon]" },
	{ "Daemon", "Match=/a", "1: Match=/a: not a key of [Daemon]: it belongs in [Policy NAME]" },
};

START_TEST(every_slip)
{
	for (size_t i = 0; i < PCR_ARRAY_SIZE(slips); i++) {
		char text[256], said[512];

		snprintf(text, sizeof(text), "[%s]\n%s\n", slips[i].section, slips[i].line);
		snprintf(said, sizeof(said), "f:2:%s", slips[i].said);
		refused(text, said);
	}
}
END_TEST

START_TEST(empty_is_the_default_again)
{
	struct loaded l = load_text("[Percpu]\nReapAbove=7\nReapAbove=\nTrim=no\nTrim= ; why\n"
				    "[Pressure]\nSlices=/a\nSlices=/b\nSlices=\nSlices=/c\n"
				    "[Daemon]\nSocketGroup=adm\nSocketGroup=\n");

	ck_assert_str_eq(l.text, "0 errors");
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "100");
	VALUE_IS(l.s, -1, "Percpu", "Trim", "yes");
	VALUE_IS(l.s, -1, "Pressure", "Slices", "/c");
	VALUE_IS(l.s, -1, "Daemon", "SocketGroup", "");
	ck_assert_uint_eq(l.s->origin[pcr_key_index("Percpu", "ReapAbove")].line, 0);
	ck_assert_uint_eq(l.s->origin[pcr_key_index("Pressure", "Slices")].line, 10);
	unload(&l);
}
END_TEST

START_TEST(origin_is_where_it_stands)
{
	struct loaded l = load_text("# one\n[Percpu]\n\n  ReapAbove = 7\n");
	struct pcr_origin o = l.s->origin[pcr_key_index("Percpu", "ReapAbove")];

	ck_assert(o.line == 4 && o.column == 3 && o.file == 0);
	ck_assert_str_eq(l.s->files[0], "f");
	ck_assert_uint_eq(l.s->origin[pcr_key_index("Percpu", "Reap")].line, 0);
	unload(&l);
}
END_TEST

/* systemd lets the later one win; within one file it is hardly meant, so it is said. */
START_TEST(given_twice)
{
	static const char text[] = "[Percpu]\nReapAbove=7\n[Daemon]\nDryRun=yes\n[Percpu]\nReapAbove=8\n";
	struct loaded l = load_text(text);

	ck_assert_int_eq(l.r, 0);
	ck_assert_str_eq(l.text, "f:6:1: warning: ReapAbove=8: given before in line 2; this one counts\n"
				 "0 errors, 1 warning");
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "8");
	ck_assert(l.s->daemon.dry_run && !l.s->rule.dry_run);
	unload(&l);
}
END_TEST

START_TEST(keys_against_each_other)
{
	refused("[Percpu]\nReapStep=300M\n",
		"f:2:1: ReapStep=300M is more than ReapBudget=256M/1min ever allows");
	refused("[Policy p]\nMatch=/a\nReapBudget=8M/1s\n",
		"f:3:1: ReapStep=16M is more than ReapBudget=8M/1s ever allows");
	taken("[Percpu]\nReapStep=256M\n");
	says_bytes("[Daemon]\nAuditPeriod=5s\n", 24, 0,
		   "f:2:1: warning: AuditPeriod=5s is shorter than WalkPeriod=10s, which is as often "
		   "as it gets\n"
		   "0 errors, 1 warning");
	says_bytes("[Pressure]\nSlices=/a\nPressure=no\n", 33, 0,
		   "f:2:1: warning: Slices= is of no use with Pressure=no\n0 errors, 1 warning");
}
END_TEST

PCR_UNIT("conf values", defaults_are_these, both_ends_are_taken, every_slip,
	 empty_is_the_default_again, origin_is_where_it_stands, given_twice, keys_against_each_other)
