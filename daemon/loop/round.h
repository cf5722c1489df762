/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One round of work on tasks: what it is made of, and when it is due. No thread here. */
#ifndef PCR_LOOP_ROUND_H
#define PCR_LOOP_ROUND_H

#include "pcr/settings.h"
#include "pcr/state.h"

/* Pressure and free huge pages are read that often while there is work. */
#define PCR_MACHINE_EVERY PCR_SEC

/* Whose turn it is, and how much; starts spells of work. NULL: no memory. */
struct pcr_round *pcr_round_make(struct pcr_state *st, const struct pcr_settings *set, u64 now);
/* When the next one is. */
u64 pcr_round_due(const struct pcr_state *st, u64 now);

#endif
