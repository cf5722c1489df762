/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/slabinfo (root only): what half-used slabs hold that nobody uses.
 *
 * Thousands of cgroups that come and go leave slabs behind of which a few objects live:
 * the kernel can't move those, so the pages stay, for others to fill up or for ever.
 * Estimated as (num_objs - active_objs) * objsize over the caches that cgroups are made
 * from; others allocate from these as well. Objects that a CPU holds ready count as
 * active, so it is rather too little. What came back when the survivors were made anew was
 * within 4 % of it (tests/vm/scenarios/slab.sh). Pure but for the read.
 */
#ifndef PCR_SLABINFO_H
#define PCR_SLABINFO_H

#include "pcr/types.h"

struct pcr_root;

/* 0; -EINVAL: no slabinfo, version 2. Lines of another shape are passed over. */
int pcr_slab_lost_parse(const char *text, size_t n, u64 *ret_bytes);

/* 0; PCR_NONE: this kernel has no such file; -errno. */
int pcr_read_slab_lost(const struct pcr_root *root, u64 *ret_bytes);

#endif
