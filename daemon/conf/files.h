/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files there are, and what is in them. */
#ifndef PCR_CONF_FILES_H
#define PCR_CONF_FILES_H

#include "conf/report.h"

/* Drop-ins of one load, and bytes of one file: beyond that it is no settings file. */
#define PCR_CONF_FILES_MAX 1000
#define PCR_CONF_FILE_MAX (1 << 20)

struct pcr_conf_files {
	char **paths;		/* in the order they are to be read */
	u32 n;
};

/*
 * See pcr_conf_load(). 0, or -errno of the first directory that is there and can't be
 * read, which the report names; the rest is still listed.
 */
int pcr_conf_find(const char *prefix, const char *dir, struct pcr_conf_report *report,
		  struct pcr_conf_files *ret_files);
void pcr_conf_files_done(struct pcr_conf_files *files);

/*
 * The whole of one file. Only regular files, and /dev/null, which is empty. 0; -EINVAL:
 * it is no settings file, ret_what says why; any other -errno.
 */
int pcr_conf_slurp(const char *path, char **ret_text, size_t *ret_n, const char **ret_what);

#endif
