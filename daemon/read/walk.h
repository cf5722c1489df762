/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looking at the cgroup tree itself: one directory at a time, so that the caller
 * decides how much it does before it lets others have the thread.
 *
 * A cgroup directory holds dozens of control files for each child. getdents64
 * with d_type skips them without a stat, and st_nlink tells a leaf apart (2: "."
 * and the name above), so that most directories are never opened at all.
 */
#ifndef PCR_WALK_H
#define PCR_WALK_H

#include "pcr/types.h"

struct pcr_root;

struct pcr_walk_entry {
	u64 id;			/* inode number, which is the cgroup id */
	bool leaf;		/* surely without children: needs no scan */
	const char *name;	/* into the scan's buffer; valid until the next call */
	size_t n;
};

struct pcr_scan {
	int fd;			/* -1: not open */
	size_t at;
	size_t n;
	_Alignas(8) char buf[4096];
};

/* Path is relative to the cgroup mount, "" is its root. 0, PCR_GONE, -errno. */
int pcr_scan_open(struct pcr_scan *scan, const struct pcr_root *root, const char *cgroup);
/*
 * The next child; those that vanish meanwhile are passed over. 0, PCR_NONE at the
 * end, PCR_GONE when the directory itself vanished, -errno.
 */
int pcr_scan_next(struct pcr_scan *scan, struct pcr_walk_entry *ret_entry);
void pcr_scan_close(struct pcr_scan *scan);

/* One cgroup: its id, and whether it is a leaf. 0, PCR_GONE, -errno. */
int pcr_walk_stat(const struct pcr_root *root, const char *cgroup, u64 *ret_id, bool *ret_leaf);

#endif
