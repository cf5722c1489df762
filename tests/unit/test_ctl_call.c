// SPDX-License-Identifier: GPL-2.0-or-later
/* Each method and each error, without a socket. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "ctl_fixture.h"

#define M "org.pcpu-reclaimd.Manager."
#define S "org.varlink.service."

static struct fix *fix;

static json_t *ask_as(bool root, const char *text)
{
	struct pcr_call call = {
		.view = &fix->view, .clock = { FIX_NOW, FIX_REAL }, .may_change = root,
		.group = "adm",
	};
	json_t *message;

	ck_assert_int_eq(pcr_call_answer(&call, text, strlen(text)), 0);
	message = pcr_call_message(&call);
	pcr_call_clear(&call);
	return message;
}

static json_t *ask(const char *text)
{
	return ask_as(true, text);
}

/* a.b.0.c: the value there, or NULL */
static const json_t *at(const json_t *o, const char *path)
{
	char copy[128], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *p = strtok_r(copy, ".", &save); p && o; p = strtok_r(NULL, ".", &save))
		o = json_is_array(o) ? json_array_get(o, (size_t)atoi(p)) : json_object_get(o, p);
	return o;
}

static const char *str(const json_t *o, const char *path)
{
	const char *text = json_string_value(at(o, path));

	return text ? text : "(none)";
}

static long long num(const json_t *o, const char *path)
{
	const json_t *v = at(o, path);

	return json_is_integer(v) ? json_integer_value(v) : -1;
}

#define expect_error(request, name, key, value)                                                    \
	do {                                                                                       \
		json_t *_m = ask(request);                                                         \
		ck_assert_str_eq(str(_m, "error"), name);                                          \
		if (key)                                                                           \
			ck_assert_str_eq(str(at(_m, "parameters"), key), value);                   \
		json_decref(_m);                                                                   \
	} while (0)

START_TEST(test_service)
{
	json_t *m = ask("{\"method\":\"" S "GetInfo\"}");

	ck_assert_str_eq(str(m, "parameters.version"), "0.1.0");
	ck_assert_str_eq(str(m, "parameters.interfaces.1"), "org.pcpu-reclaimd.Manager");
	json_decref(m);
	m = ask("{\"method\":\"" S "GetInterfaceDescription\","
		"\"parameters\":{\"interface\":\"org.pcpu-reclaimd.Manager\"}}");
	ck_assert_ptr_nonnull(strstr(str(m, "parameters.description"), "method GetStatus()"));
	json_decref(m);
	expect_error("{\"method\":\"" S "GetInterfaceDescription\",\"parameters\":{\"interface\":\"x.y\"}}",
		     S "InterfaceNotFound", "interface", "x.y");
}
END_TEST

START_TEST(test_errors)
{
	expect_error("{\"method\":\"" M "Nothing\"}", S "MethodNotFound", "method", M "Nothing");
	expect_error("{\"method\":\"a.b.C\"}", S "InterfaceNotFound", "interface", "a.b.C");
	expect_error("{\"method\":\"\"}", S "InterfaceNotFound", NULL, NULL);
	expect_error("{\"method\":\"" M "Explain\"}", S "InvalidParameter", "parameter", "target");
	expect_error("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":7}}",
		     S "InvalidParameter", "parameter", "target");
	expect_error("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":null}}",
		     S "InvalidParameter", "parameter", "target");
	expect_error("{\"method\":\"" M "GetStatus\",\"parameters\":{\"x\":1}}",
		     S "InvalidParameter", "parameter", "x");
	expect_error("{\"method\":\"" M "ListCgroups\",\"parameters\":{\"limit\":-1}}",
		     S "InvalidParameter", "parameter", "limit");
	expect_error("{\"method\":\"" M "ListCgroups\",\"parameters\":{\"sort\":\"size\"}}",
		     S "InvalidParameter", "parameter", "sort");
	expect_error("{\"method\":\"" M "Watch\"}", S "ExpectedMore", NULL, NULL);
	expect_error("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"no/such\"}}",
		     M "NoSuchCgroup", "cgroup", "no/such");
	expect_error("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"/sys/kernel/mm/x\"}}",
		     M "NoSuchKnob", "knob", "/sys/kernel/mm/x");
	expect_error("{\"method\":\"" M "GetHistory\",\"parameters\":{\"cgroup\":\"nope\"}}",
		     M "NoSuchCgroup", "cgroup", "nope");
}
END_TEST

