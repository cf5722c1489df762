/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that stays in memory. What runs from a file is the first that a machine short of
 * memory drops, and then each step waits for the disk, just when it is needed.
 *
 * Locked are the program and its libraries, not the heap: malloc could not give back
 * locked pages, and what keeps those out of swap is the unit's MemorySwapMax=.
 * Source: mlock2(2); what may be locked is bound by RLIMIT_MEMLOCK.
 */
#ifndef PCR_RESIDENT_H
#define PCR_RESIDENT_H

/* 0: all of it; -errno of the first part that can't be, -ENOMEM where the limit is too low. */
int pcr_stay_resident(void);

#endif
