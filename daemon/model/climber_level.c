// SPDX-License-Identifier: GPL-2.0-or-later
/* What was measured at one limit, and how far it can be trusted; see the header. */
#include "model/climber_level.h"

#include "model/climber.h"

/* A mean is good enough with an error below this; with PCR_CLIMB_SAMPLES it has to be. */
#define CALM (PCR_CLIMB_BAR / 2)
/* Samples that agree more closely than this do so by chance. */
#define SCATTER_MIN PCR_CLIMB_BAR
/* The last samples differ by this much, beyond noise, from those before. */
#define CHANGED 1000

static u64 mean(const u64 *v, u32 n)
{
	unsigned __int128 sum = 0;

	for (u32 i = 0; i < n; i++) {
		if (!pcr_has(v[i]))
			return PCR_ABSENT;
		sum += v[i];
	}
	return n ? (u64)(sum / n) : PCR_ABSENT;
}

u64 pcr_climb_rate(const struct pcr_climb_level *l)
{
	return mean(l->rate, l->n);
}

u64 pcr_climb_cpu(const struct pcr_climb_level *l)
{
	return mean(l->cpu, l->n);
}

static u64 root_of(u64 v)
{
	u64 r = 0;

	for (u64 bit = 1ULL << 31; bit; bit >>= 1)
		if ((r + bit) * (r + bit) <= v)
			r += bit;
	return r;
}

s64 pcr_level_gain(u64 a, u64 b)
{
	__int128 g = ((__int128)a - b) * 10000 / (b ? b : 1);

	return g > 1000000 ? 1000000 : (s64)g;
}

u64 pcr_level_scatter(const struct pcr_climb_level *l)
{
	u64 m = pcr_climb_rate(l), sum = 0;

	if (l->n < 2)
		return CHANGED * CHANGED;
	for (u32 i = 0; i < l->n; i++) {
		s64 d = pcr_level_gain(l->rate[i], m);

		sum += (u64)(d * d);
	}
	return pcr_max_u64(sum / (l->n - 1), SCATTER_MIN * SCATTER_MIN);
}

s64 pcr_level_noise(const struct pcr_climb_level *a, const struct pcr_climb_level *b)
{
	u64 v = pcr_max_u64(pcr_level_scatter(a), pcr_level_scatter(b));

	return (s64)root_of(v / a->n + v / b->n);
}

bool pcr_level_enough(const struct pcr_climb_level *l)
{
	return l->n >= PCR_CLIMB_SAMPLES ||
	       (l->n >= PCR_CLIMB_ENOUGH && pcr_level_scatter(l) / l->n <= (u64)CALM * CALM);
}

void pcr_level_add(struct pcr_climb_level *l, const struct pcr_climb_sample *s, u64 now)
{
	unsigned __int128 rate = (unsigned __int128)s->pages * PCR_SEC / s->usec;
	unsigned __int128 cpu = (unsigned __int128)s->worker_usec * 1000000 / s->pages;

	l->rate[l->next] = rate > UINT64_MAX / 20000 ? UINT64_MAX / 20000 : (u64)rate;
	l->cpu[l->next] = pcr_has(s->worker_usec) ? (u64)cpu : PCR_ABSENT;
	l->next = (l->next + 1) % PCR_CLIMB_SAMPLES;
	if (l->n < PCR_CLIMB_SAMPLES)
		l->n++;
	l->last_usec = now;
}

bool pcr_level_changed(const struct pcr_climb_level *l, u64 rate, u64 scatter)
{
	struct pcr_climb_level new = { 0 };
	s64 g, e;

	for (u32 i = 0; i < PCR_CLIMB_ENOUGH; i++)
		new.rate[new.n++] = l->rate[(l->next + PCR_CLIMB_SAMPLES - 1 - i) %
					    PCR_CLIMB_SAMPLES];
	g = pcr_level_gain(pcr_climb_rate(&new), rate);
	e = 3 * (s64)root_of(pcr_max_u64(pcr_level_scatter(&new), scatter) * 2 / PCR_CLIMB_ENOUGH);
	return g > CHANGED + e || g < -(CHANGED + e);
}
