// SPDX-License-Identifier: GPL-2.0-or-later
/* What people see, from replies as the daemon makes them: NAME.json in, NAME.txt out. */
#include "unit/golden.h"

#include "client/client.h"
#include "client/show.h"
#include "client/table.h"
#include "client/utf8.h"

typedef void (*show_fn)(const json_t *reply, const struct pcr_style *style);

static char *render(const char *name, show_fn fn, bool colour, u32 columns)
{
	char *text = NULL;
	size_t n;
	struct pcr_style style = { .colour = colour, .columns = columns };
	json_t *reply = golden_reply(name);

	style.out = open_memstream(&text, &n);
	fn(reply, &style);
	fclose(style.out);
	json_decref(reply);
	return text;
}

static void golden(const char *name, const char *suffix, show_fn fn, bool colour, u32 columns)
{
	char file[64], *text = render(name, fn, colour, columns);

	snprintf(file, sizeof(file), "%s%s.txt", name, suffix);
	golden_is(file, text);
	ck_assert_msg(colour || !strchr(text, '\x1b'), "%s drives the terminal", name);
	ck_assert(pcr_utf8_valid(text));
	free(text);
}

START_TEST(test_status)
{
	golden("status", "", pcr_show_status, false, 0);
	golden("status", "-colour", pcr_show_status, true, 80);
	golden("status-batch", "", pcr_show_status, false, 0);
	golden("status-warnings", "", pcr_show_status, false, 0);
	golden("status-no-cgroups", "", pcr_show_status, false, 0);
}
END_TEST

/* systemd 36434, 33486: "not sampled" shown as 0 B; and never red for what is only absent. */
START_TEST(test_status_on_a_stock_kernel)
{
	char *text = render("status-stock", pcr_show_status, true, 80);

	golden("status-stock", "", pcr_show_status, false, 0);
	ck_assert_ptr_null(strstr(text, "\x1b[31m"));
	ck_assert_ptr_null(strstr(text, " 0 B"));
	free(text);
}
END_TEST

START_TEST(test_cgroups)
{
	golden("cgroups", "", pcr_show_cgroups, false, 0);
	golden("cgroups", "-narrow", pcr_show_cgroups, false, 100);
}
END_TEST

START_TEST(test_policies)
{
	golden("policies", "", pcr_show_policies, false, 0);
	golden("policies-none", "", pcr_show_policies, false, 0);
}
END_TEST

/* systemd 32687, 32304, 20649: users can't see why. */
START_TEST(test_explain)
{
	golden("explain-held", "", pcr_show_explain, false, 0);
	golden("explain-acts", "", pcr_show_explain, false, 0);
	golden("explain-no-policy", "", pcr_show_explain, false, 0);
	golden("explain-percpu", "", pcr_show_explain, false, 0);
	golden("explain-node", "", pcr_show_explain, false, 0);
	golden("explain-knob", "", pcr_show_explain, false, 0);
	golden("explain-task", "", pcr_show_explain, false, 0);
}
END_TEST

/* systemd 43106, 42385: an action's result is a word of its own, and shown. */
START_TEST(test_history)
{
	golden("history", "", pcr_show_history, false, 0);
	golden("history-none", "", pcr_show_history, false, 80);
	golden("history-before", "", pcr_show_history, false, 0);
}
END_TEST

/* Those at work first, then those with most to gain; why nothing is done stands there. */
START_TEST(test_tasks)
{
	golden("tasks", "", pcr_show_tasks, false, 0);
	golden("tasks-none", "", pcr_show_tasks, false, 0);
}
END_TEST

START_TEST(test_plan)
{
	golden("plan", "", pcr_show_plan, false, 0);
	golden("plan-none", "", pcr_show_plan, false, 0);
	golden("plan-held", "", pcr_show_plan, false, 0);
}
END_TEST

START_TEST(test_watch)
{
	golden("watch-record", "", pcr_show_watch, false, 0);
	golden("watch-missed", "", pcr_show_watch, false, 0);
}
END_TEST

START_TEST(test_doctor)
{
	golden("doctor", "", pcr_show_doctor, false, 0);
	golden("doctor", "-colour", pcr_show_doctor, true, 0);
}
END_TEST

