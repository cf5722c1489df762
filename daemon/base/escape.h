/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of anybody's on a line of ours: what is no printable ASCII, and backslashes, is
 * written \xNN, so that a line is ASCII whatever the text is.
 */
#ifndef PCR_ESCAPE_H
#define PCR_ESCAPE_H

#include "pcr/types.h"

/* Room for so many bytes with the NUL. */
#define PCR_ESCAPED(n) (4 * (n) + 1)

/* Returns the length written; the NUL is not counted. */
size_t pcr_escape(char *to, const char *from);
/*
 * NUL-terminated, shorter than size; to may be from. -EINVAL: a byte or an escape that
 * would not have been written so, or too long.
 */
int pcr_unescape(char *to, size_t size, const char *from, size_t n);

#endif
