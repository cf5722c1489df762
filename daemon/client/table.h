/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Aligned columns. One of them gives way where the terminal is too narrow. */
#ifndef PCR_TABLE_H
#define PCR_TABLE_H

#include "client/style.h"

#define PCR_TABLE_COLUMNS 12

struct pcr_column {
	const char *title;
	bool right;	/* figures */
};

struct pcr_table {
	const struct pcr_column *columns;
	u32 n_columns;
	u32 n_rows;
	u32 cap;
	char **cells;	/* clean copies, row by row; NULL where memory ran out */
};

void pcr_table_init(struct pcr_table *table, const struct pcr_column *columns, u32 n_columns);
/* The next row; short ones are filled up with "–". */
void pcr_table_add(struct pcr_table *table, u32 n, const char *const *cells);
/* The first column is cut to fit the terminal, never where there is none. */
void pcr_table_print(const struct pcr_table *table, const struct pcr_style *style);
void pcr_table_clear(struct pcr_table *table);

#endif
