// SPDX-License-Identifier: GPL-2.0-or-later
/* When percpu memory will have reached a share of all memory, if it goes on as it does. */
#include "policy/policy.h"

/* A smaller part of memory than this, over all stretches, is noise. */
#define NOISE_PART 10000

static u64 scaled(u64 a, u64 b, u64 c)
{
	unsigned __int128 v = (unsigned __int128)a * b / c;

	return v > PCR_NEVER ? PCR_NEVER : (u64)v;
}

/*
 * The complete stretches, oldest first, when something was seen in each: nothing is read
 * because time passes, so where nothing happened nothing is known to have risen.
 */
static bool complete(const struct pcr_footprint *f, u64 now,
		     const struct pcr_stretch *s[static PCR_STRETCHES])
{
	u64 number = now / PCR_STRETCH_USEC;

	for (u32 i = 0; i < PCR_STRETCHES && number > PCR_STRETCHES; i++) {
		u64 n = number - PCR_STRETCHES + i;

		s[i] = &f->stretch[n % (PCR_STRETCHES + 1)];
		if (s[i]->number != n)
			return false;
	}
	return number > PCR_STRETCHES;
}

/* From each stretch to the next by half of an even share at least: one step is no rise. */
static u64 steady_rise(const struct pcr_stretch *s[static PCR_STRETCHES])
{
	u64 rise = pcr_sub_u64(s[PCR_STRETCHES - 1]->least_bytes, s[0]->least_bytes);

	for (u32 i = 1; i < PCR_STRETCHES; i++)
		if (pcr_sub_u64(s[i]->least_bytes, s[i - 1]->least_bytes) <
		    rise / (2 * (PCR_STRETCHES - 1)))
			return 0;
	return rise;
}

bool pcr_policy_forecast(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
			 struct pcr_forecast *ret_forecast)
{
	const struct pcr_footprint *f = &st->footprint;
	const struct pcr_stretch *s[PCR_STRETCHES], *last;
	u64 rise, span, limit, left;

	if (!pcr_has(f->memory_bytes) || !complete(f, now, s))
		return false;
	rise = steady_rise(s);
	if (rise == 0 || rise < f->memory_bytes / NOISE_PART)
		return false;
	last = s[PCR_STRETCHES - 1];
	span = last->at_usec - s[0]->at_usec;
	limit = scaled(f->memory_bytes, set->forecast.share_bp, 10000);
	left = scaled(pcr_sub_u64(limit, last->least_bytes), span, rise);
	*ret_forecast = (struct pcr_forecast){
		.bytes = last->least_bytes, .slope_bytes_hour = scaled(rise, PCR_HOUR, span),
		.limit_bytes = limit, .reached_usec = pcr_add_u64(last->at_usec, left),
	};
	return true;
}
