/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings while they are being put together, file by file. */
#ifndef PCR_CONF_DRAFT_H
#define PCR_CONF_DRAFT_H

#include "conf/report.h"
#include "conf/table.h"

struct pcr_draft {
	struct pcr_settings *settings;
	struct pcr_conf_report *report;
	struct pcr_conf_place place;	/* the file being read */
	const char *section;		/* of the table; NULL: before the first */
	s32 policy;			/* index, -1: section is no policy */
	s32 node;			/* index, -1: section is no [BatchFree nodeN] */
	u32 globs;			/* Match= globs of all policies */
	u32 errors_before;		/* in the report, from an earlier load */
	int err;			/* -ENOMEM, -ENOTSUP */
};

/* 0, -ENOMEM. */
int pcr_draft_start(struct pcr_draft *draft, struct pcr_conf_report *report);
void pcr_draft_done(struct pcr_draft *draft);

/* Reads one file's text into it. What is wrong goes to the report. */
int pcr_draft_add(struct pcr_draft *draft, const char *path, const char *text, size_t n);

/*
 * After the last file: lets policies inherit, checks the whole, sorts the report.
 * 0 with the settings, -EINVAL, -ENOMEM.
 */
int pcr_draft_finish(struct pcr_draft *draft, struct pcr_settings **ret_settings);

/* check.c: what only the whole shows. */
void pcr_conf_check(const struct pcr_settings *settings, struct pcr_conf_report *report);

#endif
