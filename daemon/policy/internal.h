/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared between the files of policy/, and by nobody else. */
#ifndef PCR_POLICY_INTERNAL_H
#define PCR_POLICY_INTERNAL_H

#include "policy/policy.h"

/* Held back for this reason until then; the figures are those that speak for it. */
bool pcr_hold(struct pcr_decision *d, enum pcr_reason why, u64 until_usec);
/* Nothing holds it back. */
void pcr_go(struct pcr_decision *d);

/* What a kernel setting should be; PCR_ABSENT: as it was found. */
struct pcr_wish {
	u64 value;
	enum pcr_reason why;
	u64 since_usec;
	bool pressed;		/* tasks wait for memory */
	bool passing;		/* for calm it is another value */
	bool dry_run;
};

/* batch_free.c; .pressed says how things are. */
void pcr_wish_batch(const struct pcr_state *st, const struct pcr_settings *set, u32 which,
		    struct pcr_wish *w);

#endif
