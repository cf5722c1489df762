// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of subcommands, and each of them. */
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/suggest.h"
#include "client/client.h"
#include "client/get.h"
#include "client/show.h"
#include "client/utf8.h"

typedef void (*show_fn)(const json_t *reply, const struct pcr_style *style);

/* Rows that fit a screen; --all and --limit for others. */
#define ROWS 20

static void print_json(const struct pcr_options *options, const json_t *reply)
{
	json_dumpf(reply, options->style.out, JSON_COMPACT);
	fputc('\n', options->style.out);
	fflush(options->style.out);
}

/* Shows a reply, which it takes over, unless there is none. */
static int show(const struct pcr_options *options, int r, json_t *reply, show_fn fn)
{
	if (r != 0)
		return r;
	if (options->json)
		print_json(options, reply);
	else
		fn(reply, &options->style);
	json_decref(reply);
	return 0;
}

static int run_status(const struct pcr_options *options)
{
	json_t *reply = NULL;
	int r = pcr_ask(options, PCR_MANAGER "GetStatus", NULL, &reply);

	return show(options, r, reply, pcr_show_status);
}

/* {"limit": N} as said or by default, none with --all. */
static json_t *limited(const struct pcr_options *options)
{
	json_t *params = json_object();

	if (!options->all)
		json_object_set_new(params, "limit", json_integer((json_int_t)(
			pcr_has(options->limit) ? pcr_min_u64(options->limit, INT64_MAX) : ROWS)));
	return params;
}

static int run_cgroups(const struct pcr_options *options)
{
	json_t *reply = NULL, *params = limited(options);
	int r;

	if (options->sort)
		json_object_set_new(params, "sort", json_string(options->sort));
	r = pcr_ask_all(options, PCR_MANAGER "ListCgroups", params, "cgroups", &reply);
	return show(options, r, reply, pcr_show_cgroups);
}

static int run_policies(const struct pcr_options *options)
{
	json_t *reply = NULL;
	int r = pcr_ask_all(options, PCR_MANAGER "ListPolicies", NULL, "policies", &reply);

	return show(options, r, reply, pcr_show_policies);
}

static int run_explain(const struct pcr_options *options)
{
	json_t *reply = NULL, *params = json_object();
	int r;

	json_object_set_new(params, "target", pcr_arg_json(options->args[0]));
	r = pcr_ask(options, PCR_MANAGER "Explain", params, &reply);
	return show(options, r, reply, pcr_show_explain);
}

static int run_history(const struct pcr_options *options)
{
	json_t *reply = NULL, *params = limited(options);
	int r;

	if (options->n_args > 0)
		json_object_set_new(params, "cgroup", pcr_arg_json(options->args[0]));
	r = pcr_ask_all(options, PCR_MANAGER "GetHistory", params, "records", &reply);
	return show(options, r, reply, pcr_show_history);
}

/* All of them: a screen's worth by pid would be no use, and there are a thousand at most. */
static int run_collapse(const struct pcr_options *options)
{
	json_t *reply = NULL;
	int r = pcr_ask_all(options, PCR_MANAGER "ListTasks", NULL, "tasks", &reply);

	return show(options, r, reply, pcr_show_tasks);
}

static int run_plan(const struct pcr_options *options)
{
	json_t *reply = NULL;
	int r = pcr_ask(options, PCR_MANAGER "GetPlan", NULL, &reply);

	return show(options, r, reply, pcr_show_plan);
}

static void watched(const struct pcr_options *options, const json_t *reply)
{
	if (options->json)
		print_json(options, reply);
	else
		pcr_show_watch(reply, &options->style);
}

static int run_watch(const struct pcr_options *options)
{
	return pcr_ask_watch(options, PCR_MANAGER "Watch", watched);
}

static int run_doctor(const struct pcr_options *options)
{
	json_t *reply = NULL;
	int r = pcr_ask(options, PCR_MANAGER "Doctor", NULL, &reply);
	u64 problems = pcr_get_u64(reply, "problems");

	r = show(options, r, reply, pcr_show_doctor);
	return r ? r : pcr_has(problems) && problems > 0 ? PCR_EXIT_FINDING : PCR_EXIT_DONE;
}

/* {"bytes": N} from an argument that may be missing; an exit code. */
static int put_bytes(const struct pcr_options *options, int arg, json_t *params)
{
	u64 bytes;

	if (arg >= options->n_args)
		return 0;
	if (pcr_parse_size(options->args[arg], strlen(options->args[arg]), &bytes) != 0 ||
	    bytes == 0 || bytes > INT64_MAX) {
		fputs("Not a size (such as 16M): ", stderr);
		pcr_utf8_print(stderr, options->args[arg]);
		fputc('\n', stderr);
		return PCR_EXIT_USAGE;
	}
	return json_object_set_new(params, "bytes", json_integer((json_int_t)bytes)) < 0 ?
		PCR_EXIT_FINDING : 0;
}

/* A request whose answer is that it was taken. Takes params over. */
static int request(const struct pcr_options *options, const char *method, json_t *params,
		   const char *said)
{
	json_t *reply = NULL;
	int r = pcr_ask(options, method, params, &reply);

	if (r != 0)
		return r;
	if (options->json)
		print_json(options, reply);
	else
		fprintf(options->style.out, "%s\n", said);
	json_decref(reply);
	return 0;
}

