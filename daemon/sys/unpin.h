/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds a removed cgroup out of reach of any reclaim, and lets go when asked.
 */
#ifndef PCR_UNPIN_H
#define PCR_UNPIN_H

#include "pcr/types.h"

struct pcr_root;

/*
 * Two things that take no page from anybody:
 *
 * Page batches. Each CPU keeps up to 15 (31 on 6.12) fresh pages in a batch before
 * they reach the LRU lists, where reclaim can find them; on a CPU that then has
 * nothing to do they wait for ever. mbind() of a page of our own with MPOL_MF_MOVE
 * starts by having them emptied (lru_cache_disable() in mm/mempolicy.c), on those
 * CPUs only that hold some. What becomes of that page does not matter; without
 * CONFIG_NUMA nothing happens.
 *
 * Writeback. A cgroup that has written files has a bdi_writeback of its own, which
 * the files' inodes hold, and which holds the cgroup. When a cgroup is removed the
 * kernel moves those inodes elsewhere, but skips a writeback that is still dirty
 * "until the next time": the next time any cgroup with the memory controller is
 * removed (cleanup_offline_cgwbs_workfn() in mm/backing-dev.c). After the last job of
 * a batch that time does not come: 856 of 2,000 were seen to stay, all their pages
 * gone. So a cgroup is made below the root and removed again.
 *
 * And one that may, for `all`: a file system's journal keeps the pages of inode tables
 * until it is checkpointed, and with them the cgroup that touched them first: 203 of
 * 3,000 on ext4. It gives them up to a shrinker (fs/jbd2/journal.c), but reclaim below
 * a cgroup asks only shrinkers that know of cgroups; reclaim at the root asks them all.
 * So 1 MB is asked for there: at most 256 pages, the coldest of the machine.
 */
void pcr_unpin(const struct pcr_root *root, bool all);

/* Its name, so that nobody takes it for a workload. */
#define PCR_UNPIN_CGROUP "pcpu-reclaimd.unpin"

#endif
