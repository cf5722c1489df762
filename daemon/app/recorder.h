/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records what changes the state, for one caller at a time: lines of a trace wait in
 * memory until they are taken. While nobody records it costs nothing.
 */
#ifndef PCR_RECORDER_H
#define PCR_RECORDER_H

#include "pcr/settings.h"
#include "pcr/state.h"

/* What may wait: some 100,000 cgroups at the start, or a caller that reads too slowly. */
#define PCR_RECORDER_MAX (16u << 20)

struct pcr_recorder {
	bool on;
	bool lost;		/* there was no room: what follows would be no trace */
	struct pcr_tap tap;
	u64 began_usec;
	u64 last_usec;		/* of the last event, from the start */
	char *bytes;
	size_t start, end, cap;
};

/* Begins with all that is known. 0, -EALREADY, -ENOMEM. */
int pcr_recorder_start(struct pcr_recorder *r, struct pcr_state *st, const struct pcr_settings *set,
		       u64 now);
/* Others are in force from now on; nothing where nobody records. */
void pcr_recorder_settings(struct pcr_recorder *r, const struct pcr_settings *set, u64 now);
void pcr_recorder_stop(struct pcr_recorder *r, struct pcr_state *st);
/* Is there something to be taken? */
bool pcr_recorder_waits(const struct pcr_recorder *r);
/*
 * The next whole lines, max bytes at most; good until the next call. 0, PCR_NONE: none
 * now, -ENOBUFS: some were lost.
 */
int pcr_recorder_take(struct pcr_recorder *r, size_t max, const char **ret_text, size_t *ret_n);

#endif
