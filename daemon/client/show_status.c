// SPDX-License-Identifier: GPL-2.0-or-later
/* The first screen: is it running, can it act, what did it give back, what comes next. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "client/get.h"
#include "client/show.h"
#include "client/utf8.h"

static void label(const struct pcr_style *style, const char *name)
{
	fputs("  ", style->out);
	pcr_paint(style, PCR_BOLD, name);
	fprintf(style->out, "%*s", (int)(12 - strlen(name)), "");
}

static void headline(const json_t *s, const struct pcr_style *style)
{
	char span[PCR_TEXT];

	pcr_paint(style, PCR_GREEN, "●");
	fputs(" pcpu-reclaimd ", style->out);
	pcr_utf8_print(style->out, pcr_get_text(s, "version"));
	if (*pcr_get_text(s, "host")) {
		fputs(" on ", style->out);
		pcr_utf8_print(style->out, pcr_get_text(s, "host"));
	}
	fprintf(style->out, ", up %s", pcr_text_span(span, pcr_get_u64(s, "start_ago_usec")));
	if (*pcr_get_text(s, "kernel")) {
		fputs(", kernel ", style->out);
		pcr_utf8_print(style->out, pcr_get_text(s, "kernel"));
	}
	fputc('\n', style->out);
}

/* Off, absent and broken look different, and none of them is an alarm: doctor's task. */
static void acting(const json_t *s, const struct pcr_style *style)
{
	const json_t *settings = json_object_get(s, "settings"), *one;
	u64 dry = pcr_get_u64(settings, "dry_run_policies");
	char words[PCR_WORDS];
	size_t i;

	label(style, "Acting");
	json_array_foreach(json_object_get(s, "actions"), i, one) {
		bool ready = pcr_get_bool(one, "ready"), enabled = pcr_get_bool(one, "enabled");

		fputs(i ? "   " : "", style->out);
		pcr_utf8_print(style->out, pcr_get_text(one, "action"));
		fputc(' ', style->out);
		if (ready && enabled) {
			pcr_paint(style, PCR_GREEN, "✔");
			continue;
		}
		pcr_paint(style, PCR_DIM, "–");
		fputs(" (", style->out);
		pcr_utf8_print(style->out, !enabled ? "off" : *pcr_get_text(one, "why") ?
			       pcr_get_text(one, "why") : "not possible here");
		fputc(')', style->out);
	}
	if (pcr_get_bool(s, "dry_run"))
		fputs("   dry run: nothing is written", style->out);
	else if (pcr_has(dry) && dry > 0)
		fprintf(style->out, "   %s dry-run",
			pcr_words_count(words, dry, "policy", "policies"));
	fputc('\n', style->out);
}

static void pressure_words(const json_t *p, FILE *out)
{
	char words[PCR_WORDS];
	u64 triggers = pcr_get_u64(p, "triggers");

	if (!pcr_get_bool(p, "available"))
		fputs(", no pressure files", out);
	else if (!pcr_get_bool(p, "enabled"))
		fputs(", pressure off", out);
	else if (pcr_get_bool(p, "polled"))
		fputs(", pressure by polling", out);
	else
		fprintf(out, ", pressure by %s",
			pcr_words_count(words, triggers, "trigger", "triggers"));
}

static void watching(const json_t *s, const struct pcr_style *style)
{
	const json_t *w = json_object_get(s, "watching");
	u64 lost = pcr_get_u64(w, "overflows"), resyncs = pcr_get_u64(w, "resyncs");
	char words[PCR_WORDS];

	label(style, "Watching");
	if (*pcr_get_text(w, "cgroup_mount")) {
		fprintf(style->out, "%s by ",
			pcr_words_count(words, pcr_get_u64(w, "cgroups"), "cgroup", "cgroups"));
		pcr_utf8_print(style->out, pcr_get_text(w, "source"));
	} else {
		fputs("no cgroups: none are mounted", style->out);
	}
	if (pcr_has(lost)) {
		fprintf(style->out, " (%s", pcr_words_count(words, lost, "overflow", "overflows"));
		fprintf(style->out, ", %s", pcr_words_count(words, resyncs, "resync", "resyncs"));
		if (pcr_has(pcr_get_u64(w, "last_resync_ago_usec")))
			fprintf(style->out, ", the last %s",
				pcr_words_time(words, w, "last_resync"));
		fputc(')', style->out);
	}
	pressure_words(json_object_get(s, "pressure"), style->out);
	fputc('\n', style->out);
}

static void given_back(const json_t *s, const struct pcr_style *style)
{
	const json_t *t = json_object_get(s, "totals");
	u64 reap = pcr_get_u64(t, "reap_freed_bytes"), trim = pcr_get_u64(t, "trim_freed_bytes");
	u64 gone = pcr_get_u64(t, "reap_cgroups");
	char a[PCR_TEXT], b[PCR_TEXT], words[PCR_WORDS];

	label(style, "Given back");
	if (!pcr_has(reap) || !pcr_has(trim) || (reap == 0 && trim == 0 && gone == 0)) {
		fputs("nothing yet\n", style->out);
		return;
	}
	fprintf(style->out, "%s in %s: ", pcr_text_bytes(a, pcr_add_u64(reap, trim)),
		pcr_text_span(b, pcr_get_u64(s, "start_ago_usec")));
	fprintf(style->out, "reap %s (%s), trim %s\n", pcr_text_bytes(a, reap),
		pcr_words_count(words, gone, "removed cgroup", "removed cgroups"),
		pcr_text_bytes(b, trim));
}

