// SPDX-License-Identifier: GPL-2.0-or-later
/* A recorded trace under other settings: nothing is touched but the two files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "app/app.h"
#include "app/tally.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "conf/conf.h"
#include "policy/policy.h"
#include "sys/root.h"
#include "trace/replay.h"

/* An hour of 1,000 cgroups is some 10 MB. */
#define TRACE_MAX (512u << 20)

/* --- what is printed --- */

struct print {
	FILE *out;		/* NULL: only counted */
	bool v1;
	struct pcr_tally tally;
};

static void print_time(FILE *out, u64 at)
{
	fprintf(out, "%8llu.%03llu s  ", (unsigned long long)(at / PCR_SEC),
		(unsigned long long)(at % PCR_SEC / PCR_MSEC));
}

static void on_write(void *data, u64 at, const struct pcr_decision *d, const char *path)
{
	struct print *p = data;

	if (!p->out)
		return;
	print_time(p->out, at);
	if (d->action == PCR_ACT_REAP) {
		fputs("write /", p->out);
		pcr_print_plain(p->out, path);
		if (p->v1)
			fprintf(p->out, "%s" PCR_MEMORY_FORCE_EMPTY " 0", *path ? "/" : "");
		else
			fprintf(p->out, "%s" PCR_MEMORY_RECLAIM " %llu", *path ? "/" : "",
				(unsigned long long)d->amount);
	} else if (d->action == PCR_ACT_TRIM && *path) {
		fputs("drive out the spare chunk of percpu memory", p->out);
	} else if (d->action == PCR_ACT_TRIM) {
		fputs("write " PCR_PERCPU_RECLAIM " max", p->out);
	} else {
		fprintf(p->out, "write %s %llu", pcr_setting_knob(d->setting),
			(unsigned long long)d->amount);
	}
	fprintf(p->out, "  (%s)\n", pcr_reason_name(d->why));
}

static void on_record(void *data, u64 at, const struct pcr_record *record)
{
	struct print *p = data;
	char text[PCR_SHOWN + 384];

	pcr_tally_record(&p->tally, record);
	if (!p->out)
		return;
	print_time(p->out, at);
	pcr_print_plain(p->out, pcr_record_text(text, sizeof(text), record));
	fputc('\n', p->out);
}

static void print_head(const char *path, const struct pcr_trace *t, const char *config,
		       const struct pcr_replay_figures *f)
{
	char a[PCR_TEXT], b[PCR_TEXT], c[PCR_TEXT];

	printf("trace     ");
	pcr_print_plain(stdout, path);
	printf(", recorded %s by %s on %s\n", t->date, t->version, t->kernel);
	printf("          %s, cgroups %s at most, removed %s%s\n", pcr_text_span(a, f->usec),
	       pcr_text_count(b, f->cgroups), pcr_text_count(c, f->removed),
	       t->ended ? "" : "; its end was cut off");
	printf("settings  ");
	pcr_print_plain(stdout, config ? config : "those of this machine");
	printf("\n\n");
}

/* --- all of it --- */

static int run(const char *path, const struct pcr_trace *t, const struct pcr_settings *set,
	       struct print *print, struct pcr_replay_figures *figures)
{
	const struct pcr_replay_ops ops = { .write = on_write, .record = on_record, .data = print };
	struct pcr_trace_fault fault;
	int r = pcr_replay(t, set, &ops, figures, &fault);

	if (r == -EINVAL)
		fprintf(stderr, "%s:%u:%u: %s\n", path, fault.line, fault.column, fault.text);
	else if (r < 0 || print->tally.nomem)
		fprintf(stderr, "pcpu-reclaimd: %s\n", strerror(ENOMEM));
	return r == -EINVAL ? EX_DATAERR : r < 0 || print->tally.nomem ? EX_OSERR : 0;
}

static void print_report(struct pcr_conf_report *report)
{
	char *text = pcr_conf_report_text(report);

	if (report->n)
		fprintf(stderr, "%s\n", text ? text : strerror(ENOMEM));
	free(text);
	pcr_conf_report_done(report);
}

static int replay(const char *path, const struct pcr_trace *t, const char *config,
		  const struct pcr_settings *then, const struct pcr_settings *now)
{
	struct print before = { 0 }, after = { .v1 = t->v1 };
	struct pcr_replay_figures figures;
	int status = run(path, t, then, &before, &figures);

	if (status == 0) {
		print_head(path, t, config, &figures);
		after.out = stdout;
		status = run(path, t, now, &after, &figures);
	}
	if (status == 0) {
		printf("\ndifference to the settings in force then\n");
		pcr_tally_compare(stdout, &before.tally, &after.tally);
		if (fflush(stdout) != 0)
			status = EX_IOERR;
	}
	pcr_tally_free(&before.tally);
	pcr_tally_free(&after.tally);
	return status;
}

static int load_both(const char *path, const struct pcr_trace *t, const char *config,
		     struct pcr_settings **ret_then, struct pcr_settings **ret_now)
{
	struct pcr_conf_report report = { 0 };
	char name[4200];
	int r;

	snprintf(name, sizeof(name), "%s: settings in force", path);
	r = pcr_conf_parse_text(name, t->settings, t->settings_n, ret_then, &report);
	if (r < 0) {
		print_report(&report);
		return EX_DATAERR;
	}
	pcr_conf_report_done(&report);
	report = (struct pcr_conf_report){ 0 };
	r = pcr_conf_load("", config, ret_now, &report);
	print_report(&report);
	return r < 0 ? EX_CONFIG : 0;
}

int pcr_app_replay(const char *path, const char *config)
{
	struct pcr_settings *then = NULL, *now = NULL;
	PCR_AUTOFREE char *text = NULL;
	struct pcr_trace trace = { 0 };
	struct pcr_trace_fault fault;
	size_t n = 0;
	int status, r = pcr_slurp_file(path, 0, TRACE_MAX, &text, &n);

	if (r < 0) {
		fprintf(stderr, "pcpu-reclaimd: %s: %s\n", path, strerror(-r));
		return EX_NOINPUT;
	}
	r = pcr_trace_parse(text, n, &trace, &fault);
	if (r == -EINVAL)
		fprintf(stderr, "%s:%u:%u: %s\n", path, fault.line, fault.column, fault.text);
	else if (r < 0)
		fprintf(stderr, "pcpu-reclaimd: %s\n", strerror(-r));
	if (r < 0)
		return r == -EINVAL ? EX_DATAERR : EX_OSERR;
	status = load_both(path, &trace, config, &then, &now);
	if (status == 0)
		status = replay(path, &trace, config, then, now);
	pcr_settings_free(then);
	pcr_settings_free(now);
	pcr_trace_free(&trace);
	return status;
}
