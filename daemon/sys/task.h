/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The door to /proc/PID. A directory that was opened stays that process': whoever gets
 * its pid later is never reached through it.
 */
#ifndef PCR_SYS_TASK_H
#define PCR_SYS_TASK_H

#include "pcr/types.h"

struct pcr_root;

/* 0, PCR_GONE, -errno. */
int pcr_task_open(const struct pcr_root *root, s32 pid, int *ret_dirfd);
int pcr_task_openat(int dirfd, const char *file, int flags, int *ret_fd);
int pcr_task_slurp(int dirfd, const char *file, char *buf, size_t size, size_t *ret_n);
/* One write(2). */
int pcr_task_store(int dirfd, const char *file, const char *text);
/* A pidfd of the process whose directory this is; PCR_GONE also when the pid is another's. */
int pcr_task_pidfd(int dirfd, s32 pid, int *ret_fd);

/* CLOCK_BOOTTIME, which processes' starts are told in. */
u64 pcr_boot_usec(void);

#endif
