/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared between the files of policy/, and by nobody else. */
#ifndef PCR_POLICY_INTERNAL_H
#define PCR_POLICY_INTERNAL_H

#include "policy/policy.h"

/* Held back for this reason until then; the figures are those that speak for it. */
bool pcr_hold(struct pcr_decision *d, enum pcr_reason why, u64 until_usec);
/* Nothing holds it back. */
void pcr_go(struct pcr_decision *d);

#endif
