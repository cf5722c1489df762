/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages on their way out. sd_journal_sendv() blocks while journald does not take its
 * datagrams, stderr while nobody reads it, and the loop must not: a thread sends, a
 * bounded queue waits, and what finds no room is counted and told with the next that
 * goes out.
 */
#ifndef PCR_POSTBOX_H
#define PCR_POSTBOX_H

#include "pcr/types.h"

#define PCR_FIELDS_MAX 28

/* An entry being written: "NAME=value" strings, one after the other. */
struct pcr_fields {
	bool plain;		/* no journal: the last field, MESSAGE=, to stderr */
	u32 n;
	u32 at;
	u32 start[PCR_FIELDS_MAX];
	char text[6144];
};

/* Adds a field; what has no room is left out, a long value is cut. */
__attribute__((format(printf, 2, 3)))
void pcr_field(struct pcr_fields *f, const char *fmt, ...);
/* A number, left out where it is absent. */
void pcr_field_u64(struct pcr_fields *f, const char *name, u64 value);

/*
 * From here on entries go through the thread; before, they are sent by the caller.
 * To be called when no more forks are to come. Without memory for a thread nothing
 * changes.
 */
void pcr_postbox_start(void);
/* Gives what is queued a second to go out. */
void pcr_postbox_stop(void);
void pcr_postbox_put(const struct pcr_fields *f);

#endif
