// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One screen of top: the status, the busiest cgroups, the last actions, and a line on the
 * keys or on what is wrong. Each part has lines to spare or gives them up by what room
 * there is; of the status the most pressing come first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "client/get.h"
#include "client/show.h"
#include "client/table.h"
#include "client/utf8.h"

/* From so many lines on there are blank ones between the parts. */
#define ROOMY 16

static void print_cgroups(const json_t *reply, const struct pcr_style *style)
{
	static const struct pcr_column columns[] = {
		{ "CGROUP", false }, { "DYING", true },	   { "PINNED", true },	{ "PERCPU", true },
		{ "POLICY", false }, { "PRESSURE", true }, { "LAST ACTION", false },
	};
	u32 n = style->columns < 50 ? 3 : style->columns < 70 ? 4 : style->columns < 100 ? 6 : 7;
	struct pcr_table table;
	const json_t *row;
	size_t i;

	pcr_table_init(&table, columns, n);
	json_array_foreach(json_object_get(reply, "cgroups"), i, row) {
		char dying[PCR_TEXT], pinned[PCR_TEXT], percpu[PCR_TEXT], pressure[PCR_TEXT];
		char record[PCR_WORDS];
		const json_t *last = json_object_get(row, "last");
		const char *cells[] = {
			pcr_get_text(row, "cgroup"),
			pcr_text_count(dying, pcr_get_u64(row, "dying")),
			pcr_text_bytes(pinned, pcr_get_u64(row, "pinned_bytes")),
			pcr_text_bytes(percpu, pcr_get_u64(row, "percpu_bytes")),
			pcr_get_text(row, "policy"),
			pcr_text_bp(pressure, pcr_get_u64(row, "pressure_some_avg10_bp")),
			last ? pcr_words_record(record, last) : "",
		};

		pcr_table_add(&table, n, cells);
	}
	pcr_table_print(&table, style);
	pcr_table_clear(&table);
}

static void print_history(const json_t *reply, const struct pcr_style *style)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(reply, "records"), i, row) {
		char when[PCR_WORDS];

		fputs("  ", style->out);
		pcr_paint(style, PCR_BOLD, i ? "    " : "Last");
		fprintf(style->out, "        %s: ", pcr_words_time(when, row, "end"));
		pcr_utf8_print(style->out, pcr_get_text(row, "text"));
		fputc('\n', style->out);
	}
}

/* A part as text, and its lines. */
static char *part(void (*print)(const json_t *reply, const struct pcr_style *style),
		  const json_t *reply, const struct pcr_style *style, u32 *ret_lines)
{
	struct pcr_style into = *style;
	char *text = NULL;
	size_t n;

	*ret_lines = 0;
	into.out = reply ? open_memstream(&text, &n) : NULL;
	if (!into.out)
		return NULL;
	print(reply, &into);
	if (fclose(into.out) != 0)
		return text;
	for (const char *p = text; *p; p++)
		*ret_lines += *p == '\n';
	return text;
}

static void put_lines(FILE *out, const char *text, u32 lines)
{
	while (lines-- && text && *text) {
		size_t n = strcspn(text, "\n");

		fprintf(out, "%.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

static void foot(const struct pcr_top *top, const struct pcr_style *style)
{
	char text[256];

	if (top->trouble) {
		pcr_paint(style, PCR_YELLOW, top->trouble);
		return;
	}
	if (style->columns < 70)
		snprintf(text, sizeof(text), "q quit  ? keys  by %s  %s", top->sort,
			 top->paused ? "paused" : "");
	else
		snprintf(text, sizeof(text), "q quit  s by %s  space %s  + - every %u s  ? keys",
			 top->sort, top->paused ? "goes on" : "pause", top->interval_sec);
	pcr_paint(style, PCR_DIM, text);
	if (top->paused && style->columns >= 70)
		pcr_paint(style, PCR_YELLOW, "  paused");
}

/* Documented in pcpu-reclaimctl(1). */
static void keys(const struct pcr_style *style)
{
	fputs("Keys:\n"
	      "  q      quit\n"
	      "  s      sort by pinned, dying, name\n"
	      "  space  pause, and go on\n"
	      "  +  -   longer, shorter interval\n"
	      "  ?      this list, and back\n"
	      "See pcpu-reclaimctl(1).\n", style->out);
}

void pcr_show_top(const struct pcr_top *top, const struct pcr_style *style, u32 rows)
{
	u32 room = rows - 1, gap = room >= ROOMY, n_status, n_cgroups, n_history, last;
	PCR_AUTOFREE char *status = part(pcr_show_status_live, top->status, style, &n_status);
	PCR_AUTOFREE char *cgroups = part(print_cgroups, top->cgroups, style, &n_cgroups);
	PCR_AUTOFREE char *history = part(print_history, top->history, style, &n_history);

	if (top->keys) {
		keys(style);
		return;
	}
	/* a fifth for what was done, a third for the cgroups at least, the rest for the status */
	last = least(n_history, room / 5);
	room -= last ? last + gap : 0;
	n_status = least(n_status, room - least(room, least(n_cgroups, rows / 3) + gap));
	room -= n_status + gap;
	put_lines(style->out, status, n_status);
	fputs(gap ? "\n" : "", style->out);
	n_cgroups = least(n_cgroups, room);
	put_lines(style->out, cgroups, n_cgroups);
	/* what was done stands at the bottom, above the keys */
	for (room -= n_cgroups; room; room--)
		fputc('\n', style->out);
	fputs(gap && last ? "\n" : "", style->out);
	put_lines(style->out, history, last);
	foot(top, style);
}