START_TEST(test_no_message_at_all)
{
	static const char *const bad[] = {
		"", "x", "[]", "7", "{", "{}", "{\"method\":7}", "{\"method\":\"a\"} x",
		"{\"method\":\"a\",\"method\":\"a\"}", "{\"method\":\"a\",\"parameters\":[]}",
		"{\"method\":\"a\",\"more\":1}", "{\"method\":\"a\",\"oneway\":\"yes\"}",
		"{\"method\":\"a\",\"upgrade\":true}", "{\"method\":\"\xff\"}",
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(bad); i++) {
		struct pcr_call call = { .view = &fix->view, .may_change = true };

		ck_assert_int_eq(pcr_call_answer(&call, bad[i], strlen(bad[i])), 0);
		ck_assert_msg(call.hang_up, "%s", bad[i]);
		ck_assert_str_eq(call.error, S "InvalidParameter");
		pcr_call_clear(&call);
	}
}
END_TEST

/* oomd (its socket is 0666 and lets anyone reset counters): asking is not changing. */
START_TEST(test_change_is_for_root)
{
	u32 n = 0;

	for (const struct pcr_method *method = pcr_methods; method->name; method++) {
		char text[256];
		json_t *m;

		if (!method->change)
			continue;
		n++;
		snprintf(text, sizeof(text), "{\"method\":\"%s\",\"parameters\":{\"junk\":1}}",
			 method->name);
		m = ask_as(false, text);
		ck_assert_str_eq(str(m, "error"), M "NotPermitted");
		ck_assert_str_eq(str(m, "parameters.group"), "adm");
		json_decref(m);
	}
	ck_assert_uint_eq(n, 4);
	ck_assert_uint_eq(fix->asked, 0);
}
END_TEST

START_TEST(test_changes)
{
	json_t *m = ask("{\"method\":\"" M "Reap\",\"parameters\":{\"cgroup\":\"machine.slice/ci\",\"bytes\":4096}}");

	ck_assert_str_eq(str(m, "error"), "(none)");
	ck_assert_ptr_nonnull(at(m, "parameters"));
	json_decref(m);
	ck_assert_uint_eq(fix->asked_id, 3);
	ck_assert_uint_eq(fix->asked_bytes, 4096);
	json_decref(ask("{\"method\":\"" M "Reap\",\"parameters\":{\"cgroup\":\"/sys/fs/cgroup/machine.slice/\"}}"));
	ck_assert_uint_eq(fix->asked_id, 2);
	ck_assert_uint_eq(fix->asked_bytes, PCR_ABSENT);
	json_decref(ask("{\"method\":\"" M "Reap\",\"parameters\":{\"cgroup\":\"/\"}}"));
	ck_assert_uint_eq(fix->asked_id, 1);
	json_decref(ask("{\"method\":\"" M "Trim\",\"parameters\":{\"bytes\":65536}}"));
	ck_assert_uint_eq(fix->asked_bytes, 65536);
	json_decref(ask("{\"method\":\"" M "SetLogLevel\",\"parameters\":{\"level\":7}}"));
	ck_assert_uint_eq(fix->asked_level, 7);
	json_decref(ask("{\"method\":\"" M "Reload\"}"));
	ck_assert_uint_eq(fix->asked, 6);
}
END_TEST

