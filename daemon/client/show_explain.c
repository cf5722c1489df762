// SPDX-License-Identifier: GPL-2.0-or-later
/* Why, and why not: a paragraph for each action. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "client/get.h"
#include "client/show.h"
#include "client/utf8.h"

/* Continuation lines stand below the first one's text. */
static void lead(const struct pcr_style *style, const char *name)
{
	fputs("  ", style->out);
	pcr_paint(style, PCR_BOLD, name);
	fprintf(style->out, "%*s", (int)pcr_sub_u64(10, strlen(name)), "");
}

static void task_headline(const json_t *t, const struct pcr_style *style)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu %.24s", (unsigned long long)pcr_get_u64(t, "pid"),
		 pcr_get_text(t, "name"));
	pcr_paint(style, PCR_BOLD, text);
	fputs(" of ", style->out);
	pcr_utf8_print(style->out, pcr_get_text(t, "cgroup"));
}

static void headline(const json_t *r, const struct pcr_style *style)
{
	const char *policy = pcr_get_text(r, "policy"), *where = pcr_get_text(r, "where");
	const char *kind = pcr_get_text(r, "kind");

	if (strcmp(kind, "node") == 0) {
		pcr_paint(style, PCR_BOLD, "help for exits");
		if (json_object_get(r, "node"))
			fprintf(style->out, " on node%llu", (unsigned long long)pcr_get_u64(
				json_object_get(r, "node"), "node"));
		fputc('\n', style->out);
		return;
	}
	if (strcmp(kind, "task") == 0) {
		task_headline(json_object_get(r, "task"), style);
	} else if (strcmp(kind, "cgroup") != 0) {
		pcr_paint(style, PCR_BOLD, strcmp(kind, "knob") == 0 ? pcr_get_text(r, "knob") :
			  "percpu memory, machine-wide");
		fputc('\n', style->out);
		return;
	}
	if (strcmp(kind, "cgroup") == 0)
		pcr_paint(style, PCR_BOLD, pcr_get_text(r, "cgroup"));
	if (!*policy) {
		fputs(" matches no policy: [Percpu] applies\n", style->out);
		return;
	}
	fputs(" matches policy \"", style->out);
	pcr_utf8_print(style->out, policy);
	fputc('"', style->out);
	if (*where) {
		fputs(" (", style->out);
		pcr_utf8_print(style->out, where);
		fputc(')', style->out);
	}
	fputc('\n', style->out);
}

static void overrides(const json_t *r, const struct pcr_style *style)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(r, "overrides"), i, one) {
		lead(style, i ? "" : "sets");
		pcr_utf8_print(style->out, pcr_get_text(one, "key"));
		fputc('=', style->out);
		pcr_utf8_print(style->out, pcr_get_text(one, "value"));
		if (*pcr_get_text(one, "instead_of")) {
			fputs(" instead of ", style->out);
			pcr_utf8_print(style->out, pcr_get_text(one, "instead_of"));
		}
		if (*pcr_get_text(one, "where")) {
			fputs(" (", style->out);
			pcr_utf8_print(style->out, pcr_get_text(one, "where"));
			fputc(')', style->out);
		}
		fputc('\n', style->out);
	}
}

static void sample(const json_t *s, const struct pcr_style *style)
{
	char a[PCR_TEXT], words[PCR_WORDS];

	if (!s)
		return;
	lead(style, "seen");
	fprintf(style->out, "dying %s", pcr_text_count(a, pcr_get_u64(s, "dying")));
	if (pcr_has(pcr_get_u64(s, "dying_since_ago_usec")))
		fprintf(style->out, " (for %s)",
			pcr_text_span(a, pcr_get_u64(s, "dying_since_ago_usec")));
	fprintf(style->out, ", pinned %s", pcr_text_bytes(a, pcr_get_u64(s, "pinned_bytes")));
	if (pcr_has(pcr_get_u64(s, "shmem_bytes")))
		fprintf(style->out, ", of it tmpfs %s",
			pcr_text_bytes(a, pcr_get_u64(s, "shmem_bytes")));
	if (pcr_has(pcr_get_u64(s, "percpu_bytes")))
		fprintf(style->out, "; percpu %s, with all below",
			pcr_text_bytes(a, pcr_get_u64(s, "percpu_bytes")));
	if (pcr_has(pcr_get_u64(s, "sampled_ago_usec")))
		fprintf(style->out, "; looked at %s", pcr_words_time(words, s, "sampled"));
	fputc('\n', style->out);
}

