/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that writes the history file, so that a slow or full disk holds up nobody.
 * Lines are appended; the whole is written anew, in the place of the old one, when it got
 * long or when the file is not as it was left.
 */
#ifndef PCR_HISTORY_WRITER_H
#define PCR_HISTORY_WRITER_H

#include "pcr/types.h"

struct pcr_history_writer;

/* So much may wait to be written. */
#define PCR_HISTORY_WAITING (512 * 1024)

/*
 * Writes DIR/history, of which size bytes are good. notify: called on the thread when
 * there is something for pcr_history_writer_news(). 0, -errno.
 */
int pcr_history_writer_start(const char *dir, u64 size, void (*notify)(void *data), void *data,
			     struct pcr_history_writer **ret_writer);
/* Gives what waits a second to be written. Takes NULL. */
struct pcr_history_writer *pcr_history_writer_stop(struct pcr_history_writer *w);

/* Lines to be appended, or (whole) the file from now on. 0, PCR_FULL, -ENOMEM: whole wanted. */
int pcr_history_writer_put(struct pcr_history_writer *w, const char *text, size_t n, bool whole);

struct pcr_history_news {
	bool whole;		/* lines were not written: the whole is wanted */
	int err;		/* of the last attempt; 0: it was written, or is to be written anew at once */
};
/* What was not told yet; false: nothing. */
bool pcr_history_writer_news(struct pcr_history_writer *w, struct pcr_history_news *ret_news);

#endif