START_TEST(test_changes_refused)
{
	json_t *m;

	expect_error("{\"method\":\"" M "Reap\",\"parameters\":{\"cgroup\":\"nope\"}}",
		     M "NoSuchCgroup", "cgroup", "nope");
	expect_error("{\"method\":\"" M "Reap\",\"parameters\":{\"cgroup\":\"/\",\"bytes\":0}}",
		     S "InvalidParameter", "parameter", "bytes");
	expect_error("{\"method\":\"" M "SetLogLevel\",\"parameters\":{\"level\":2}}",
		     S "InvalidParameter", "parameter", "level");
	fix->r = -ENOENT;
	expect_error("{\"method\":\"" M "Reap\",\"parameters\":{\"cgroup\":\"machine.slice\"}}",
		     M "NoSuchCgroup", "cgroup", "machine.slice");
	fix->r = -EOPNOTSUPP;
	expect_error("{\"method\":\"" M "Trim\"}", M "NoSuchKnob", "knob",
		     "/sys/kernel/mm/percpu/reclaim");
	fix->r = -EALREADY;
	expect_error("{\"method\":\"" M "Trim\"}", M "AlreadyRunning", NULL, NULL);
	/* Nothing is under way for that cgroup: its policy is still to come, say. */
	fix->r = -EBUSY;
	expect_error("{\"method\":\"" M "Trim\"}", M "Failed", "text",
		     "busy with new settings, or with what was asked before: ask again in a moment");
	fix->r = -EROFS;
	expect_error("{\"method\":\"" M "Trim\"}", M "Failed", "text", "Read-only file system");
	fix->r = -ENODATA;
	expect_error("{\"method\":\"" M "Reap\",\"parameters\":{\"cgroup\":\"machine.slice\"}}",
		     M "Failed", "text",
		     "nothing is dying below it: a reclaim would only take from the living");
	fix->r = -EINVAL;
	fix->errors = "a.conf:7:11: unknown suffix\n1 error\n";
	expect_error("{\"method\":\"" M "Reload\"}", M "SettingsRefused", "errors",
		     "a.conf:7:11: unknown suffix\n1 error\n");
	m = ask("{\"method\":\"" M "Reload\"}");
	ck_assert_str_eq(str(m, "parameters.since_at"), "2024-05-01T11:43:22.000Z");
	json_decref(m);
	/* unreadable is refused as well; warnings come with success */
	fix->r = -EACCES;
	fix->errors = NULL;
	expect_error("{\"method\":\"" M "Reload\"}", M "SettingsRefused", "errors",
		     "Permission denied");
	fix->r = 0;
	fix->errors = "a.conf:1:1: never applies\n";
	m = ask("{\"method\":\"" M "Reload\"}");
	ck_assert_str_eq(str(m, "parameters.warnings"), "a.conf:1:1: never applies\n");
	json_decref(m);
	fix->ops.trim = NULL;
	expect_error("{\"method\":\"" M "Trim\"}", S "MethodNotImplemented", "method", M "Trim");
}
END_TEST

START_TEST(test_oneway_says_nothing)
{
	ck_assert_ptr_null(ask("{\"method\":\"" M "Trim\",\"oneway\":true}"));
	ck_assert_uint_eq(fix->asked, 1);
	ck_assert_ptr_null(ask("{\"method\":\"" M "Nothing\",\"oneway\":true}"));
}
END_TEST

START_TEST(test_status)
{
	json_t *m;

	fix->state->totals.ended[PCR_ACT_TRIM][PCR_STOP_ERROR] = 2;
	m = ask("{\"method\":\"" M "GetStatus\"}");
	ck_assert_str_eq(str(m, "parameters.totals.outcomes.0.action"), "trim");
	ck_assert_str_eq(str(m, "parameters.totals.outcomes.0.outcome"), "error");
	ck_assert_int_eq(num(m, "parameters.totals.outcomes.0.count"), 2);
	ck_assert_ptr_null(at(m, "parameters.totals.outcomes.1"));
	ck_assert_str_eq(str(m, "parameters.host"), "web-17");
	ck_assert_int_eq(num(m, "parameters.start_ago_usec"), 999 * PCR_SEC);
	ck_assert_str_eq(str(m, "parameters.start_at"), "2024-05-01T11:43:21.000Z");
	ck_assert_int_eq(num(m, "parameters.watching.cgroups"), 8);
	ck_assert_str_eq(str(m, "parameters.watching.source"), "tracefs");
	ck_assert_str_eq(str(m, "parameters.actions.0.action"), "reap");
	ck_assert(json_is_true(at(m, "parameters.actions.0.ready")));
	ck_assert_str_eq(str(m, "parameters.actions.1.why"),
			 "kernel has no /sys/kernel/mm/percpu/reclaim");
	ck_assert_int_eq(num(m, "parameters.settings.policies"), 2);
	ck_assert_int_eq(num(m, "parameters.settings.dry_run_policies"), 1);
	json_decref(m);
}
END_TEST

