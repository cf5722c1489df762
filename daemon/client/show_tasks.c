// SPDX-License-Identifier: GPL-2.0-or-later
/* Huge pages for tasks: a table like top's, those at work first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "client/get.h"
#include "client/show.h"
#include "client/table.h"
#include "client/utf8.h"

static u64 figure(const json_t *row, const char *key)
{
	u64 v = pcr_get_u64(row, key);

	return pcr_has(v) ? v : 0;
}

/* At work before at rest, then by what there is to gain, then by pid. */
static int before(const void *a, const void *b)
{
	const json_t *x = *(const json_t *const *)a, *y = *(const json_t *const *)b;
	u64 left_x = figure(x, "eligible_bytes"), left_y = figure(y, "eligible_bytes");

	if (pcr_get_bool(x, "working") != pcr_get_bool(y, "working"))
		return pcr_get_bool(x, "working") ? -1 : 1;
	if (left_x != left_y)
		return left_x > left_y ? -1 : 1;
	return figure(x, "pid") < figure(y, "pid") ? -1 : 1;
}

static const char *rate_words(char buf[static PCR_WORDS], const json_t *row)
{
	u64 rate = pcr_get_u64(row, "rate_bytes");
	char a[PCR_TEXT];

	if (!pcr_get_bool(row, "working"))
		return "";
	if (!pcr_has(rate))
		return "starts";
	snprintf(buf, PCR_WORDS, "%s/s", pcr_text_bytes(a, rate));
	return buf;
}

/* Why nothing is done, or who does it. */
static const char *why_words(char buf[static PCR_WORDS], const json_t *row)
{
	const json_t *d = json_object_get(row, "decision");
	const char *how = pcr_get_text(row, "how");

	if (pcr_get_bool(d, "act"))
		snprintf(buf, PCR_WORDS, "%s", strcmp(how, "task") == 0 ? "by the task itself" :
			 strcmp(how, "madvise") == 0 ? "by process_madvise" : "waits for its turn");
	else
		snprintf(buf, PCR_WORDS, "%.160s", pcr_get_text(d, "text"));
	return buf;
}

static void task_row(struct pcr_table *table, const json_t *row)
{
	char pid[PCR_TEXT], left[PCR_TEXT], huge[PCR_TEXT], bp[PCR_TEXT], rate[PCR_WORDS];
	char why[PCR_WORDS];
	const char *cells[] = {
		pcr_get_text(row, "cgroup"),
		pid,
		pcr_get_text(row, "name"),
		pcr_text_bytes(left, pcr_get_u64(row, "eligible_bytes")),
		pcr_text_bytes(huge, pcr_get_u64(row, "huge_bytes")),
		rate_words(rate, row),
		pcr_text_bp(bp, pcr_get_u64(row, "success_bp")),
		why_words(why, row),
	};

	snprintf(pid, sizeof(pid), "%llu", (unsigned long long)pcr_get_u64(row, "pid"));
	pcr_table_add(table, PCR_ARRAY_SIZE(cells), cells);
}

static void machine(const json_t *c, const struct pcr_style *style)
{
	char a[PCR_TEXT], b[PCR_TEXT], words[PCR_WORDS];

	fprintf(style->out, "%s made huge, %s looked at",
		pcr_text_bytes(a, pcr_get_u64(c, "made_bytes")),
		pcr_text_bytes(b, pcr_get_u64(c, "scanned_bytes")));
	fprintf(style->out, " (budget %s", pcr_text_bytes(a, pcr_get_u64(c, "budget_bytes")));
	fprintf(style->out, " in %s)", pcr_text_span(a, pcr_get_u64(c, "budget_usec")));
	if (*pcr_get_text(c, "paused"))
		fprintf(style->out, "; paused %s: %s", pcr_words_time(words, c, "paused"),
			strcmp(pcr_get_text(c, "paused"), "paused") == 0 ? "memory pressure" :
			"no free huge pages");
	fputc('\n', style->out);
}

void pcr_show_tasks(const json_t *reply, const struct pcr_style *style)
{
	static const struct pcr_column columns[] = {
		{ "CGROUP", false }, { "PID", true },  { "NAME", false },    { "ELIGIBLE", true },
		{ "HUGE", true },    { "RATE", true }, { "SUCCESS", true },  { "STATE", false },
	};
	const json_t *rows = json_object_get(reply, "tasks");
	const json_t *c = json_object_get(reply, "collapse");
	size_t n = json_array_size(rows);
	const json_t **sorted = calloc(n ? n : 1, sizeof(*sorted));
	struct pcr_table table;
	char words[PCR_WORDS];
	u64 left_out = pcr_get_u64(c, "left_out");

	if (!sorted)
		return;
	for (size_t i = 0; i < n; i++)
		sorted[i] = json_array_get(rows, i);
	qsort(sorted, n, sizeof(*sorted), before);
	machine(c, style);
	/* The first column gives way where the terminal is narrow. */
	pcr_table_init(&table, columns, PCR_ARRAY_SIZE(columns));
	for (size_t i = 0; i < n; i++)
		task_row(&table, sorted[i]);
	if (n)
		pcr_table_print(&table, style);
	else
		fputs("No task of a cgroup whose policy has Collapse=.\n", style->out);
	if (pcr_has(left_out) && left_out)
		fprintf(style->out, "%s left out: too many\n",
			pcr_words_count(words, left_out, "task", "tasks"));
	pcr_table_clear(&table);
	free(sorted);
}

void pcr_show_task(const json_t *t, const struct pcr_style *style)
{
	char a[PCR_TEXT], words[PCR_WORDS];

	fprintf(style->out, "  seen      %s anonymous, %s",
		pcr_text_bytes(a, pcr_get_u64(t, "anon_bytes")),
		pcr_get_bool(t, "running") ? "runs" : "sleeps");
	fprintf(style->out, "; huge %s", pcr_text_bytes(a, pcr_get_u64(t, "huge_bytes")));
	if (pcr_has(pcr_get_u64(t, "success_bp")))
		fprintf(style->out, "; of what was looked at %s became huge",
			pcr_text_bp(a, pcr_get_u64(t, "success_bp")));
	fprintf(style->out, "; started %s\n", pcr_words_time(words, t, "start"));
	if (*pcr_get_text(t, "error")) {
		fputs("  refused   ", style->out);
		pcr_utf8_print(style->out, pcr_get_text(t, "error"));
		fputc('\n', style->out);
	}
}
