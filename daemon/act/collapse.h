/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two ways to have the memory of another task made huge. Which of them there are is
 * found by looking. They are called on the collapse thread, and may block.
 */
#ifndef PCR_ACT_COLLAPSE_H
#define PCR_ACT_COLLAPSE_H

#include "pcr/collapse.h"

struct pcr_root;

/* A NULL member: cannot here. */
struct pcr_collapse_backend {
	const char *name;
	/*
	 * Has the task look at so many pages of its own each PCR_GRANT_PERIOD, until
	 * PCR_GRANT_LEASE has passed; 0 takes that back. 0, PCR_GONE, -errno.
	 */
	int (*grant)(int task_dirfd, u64 pages);
	/*
	 * Makes this range huge, now. 0; PCR_GONE; -errno, which says little: some of the
	 * range may be huge all the same.
	 */
	int (*range)(int pidfd, u64 start, u64 bytes);
};

extern const struct pcr_collapse_backend pcr_collapse_task;	/* the series of kernel-patches/ */
extern const struct pcr_collapse_backend pcr_collapse_madvise;	/* kernels since 6.1 */

struct pcr_collapse_knobs {
	bool ready[_PCR_HOW_MAX];
	char why[_PCR_HOW_MAX][160];	/* why not */
};

/* Looks without changing anything. */
void pcr_collapse_probe(const struct pcr_root *root, struct pcr_collapse_knobs *ret_knobs);

#endif
