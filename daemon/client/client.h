/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcpu-reclaimctl: its options, its exit codes, and its table of subcommands. */
#ifndef PCR_CLIENT_H
#define PCR_CLIENT_H

#include <jansson.h>
#include <signal.h>
#include <stdio.h>

#include "client/style.h"
#include "pcr/types.h"

#define PCR_SOCKET_DEFAULT "/run/pcpu-reclaimd/org.pcpu-reclaimd"
#define PCR_MANAGER "org.pcpu-reclaimd.Manager."

/* Documented in pcpu-reclaimctl(1); scripts rely on them. */
enum pcr_exit {
	PCR_EXIT_DONE = 0,
	PCR_EXIT_FINDING = 1,		/* doctor found a problem, or the daemon refused */
	PCR_EXIT_USAGE = 2,
	PCR_EXIT_NOT_RUNNING = 3,	/* or it does not answer */
	PCR_EXIT_NOT_PERMITTED = 4,
};

struct pcr_options {
	const char *socket;
	bool json;
	bool all;
	bool http;		/* metrics: as the answer to a request */
	const char *sort;	/* NULL: not said */
	u64 limit;		/* PCR_ABSENT: not said */
	int n_args;
	char **args;		/* what stands after the subcommand */
	struct pcr_style style;
};

struct pcr_command {
	const char *name;
	const char *args;	/* for help */
	const char *doc;
	int min_args, max_args;
	int (*run)(const struct pcr_options *options);
	bool sorts;		/* takes --sort */
	bool limits;		/* takes --limit and --all */
	bool no_json;		/* takes no --json: what it writes is for others */
	bool serves;		/* takes --http */
};

extern const struct pcr_command pcr_commands[];
extern const size_t pcr_n_commands;

/* 0, or an exit code after saying what is wrong. *ret_command: what to run; NULL: nothing. */
int pcr_options_parse(int argc, char **argv, struct pcr_options *ret_options,
		      const struct pcr_command **ret_command);
void pcr_usage(FILE *out);
void pcr_command_usage(FILE *out, const struct pcr_command *command);
/* By its name; PCR_EXIT_USAGE after saying that there is none. */
int pcr_command_find(const char *name, const struct pcr_command **ret_command);

/*
 * One question, one answer (ask.c). Takes params over. An exit code: what went
 * wrong has been said on stderr.
 */
int pcr_ask(const struct pcr_options *options, const char *method, json_t *params,
	    json_t **ret_reply);
/* The same for a reply in pieces: the arrays called list are joined. */
int pcr_ask_all(const struct pcr_options *options, const char *method, json_t *params,
		const char *list, json_t **ret_reply);
/* Calls back for each reply until one side ends it. */
int pcr_ask_watch(const struct pcr_options *options, const char *method,
		  void (*each)(const struct pcr_options *options, const json_t *reply));
/*
 * The same until *stopped. *ret_fd is the connection meanwhile, else -1: a signal handler
 * may shut it down, after which nothing is complained of.
 */
int pcr_ask_until(const struct pcr_options *options, const char *method,
		  void (*each)(const struct pcr_options *options, const json_t *reply),
		  const volatile sig_atomic_t *stopped, volatile int *ret_fd);

/* record.c */
int pcr_run_record(const struct pcr_options *options);

/* Commands that are more than one question (scrape.c, top.c). */
int pcr_run_metrics(const struct pcr_options *options);
int pcr_run_top(const struct pcr_options *options);

/* A name or path from the command line, as JSON; NULL: no memory. */
json_t *pcr_arg_json(const char *arg);

#endif