static int run_reap(const struct pcr_options *options)
{
	json_t *params = json_object();
	int r = put_bytes(options, 1, params);

	if (r != 0) {
		json_decref(params);
		return r;
	}
	json_object_set_new(params, "cgroup", pcr_arg_json(options->args[0]));
	return request(options, PCR_MANAGER "Reap", params,
		       "Asked. What comes of it: pcpu-reclaimctl history");
}

static int run_trim(const struct pcr_options *options)
{
	json_t *params = json_object();
	int r = put_bytes(options, 0, params);

	if (r != 0) {
		json_decref(params);
		return r;
	}
	return request(options, PCR_MANAGER "Trim", params,
		       "Asked. What comes of it: pcpu-reclaimctl history");
}

static void show_reload(const json_t *reply, const struct pcr_style *style)
{
	const char *warnings = pcr_get_text(reply, "warnings");

	pcr_utf8_print_lines(style->out, warnings);
	fputs(*warnings && warnings[strlen(warnings) - 1] != '\n' ? "\n" : "", style->out);
	fputs("The new settings are in force.\n", style->out);
}

static int run_reload(const struct pcr_options *options)
{
	json_t *reply = NULL;
	int r = pcr_ask(options, PCR_MANAGER "Reload", NULL, &reply);

	return show(options, r, reply, show_reload);
}

static const char *const levels[] = { "emerg", "alert", "crit", "err", "warning", "notice", "info",
				      "debug" };

static void show_level(const json_t *status, const struct pcr_style *style)
{
	u64 level = pcr_get_u64(status, "log_level");

	fprintf(style->out, "%s\n", level < PCR_ARRAY_SIZE(levels) ? levels[level] : "–");
}

/* It is one figure of the status; the others were not asked for. */
static int ask_level(const struct pcr_options *options)
{
	json_t *status = NULL, *level = json_object();
	int r = pcr_ask(options, PCR_MANAGER "GetStatus", NULL, &status);

	json_object_set(level, "log_level", json_object_get(status, "log_level"));
	json_decref(status);
	if (r != 0)
		json_decref(level);
	return show(options, r, level, show_level);
}

static int run_log_level(const struct pcr_options *options)
{
	const char *arg;
	u64 level;

	if (options->n_args == 0)
		return ask_level(options);
	arg = options->args[0];
	if (pcr_parse_u64(arg, strlen(arg), &level) != 0)
		for (level = 0; level < PCR_ARRAY_SIZE(levels); level++)
			if (strcmp(arg, levels[level]) == 0)
				break;
	if (level < 3 || level >= PCR_ARRAY_SIZE(levels)) {
		const char *near = pcr_suggest(arg, levels + 3, PCR_ARRAY_SIZE(levels) - 3);

		fputs("Not a log level (err, warning, notice, info, debug, or 3 to 7): ", stderr);
		pcr_utf8_print(stderr, arg);
		fprintf(stderr, near ? "; did you mean %s?\n" : "\n", near);
		return PCR_EXIT_USAGE;
	}
	return request(options, PCR_MANAGER "SetLogLevel",
		       json_pack("{s:I}", "level", (json_int_t)level), "Done.");
}

static int run_help(const struct pcr_options *options)
{
	const struct pcr_command *command;
	int r;

	if (options->n_args == 0) {
		pcr_usage(options->style.out);
		return 0;
	}
	r = pcr_command_find(options->args[0], &command);
	if (r == 0)
		pcr_command_usage(options->style.out, command);
	return r;
}

const struct pcr_command pcr_commands[] = {
	{ "status", "", "is it running, can it act, what did it give back", 0, 0,
	  .run = run_status },
	{ "cgroups", "", "living cgroups, those that pin most first", 0, 0, .run = run_cgroups,
	  .sorts = true, .limits = true },
	{ "policies", "", "[Policy] sections, and how many cgroups each applies to", 0, 0,
	  .run = run_policies },
	{ "collapse", "", "tasks whose memory a policy wants in huge pages", 0, 0,
	  .run = run_collapse },
	{ "explain", "CGROUP|PID|percpu|NODE|KNOB", "what is wanted, what holds it back, what was done",
	  1, 1, .run = run_explain },
	{ "history", "[CGROUP]", "what was done and what came of it, newest first", 0, 1,
	  .run = run_history, .limits = true },
	{ "plan", "", "what would be done now, without doing it", 0, 0, .run = run_plan },
	{ "watch", "", "each action as it ends", 0, 0, .run = run_watch },
	{ "top", "", "all of this on one screen, kept up to date", 0, 0, .run = pcr_run_top,
	  .sorts = true, .no_json = true },
	{ "metrics", "", "figures for Prometheus, as OpenMetrics", 0, 0, .run = pcr_run_metrics,
	  .no_json = true, .serves = true },
	{ "record", "FILE [TIME]", "a trace of what happens, for pcpu-reclaimd replay", 1, 2,
	  .run = pcr_run_record },
	{ "doctor", "", "every knob and source: there, usable, why not", 0, 0, .run = run_doctor },
	{ "reap", "CGROUP [SIZE]", "reclaim below CGROUP now (root)", 1, 2, .run = run_reap },
	{ "trim", "[SIZE]", "give empty percpu pages back now (root)", 0, 1, .run = run_trim },
	{ "reload", "", "read the settings again (root)", 0, 0, .run = run_reload },
	{ "log-level", "[LEVEL]", "show it, or set it (root): err, warning, notice, info, debug", 0, 1,
	  .run = run_log_level },
	{ "help", "[COMMAND]", "this list, or one line of it", 0, 1, .run = run_help },
};
const size_t pcr_n_commands = PCR_ARRAY_SIZE(pcr_commands);
