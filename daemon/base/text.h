/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people read them. All write into buf (at least PCR_TEXT) and return it. */
#ifndef PCR_TEXT_H
#define PCR_TEXT_H

#include "pcr/types.h"

#define PCR_TEXT 32

/* "616 KiB", "48.1 MiB", "16 MiB" (exactly); "–" for PCR_ABSENT. */
const char *pcr_text_bytes(char buf[static PCR_TEXT], u64 bytes);
/* "250 us", "1.5 s", "8 s", "2 min 5 s", "3 days", rounded down; "never" for PCR_NEVER. */
const char *pcr_text_span(char buf[static PCR_TEXT], u64 usec);
/* "4,812"; "–" for PCR_ABSENT. */
const char *pcr_text_count(char buf[static PCR_TEXT], u64 n);
/* "2.15 %", "0.4 %", "12 %"; "–" for PCR_ABSENT. */
const char *pcr_text_bp(char buf[static PCR_TEXT], u64 bp);

#endif
