/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where and how to print. Rendering takes this and JSON, and nothing else. */
#ifndef PCR_STYLE_H
#define PCR_STYLE_H

#include <stdio.h>

#include "pcr/types.h"

struct pcr_style {
	FILE *out;
	bool colour;
	u32 columns;	/* of the terminal; 0: it is none, nothing is cut */
};

enum pcr_paint {
	PCR_PLAIN,
	PCR_BOLD,
	PCR_DIM,
	PCR_GREEN,
	PCR_YELLOW,
	PCR_RED,	/* what should work and does not; never what is only absent */
};

/* Colours only on a terminal, and never with NO_COLOR. */
void pcr_style_detect(FILE *out, struct pcr_style *ret_style);
/* Prints text made safe (utf8.h) in this paint. */
void pcr_paint(const struct pcr_style *style, enum pcr_paint paint, const char *text);

#endif
