/* SPDX-License-Identifier: GPL-2.0-or-later */
/* [Section], [Policy NAME] and [BatchFree nodeN]. */
#ifndef PCR_CONF_SECTION_H
#define PCR_CONF_SECTION_H

#include "conf/draft.h"

#define PCR_POLICY_NAME_MAX 31

/* Makes it the draft's section; false: it was refused (or there is no memory). */
bool pcr_section_enter(struct pcr_draft *d, const struct pcr_conf_place *place, const char *name,
		       size_t n);

/* Completes a policy's rule by what it does not override. */
void pcr_policy_inherit(struct pcr_policy *p, const struct pcr_rule *rule);
/* Completes a node's workers likewise. */
void pcr_node_inherit(struct pcr_node_rule *n, const struct pcr_workers *workers);

#endif
