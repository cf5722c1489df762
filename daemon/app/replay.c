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

static u32 reloads(const struct pcr_trace *t)
{
	u32 n = 0;

	for (u32 i = 0; i < t->n; i++)
		n += t->event[i].kind == PCR_EVENT_SETTINGS;
	return n;
}

static void print_head(const char *path, const struct pcr_trace *t, const char *config,
		       const struct pcr_replay_figures *f)
{
	char a[PCR_TEXT], b[PCR_TEXT], c[PCR_TEXT];

	printf("trace     ");
	pcr_print_plain(stdout, path);
	printf(", recorded %s by %s on %s\n", t->date, t->version, t->kernel);
	printf("          %s, cgroups %s at most, removed %s", pcr_text_span(a, f->usec),
	       pcr_text_count(b, f->cgroups), pcr_text_count(c, f->removed));
	if (reloads(t))
		printf(", reloads %u", reloads(t));
	puts(t->ended ? "" : "; its end was cut off");
	printf("settings  ");
	pcr_print_plain(stdout, config ? config : "those of this machine");
	printf("\n\n");
}

/* --- all of it --- */

/* Settings, each in force until the next. */
struct in_force {
	u32 n;
	struct pcr_settings **set;
};

static int run(const char *path, const struct pcr_trace *t, const struct in_force *in_force,
	       struct print *print, struct pcr_replay_figures *figures)
{
	const struct pcr_replay_ops ops = { .write = on_write, .record = on_record, .data = print };
	struct pcr_trace_fault fault;
	int r = pcr_replay(t, (const struct pcr_settings *const *)in_force->set, in_force->n, &ops,
			   figures, &fault);

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
		  const struct in_force *then, const struct in_force *now)
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

/* One of those that are in the trace, since that time. */
static int load_one(const char *path, u64 since, const char *text, size_t n,
		    struct pcr_settings **ret_set)
{
	struct pcr_conf_report report = { 0 };
	char name[4200];
	int r;

	snprintf(name, sizeof(name), "%s: settings in force since %llu.%03llu s", path,
		 (unsigned long long)(since / PCR_SEC),
		 (unsigned long long)(since % PCR_SEC / PCR_MSEC));
	r = pcr_conf_parse_text(name, text, n, ret_set, &report);
	if (r < 0)
		print_report(&report);
	else
		pcr_conf_report_done(&report);
	return r < 0 ? EX_DATAERR : 0;
}

static int load_then(const char *path, const struct pcr_trace *t, struct in_force *then)
{
	int status;

	then->set = calloc(1 + (size_t)reloads(t), sizeof(struct pcr_settings *));
	if (!then->set) {
		fprintf(stderr, "pcpu-reclaimd: %s\n", strerror(ENOMEM));
		return EX_OSERR;
	}
	status = load_one(path, 0, t->settings, t->settings_n, &then->set[then->n]);
	then->n += status == 0;
	for (u32 i = 0; status == 0 && i < t->n; i++) {
		const struct pcr_event *e = &t->event[i];

		if (e->kind != PCR_EVENT_SETTINGS)
			continue;
		status = load_one(path, e->now, e->name, strlen(e->name), &then->set[then->n]);
		then->n += status == 0;
	}
	return status;
}

static int load_now(const char *config, struct in_force *now, struct pcr_settings **place)
{
	struct pcr_conf_report report = { 0 };
	int r = pcr_conf_load("", config, place, &report);

	print_report(&report);
	*now = (struct in_force){ .n = r == 0, .set = place };
	return r < 0 ? EX_CONFIG : 0;
}

static int replay_all(const char *path, const struct pcr_trace *t, const char *config)
{
	struct pcr_settings *set = NULL;
	struct in_force then = { 0 }, now;
	int status = load_then(path, t, &then);

	if (status == 0)
		status = load_now(config, &now, &set);
	if (status == 0)
		status = replay(path, t, config, &then, &now);
	for (u32 i = 0; i < then.n; i++)
		pcr_settings_free(then.set[i]);
	free(then.set);
	pcr_settings_free(set);
	return status;
}

int pcr_app_replay(const char *path, const char *config)
{
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
	status = replay_all(path, &trace, config);
	pcr_trace_free(&trace);
	return status;
}
