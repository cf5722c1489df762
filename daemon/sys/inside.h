/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of a recorded machine. Its symbolic links were made for a root of their own:
 * an absolute one, or enough of "..", would lead into the machine that we run on.
 */
#ifndef PCR_INSIDE_H
#define PCR_INSIDE_H

#include "pcr/types.h"

/*
 * openat() of an existing file as if dirfd were the root directory. The descriptor, or
 * -errno; nothing is ever created. By openat2(), and by hand where the kernel has none
 * (5.6) or a sandbox keeps it away.
 */
int pcr_open_inside(int dirfd, const char *path, int flags);
int pcr_walk_inside(int dirfd, const char *path, int flags);

/*
 * For those who open by name: 0 when the path leads to the same file with the prefix in
 * front as within it, or to none in both; -EXDEV when a link leads out. prefix "": 0.
 */
int pcr_stays_inside(const char *prefix, const char *path);

#endif
