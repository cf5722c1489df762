// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pcpu-reclaimd: gives back memory that removed cgroups leave behind.
 *
 * The way through the house, room by room:
 *
 *   sys/     the only door to the kernel's files
 *   read/    text of those files -> numbers
 *   model/   what is remembered between samples          (pure)
 *   policy/  settings + state + now -> plan, as data     (pure)
 *   trace/   what was recorded, and what these would have done (pure)
 *   act/     plan -> knobs: backends, worker thread, ledger
 *   conf/    settings files -> one checked struct
 *   loop/    cgroup lifecycle, pressure, the crank that turns all of it
 *   ctl/     the control socket
 *   app/     owns one of each, and libev
 *   base/    leaves: parsing, globs, text, log
 *
 * main() reads its arguments and hands over to app/.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "app/app.h"
#include "base/log.h"
#include "conf/conf.h"

static void usage(FILE *to)
{
	fputs("usage: pcpu-reclaimd [OPTION...]\n"
	      "       pcpu-reclaimd replay TRACE [--config DIR]\n"
	      "Gives back memory that removed cgroups leave behind; see pcpu-reclaimd(8).\n\n"
	      "      --check-config   check the settings, say what is wrong, and exit\n"
	      "      --config DIR     read settings from DIR alone\n"
	      "      --root DIR       a recorded machine: every kernel file is below DIR\n"
	      "      --runtime DIR    instead of /run/pcpu-reclaimd\n"
	      "      --version\n"
	      "  -h, --help\n",
	      to);
}

/* 0, or -1 when the arguments make no sense. */
static int parse_args(int argc, char **argv, struct pcr_args *args)
{
	enum { CHECK = 256, CONFIG, ROOT, RUNTIME, VERSION };
	static const struct option options[] = {
		{ "check-config", no_argument, NULL, CHECK },
		{ "config", required_argument, NULL, CONFIG },
		{ "root", required_argument, NULL, ROOT },
		{ "runtime", required_argument, NULL, RUNTIME },
		{ "version", no_argument, NULL, VERSION },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (c) {
		case CHECK:
			args->check_config = true;
			break;
		case CONFIG:
			args->config = optarg;
			break;
		case ROOT:
			args->root = optarg;
			break;
		case RUNTIME:
			args->runtime = optarg;
			break;
		case VERSION:
			args->version = true;
			break;
		case 'h':
			args->help = true;
			break;
		default:
			return -1;
		}
	}
	if (argc - optind == 2 && !strcmp(argv[optind], "replay")) {
		args->replay = argv[optind + 1];
		return 0;
	}
	if (optind < argc)
		fprintf(stderr, "pcpu-reclaimd: %s: %s\n", argv[optind],
			strcmp(argv[optind], "replay") ? "takes options alone, or replay TRACE" :
							 "takes one file, of pcpu-reclaimctl record");
	return optind == argc ? 0 : -1;
}

static void print_note(const char *place, const char *text)
{
	printf("%s: note: %s\n", place, text);
}

/* What is right, and of no use on this machine. */
static void print_notes(const struct pcr_args *args, const struct pcr_settings *set)
{
	struct pcr_root root;

	if (!set || pcr_root_open(&root, args->root) < 0)
		return;
	pcr_app_notes(&root, set, print_note);
	pcr_root_close(&root);
}

static int check_config(const struct pcr_args *args)
{
	struct pcr_conf_report report = { 0 };
	struct pcr_settings *set = NULL;
	int r = pcr_conf_load(args->root ? args->root : "", args->config, &set, &report);
	char *text = pcr_conf_report_text(&report);

	if (report.n || !set)
		fprintf(stderr, "%s\n", text && report.n ? text : "out of memory");
	else
		printf("settings are good: %u file%s, %u polic%s\n", set->n_files,
		       set->n_files == 1 ? "" : "s", set->n_policies,
		       set->n_policies == 1 ? "y" : "ies");
	print_notes(args, set);
	free(text);
	pcr_conf_report_done(&report);
	pcr_settings_free(set);
	return r < 0 ? EX_CONFIG : EXIT_SUCCESS;
}

static int run(const struct pcr_args *args)
{
	static struct pcr_app app;
	int status = pcr_app_open(&app, args);

	if (status == 0) {
		/* Also the first use of the journal: its code is in memory from now on. */
		pcr_log_info("started: version %s, policies: %u", app.health.version,
			     app.set->n_policies);
		pcr_app_notify(&app, "READY=1");
		pcr_app_run(&app);
		pcr_app_notify(&app, "STOPPING=1");
	}
	pcr_app_close(&app);
	return status;
}

int main(int argc, char **argv)
{
	struct pcr_args args = { 0 };

	if (parse_args(argc, argv, &args) < 0) {
		usage(stderr);
		return EX_USAGE;
	}
	if (args.help) {
		usage(stdout);
		return EXIT_SUCCESS;
	}
	if (args.version) {
		printf("pcpu-reclaimd %s\n", PCR_VERSION);
		return EXIT_SUCCESS;
	}
	if (args.replay)
		return pcr_app_replay(args.replay, args.config);
	return args.check_config ? check_config(&args) : run(&args);
}
