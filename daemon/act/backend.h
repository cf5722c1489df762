/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The three backends. Which one is live is found by looking at the knobs, once at
 * start and again on reload; never by kernel version.
 */
#ifndef PCR_ACT_BACKEND_H
#define PCR_ACT_BACKEND_H

#include "pcr/backend.h"

extern const struct pcr_backend pcr_backend_patched;	/* has the percpu series */
extern const struct pcr_backend pcr_backend_stock;	/* memory.reclaim, and the spare percpu chunk */
extern const struct pcr_backend pcr_backend_dry_run;

struct pcr_knobs {
	bool reap;			/* memory.reclaim, on v1 memory.force_empty */
	char reap_why[160];		/* path, errno and consequence when it is not there */
	bool trim;
	char trim_why[160];
	bool spare;			/* no such knob, but the spare chunk can be had (sys/spare.h) */
	char spare_why[160];
};

/* Looks without writing. */
void pcr_knobs_probe(const struct pcr_root *root, struct pcr_knobs *ret_knobs);

static inline const struct pcr_backend *pcr_backend_for(const struct pcr_knobs *knobs)
{
	return knobs->trim ? &pcr_backend_patched : &pcr_backend_stock;
}

#endif
