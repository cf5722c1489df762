/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel settings that are text and are set once, by the settings alone: nice and cpumask
 * of workers. What they were is noted in the runtime directory before they are written,
 * as the ledger does for numbers that policy changes all the time, and with the same
 * promise: put back whatever ends us, and only where our value still stands.
 */
#ifndef PCR_ACT_KEPT_H
#define PCR_ACT_KEPT_H

#include "pcr/knobs.h"
#include "pcr/types.h"

struct pcr_root;

#define PCR_KEPT_MAX (2 * PCR_NODES_MAX)

struct pcr_kept_entry {
	char *knob;
	char *old;		/* found */
	char *ours;
};

struct pcr_kept {
	char dir[256];
	u32 n;
	struct pcr_kept_entry entry[PCR_KEPT_MAX];
};

/* What a predecessor left; damaged lines are left out. 0, -errno. */
int pcr_kept_open(struct pcr_kept *k, const char *runtime_dir);
void pcr_kept_close(struct pcr_kept *k);

/* Another program wrote it after us: its value stays. */
#define PCR_KEPT_FOREIGN 16

/*
 * Makes it so. 0: it is so, by us or before; PCR_NONE: no such file; PCR_KEPT_FOREIGN;
 * PCR_FULL; -errno; -ERANGE: taken, and without effect.
 */
int pcr_kept_set(struct pcr_kept *k, const struct pcr_root *root, const char *knob,
		 const char *value);
/* As it was found. 0: or it was not ours; PCR_KEPT_FOREIGN: nor is it now; -errno: tried again later. */
int pcr_kept_restore(struct pcr_kept *k, const struct pcr_root *root, const char *knob);
/* Somebody has removed the file: it is written again, if there is something in it. 0, -errno. */
int pcr_kept_again(const struct pcr_kept *k);
const struct pcr_kept_entry *pcr_kept_find(const struct pcr_kept *k, const char *knob);

#endif
