/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of typed parsers share. */
#ifndef PCR_CONF_FORM_H
#define PCR_CONF_FORM_H

#include "conf/table.h"

/* In the shortest spelling that reads back exactly: "16M", "1min 30s", "2.5%". */
void pcr_write_count(u64 value, char buf[static PCR_KEY_TEXT]);
void pcr_write_size(u64 value, char buf[static PCR_KEY_TEXT]);
void pcr_write_span(u64 value, char buf[static PCR_KEY_TEXT]);
void pcr_write_percent(u64 value, char buf[static PCR_KEY_TEXT]);

/*
 * The parsers of base/ with reasons: `at` is where text stands within the whole
 * value. Suggestions are for text alone; whoever parses a part completes them.
 */
int pcr_read_size(const char *text, size_t n, size_t at, u64 *ret, struct pcr_complaint *c);
int pcr_read_span(const char *text, size_t n, size_t at, u64 *ret, struct pcr_complaint *c);

/* Holds value between the key's bounds. */
int pcr_within(const struct pcr_key *key, u64 value, struct pcr_complaint *c);

/* A complaint that names what is allowed. */
int pcr_complain_range(const struct pcr_key *key, struct pcr_complaint *c);

/* One word out of some; on failure the complaint has the nearest. -1, or its index. */
int pcr_read_word(const char *text, size_t n, const char *const *words, size_t n_words,
		  struct pcr_complaint *c);

#endif
