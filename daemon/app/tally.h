/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a replay came to, by what was done to whom; and how two of them differ. */
#ifndef PCR_TALLY_H
#define PCR_TALLY_H

#include <stdio.h>

#include "pcr/decision.h"

struct pcr_tally_row {
	enum pcr_action action;
	char path[PCR_SHOWN];		/* as a record has it */
	u64 actions;
	u64 dry_runs;
	u64 writes;
	u64 asked;		/* bytes, of reaps */
	u64 freed;		/* cgroups of a reap, bytes of a trim */
};

struct pcr_tally {
	u32 n, room;
	struct pcr_tally_row *row;
	/* Twice as many as there is room, open addressing: the row and one; 0: free. */
	u32 *place;
	bool nomem;
};

void pcr_tally_record(struct pcr_tally *t, const struct pcr_record *r);
void pcr_tally_free(struct pcr_tally *t);
/* One entry for each that differs, and a last one for all; in the order of the first, then the second. */
void pcr_tally_compare(FILE *out, const struct pcr_tally *before, const struct pcr_tally *after);
/* Text with names of anybody's in it: what could steer a terminal is not passed on. */
void pcr_print_plain(FILE *out, const char *text);

#endif
