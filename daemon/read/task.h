/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of one process, below its /proc/PID, and what goes with them. */
#ifndef PCR_READ_TASK_H
#define PCR_READ_TASK_H

#include "pcr/collapse.h"

struct pcr_root;

/* /proc/PID/stat: name, CPU time, start. The name may hold blanks and parentheses. 0, -EINVAL. */
int pcr_task_stat_parse(const char *text, size_t n, struct pcr_task_sample *s);
/* /proc/PID/statm: anonymous memory, in pages, by counters that cost nothing. */
int pcr_task_statm_parse(const char *text, size_t n, u64 *ret_pages);
/* /proc/PID/smaps_rollup: anonymous memory, and how much of it is huge. */
int pcr_task_rollup_parse(const char *text, size_t n, u64 *ret_anon, u64 *ret_huge);
/* /proc/PID/thp_collapse_stat */
int pcr_collapse_stat_parse(const char *text, size_t n, struct pcr_collapse_stat *ret);
/* /proc/buddyinfo: free blocks of the order or above, counted in blocks of that order. */
int pcr_buddy_parse(const char *text, size_t n, u32 order, u64 *ret_blocks);

/*
 * A look through the process' directory. 0; PCR_GONE; PCR_NONE: it has no memory of its
 * own (a kernel thread, a zombie); -errno. What the depth does not ask for is PCR_ABSENT.
 */
int pcr_task_look(int dirfd, enum pcr_depth depth, u64 page_bytes, struct pcr_task_sample *ret);
int pcr_task_collapse_stat(int dirfd, struct pcr_collapse_stat *ret);

/* The machine's: 0, PCR_NONE, -errno. */
int pcr_read_thp(const struct pcr_root *root, struct pcr_thp *ret_thp);
int pcr_read_free_huge(const struct pcr_root *root, const struct pcr_thp *thp, u64 *ret_blocks);

#endif
