// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables: cgroups, policies, history, plan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "client/get.h"
#include "client/show.h"
#include "client/table.h"
#include "client/utf8.h"

/* What the table leaves out, and how to see it. */
static void more_rows(const struct pcr_style *style, u32 shown, u64 total, const char *one,
		      const char *many)
{
	char a[PCR_TEXT], words[PCR_WORDS];

	if (pcr_has(total) && total > shown)
		fprintf(style->out, "%s of %s; --all shows the rest\n", pcr_text_count(a, shown),
			pcr_words_count(words, total, one, many));
}

static void cgroup_row(struct pcr_table *table, const json_t *row)
{
	char children[PCR_TEXT], dying[PCR_TEXT], pinned[PCR_TEXT], percpu[PCR_TEXT];
	char pressure[PCR_TEXT];
	char record[PCR_WORDS];
	const json_t *last = json_object_get(row, "last");
	const char *cells[] = {
		pcr_get_text(row, "cgroup"),
		pcr_text_count(children, pcr_get_u64(row, "children")),
		pcr_text_count(dying, pcr_get_u64(row, "dying")),
		pcr_text_bytes(pinned, pcr_get_u64(row, "pinned_bytes")),
		pcr_text_bytes(percpu, pcr_get_u64(row, "percpu_bytes")),
		pcr_text_bp(pressure, pcr_get_u64(row, "pressure_some_avg10_bp")),
		pcr_get_text(row, "policy"),
		last ? pcr_words_record(record, last) : "",
	};

	pcr_table_add(table, PCR_ARRAY_SIZE(cells), cells);
}

void pcr_show_cgroups(const json_t *reply, const struct pcr_style *style)
{
	static const struct pcr_column columns[] = {
		{ "CGROUP", false },  { "CHILDREN", true }, { "DYING", true }, { "PINNED", true },
		{ "PERCPU", true },   { "PRESSURE", true }, { "POLICY", false },
		{ "LAST ACTION", false },
	};
	struct pcr_table table;
	const json_t *row;
	size_t i;

	pcr_table_init(&table, columns, PCR_ARRAY_SIZE(columns));
	json_array_foreach(json_object_get(reply, "cgroups"), i, row)
		cgroup_row(&table, row);
	pcr_table_print(&table, style);
	more_rows(style, table.n_rows, pcr_get_u64(reply, "total"), "cgroup", "cgroups");
	pcr_table_clear(&table);
}

/* All globs in one cell: they are what a policy is known by. */
static char *globs(const json_t *row)
{
	const json_t *one;
	char *text = NULL;
	size_t i, n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	json_array_foreach(json_object_get(row, "match"), i, one) {
		const char *glob = json_string_value(one);

		fprintf(out, "%s%s", i ? " " : "", glob ? glob : "?");
	}
	if (pcr_get_u64(row, "match_total") > i && pcr_has(pcr_get_u64(row, "match_total")))
		fputs(" …", out);
	fclose(out);
	return text;
}

static const char *reap_word(const json_t *row)
{
	if (!pcr_get_bool(row, "reap"))
		return "no";
	return pcr_get_bool(row, "dry_run") ? "dry run" : "yes";
}

/* "256 MiB/1 min" of key_bytes and key_usec; "" where there is none. */
static void rate_words(char buf[static PCR_WORDS], const json_t *row, const char *key)
{
	char bytes[PCR_TEXT], span[PCR_TEXT], name[64];
	u64 n;

	*buf = '\0';
	snprintf(name, sizeof(name), "%s_bytes", key);
	n = pcr_get_u64(row, name);
	if (!pcr_has(n))
		return;
	snprintf(name, sizeof(name), "%s_usec", key);
	snprintf(buf, PCR_WORDS, "%s/%s", pcr_text_bytes(bytes, n),
		 pcr_text_span(span, pcr_get_u64(row, name)));
}

static void policy_row(struct pcr_table *table, const json_t *row)
{
	char cgroups[PCR_TEXT], above[PCR_TEXT], cool[PCR_TEXT];
	char budget[PCR_WORDS], collapse[PCR_WORDS];
	char *match = globs(row);
	const char *cells[] = {
		pcr_get_text(row, "name"),
		pcr_text_count(cgroups, pcr_get_u64(row, "cgroups")),
		reap_word(row),
		pcr_text_count(above, pcr_get_u64(row, "reap_above")),
		budget,
		pcr_text_span(cool, pcr_get_u64(row, "cooldown_usec")),
		collapse,
		pcr_get_text(row, "where"),
		match,
	};

	rate_words(budget, row, "reap_budget");
	rate_words(collapse, row, "collapse");
	pcr_table_add(table, PCR_ARRAY_SIZE(cells), cells);
	free(match);
}

