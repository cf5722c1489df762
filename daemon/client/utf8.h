/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text on a terminal: how wide it is, and that it does nothing but stand there. */
#ifndef PCR_UTF8_H
#define PCR_UTF8_H

#include <stdio.h>

#include "pcr/types.h"

/*
 * The character at the start of a terminated, non-empty text; returns its bytes. A
 * byte that begins no valid sequence is taken alone, *ret_code is then PCR_NO_CHAR.
 */
#define PCR_NO_CHAR UINT32_MAX
size_t pcr_utf8_next(const char *text, u32 *ret_code);
bool pcr_utf8_valid(const char *text);

/*
 * A text with what could drive a terminal made visible: control characters, those
 * that turn the writing direction, and bytes that are no UTF-8 as \xNN. Newlines too,
 * but for pcr_utf8_print_lines(). The copy is the caller's; NULL: no memory.
 */
char *pcr_utf8_clean(const char *text);
void pcr_utf8_print(FILE *out, const char *text);
void pcr_utf8_print_lines(FILE *out, const char *text);

/* Columns that a clean text takes. */
u32 pcr_utf8_width(const char *text);
/* Bytes of the longest start that takes at most so many columns, and how many it takes. */
size_t pcr_utf8_fit(const char *text, u32 columns, u32 *ret_used);

#endif
