/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of /proc/meminfo: for samples, and for what an action is seen to have freed. */
#ifndef PCR_MEMINFO_H
#define PCR_MEMINFO_H

#include "pcr/types.h"

struct pcr_root;

/* key without its colon ("Percpu"). 0; PCR_NONE: no such line or file; -errno. */
int pcr_meminfo_bytes(const struct pcr_root *root, const char *key, u64 *ret_bytes);

#endif
