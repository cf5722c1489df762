// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows are kept until all are known: a column is as wide as its widest cell. */
#include "client/table.h"

#include <stdlib.h>
#include <string.h>

#include "client/utf8.h"

#define GAP 2
/* Narrower than this, a name says nothing. */
#define NAME_MIN 20

void pcr_table_init(struct pcr_table *table, const struct pcr_column *columns, u32 n_columns)
{
	*table = (struct pcr_table){ .columns = columns, .n_columns = n_columns };
}

void pcr_table_add(struct pcr_table *table, u32 n, const char *const *cells)
{
	char **row;

	if (table->n_rows == table->cap) {
		u32 cap = table->cap ? table->cap * 2 : 32;
		char **all = reallocarray(table->cells, (size_t)cap * table->n_columns,
					  sizeof(*all));

		if (!all)
			return;
		table->cells = all;
		table->cap = cap;
	}
	row = &table->cells[(size_t)table->n_rows++ * table->n_columns];
	for (u32 i = 0; i < table->n_columns; i++)
		row[i] = pcr_utf8_clean(i < n && cells[i] && *cells[i] ? cells[i] : "–");
}

static const char *cell(const struct pcr_table *table, u32 row, u32 column)
{
	const char *text = table->cells[(size_t)row * table->n_columns + column];

	return text ? text : "?";
}

static void measure(const struct pcr_table *table, u32 columns, u32 *ret_widths)
{
	u32 others = 0;

	for (u32 c = 0; c < table->n_columns; c++) {
		ret_widths[c] = pcr_utf8_width(table->columns[c].title);
		for (u32 r = 0; r < table->n_rows; r++) {
			u32 w = pcr_utf8_width(cell(table, r, c));

			if (w > ret_widths[c])
				ret_widths[c] = w;
		}
		if (c > 0)
			others += ret_widths[c] + GAP;
	}
	if (columns && ret_widths[0] + others > columns) {
		u32 room = columns > others + NAME_MIN ? columns - others : NAME_MIN;

		if (room < ret_widths[0])
			ret_widths[0] = room;
	}
}

static void pad(FILE *out, u32 n)
{
	fprintf(out, "%*s", (int)n, "");
}

static void print_cell(FILE *out, const char *text, u32 columns, bool right, bool last)
{
	u32 used = pcr_utf8_width(text);

	if (used > columns) {
		size_t n = pcr_utf8_fit(text, columns - 1, &used);

		fwrite(text, 1, n, out);
		fputs("…", out);
		used++;
	} else {
		if (right)
			pad(out, columns - used);
		fputs(text, out);
	}
	if (!last)
		pad(out, (right ? 0 : columns - used) + GAP);
}

static void print_titles(const struct pcr_table *table, const struct pcr_style *style,
			 const u32 *widths)
{
	if (style->colour)
		fputs("\x1b[1m", style->out);
	for (u32 c = 0; c < table->n_columns; c++)
		print_cell(style->out, table->columns[c].title, widths[c],
			   table->columns[c].right, c + 1 == table->n_columns);
	fputs(style->colour ? "\x1b[0m\n" : "\n", style->out);
}

void pcr_table_print(const struct pcr_table *table, const struct pcr_style *style)
{
	u32 widths[PCR_TABLE_COLUMNS];

	measure(table, style->columns, widths);
	print_titles(table, style, widths);
	for (u32 r = 0; r < table->n_rows; r++) {
		for (u32 c = 0; c < table->n_columns; c++)
			print_cell(style->out, cell(table, r, c), widths[c],
				   table->columns[c].right, c + 1 == table->n_columns);
		fputc('\n', style->out);
	}
}

void pcr_table_clear(struct pcr_table *table)
{
	for (size_t i = 0; i < (size_t)table->n_rows * table->n_columns; i++)
		free(table->cells[i]);
	free(table->cells);
	table->cells = NULL;
	table->n_rows = table->cap = 0;
}