static void percpu(const json_t *p, const struct pcr_style *style)
{
	char a[PCR_TEXT], b[PCR_TEXT], words[PCR_WORDS];
	u64 empty = pcr_get_u64(p, "empty_pages");
	u64 isolated = pcr_get_u64(p, "isolated_empty_pages");
	u64 surplus = pcr_get_u64(p, "surplus_bytes");

	if (json_object_size(p) == 0)
		return;
	lead(style, "seen");
	fprintf(style->out, "percpu %s", pcr_text_bytes(a, pcr_get_u64(p, "percpu_bytes")));
	if (pcr_has(empty))
		fprintf(style->out, ", empty unit pages %s (+ %s isolated)",
			pcr_text_count(a, empty), pcr_text_count(b, isolated));
	if (pcr_has(empty))
		fprintf(style->out, ", float %s to %s",
			pcr_text_count(a, pcr_get_u64(p, "empty_pages_low")),
			pcr_text_count(b, pcr_get_u64(p, "empty_pages_high")));
	if (pcr_has(surplus))
		fprintf(style->out, ", surplus %s", pcr_text_bytes(a, surplus));
	fprintf(style->out, "; looked at %s\n", pcr_words_time(words, p, "sampled"));
}

static void holds_for(const json_t *o, const struct pcr_style *style)
{
	u64 since = pcr_get_u64(o, "since_ago_usec");
	char span[PCR_TEXT];

	if (pcr_has(since))
		fprintf(style->out, ", for %s", pcr_text_span(span, since));
}

static void decision(const json_t *d, const struct pcr_style *style)
{
	const json_t *wants = json_object_get(d, "wants");
	const char *dry = pcr_get_bool(d, "dry_run") ? " (dry run)" : "";

	if (pcr_get_bool(d, "act")) {
		fprintf(style->out, "acts now%s: ", dry);
		pcr_utf8_print(style->out, pcr_get_text(d, "text"));
		holds_for(d, style);
		fputc('\n', style->out);
		return;
	}
	if (wants) {
		fprintf(style->out, "would act%s: ", dry);
		pcr_utf8_print(style->out, pcr_get_text(wants, "text"));
		holds_for(wants, style);
		fputc('\n', style->out);
		lead(style, "");
		fputs("not yet: ", style->out);
	} else {
		fputs("not now: ", style->out);
	}
	pcr_utf8_print(style->out, pcr_get_text(d, "text"));
	fputc('\n', style->out);
}

static void last(const json_t *r, const struct pcr_style *style)
{
	char a[PCR_TEXT], b[PCR_TEXT], words[PCR_WORDS];
	u64 asked = pcr_get_u64(r, "asked_bytes"), freed = pcr_get_u64(r, "freed_bytes");
	u64 before = pcr_get_u64(r, "dying_before"), after = pcr_get_u64(r, "dying_after");
	u64 was = pcr_get_u64(r, "value_before"), is = pcr_get_u64(r, "value_after");

	if (!r)
		return;
	lead(style, "");
	fprintf(style->out, "last: %s", pcr_words_time(words, r, "end"));
	if (pcr_has(asked))
		fprintf(style->out, ", asked %s in %s", pcr_text_bytes(a, asked),
			pcr_words_count(words, pcr_get_u64(r, "steps"), "step", "steps"));
	if (pcr_has(freed))
		fprintf(style->out, ", freed %s", pcr_text_bytes(a, freed));
	if (pcr_has(before) && pcr_has(after))
		fprintf(style->out, ", dying %s → %s", pcr_text_count(a, before),
			pcr_text_count(b, after));
	if (pcr_has(was) && pcr_has(is))
		fprintf(style->out, ", %s → %s", pcr_text_count(a, was), pcr_text_count(b, is));
	fputs(", ended: ", style->out);
	pcr_utf8_print(style->out, pcr_get_text(r, "outcome_text"));
	if (*pcr_get_text(r, "error")) {
		fputs(": ", style->out);
		pcr_utf8_print(style->out, pcr_get_text(r, "error"));
	}
	fputc('\n', style->out);
}

static void action(const json_t *e, const struct pcr_style *style)
{
	u64 stays = pcr_get_u64(e, "stays");
	char a[PCR_TEXT];

	lead(style, pcr_get_text(e, "action"));
	decision(json_object_get(e, "decision"), style);
	last(json_object_get(e, "last"), style);
	if (!pcr_has(stays))
		return;
	lead(style, "");
	fprintf(style->out, "what stays: %s, ", pcr_text_count(a, stays));
	pcr_utf8_print(style->out, pcr_get_text(e, "stays_text"));
	fputc('\n', style->out);
}

void pcr_show_explain(const json_t *reply, const struct pcr_style *style)
{
	const json_t *one;
	size_t i;

	headline(reply, style);
	overrides(reply, style);
	sample(json_object_get(reply, "sample"), style);
	percpu(json_object_get(reply, "percpu"), style);
	pcr_show_batch_node(json_object_get(reply, "node"), style, lead);
	if (json_object_get(reply, "task"))
		pcr_show_task(json_object_get(reply, "task"), style);
	json_array_foreach(json_object_get(reply, "actions"), i, one)
		action(one, style);
	if (*pcr_get_text(reply, "why_not")) {
		lead(style, "knob");
		pcr_utf8_print(style->out, pcr_get_text(reply, "why_not"));
		fputc('\n', style->out);
	}
	if (strcmp(pcr_get_text(reply, "kind"), "cgroup") == 0) {
		lead(style, "trim");
		fputs("machine-wide, see: pcpu-reclaimctl explain percpu\n", style->out);
	}
}
