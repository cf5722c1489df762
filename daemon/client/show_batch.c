// SPDX-License-Identifier: GPL-2.0-or-later
/* Help for exits: a line of the first screen, and what was tried on one node. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "client/get.h"
#include "client/show.h"

static bool is(const json_t *o, const char *key, const char *text)
{
	return strcmp(pcr_get_text(o, key), text) == 0;
}

static const char *exits_text(char words[static PCR_WORDS], u64 n)
{
	return pcr_words_count(words, n, "exit", "exits");
}

/* "auto node0=4 node1=2 (trying)": who sets it is told where it changes. */
static void nodes(const json_t *batch, FILE *out)
{
	const json_t *one;
	const char *before = "";
	char limit[PCR_TEXT];
	size_t i;

	json_array_foreach(json_object_get(batch, "nodes"), i, one) {
		const char *mode = pcr_get_bool(one, "auto") ? "auto" : "fixed";

		if (strcmp(mode, before))
			fprintf(out, "%s%s", i ? ", " : "", mode);
		before = mode;
		fprintf(out, " node%llu=%s", (unsigned long long)pcr_get_u64(one, "node"),
			pcr_text_count(limit, pcr_get_u64(one, "max_active")));
		if (strncmp(pcr_get_text(one, "search"), "trying", 6) == 0)
			fputs(" (trying)", out);
	}
}

void pcr_show_batch_line(const json_t *batch, FILE *out)
{
	u64 exits = pcr_get_u64(batch, "exits"), off = pcr_get_u64(batch, "cgroups_off");
	char words[PCR_WORDS], share[PCR_TEXT];

	nodes(batch, out);
	if (pcr_has(exits))
		fprintf(out, "; %s helped", exits_text(words, exits));
	if (pcr_has(off) && off > 0)
		fprintf(out, ", not in %s", pcr_words_count(words, off, "cgroup", "cgroups"));
	if (pcr_has(pcr_get_u64(batch, "paused_ago_usec")))
		fprintf(out, "; paused %s: CPU pressure %s", pcr_words_time(words, batch, "paused"),
			pcr_text_bp(share, pcr_get_u64(batch, "cpu_some_avg10_bp")));
	fputc('\n', out);
}

static void search(const json_t *node, FILE *out)
{
	u64 left = pcr_get_u64(node, "next_search_exits"), exits = pcr_get_u64(node, "search_exits");
	char words[PCR_WORDS];

	if (is(node, "search", "settled")) {
		fprintf(out, "settled %s; looks again when the rate changes", pcr_words_time(
			words, node, "search_since"));
		if (pcr_has(left))
			fprintf(out, ", or after %s", exits_text(words, left));
	} else if (is(node, "search", "measuring")) {
		fprintf(out, "measures the limit in force; %s seen", exits_text(words, exits));
	} else {
		fprintf(out, "tries %s workers; %s so far", is(node, "search", "trying-more") ?
			"more" : is(node, "search", "trying-none") ? "no" : "fewer",
			exits_text(words, exits));
	}
	fputc('\n', out);
}

static void tried(const json_t *t, FILE *out)
{
	u64 rate = pcr_get_u64(t, "rate_pages_sec"), cpu = pcr_get_u64(t, "worker_usec_mpages");
	char a[PCR_TEXT], words[PCR_WORDS];

	fprintf(out, "%s%s:", pcr_get_u64(t, "max_active") ?
		pcr_text_count(a, pcr_get_u64(t, "max_active")) : "none",
		pcr_get_bool(t, "held") ? " (held)" : "");
	if (pcr_has(rate))
		fprintf(out, " %s pages/s", pcr_text_count(a, rate));
	else
		fputs(" no exit yet", out);
	if (pcr_has(cpu))
		fprintf(out, ", workers %s per million pages", pcr_text_span(a, cpu));
	fprintf(out, " (%s", exits_text(words, pcr_get_u64(t, "exits")));
	fprintf(out, ", %s)\n", pcr_words_time(words, t, "last"));
}

void pcr_show_batch_node(const json_t *node, const struct pcr_style *style,
			 void (*lead)(const struct pcr_style *style, const char *name))
{
	u64 pages = pcr_get_u64(node, "offloaded_pages"), self = pcr_get_u64(node, "inline_pages");
	u64 local = pcr_get_u64(node, "local_pages");
	char a[PCR_TEXT], words[PCR_WORDS];
	const json_t *one;
	size_t i;

	if (!node)
		return;
	lead(style, "seen");
	fprintf(style->out, "max_active %s, CPUs %s",
		pcr_text_count(a, pcr_get_u64(node, "max_active")),
		pcr_text_count(words, pcr_get_u64(node, "cpus")));
	fprintf(style->out, "; %s helped", exits_text(words, pcr_get_u64(node, "exits")));
	if (pcr_has(pages))
		fprintf(style->out, "; pages by workers %s", pcr_text_count(a, pages));
	if (pcr_has(local))
		fprintf(style->out, " (here %s)", pcr_text_count(a, local));
	if (pcr_has(self))
		fprintf(style->out, ", by the process %s", pcr_text_count(a, self));
	fputc('\n', style->out);
	if (!json_object_get(node, "search"))
		return;
	lead(style, "search");
	search(node, style->out);
	json_array_foreach(json_object_get(node, "tried"), i, one) {
		lead(style, i ? "" : "tried");
		tried(one, style->out);
	}
}
