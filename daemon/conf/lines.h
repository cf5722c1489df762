/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one line of a settings file is, before inih sees it. Everything that inih
 * takes in silence and that people would call a mistake is caught here: over-long
 * lines, NUL bytes, text behind "]", names that it would cut, missing keys.
 */
#ifndef PCR_CONF_LINES_H
#define PCR_CONF_LINES_H

#include "pcr/types.h"

/* inih's buffer is 4096, and some of it goes for line ends. */
#define PCR_LINE_MAX 4000
/* inih cuts section names there, and two long ones become one. */
#define PCR_SECTION_MAX 49

enum pcr_line_kind {
	PCR_LINE_BLANK,		/* nothing, or a comment */
	PCR_LINE_SECTION,
	PCR_LINE_KEY,
	PCR_LINE_BAD,
};

struct pcr_line {
	enum pcr_line_kind kind;
	const char *name;	/* of the section or key, not terminated */
	size_t name_len;
	u32 column;		/* of the name (of a section: of its bracket), or of what is bad; from 1 */
	u32 value_column;
	bool header;		/* bad, and meant to begin a section */
	char what[80];		/* why it is bad */
};

/* first: a byte order mark may come before it. */
struct pcr_line pcr_line_look(const char *text, size_t n, bool first);

#endif