/* systemd 36434, 33486: "not sampled" shown as 0 B. */
START_TEST(test_absent_is_absent)
{
	json_t *m = ask("{\"method\":\"" M "GetStatus\"}");

	ck_assert_ptr_null(at(m, "parameters.dying"));
	ck_assert_ptr_null(at(m, "parameters.percpu.percpu_bytes"));
	ck_assert_ptr_null(at(m, "parameters.percpu.surplus_bytes"));
	ck_assert_ptr_null(at(m, "parameters.pressure.readings.0.some_avg10_bp"));
	ck_assert_ptr_null(at(m, "parameters.watching.last_resync_ago_usec"));
	json_decref(m);
	m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"machine.slice/ci\"}}");
	ck_assert_int_eq(num(m, "parameters.sample.dying"), 37);
	ck_assert_ptr_null(at(m, "parameters.sample.shmem_bytes"));
	ck_assert_ptr_null(at(m, "parameters.sample.stall_usec"));
	json_decref(m);
	m = ask("{\"method\":\"" M "ListCgroups\"}");
	ck_assert_int_eq(num(m, "parameters.cgroups.0.pinned_bytes"), FIX_PINNED);
	/* the root was never read: nothing is known of what dies below the others */
	ck_assert_ptr_null(at(m, "parameters.cgroups.1.dying"));
	ck_assert_ptr_null(at(m, "parameters.cgroups.1.pinned_bytes"));
	json_decref(m);
}
END_TEST

/* systemd 32687, 32304, 20649: users can't see why. */
START_TEST(test_explain_says_why)
{
	json_t *m;

	fix->view.state = fix->state;
	fix_record(fix, 1, 3, "machine.slice/ci");
	m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"machine.slice/ci\"}}");
	ck_assert_str_eq(str(m, "parameters.kind"), "cgroup");
	ck_assert_str_eq(str(m, "parameters.cgroup"), "/machine.slice/ci");
	ck_assert_str_eq(str(m, "parameters.policy"), "ci");
	ck_assert_str_eq(str(m, "parameters.where"), "/etc/pcpu-reclaimd/pcpu-reclaimd.conf:5");
	ck_assert_str_eq(str(m, "parameters.overrides.0.key"), "ReapAbove");
	ck_assert_str_eq(str(m, "parameters.overrides.0.value"), "20");
	ck_assert_str_eq(str(m, "parameters.overrides.0.instead_of"), "100");
	ck_assert_str_eq(str(m, "parameters.overrides.0.where"),
			 "/etc/pcpu-reclaimd/pcpu-reclaimd.conf:7");
	ck_assert_str_eq(str(m, "parameters.actions.0.action"), "reap");
	ck_assert(json_is_true(at(m, "parameters.actions.0.decision.act")));
	ck_assert_str_eq(str(m, "parameters.actions.0.decision.reason"), "above-threshold");
	ck_assert_int_eq(num(m, "parameters.actions.0.decision.value"), 37);
	ck_assert_int_eq(num(m, "parameters.actions.0.decision.threshold"), 20);
	ck_assert_int_eq(num(m, "parameters.actions.0.decision.since_ago_usec"), 10 * PCR_SEC);
	ck_assert_str_eq(str(m, "parameters.actions.0.last.outcome"), "no-swap");
	ck_assert_int_eq(num(m, "parameters.actions.0.last.dying_before"), 1204);
	json_decref(m);
}
END_TEST

