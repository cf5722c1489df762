// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/suggest.h"
#include "client/client.h"
#include "client/utf8.h"

void pcr_usage(FILE *out)
{
	fputs("pcpu-reclaimctl [OPTION...] [COMMAND]\n\n"
	      "Commands (status, when none is given):\n", out);
	for (size_t i = 0; i < pcr_n_commands; i++) {
		const struct pcr_command *c = &pcr_commands[i];

		fprintf(out, "  %-9s %-18s  %s\n", c->name, c->args, c->doc);
	}
	fputs("\nOptions:\n"
	      "  --json              print the reply as JSON\n"
	      "  --sort KEY          cgroups, top: pinned (default), dying or name\n"
	      "  --limit N, --all    cgroups, history: so many rows (default 20), all of them\n"
	      "  --http              metrics: as the answer to one HTTP request on stdin\n"
	      "  --socket PATH       where the daemon listens\n"
	      "  -h, --help          this list\n"
	      "  --version\n\n"
	      "Exit status: 0 done, 1 problem found or refused, 2 usage, 3 daemon not running,\n"
	      "4 not permitted. See pcpu-reclaimctl(1).\n", out);
}

void pcr_command_usage(FILE *out, const struct pcr_command *command)
{
	fprintf(out, "Usage: pcpu-reclaimctl [OPTION...] %s%s%s\n%s\n", command->name,
		*command->args ? " " : "", command->args, command->doc);
	if (command->sorts)
		fputs("  --sort KEY          pinned (default), dying or name\n", out);
	if (command->limits)
		fputs("  --limit N, --all    so many rows (default 20), all of them\n", out);
	if (command->serves)
		fputs("  --http              as the answer to one HTTP request on stdin\n", out);
}

static int complain(const char *what, const char *word, const char *near)
{
	fputs(what, stderr);
	pcr_utf8_print(stderr, word);
	fprintf(stderr, near ? "; did you mean %s?\n" : "\nSee: pcpu-reclaimctl --help\n", near);
	return PCR_EXIT_USAGE;
}

int pcr_command_find(const char *name, const struct pcr_command **ret_command)
{
	const char *names[32];
	size_t n = pcr_min_u64(pcr_n_commands, PCR_ARRAY_SIZE(names));

	for (size_t i = 0; i < n; i++) {
		names[i] = pcr_commands[i].name;
		if (strcmp(name, names[i]) == 0) {
			*ret_command = &pcr_commands[i];
			return 0;
		}
	}
	return complain("Unknown command: ", name, pcr_suggest(name, names, n));
}

static int check_sort(const char *sort)
{
	static const char *const sorts[] = { "pinned", "dying", "name" };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(sorts); i++)
		if (strcmp(sort, sorts[i]) == 0)
			return 0;
	return complain("Not a key to sort by (pinned, dying or name): ", sort,
			pcr_suggest(sort, sorts, PCR_ARRAY_SIZE(sorts)));
}

/* An option that would change nothing is a mistake, and said. */
static int check_options(const struct pcr_options *o, const struct pcr_command *command)
{
	const char *option = o->sort && !command->sorts ? "--sort" :
			     pcr_has(o->limit) && !command->limits ? "--limit" :
			     o->all && !command->limits ? "--all" :
			     o->json && command->no_json ? "--json" :
			     o->http && !command->serves ? "--http" : NULL;

	if (!option)
		return 0;
	fprintf(stderr, "%s means nothing to %s.\nSee: pcpu-reclaimctl --help\n", option,
		command->name);
	return PCR_EXIT_USAGE;
}

/* One option; 0, an exit code, or -1 where nothing is left to do. */
static int take_option(int option, struct pcr_options *o)
{
	switch (option) {
	case 'j':
		o->json = true;
		return 0;
	case 'a':
		o->all = true;
		return 0;
	case 'H':
		o->http = true;
		return 0;
	case 's':
		o->sort = optarg;
		return check_sort(optarg);
	case 'n':
		if (pcr_parse_u64(optarg, strlen(optarg), &o->limit) == 0 && o->limit < INT64_MAX)
			return 0;
		return complain("Not a number of rows: ", optarg, NULL);
	case 'S':
		o->socket = optarg;
		return 0;
	case 'h':
		pcr_usage(o->style.out);
		return -1;
	case 'V':
		fputs("pcpu-reclaimctl " PCR_VERSION "\n", o->style.out);
		return -1;
	default:
		fputs("See: pcpu-reclaimctl --help\n", stderr);
		return PCR_EXIT_USAGE;
	}
}

int pcr_options_parse(int argc, char **argv, struct pcr_options *ret_options,
		      const struct pcr_command **ret_command)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "all", no_argument, NULL, 'a' },
		{ "sort", required_argument, NULL, 's' },
		{ "limit", required_argument, NULL, 'n' },
		{ "http", no_argument, NULL, 'H' },
		{ "socket", required_argument, NULL, 'S' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	struct pcr_options o = { .socket = PCR_SOCKET_DEFAULT, .limit = PCR_ABSENT,
				 .style = ret_options->style };
	const struct pcr_command *command = pcr_commands;
	int option, r;

	*ret_command = NULL;
	optind = 0;	/* from the start, also when called again */
	while ((option = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		r = take_option(option, &o);
		if (r != 0)
			return r < 0 ? 0 : r;
	}
	r = optind < argc ? pcr_command_find(argv[optind++], &command) : 0;
	if (r != 0)
		return r;
	o.args = argv + optind;
	o.n_args = argc - optind;
	if (o.n_args > command->max_args)
		return complain("Too many arguments: ", o.args[command->max_args], NULL);
	if (o.n_args < command->min_args) {
		fprintf(stderr, "Usage: pcpu-reclaimctl %s %s\n", command->name, command->args);
		return PCR_EXIT_USAGE;
	}
	r = check_options(&o, command);
	if (r != 0)
		return r;
	*ret_options = o;
	*ret_command = command;
	return 0;
}
