/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal as a screen of its own: whole pictures out, keys in, and everything as it
 * was found at the end, also when a signal is the end. One at a time.
 */
#ifndef PCR_SCREEN_H
#define PCR_SCREEN_H

#include "pcr/types.h"

enum {
	PCR_KEY_NONE = -1,	/* time is up */
	PCR_KEY_REDRAW = -2,	/* another size, or back from being stopped */
	PCR_KEY_END = -3,	/* a signal, or the terminal is gone */
};

/* stdin and stdout are a terminal, and one that can place a cursor. */
bool pcr_screen_able(void);
void pcr_screen_open(void);
void pcr_screen_close(void);
/* Once it is closed: ends the process as the signal would have, if one was the end. */
void pcr_screen_pass_signal(void);

void pcr_screen_size(u32 *ret_columns, u32 *ret_rows);
/* Lines, with colours at most; what is wider or longer than the screen is cut. */
void pcr_screen_show(const char *text);
/* A key's byte, or one of the above. msec < 0: as long as it takes. */
int pcr_screen_key(s64 msec);

#endif