START_TEST(test_explain_held_back)
{
	struct pcr_reap *reap = pcr_tree_by_id(&fix->state->tree, 3)->reap;
	json_t *m;

	reap->cooldown_usec = FIX_NOW + 8 * PCR_SEC;
	reap->last_stop = PCR_STOP_NO_SWAP;
	m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"machine.slice/ci\"}}");
	ck_assert(json_is_false(at(m, "parameters.actions.0.decision.act")));
	ck_assert_str_eq(str(m, "parameters.actions.0.decision.reason"), "cooldown");
	ck_assert_int_eq(num(m, "parameters.actions.0.decision.until_in_usec"), 8 * PCR_SEC);
	ck_assert_ptr_null(at(m, "parameters.actions.0.decision.value"));
	ck_assert_str_eq(str(m, "parameters.actions.0.decision.wants.reason"), "above-threshold");
	ck_assert_int_eq(num(m, "parameters.actions.0.decision.wants.value"), 37);
	ck_assert_int_eq(num(m, "parameters.actions.0.stays"), 37);
	ck_assert_str_eq(str(m, "parameters.actions.0.stays_reason"), "no-swap");
	json_decref(m);
	/* the same shows as what comes next, and in the plan as held */
	m = ask("{\"method\":\"" M "GetStatus\"}");
	ck_assert_str_eq(str(m, "parameters.next.cgroup"), "/machine.slice/ci");
	json_decref(m);
	m = ask("{\"method\":\"" M "GetPlan\"}");
	ck_assert_uint_eq(json_array_size(at(m, "parameters.decisions")), 0);
	ck_assert_str_eq(str(m, "parameters.held.0.cgroup"), "/machine.slice/ci");
	json_decref(m);
}
END_TEST

/*
 * What the last attempt left is waited out: nothing new speaks for it, and yet it is
 * no "nothing to do".
 */
START_TEST(test_waited_out)
{
	struct pcr_reap *reap = pcr_tree_by_id(&fix->state->tree, 3)->reap;
	json_t *m;

	reap->retry_usec = FIX_NOW + 60 * PCR_SEC;
	reap->stuck = reap->dying;
	reap->last_stop = PCR_STOP_NO_PROGRESS;
	m = ask("{\"method\":\"" M "GetPlan\"}");
	ck_assert_uint_eq(json_array_size(at(m, "parameters.decisions")), 0);
	ck_assert_str_eq(str(m, "parameters.held.0.reason"), "backoff");
	ck_assert_int_eq(num(m, "parameters.held.0.until_in_usec"), 60 * PCR_SEC);
	ck_assert_ptr_null(at(m, "parameters.held.0.wants"));
	json_decref(m);
	m = ask("{\"method\":\"" M "GetStatus\"}");
	ck_assert_str_eq(str(m, "parameters.next.cgroup"), "/machine.slice/ci");
	ck_assert_str_eq(str(m, "parameters.next.reason"), "backoff");
	json_decref(m);
	reap->suspended = true;
	m = ask("{\"method\":\"" M "GetPlan\"}");
	ck_assert_str_eq(str(m, "parameters.held.0.reason"), "suspended");
	json_decref(m);
}
END_TEST

START_TEST(test_held_back)
{
	static const struct {
		struct pcr_decision d;
		bool held;
	} cases[] = {
		{ { .action = PCR_ACT_REAP, .why = PCR_WHY_SAID }, true },
		{ { .action = PCR_ACT_REAP, .why = PCR_WHY_BACKOFF }, true },
		{ { .action = PCR_ACT_REAP, .why = PCR_WHY_BELOW }, false },
		{ { .action = PCR_ACT_REAP, .why = PCR_WHY_OFF }, false },
		{ { .action = PCR_ACT_TRIM, .why = PCR_WHY_BACKOFF }, false },
		{ { .action = PCR_ACT_TRIM, .want = PCR_WHY_ABOVE, .why = PCR_WHY_BACKOFF }, true },
		{ { .action = PCR_ACT_TRIM, .want = PCR_WHY_ABOVE, .why = PCR_WHY_ABOVE,
		    .act = true }, false },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++)
		ck_assert_msg(pcr_held_back(&cases[i].d) == cases[i].held, "case %zu", i);
}
END_TEST