/* A reply of another shape, or none at all, is shown as far as it goes. */
START_TEST(test_odd_replies)
{
	static const show_fn shows[] = {
		pcr_show_status, pcr_show_cgroups, pcr_show_policies, pcr_show_explain, pcr_show_tasks,
		pcr_show_history, pcr_show_plan, pcr_show_watch, pcr_show_doctor,
	};
	static const char *const replies[] = {
		"{}",
		"{\"cgroups\":7,\"policies\":{},\"records\":[1,null,[]],\"findings\":[{}],"
		"\"decisions\":[{}],\"held\":[null],\"actions\":[{},7],\"record\":{},\"status\":[],"
		"\"percpu\":[],\"sample\":7,\"totals\":null,\"watching\":[],\"start_ago_usec\":-1}",
		"{\"cgroups\":[{}],\"policies\":[{\"match\":[7]}],\"records\":[{}],\"next\":{}}",
	};
	size_t n;

	for (size_t i = 0; i < PCR_ARRAY_SIZE(shows); i++)
		for (size_t k = 0; k < PCR_ARRAY_SIZE(replies); k++) {
			char *text = NULL;
			struct pcr_style style = { .out = open_memstream(&text, &n) };
			json_t *reply = json_loads(replies[k], 0, NULL);

			ck_assert_ptr_nonnull(reply);
			shows[i](reply, &style);
			fclose(style.out);
			json_decref(reply);
			free(text);
		}
}
END_TEST

START_TEST(test_clean)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "plain", "plain" },
		{ "\x1b]0;title\a", "\\x1b]0;title\\x07" },
		{ "a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd" },
		{ "c1 \xc2\x9b", "c1 \\xc2\\x9b" },
		{ "turned \xe2\x80\xae", "turned \\xe2\\x80\\xae" },
		{ "bad \xff\xc3", "bad \\xff\\xc3" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		char *text = pcr_utf8_clean(cases[i].in);

		ck_assert_str_eq(text, cases[i].out);
		free(text);
	}
}
END_TEST

START_TEST(test_width)
{
	u32 used;

	ck_assert_uint_eq(pcr_utf8_width("abc"), 3);
	ck_assert_uint_eq(pcr_utf8_width("gr\xc3\xbc\xc3\x9f"), 4);
	ck_assert_uint_eq(pcr_utf8_width("\xe6\x97\xa5\xe6\x9c\xac"), 4);
	ck_assert_uint_eq(pcr_utf8_width("e\xcc\x81"), 1);
	ck_assert_uint_eq(pcr_utf8_fit("\xe6\x97\xa5\xe6\x9c\xac", 3, &used), 3);
	ck_assert_uint_eq(used, 2);
}
END_TEST

START_TEST(test_args)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "machine.slice/ci", "machine.slice/ci" },
		{ "foo\\x2dbar", "foo\\x2dbar" },
		{ "foo\\xe9", "foo\\xe9" },
		{ "caf\xe9", "caf\\xe9" },
		{ "caf\xe9\\xe9\\x2d", "caf\\xe9\\x5cxe9\\x2d" },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		json_t *json = pcr_arg_json(cases[i].in);

		ck_assert_str_eq(json_string_value(json), cases[i].out);
		json_decref(json);
	}
}
END_TEST

/* The manual page has every command and every option. */
START_TEST(test_manual)
{
	static const char *const options[] = { "-json", "-sort", "-limit", "-all", "-http", "-socket",
					       "-help", "-version" };
	char *man = golden_slurp("man/pcpu-reclaimctl.1"), word[64];

	for (size_t i = 0; i < pcr_n_commands; i++) {
		snprintf(word, sizeof(word), "\n.It Cm %s", pcr_commands[i].name);
		ck_assert_msg(strstr(man, word), "%s", pcr_commands[i].name);
	}
	for (size_t i = 0; i < PCR_ARRAY_SIZE(options); i++) {
		snprintf(word, sizeof(word), "Fl %s", options[i]);
		ck_assert_msg(strstr(man, word), "%s", options[i]);
	}
	free(man);
}
END_TEST

PCR_UNIT("client_show", test_status, test_status_on_a_stock_kernel, test_cgroups, test_policies,
	 test_explain, test_history, test_tasks, test_plan, test_watch, test_doctor, test_odd_replies, test_clean,
	 test_width, test_args, test_manual)
