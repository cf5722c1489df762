/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hill-climber of one node's worker limit. Integers, no allocation, no clock.
 *
 * It goes by pages freed per second of exit. A step up is kept only for a gain beyond
 * the noise of what was measured, and of 3 % at least; a small gain that takes much
 * more CPU is none; a step down is kept unless it loses that much. Freeing in parallel
 * has diminishing returns, so a step that was hardly worth it is not followed by another.
 * When the limit is found, a few exits without any workers tell what that gains; if it
 * is nothing, workers are left out.
 * Once settled it only watches, and looks again when the rate at its limit has changed,
 * or after some exits: ever more of them while nothing comes of it.
 */
#ifndef PCR_MODEL_CLIMBER_H
#define PCR_MODEL_CLIMBER_H

#include "pcr/climber.h"

/* start: the limit found; cap: the node's CPUs. */
void pcr_climb_init(struct pcr_climber *c, u64 start, u64 cap, u64 now);
/* CPUs came or went, or the kernel refused a limit: another cap. No news: nothing changes. */
void pcr_climb_cap(struct pcr_climber *c, u64 cap, u64 now);
/* True when that ended a search. A sample at another limit than the one wanted is left out. */
bool pcr_climb_note(struct pcr_climber *c, const struct pcr_climb_sample *s, u64 now);
/* The limit wanted. */
u64 pcr_climb_wants(const struct pcr_climber *c, bool pressed);

/* Or no workers at all. */
bool pcr_climb_alone(const struct pcr_climber *c);

u64 pcr_climb_limit(const struct pcr_climber *c, u32 level);
/* Means of what is remembered; PCR_ABSENT. */
u64 pcr_climb_rate(const struct pcr_climb_level *l);
u64 pcr_climb_cpu(const struct pcr_climb_level *l);

#endif