/* A look that the question causes comes after its clock was read: not in the future. */
START_TEST(test_just_sampled)
{
	struct pcr_reap *reap = pcr_tree_by_id(&fix->state->tree, 3)->reap;
	json_t *m;

	fix->state->trim.sampled_usec = FIX_NOW + 200;
	reap->sampled_usec = FIX_NOW + 200;
	reap->above_since_usec = FIX_NOW + 200;
	m = ask("{\"method\":\"" M "GetStatus\"}");
	ck_assert_int_eq(num(m, "parameters.percpu.sampled_ago_usec"), 0);
	ck_assert_ptr_null(at(m, "parameters.percpu.sampled_in_usec"));
	json_decref(m);
	m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"machine.slice/ci\"}}");
	ck_assert_int_eq(num(m, "parameters.sample.sampled_ago_usec"), 0);
	ck_assert_int_eq(num(m, "parameters.actions.0.decision.since_ago_usec"), 0);
	json_decref(m);
	m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"percpu\"}}");
	ck_assert_int_eq(num(m, "parameters.percpu.sampled_ago_usec"), 0);
	json_decref(m);
}
END_TEST

/* What waits and has no reason to act is not what comes next. */
START_TEST(test_nothing_next)
{
	struct pcr_reap *reap = pcr_tree_by_id(&fix->state->tree, 3)->reap;
	json_t *m;

	reap->dying = 0;
	reap->retry_usec = FIX_NOW + PCR_SEC;
	fix->state->trim.now.knob = true;
	fix->state->trim.retry_usec = FIX_NOW + PCR_SEC;
	m = ask("{\"method\":\"" M "GetStatus\"}");
	ck_assert_ptr_null(at(m, "parameters.next"));
	json_decref(m);
}
END_TEST

#define LOW "/sys/kernel/mm/percpu/empty_pages_low"
#define HIGH "/sys/kernel/mm/percpu/empty_pages_high"

START_TEST(test_explain_percpu_and_knobs)
{
	json_t *m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"percpu\"}}");

	ck_assert_str_eq(str(m, "parameters.kind"), "percpu");
	ck_assert_str_eq(str(m, "parameters.actions.0.decision.reason"), "no-knob");
	/* Of the kernel's settings nothing is wanted, so there is nothing to tell. */
	ck_assert_uint_eq(json_array_size(at(m, "parameters.actions")), 1);
	json_decref(m);
	fix->settings->trim.kernel[PCR_SETTING_HIGH] = (struct pcr_pair){ 8, 8 };
	m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"percpu\"}}");
	ck_assert_str_eq(str(m, "parameters.actions.1.action"), "set");
	ck_assert_str_eq(str(m, "parameters.actions.1.decision.knob"), HIGH);
	json_decref(m);
	m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"" LOW "\"}}");
	ck_assert_str_eq(str(m, "parameters.actions.0.decision.reason"), "off");
	json_decref(m);
	m = ask("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"/sys/kernel/mm/percpu/reclaim\"}}");
	ck_assert_uint_eq(json_array_size(at(m, "parameters.actions")), 1);
	ck_assert_str_eq(str(m, "parameters.why_not"), "kernel has no " PCR_PERCPU_RECLAIM);
	json_decref(m);
	/* it goes while it is looked at */
	fix->refresh_removes = true;
	expect_error("{\"method\":\"" M "Explain\",\"parameters\":{\"target\":\"system.slice/postgresql@15-main.service\"}}",
		     M "NoSuchCgroup", NULL, NULL);
}
END_TEST

START_TEST(test_plan)
{
	json_t *m = ask("{\"method\":\"" M "GetPlan\"}");

	ck_assert_str_eq(str(m, "parameters.decisions.0.action"), "reap");
	ck_assert_str_eq(str(m, "parameters.decisions.0.cgroup"), "/machine.slice/ci");
	ck_assert(json_is_true(at(m, "parameters.decisions.0.dry_run")));
	json_decref(m);
}
END_TEST

