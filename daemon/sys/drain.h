/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each CPU keeps up to 15 (31 on 6.12) fresh pages in a batch before they reach the
 * LRU lists, where reclaim can find them. On a CPU that then has nothing to do they
 * wait for ever, and hold their removed cgroups: 21 of 1,000 in a two-CPU guest.
 */
#ifndef PCR_DRAIN_H
#define PCR_DRAIN_H

/*
 * Has the kernel empty the batches: mbind() of a page of our own with MPOL_MF_MOVE
 * starts by that (lru_cache_disable() in mm/mempolicy.c), and touches only CPUs that
 * hold some. What it does to that page does not matter, nor whether it succeeds;
 * without CONFIG_NUMA it does nothing.
 */
void pcr_drain_page_batches(void);

#endif
