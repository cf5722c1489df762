// SPDX-License-Identifier: GPL-2.0-or-later
/* How much percpu memory there is over time, and whether a forecast is news. */
#include "model/internal.h"
#include "model/model.h"

/* Far is twice as long as near, for as long as a forecast looks back. */
#define CLEAR (PCR_STRETCHES * PCR_STRETCH_USEC)

u64 pcr_percpu_footprint(const struct pcr_percpu_sample *s)
{
	return pcr_has(s->percpu_bytes) && pcr_has(s->metadata_bytes) ?
		       pcr_add_u64(s->percpu_bytes, s->metadata_bytes) : s->percpu_bytes;
}

void pcr_footprint_note(struct pcr_state *st, u64 now)
{
	u64 bytes = pcr_percpu_footprint(&st->trim.now);
	u64 number = now / PCR_STRETCH_USEC;
	struct pcr_stretch *s = &st->footprint.stretch[number % (PCR_STRETCHES + 1)];

	if (!pcr_has(bytes) || (s->number == number && s->least_bytes <= bytes))
		return;
	*s = (struct pcr_stretch){ .number = number, .least_bytes = bytes, .at_usec = now };
}

bool pcr_state_forewarn(struct pcr_state *st, const struct pcr_settings *set, u64 left_usec,
			u64 now)
{
	struct pcr_footprint *f = &st->footprint;
	u64 near = set->forecast.within_usec;

	if (left_usec / 2 <= near)
		f->clear_usec = 0;
	else if (!f->clear_usec)
		f->clear_usec = now;
	else if (now - f->clear_usec >= CLEAR)
		f->forewarned = false;
	if (!near || left_usec > near || f->forewarned)
		return false;
	f->forewarned = true;
	return true;
}
