/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroups that have a value of ours in one of their files, by id: a line each in the
 * runtime directory, written before the value is. Adding one is one write, however many
 * there are; what is out of date is dropped when the whole is written anew.
 */
#ifndef PCR_ACT_IDS_H
#define PCR_ACT_IDS_H

#include "pcr/types.h"

struct pcr_ids {
	char dir[256];
	const char *name;
	int fd;			/* -1: no file yet */
	u32 lines;
};

/*
 * Calls each() for every id that a predecessor left; several times where it has written
 * it several times. 0, -errno.
 */
int pcr_ids_open(struct pcr_ids *ids, const char *runtime_dir, const char *name,
		 void (*each)(void *data, u64 id), void *data);
void pcr_ids_close(struct pcr_ids *ids);
/* 0, -errno: don't write the value. */
int pcr_ids_add(struct pcr_ids *ids, u64 id);
/* These and no others; none: the file goes. 0, -errno. */
int pcr_ids_rewrite(struct pcr_ids *ids, const u64 *id, u32 n);

#endif
