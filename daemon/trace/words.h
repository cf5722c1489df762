/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a trace; shared by write.c and parse.c. */
#ifndef PCR_TRACE_WORDS_H
#define PCR_TRACE_WORDS_H

#include "pcr/trace.h"

#define PCR_TRACE_FIRST "pcpu-reclaimd trace 1"

struct pcr_trace_word {
	const char *word;
	u32 n;			/* values */
	u32 ids;		/* the first of them: any number, may be absent */
	u32 needed;		/* those before that may not be absent */
	bool name;
	bool lines;		/* so many as the first value says follow, escaped */
};

extern const struct pcr_trace_word pcr_trace_words[_PCR_EVENT_MAX];

#endif
