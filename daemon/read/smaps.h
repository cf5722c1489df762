/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/smaps a line at a time: which parts of a process' memory khugepaged would
 * look at. And pages of one range as /proc/PID/pagemap tells of them: would it take it?
 */
#ifndef PCR_SMAPS_H
#define PCR_SMAPS_H

#include "pcr/collapse.h"

struct pcr_vma {
	u64 start;
	u64 end;
	u64 anon_bytes;
	u64 huge_bytes;
	bool ordinary;		/* private, writable and anonymous */
	bool refused;		/* the kernel says that it gets no huge pages */
};

/* The one under way. {} to begin with. */
struct pcr_smaps {
	bool open;
	struct pcr_vma vma;
};

/*
 * Takes the next line, without its newline; only its beginning matters. True when that
 * was the last one of a mapping, which is in *ret_vma then.
 */
bool pcr_smaps_line(struct pcr_smaps *s, const char *line, size_t n, struct pcr_vma *ret_vma);

/* Is there anything in it that could be made huge? *ret_from, *ret_to: whole ranges. */
bool pcr_vma_range(const struct pcr_vma *vma, const struct pcr_thp *thp, u64 *ret_from,
		   u64 *ret_to);

/*
 * Entries of pagemap for one range: would khugepaged's own limits take it? Where an
 * entry can't tell two things apart, the worse one counts.
 */
bool pcr_range_taken(const u64 *entry, u64 n, const struct pcr_thp *thp);

#endif
