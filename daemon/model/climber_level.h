/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was measured at one limit, and how far it can be trusted. Gains are in basis
 * points, scatter in their squares. For climber.c; see climber.h.
 */
#ifndef PCR_MODEL_CLIMBER_LEVEL_H
#define PCR_MODEL_CLIMBER_LEVEL_H

#include "pcr/climber.h"

/* A gain below this is none, whatever the noise. */
#define PCR_CLIMB_BAR 300
/* Fewer samples than this say nothing. */
#define PCR_CLIMB_ENOUGH 3

void pcr_level_add(struct pcr_climb_level *l, const struct pcr_climb_sample *s, u64 now);
/* a against b. */
s64 pcr_level_gain(u64 a, u64 b);
/* How much single samples scatter: their variance. */
u64 pcr_level_scatter(const struct pcr_climb_level *l);
/*
 * How far two means can be told apart. A few samples may agree by chance: they are
 * taken to scatter like those of the other one.
 */
s64 pcr_level_noise(const struct pcr_climb_level *a, const struct pcr_climb_level *b);
/* Its mean is good enough for a decision. */
bool pcr_level_enough(const struct pcr_climb_level *l);
/* The last samples, beyond noise, tell of another rate; scatter: of what that one is from. */
bool pcr_level_changed(const struct pcr_climb_level *l, u64 rate, u64 scatter);

#endif
