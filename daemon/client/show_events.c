// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens (watch) and what was found (doctor). */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "client/get.h"
#include "client/show.h"
#include "client/utf8.h"

void pcr_show_watch(const json_t *reply, const struct pcr_style *style)
{
	const json_t *record = json_object_get(reply, "record");
	const json_t *status = json_object_get(reply, "status");
	u64 missed = pcr_get_u64(reply, "missed");
	char words[PCR_WORDS], a[PCR_TEXT];

	if (record) {
		/* the date to the second: a fraction says nothing to a reader */
		fprintf(style->out, "%.19sZ  ", pcr_get_text(record, "end_at"));
		pcr_utf8_print(style->out, pcr_get_text(record, "text"));
		fputc('\n', style->out);
	}
	if (pcr_has(missed))
		fprintf(style->out, "(%s missed: read too slowly)\n",
			pcr_words_count(words, missed, "event", "events"));
	if (status) {
		u64 cgroups = pcr_get_u64(json_object_get(status, "watching"), "cgroups");

		fprintf(style->out, "(watching %s",
			pcr_words_count(words, cgroups, "cgroup", "cgroups"));
		fprintf(style->out, ", dying %s; settings of %s)\n",
			pcr_text_count(a, pcr_get_u64(status, "dying")),
			pcr_words_time(words, json_object_get(status, "settings"), "since"));
	}
	fflush(style->out);
}

static void finding(const json_t *f, const struct pcr_style *style)
{
	static const struct {
		const char *kind, *sign;
		enum pcr_paint paint;
	} signs[] = {
		{ "ok", "✔", PCR_GREEN },
		{ "absent", "–", PCR_DIM },
		{ "hint", "!", PCR_YELLOW },
		{ "problem", "✗", PCR_RED },
	};
	const char *kind = pcr_get_text(f, "kind");
	size_t i = 0;

	while (i < PCR_ARRAY_SIZE(signs) && strcmp(kind, signs[i].kind) != 0)
		i++;
	if (i < PCR_ARRAY_SIZE(signs))
		pcr_paint(style, signs[i].paint, signs[i].sign);
	else
		fputc('?', style->out);
	fputc(' ', style->out);
	pcr_utf8_print(style->out, pcr_get_text(f, "subject"));
	if (*pcr_get_text(f, "text")) {
		fputs(": ", style->out);
		pcr_utf8_print(style->out, pcr_get_text(f, "text"));
	}
	fputc('\n', style->out);
}

void pcr_show_doctor(const json_t *reply, const struct pcr_style *style)
{
	char words[PCR_WORDS];
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(reply, "findings"), i, one)
		finding(one, style);
	fprintf(style->out, "%s, ",
		pcr_words_count(words, pcr_get_u64(reply, "problems"), "problem", "problems"));
	fprintf(style->out, "%s absent, ",
		pcr_text_count(words, pcr_get_u64(reply, "absent")));
	fprintf(style->out, "%s\n",
		pcr_words_count(words, pcr_get_u64(reply, "hints"), "hint", "hints"));
}
