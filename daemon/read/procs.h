/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup.procs: the processes of one cgroup. */
#ifndef PCR_PROCS_H
#define PCR_PROCS_H

#include "pcr/types.h"

struct pcr_root;

/*
 * Its pids, max at most; the kernel may tell one twice. 0: the caller's to free(), NULL
 * where there are none; PCR_GONE; -errno.
 */
int pcr_read_procs(const struct pcr_root *root, const char *cgroup, u32 max, s32 **ret_pids,
		   u32 *ret_n);
/* Pure: the lines of a piece of it, appended to pids; returns how many there are then. */
u32 pcr_procs_parse(const char *text, size_t n, s32 *pids, u32 at, u32 max);

#endif
