/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libcgroup knows of the running machine's mounts. Its discovery costs more
 * memory than the whole daemon (facts: 0.8 MB, and a 2.4 MB bss that khugepaged may
 * make resident) and keeps global state, so it runs in a child that is gone at once.
 */
#ifndef PCR_LIBCGROUP_H
#define PCR_LIBCGROUP_H

#include "pcr/types.h"

struct pcr_libcgroup {
	char mount[256];	/* where the memory controller is mounted, "" where unknown */
};

/* Call before any thread exists. 0 or -errno; a mute library finds "". */
int pcr_libcgroup_discover(struct pcr_libcgroup *ret);

#endif