/* Machine-wide memory pressure is the reading that names no cgroup. */
static u64 machine_pressure(const json_t *s)
{
	const json_t *one, *readings = json_object_get(json_object_get(s, "pressure"), "readings");
	size_t i;

	json_array_foreach(readings, i, one)
		if (!json_object_get(one, "cgroup"))
			return pcr_get_u64(one, "some_avg10_bp");
	return PCR_ABSENT;
}

/* What all of this costs: CPU time over the time it has been running, and memory. */
static void cost(const json_t *s, const struct pcr_style *style)
{
	u64 cpu = pcr_get_u64(s, "cpu_usec"), up = pcr_get_u64(s, "start_ago_usec");
	u64 rss = pcr_get_u64(s, "rss_bytes");
	bool share = pcr_has(cpu) && pcr_has(up) && up >= PCR_MSEC;
	char a[PCR_TEXT];

	if (!share && !pcr_has(rss))
		return;
	label(style, "Cost");
	if (share)
		fprintf(style->out, "%s CPU on average%s",
			pcr_text_bp(a, cpu * 10 / (up / PCR_MSEC)), pcr_has(rss) ? ", " : "");
	if (pcr_has(rss))
		fprintf(style->out, "%s memory", pcr_text_bytes(a, rss));
	fputc('\n', style->out);
}

static void now(const json_t *s, const struct pcr_style *style)
{
	const json_t *percpu = json_object_get(s, "percpu");
	u64 metadata = pcr_get_u64(percpu, "metadata_bytes"), surplus;
	char a[PCR_TEXT];

	label(style, "Now");
	fprintf(style->out, "percpu %s", pcr_text_bytes(a, pcr_get_u64(percpu, "percpu_bytes")));
	if (pcr_has(metadata))
		fprintf(style->out, " (+ %s metadata)", pcr_text_bytes(a, metadata));
	surplus = pcr_get_u64(percpu, "surplus_bytes");
	if (pcr_has(surplus))
		fprintf(style->out, ", %s can be trimmed", pcr_text_bytes(a, surplus));
	fprintf(style->out, ", dying %s", pcr_text_count(a, pcr_get_u64(s, "dying")));
	fprintf(style->out, ", pressure %s", pcr_text_bp(a, machine_pressure(s)));
	fputc('\n', style->out);
}

/* Percpu memory in all; a sum without a part of it would be too small, so that is said. */
static void footprint(const json_t *s, const struct pcr_style *style)
{
	const json_t *f = json_object_get(s, "footprint");
	u64 total = pcr_get_u64(f, "total_bytes"), memory = pcr_get_u64(f, "memory_bytes");
	u64 charged = pcr_get_u64(f, "charged_bytes"), lost = pcr_get_u64(f, "slab_lost_bytes");
	bool whole = pcr_has(total);
	char a[PCR_TEXT];

	if (!whole)
		total = pcr_get_u64(f, "payload_bytes");
	if (!pcr_has(total))
		return;
	label(style, "Footprint");
	fprintf(style->out, "%s of percpu memory %s metadata", pcr_text_bytes(a, total),
		whole ? "with" : "and unknown");
	if (pcr_has(memory) && memory >= 10000)
		fprintf(style->out, " (%s of all)", pcr_text_bp(a, total / (memory / 10000)));
	if (pcr_has(charged))
		fprintf(style->out, ", %s charged to cgroups", pcr_text_bytes(a, charged));
	if (pcr_has(lost))
		fprintf(style->out, "; about %s empty in half-used slabs", pcr_text_bytes(a, lost));
	fputc('\n', style->out);
}

static void forecast(const json_t *s, const struct pcr_style *style)
{
	const json_t *f = json_object_get(s, "forecast");
	u64 in = pcr_get_u64(f, "reached_in_usec");
	char a[PCR_TEXT];

	if (!f)
		return;
	label(style, "Forecast");
	fprintf(style->out, "percpu memory rises by %s an hour: ",
		pcr_text_bytes(a, pcr_get_u64(f, "slope_bytes_hour")));
	fprintf(style->out, "%s of memory ", pcr_text_bp(a, pcr_get_u64(f, "share_bp")));
	if (pcr_has(in))
		fprintf(style->out, "in %s\n", pcr_text_span(a, in));
	else
		fputs("reached\n", style->out);
}

/* Only where it is wanted and there: the line about actions tells the rest. */
static void batch_free(const json_t *s, const struct pcr_style *style)
{
	const json_t *b = json_object_get(s, "batch_free");

	if (!pcr_get_bool(b, "available") || !pcr_get_bool(b, "enabled"))
		return;
	label(style, "Batch free");
	pcr_show_batch_line(b, style->out);
}