/* systemd 43106, 42385: "taking action" logged, nothing happens. The outcome is a word. */
START_TEST(test_history)
{
	json_t *m;

	for (u64 seq = 1; seq <= 300; seq++)
		fix_record(fix, seq, seq % 2 ? 3 : 5, "machine.slice/ci");
	m = ask("{\"method\":\"" M "GetHistory\"}");
	ck_assert_uint_eq(json_array_size(at(m, "parameters.records")), 20);
	ck_assert_int_eq(num(m, "parameters.records.0.seq"), 300);
	ck_assert_int_eq(num(m, "parameters.total"), PCR_HISTORY);
	ck_assert_str_eq(str(m, "parameters.records.0.outcome"), "no-swap");
	ck_assert_ptr_null(at(m, "parameters.records.0.refault_pages"));
	ck_assert_ptr_null(at(m, "continues"));
	json_decref(m);
	m = ask("{\"method\":\"" M "GetHistory\",\"parameters\":{\"limit\":3,\"cgroup\":\"machine.slice/ci\"}}");
	ck_assert_uint_eq(json_array_size(at(m, "parameters.records")), 3);
	ck_assert_int_eq(num(m, "parameters.records.2.seq"), 295);
	json_decref(m);
	m = ask("{\"method\":\"" M "GetHistory\",\"more\":true}");
	ck_assert_uint_eq(json_array_size(at(m, "parameters.records")), PCR_PIECE_ROWS);
	ck_assert(json_is_true(at(m, "continues")));
	json_decref(m);
}
END_TEST

START_TEST(test_policies)
{
	json_t *m = ask("{\"method\":\"" M "ListPolicies\"}");

	ck_assert_int_eq(num(m, "parameters.total"), 2);
	ck_assert_str_eq(str(m, "parameters.policies.0.name"), "ci");
	ck_assert_str_eq(str(m, "parameters.policies.0.match.0"), "/machine.slice/**");
	ck_assert_int_eq(num(m, "parameters.policies.0.cgroups"), 1);
	ck_assert_str_eq(str(m, "parameters.policies.1.overrides.0.key"), "Reap");
	json_decref(m);
}
END_TEST

START_TEST(test_doctor)
{
	json_t *m = ask("{\"method\":\"" M "Doctor\"}");

	ck_assert_int_eq(num(m, "parameters.problems"), 1);
	ck_assert_int_eq(num(m, "parameters.absent"), 1);
	ck_assert_str_eq(str(m, "parameters.findings.2.kind"), "problem");
	json_decref(m);
}
END_TEST

/* Names that are no UTF-8, or look like escapes, or would drive a terminal. */
START_TEST(test_names_come_back)
{
	static const u64 ids[] = { 6, 7, 8 };
	json_t *m = ask("{\"method\":\"" M "ListCgroups\",\"parameters\":{\"sort\":\"name\"}}");
	size_t found = 0;

	for (size_t i = 0; i < json_array_size(at(m, "parameters.cgroups")); i++) {
		const json_t *row = json_array_get(at(m, "parameters.cgroups"), i);
		char *text;
		json_t *request, *answer;

		if (num(row, "id") < 6 || num(row, "id") > 8)
			continue;
		request = json_pack("{s:s,s:{s:O}}", "method", M "Reap", "parameters", "cgroup",
				    json_object_get(row, "cgroup"));
		text = json_dumps(request, 0);
		answer = ask(text);
		ck_assert_ptr_null(at(answer, "error"));
		ck_assert_int_eq(fix->asked_id, num(row, "id"));
		json_decref(answer);
		json_decref(request);
		free(text);
		found++;
	}
	ck_assert_uint_eq(found, PCR_ARRAY_SIZE(ids));
	json_decref(m);
	/* typed as it is on disk */
	json_decref(ask("{\"method\":\"" M "Reap\",\"parameters\":{\"cgroup\":\"system.slice/foo\\\\x2dbar\\\\xe9.slice\"}}"));
	ck_assert_uint_eq(fix->asked_id, 7);
}
END_TEST