void pcr_show_policies(const json_t *reply, const struct pcr_style *style)
{
	static const struct pcr_column columns[] = {
		{ "POLICY", false }, { "CGROUPS", true },   { "REAP", false },	{ "ABOVE", true },
		{ "BUDGET", true },  { "COOLDOWN", true }, { "COLLAPSE", true }, { "WHERE", false },
		{ "MATCH", false },
	};
	struct pcr_table table;
	const json_t *row;
	size_t i;

	if (json_array_size(json_object_get(reply, "policies")) == 0) {
		fputs("No [Policy] section is set; [Percpu] applies to every cgroup.\n",
		      style->out);
		return;
	}
	pcr_table_init(&table, columns, PCR_ARRAY_SIZE(columns));
	json_array_foreach(json_object_get(reply, "policies"), i, row)
		policy_row(&table, row);
	pcr_table_print(&table, style);
	pcr_table_clear(&table);
}

/* A line between what this run of the daemon did and those before it; date instead of "ago". */
static void history_row(struct pcr_table *table, const json_t *row, const char **before)
{
	const char *run = pcr_get_text(row, "run_before");
	char when[PCR_WORDS];
	const char *cells[] = {
		when, pcr_get_text(row, "outcome"), pcr_get_text(row, "text"),
	};
	const char *line[] = {
		"", run, strcmp(run, "boot") ? "before the daemon was restarted:" :
					       "before the machine was booted:",
	};

	if (strcmp(run, *before))
		pcr_table_add(table, PCR_ARRAY_SIZE(line), line);
	*before = run;
	if (*run)
		snprintf(when, sizeof(when), "%.10s %.8sZ", pcr_get_text(row, "end_at"),
			 strlen(pcr_get_text(row, "end_at")) > 18 ? pcr_get_text(row, "end_at") + 11 : "");
	else
		pcr_words_time(when, row, "end");
	pcr_table_add(table, PCR_ARRAY_SIZE(cells), cells);
}

void pcr_show_history(const json_t *reply, const struct pcr_style *style)
{
	static const struct pcr_column columns[] = {
		{ "WHEN", true }, { "OUTCOME", false }, { "WHAT", false },
	};
	const struct pcr_style whole = { .out = style->out, .colour = style->colour };
	const char *before = "";
	struct pcr_table table;
	const json_t *row;
	size_t i;

	if (json_array_size(json_object_get(reply, "records")) == 0) {
		fputs("Nothing was done yet.\n", style->out);
		return;
	}
	pcr_table_init(&table, columns, PCR_ARRAY_SIZE(columns));
	json_array_foreach(json_object_get(reply, "records"), i, row)
		history_row(&table, row, &before);
	/* sentences are worth a second line; nothing is cut */
	pcr_table_print(&table, &whole);
	more_rows(style, (u32)i, pcr_get_u64(reply, "total"), "action", "actions");
	pcr_table_clear(&table);
}

static void decisions(const json_t *list, const char *lead, const struct pcr_style *style)
{
	const json_t *d, *wants;
	size_t i;

	json_array_foreach(list, i, d) {
		char bytes[PCR_TEXT];
		u64 amount = pcr_get_u64(d, "amount_bytes");

		fprintf(style->out, "  %s ", lead);
		pcr_utf8_print(style->out, pcr_get_text(d, "action"));
		fputc(' ', style->out);
		pcr_utf8_print(style->out, pcr_words_target(d));
		if (pcr_has(amount))
			fprintf(style->out, ", %s", pcr_text_bytes(bytes, amount));
		fputs(": ", style->out);
		wants = json_object_get(d, "wants");
		if (wants) {
			pcr_utf8_print(style->out, pcr_get_text(wants, "text"));
			fputs("; held back: ", style->out);
		}
		pcr_utf8_print(style->out, pcr_get_text(d, "text"));
		fputs(pcr_get_bool(d, "dry_run") ? " (dry run)\n" : "\n", style->out);
	}
}

void pcr_show_plan(const json_t *reply, const struct pcr_style *style)
{
	const json_t *now = json_object_get(reply, "decisions");
	const json_t *held = json_object_get(reply, "held");
	u64 more = pcr_get_u64(reply, "held_more");
	char words[PCR_WORDS];

	if (json_array_size(now))
		fputs("Would be done now", style->out);
	else if (json_array_size(held))
		fputs("Nothing would be done now", style->out);
	else
		fputs("Nothing to do now", style->out);
	if (pcr_has(pcr_get_u64(reply, "next_look_in_usec")))
		fprintf(style->out, "; next look %s", pcr_words_time(words, reply, "next_look"));
	fputs(json_array_size(now) ? ":\n" : ".\n", style->out);
	decisions(now, "→", style);
	if (json_array_size(held))
		fputs("Held back:\n", style->out);
	decisions(held, "–", style);
	if (pcr_has(more))
		fprintf(style->out, "  … and %s\n", pcr_words_count(words, more, "more", "more"));
}