static void collapse(const json_t *s, const struct pcr_style *style)
{
	const json_t *c = json_object_get(s, "collapse");
	char a[PCR_TEXT], b[PCR_TEXT], words[PCR_WORDS];

	if (!c)
		return;
	label(style, "Huge pages");
	fprintf(style->out, "%s made so far; %s at work",
		pcr_text_bytes(a, pcr_get_u64(c, "made_bytes")),
		pcr_text_count(b, pcr_get_u64(c, "working")));
	fprintf(style->out, " of %s",
		pcr_words_count(words, pcr_get_u64(c, "tasks"), "task", "tasks"));
	if (*pcr_get_text(c, "paused"))
		fprintf(style->out, ", paused %s", pcr_words_time(words, c, "paused"));
	fputc('\n', style->out);
}

static void next(const json_t *s, const struct pcr_style *style)
{
	const json_t *d = json_object_get(s, "next"), *wants = json_object_get(d, "wants");
	const char *policy = pcr_get_text(d, "policy");
	char words[PCR_WORDS];

	label(style, "Next");
	if (!d) {
		fputs("nothing in sight\n", style->out);
		return;
	}
	pcr_utf8_print(style->out, pcr_words_target(d));
	fputs(": ", style->out);
	pcr_utf8_print(style->out, pcr_get_text(d, "action"));
	if (pcr_get_bool(d, "act"))
		fputs(" now", style->out);
	else
		fprintf(style->out, " %s", pcr_words_time(words, d, "until"));
	fputs(" (", style->out);
	if (wants) {
		pcr_utf8_print(style->out, pcr_get_text(wants, "text"));
		fputs("; ", style->out);
	}
	pcr_utf8_print(style->out, pcr_get_text(d, "text"));
	if (*policy) {
		fputs("; policy \"", style->out);
		pcr_utf8_print(style->out, policy);
		fputc('"', style->out);
	}
	fputs(pcr_get_bool(d, "dry_run") ? "; dry run)\n" : ")\n", style->out);
}

static void warning(const struct pcr_style *style, const char *text)
{
	label(style, "Warning");
	pcr_paint(style, PCR_YELLOW, text);
	fputc('\n', style->out);
}

static void foreign(const struct pcr_style *style, const char *knob)
{
	char text[256];

	snprintf(text, sizeof(text), "%.160s was changed by another program; left alone", knob);
	warning(style, text);
}

static void warnings(const json_t *s, const struct pcr_style *style)
{
	static const char *const settings[] = { "empty_pages_low", "empty_pages_high",
						"reclaim_min_percent",
						"scan_sleep_millisecs", "pages_to_scan",
						"task_collapse_enabled" };
	const json_t *tree = json_object_get(s, "watching"), *one;
	const json_t *others = json_object_get(json_object_get(s, "batch_free"), "foreign");
	const char *error = pcr_get_text(json_object_get(s, "settings"), "error");
	char text[256];
	size_t at;

	if (*error) {
		label(style, "Warning");
		pcr_paint(style, PCR_YELLOW,
			  "new settings were refused, the old ones are in force:");
		fputs("\n    ", style->out);
		for (const char *p = error; *p;) {
			size_t n = strcspn(p, "\n");

			snprintf(text, sizeof(text), "%.*s", (int)pcr_min_u64(n, 255), p);
			pcr_utf8_print(style->out, text);
			p += n + (p[n] == '\n');
			fputs(*p ? "\n    " : "\n", style->out);
		}
	}
	for (size_t i = 0; i < PCR_ARRAY_SIZE(settings); i++) {
		const json_t *setting = json_object_get(s, settings[i]);

		if (!pcr_get_bool(setting, "foreign"))
			continue;
		foreign(style, pcr_get_text(setting, "knob"));
	}
	json_array_foreach(others, at, one)
		foreign(style, json_string_value(one) ? json_string_value(one) : "");
	if (!tree || pcr_get_bool(tree, "memory_v2"))
		return;
	if (pcr_get_bool(tree, "cgroup_v2") || !*pcr_get_text(tree, "cgroup_mount"))
		warning(style, "no memory controller: no cgroup can be reaped");
	else
		warning(style, "the memory controller is on cgroup v1: removed cgroups are counted "
			       "and reported, and reaped only with ForceEmpty=yes");
}

void pcr_show_status(const json_t *status, const struct pcr_style *style)
{
	headline(status, style);
	acting(status, style);
	watching(status, style);
	given_back(status, style);
	now(status, style);
	footprint(status, style);
	forecast(status, style);
	batch_free(status, style);
	collapse(status, style);
	cost(status, style);
	next(status, style);
	warnings(status, style);
}

void pcr_show_status_live(const json_t *status, const struct pcr_style *style)
{
	headline(status, style);
	now(status, style);
	next(status, style);
	warnings(status, style);
	given_back(status, style);
	collapse(status, style);
	batch_free(status, style);
	forecast(status, style);
	footprint(status, style);
	acting(status, style);
	watching(status, style);
	cost(status, style);
}
