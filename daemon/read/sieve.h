/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goes through one process' memory, a slice at a time, for ranges that khugepaged would
 * make huge pages of. What it has read so far it keeps; nothing is read twice in a pass.
 */
#ifndef PCR_SIEVE_H
#define PCR_SIEVE_H

#include "pcr/collapse.h"

struct pcr_sieve;

/* Neighbouring ranges that are taken; bytes 0: none. */
struct pcr_run {
	u64 start;
	u64 bytes;
	u64 scanned_bytes;	/* looked at for it */
};

/* From this address on, through its /proc directory. 0, PCR_GONE, -errno. */
int pcr_sieve_open(int dirfd, const struct pcr_thp *thp, u64 from, struct pcr_sieve **ret_sieve);
/* How far it has come: to be opened again from there. */
u64 pcr_sieve_at(const struct pcr_sieve *sieve);
/* Takes NULL. */
struct pcr_sieve *pcr_sieve_close(struct pcr_sieve *sieve);
/*
 * The next run, looking at max bytes at most, and at one range at least. 0; PCR_NONE:
 * that was all of it; PCR_GONE; -errno.
 */
int pcr_sieve_next(struct pcr_sieve *sieve, u64 max_bytes, struct pcr_run *ret_run);

#endif
