/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding to a struct pcr_conf_report; for use within conf/. */
#ifndef PCR_CONF_REPORT_H
#define PCR_CONF_REPORT_H

#include "conf/conf.h"

/* Where something stands. file is an index into settings->files. Columns count bytes from 1. */
struct pcr_conf_place {
	const char *path;
	u32 file;
	u32 line;		/* 0: the file as a whole */
	u32 column;
};

/* A file that repeats one mistake on every line is told about this many of them. */
#define PCR_CONF_LINES_MAX 200

__attribute__((format(printf, 3, 4)))
void pcr_conf_error(struct pcr_conf_report *report, const struct pcr_conf_place *at,
		    const char *fmt, ...);
__attribute__((format(printf, 3, 4)))
void pcr_conf_warn(struct pcr_conf_report *report, const struct pcr_conf_place *at,
		   const char *fmt, ...);

/* By file, line and column: checks of the whole come after those of each line. */
void pcr_conf_report_sort(struct pcr_conf_report *report);

/*
 * Bytes of a file made fit for a terminal and a line: what does not print is
 * \xNN, and a long text ends in "...". Returns buf.
 */
#define PCR_CONF_QUOTE 96
const char *pcr_conf_quote(char buf[static PCR_CONF_QUOTE], const char *text, size_t n);

#endif