/* All rows of a list in pieces: each once, in order, whatever the piece. */
static u32 read_in_pieces(const char *sort, char (*seen)[64], u32 max)
{
	struct pcr_cursor cursor = { .left = UINT64_MAX };
	struct pcr_clock clock = { FIX_NOW, FIX_REAL };
	bool end = false;
	u32 n = 0, pieces = 0;

	cursor.sort = strcmp(sort, "name") == 0 ? PCR_SORT_NAME : PCR_SORT_PINNED;
	while (!end) {
		json_t *reply = json_object();
		json_t *rows;

		ck_assert_int_eq(pcr_piece_cgroups(&fix->view, &clock, &cursor, reply, &end), 0);
		rows = json_object_get(reply, "cgroups");
		ck_assert_uint_le(json_array_size(rows), PCR_PIECE_ROWS);
		for (size_t i = 0; i < json_array_size(rows) && n < max; i++)
			snprintf(seen[n++], 64, "%s", str(json_array_get(rows, i), "cgroup"));
		json_decref(reply);
		ck_assert_uint_lt(pieces++, 1000);
	}
	free(cursor.path);
	return n;
}

START_TEST(test_ten_thousand_cgroups)
{
	char (*seen)[64] = calloc(10100, 64);
	struct pcr_node *parent = pcr_tree_by_id(&fix->state->tree, 4);

	for (u64 i = 0; i < 10000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "c%llu", (unsigned long long)(i * 7919 % 10000));
		fix_add(fix, parent, 1000 + i, name);
	}
	ck_assert_uint_eq(read_in_pieces("name", seen, 10100), 10008);
	for (u32 i = 1; i < 10008; i++)
		ck_assert_str_ne(seen[i - 1], seen[i]);
	ck_assert_str_eq(seen[0], "/");
	ck_assert_str_eq(seen[1], "/machine.slice");
	ck_assert_str_eq(seen[2], "/machine.slice/ci");
	ck_assert_uint_eq(read_in_pieces("pinned", seen, 10100), 10008);
	ck_assert_str_eq(seen[0], "/machine.slice/ci");
	free(seen);
}
END_TEST

/* Every parent before its children, and no cut where names are long. */
START_TEST(test_long_names)
{
	struct pcr_node *parent = fix->state->tree.root;
	struct pcr_cursor cursor = { .left = UINT64_MAX };
	struct pcr_clock clock = { FIX_NOW, FIX_REAL };
	char name[256];
	u32 rows = 0;
	bool end = false;

	memset(name, '\x01', 255);
	name[255] = '\0';
	for (u64 i = 0; i < 15; i++)
		parent = fix_add(fix, parent, 100 + i, name);
	for (u64 i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
		fix_add(fix, parent, 200 + i, name);
	}
	while (!end) {
		json_t *reply = json_object();
		char *text;

		ck_assert_int_eq(pcr_piece_cgroups(&fix->view, &clock, &cursor, reply, &end), 0);
		rows += (u32)json_array_size(json_object_get(reply, "cgroups"));
		text = json_dumps(reply, JSON_COMPACT);
		ck_assert_uint_lt(strlen(text), 512 * 1024);
		free(text);
		json_decref(reply);
	}
	ck_assert_uint_eq(rows, 8 + 15 + 200);
}
END_TEST

static void set_up(void)
{
	fix = fix_new();
}

static void tear_down(void)
{
	fix_free(fix);
}

PCR_UNIT_FIXTURE("ctl_call", set_up, tear_down,
		 test_service, test_errors, test_no_message_at_all, test_change_is_for_root,
		 test_changes, test_changes_refused, test_oneway_says_nothing, test_status,
		 test_absent_is_absent, test_explain_says_why, test_explain_held_back,
		 test_waited_out, test_held_back, test_just_sampled, test_nothing_next,
		 test_explain_percpu_and_knobs, test_plan, test_history, test_policies, test_doctor,
		 test_names_come_back, test_ten_thousand_cgroups, test_long_names)
