/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a request is about: a cgroup by any of the names people have for it. */
#ifndef PCR_TARGET_H
#define PCR_TARGET_H

#include "pcr/view.h"


/*
 * Path as replies write it (name.h) or as it is on disk, with or without leading
 * and trailing slashes or the mount point in front; "" and "/" are the root.
 * NULL: there is none.
 */
struct pcr_node *pcr_target_cgroup(const struct pcr_view *view, const char *name);

#endif
