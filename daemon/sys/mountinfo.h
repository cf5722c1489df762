/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of /proc/self/mountinfo (Documentation/filesystems/proc.rst, 3.5). Pure. */
#ifndef PCR_MOUNTINFO_H
#define PCR_MOUNTINFO_H

#include "pcr/types.h"

struct pcr_mount {
	char where[256];	/* mount point, octal escapes undone */
	char type[32];
	char options[256];	/* of the superblock: "rw,memory" */
	bool whole;		/* the root of the file system is mounted, not a part */
};

/* 0, -EINVAL for a malformed line, -ENAMETOOLONG. */
int pcr_mountinfo_line(const char *line, size_t n, struct pcr_mount *ret_mount);

/* True when a comma-separated option list names this word. */
bool pcr_mount_option(const struct pcr_mount *mount, const char *word);

#endif
