// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policy/policy.h"

/* Where the row of that action and path is noted, or a free place for it. */
static u32 *place_of(const struct pcr_tally *t, enum pcr_action action, const char *path)
{
	u32 i = 0x811c9dc5u ^ action;

	for (const char *c = path; *c; c++)
		i = (i ^ (u8)*c) * 0x01000193u;
	for (i &= 2 * t->room - 1; t->place[i]; i = (i + 1) & (2 * t->room - 1)) {
		const struct pcr_tally_row *row = &t->row[t->place[i] - 1];

		if (row->action == action && !strcmp(row->path, path))
			break;
	}
	return &t->place[i];
}

static struct pcr_tally_row *find(const struct pcr_tally *t, enum pcr_action action,
				  const char *path)
{
	u32 place = t->n ? *place_of(t, action, path) : 0;

	return place ? &t->row[place - 1] : NULL;
}

static bool make_room(struct pcr_tally *t)
{
	u32 room = t->room ? 2 * t->room : 16;
	struct pcr_tally_row *row = reallocarray(t->row, room, sizeof(*row));
	u32 *place = calloc(2 * (size_t)room, sizeof(*place));

	t->row = row ? row : t->row;
	if (!row || !place) {
		free(place);
		return false;
	}
	free(t->place);
	t->place = place;
	t->room = room;
	for (u32 i = 0; i < t->n; i++)
		*place_of(t, row[i].action, row[i].path) = i + 1;
	return true;
}

static struct pcr_tally_row *get(struct pcr_tally *t, enum pcr_action action, const char *path)
{
	struct pcr_tally_row *row = find(t, action, path);

	if (row)
		return row;
	if (t->n == t->room && !make_room(t))
		return NULL;
	*place_of(t, action, path) = t->n + 1;
	row = &t->row[t->n++];
	*row = (struct pcr_tally_row){ .action = action };
	snprintf(row->path, sizeof(row->path), "%s", path);
	return row;
}

void pcr_tally_record(struct pcr_tally *t, const struct pcr_record *r)
{
	struct pcr_tally_row *row = get(t, r->action, r->path);

	if (!row) {
		t->nomem = true;
		return;
	}
	if (r->dry_run) {
		row->dry_runs++;
		return;
	}
	row->actions++;
	row->writes += r->steps;
	if (r->action == PCR_ACT_REAP) {
		row->asked += r->asked;
		row->freed += pcr_has(r->before) ? pcr_sub_u64(r->before, r->after) : 0;
	} else if (r->action == PCR_ACT_TRIM) {
		row->freed += pcr_has(r->freed_bytes) ? r->freed_bytes : 0;
	}
}

void pcr_tally_free(struct pcr_tally *t)
{
	free(t->row);
	free(t->place);
	*t = (struct pcr_tally){ 0 };
}

void pcr_print_plain(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc((u8)*text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

/* --- the difference --- */

static void print_row(FILE *out, const char *label, const struct pcr_tally_row *row)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	fprintf(out, "    %-9s ", label);
	if (!row || (!row->actions && !row->dry_runs)) {
		fputs("nothing\n", out);
		return;
	}
	if (row->actions)
		fprintf(out, "actions %s, writes %s", pcr_text_count(a, row->actions),
			pcr_text_count(b, row->writes));
	if (row->actions && row->action == PCR_ACT_REAP)
		fprintf(out, ", asked for %s, removed cgroups gone %s",
			pcr_text_bytes(a, row->asked), pcr_text_count(b, row->freed));
	else if (row->actions && row->action == PCR_ACT_TRIM)
		fprintf(out, ", freed %s", pcr_text_bytes(a, row->freed));
	if (row->dry_runs)
		fprintf(out, "%sdry runs %s", row->actions ? ", " : "",
			pcr_text_count(a, row->dry_runs));
	fputc('\n', out);
}

static bool differs(const struct pcr_tally_row *a, const struct pcr_tally_row *b)
{
	return !a || !b || a->actions != b->actions || a->dry_runs != b->dry_runs ||
	       a->writes != b->writes || a->asked != b->asked || a->freed != b->freed;
}

static void print_pair(FILE *out, const struct pcr_tally_row *name, const struct pcr_tally_row *a,
		       const struct pcr_tally_row *b)
{
	fprintf(out, "  %s %s", pcr_action_name(name->action),
		name->action == PCR_ACT_REAP ? "/" : "");
	pcr_print_plain(out, name->path);
	fputc('\n', out);
	print_row(out, "in force", a);
	print_row(out, "these", b);
}

static struct pcr_tally_row sum(const struct pcr_tally *t)
{
	struct pcr_tally_row all = { 0 };

	for (u32 i = 0; i < t->n; i++) {
		all.actions += t->row[i].actions;
		all.dry_runs += t->row[i].dry_runs;
		all.writes += t->row[i].writes;
	}
	return all;
}

void pcr_tally_compare(FILE *out, const struct pcr_tally *before, const struct pcr_tally *after)
{
	struct pcr_tally_row then = sum(before), now = sum(after);
	u32 n = 0;

	for (u32 i = 0; i < before->n; i++) {
		const struct pcr_tally_row *a = &before->row[i];
		const struct pcr_tally_row *b = find(after, a->action, a->path);

		if (differs(a, b)) {
			print_pair(out, a, a, b);
			n++;
		}
	}
	for (u32 i = 0; i < after->n; i++)
		if (!find(before, after->row[i].action, after->row[i].path)) {
			print_pair(out, &after->row[i], NULL, &after->row[i]);
			n++;
		}
	if (!n)
		fputs("  none\n", out);
	fputs("  in all\n", out);
	print_row(out, "in force", &then);
	print_row(out, "these", &now);
}
