/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared between the files of the crank, and by nobody else: crank_settings.c, crank_collapse.c. */
#ifndef PCR_CRANK_INTERNAL_H
#define PCR_CRANK_INTERNAL_H

#include "loop/crank.h"

/* Policy is not to find a value of a predecessor's before it is known to be one. */
void pcr_crank_adopt_unread(struct pcr_crank *c);
/* Reads a setting just before it is written. True: it is not what was known of it. */
bool pcr_crank_setting_moved(struct pcr_crank *c, u32 which);
/* Before the write, so that a death between the two is found by the next start. */
bool pcr_crank_note_setting(struct pcr_crank *c, const struct pcr_decision *d, u64 now);
/* After the write: what stands now, and whether it is ours. */
void pcr_crank_settle_setting(struct pcr_crank *c, const struct pcr_outcome *o);
/* Once for each time that another program writes. */
void pcr_crank_tell_foreign(struct pcr_crank *c, u64 now);

/* Huge pages for tasks. When to call again; PCR_NEVER: when something happens. */
u64 pcr_crank_collapse(struct pcr_crank *c, u64 now);
/* Knobs or settings are others. */
void pcr_crank_collapse_anew(struct pcr_crank *c);

#endif
