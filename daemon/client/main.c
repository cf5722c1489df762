// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pcpu-reclaimctl: asks pcpu-reclaimd what it sees, does, and why.
 *
 *   options.c	the command line
 *   commands.c	the table of subcommands, and each of them
 *   record.c	a trace into a file
 *   ask.c	question and answer; exit codes; link.c is the socket below it
 *   show_*.c	replies as people read them
 *   metrics.c, metrics_table.c, scrape.c	the same for machines
 *   top.c, show_top.c, screen.c	one screen of it, kept up to date
 *   table.c, utf8.c, style.c	alignment, width and safety, colour
 */
#include <errno.h>
#include <string.h>

#include "client/client.h"

int main(int argc, char **argv)
{
	struct pcr_options options = { 0 };
	const struct pcr_command *command;
	int r;

	pcr_style_detect(stdout, &options.style);
	r = pcr_options_parse(argc, argv, &options, &command);
	if (command)
		r = command->run(&options);
	/* a full disk must not look like success */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "pcpu-reclaimctl: %s\n", strerror(errno));
		return r ? r : PCR_EXIT_FINDING;
	}
	return r;
}
