/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of /proc/pressure/memory and memory.pressure (Documentation/accounting/psi.rst). Pure. */
#ifndef PCR_PSI_TEXT_H
#define PCR_PSI_TEXT_H

#include "pcr/types.h"

struct pcr_psi {
	u64 some_avg10_bp;	/* basis points of wall time; PCR_ABSENT */
	u64 some_total_usec;	/* PCR_ABSENT */
};

/* 0, -EINVAL when there is no "some" line or it is malformed. */
int pcr_psi_parse(const char *text, size_t n, struct pcr_psi *ret_psi);

#endif
