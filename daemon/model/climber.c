// SPDX-License-Identifier: GPL-2.0-or-later
/* Which limit next; see the header. Shares are in basis points. */
#include "model/climber.h"

#include <string.h>

#include "model/climber_level.h"

/* A gain below this is small: not worth half as much CPU again, nor another step. */
#define SMALL (2 * PCR_CLIMB_BAR)
#define MUCH_CPU 5000
/* Helped exits that show that workers can't be left out. */
#define REFUSED 4
/* Exits after which a settled one looks again. */
#define REST_MIN 32
#define REST_MAX 2048

static s64 larger(s64 a, s64 b)
{
	return a > b ? a : b;
}

/* --- levels --- */

u64 pcr_climb_limit(const struct pcr_climber *c, u32 level)
{
	return pcr_min_u64(1ULL << level, c->cap);
}

static u32 level_of(const struct pcr_climber *c, u64 limit)
{
	u32 i = 0;

	while (i + 1 < c->n_levels && pcr_climb_limit(c, i) < limit)
		i++;
	return i;
}

static void turn_to(struct pcr_climber *c, enum pcr_climb_phase phase, u32 level, u64 now)
{
	c->phase = phase;
	c->trying = level;
	c->since_usec = now;
	/* What was measured long ago is no measure now. */
	if (phase < PCR_CLIMB_WITHOUT)
		c->level[level].n = c->level[level].next = 0;
}

static void begin(struct pcr_climber *c, u64 now)
{
	c->exits = 0;
	c->begun_usec = now;
	c->idle = false;
	c->climbed = false;
	c->began = c->at;
	c->fast = c->at;
	turn_to(c, PCR_CLIMB_BASE, c->at, now);
}

void pcr_climb_init(struct pcr_climber *c, u64 start, u64 cap, u64 now)
{
	memset(c, 0, sizeof(*c));
	c->rest = REST_MIN;
	c->cap = 0;
	pcr_climb_cap(c, cap, now);
	c->at = level_of(c, start);
	begin(c, now);
}

void pcr_climb_cap(struct pcr_climber *c, u64 cap, u64 now)
{
	cap = pcr_max_u64(pcr_min_u64(cap, 1ULL << (PCR_CLIMB_LEVELS - 1)), 1);
	if (cap == c->cap)
		return;
	c->cap = (u32)cap;
	for (c->n_levels = 1; 1ULL << (c->n_levels - 1) < cap;)
		c->n_levels++;
	for (u32 i = 0; i < PCR_CLIMB_LEVELS; i++)
		memset(&c->level[i], 0, sizeof(c->level[i]));
	c->at = (u32)pcr_min_u64(c->at, c->n_levels - 1);
	begin(c, now);
}

u64 pcr_climb_wants(const struct pcr_climber *c, bool pressed)
{
	if (c->phase == PCR_CLIMB_SETTLED && pressed)
		return pcr_climb_limit(c, c->fast);
	return pcr_climb_limit(c, c->trying);
}

/* --- the search --- */

static bool settle(struct pcr_climber *c, u64 now)
{
	/* Nothing came of it, so the next one may wait. */
	c->rest = c->at == c->began ? (u32)pcr_min_u64(2 * c->rest, REST_MAX) : REST_MIN;
	c->tried = c->exits;
	c->exits = 0;
	if (c->fast < c->at)
		c->fast = c->at;
	c->settled_rate = pcr_climb_rate(&c->level[c->at]);
	c->settled_scatter = pcr_level_scatter(&c->level[c->at]);
	turn_to(c, PCR_CLIMB_SETTLED, c->at, now);
	return true;
}

/* The limit is found; what is it worth? */
static bool found(struct pcr_climber *c, u64 now)
{
	c->refused = 0;
	c->without.n = c->without.next = 0;
	turn_to(c, PCR_CLIMB_WITHOUT, c->at, now);
	return false;
}

/* The next thing to try; true when there is none. */
static bool try_down(struct pcr_climber *c, u64 now)
{
	if (!c->at || c->climbed)
		return found(c, now);
	turn_to(c, PCR_CLIMB_DOWN, c->at - 1, now);
	return false;
}

static bool try_up(struct pcr_climber *c, u64 now)
{
	if (c->at + 1 >= c->n_levels)
		return try_down(c, now);
	turn_to(c, PCR_CLIMB_UP, c->at + 1, now);
	return false;
}

/* A small gain that takes much more CPU is none; unless memory is short. */
static bool dear(const struct pcr_climber *c, s64 g)
{
	u64 before = pcr_climb_cpu(&c->level[c->at]), after = pcr_climb_cpu(&c->level[c->trying]);

	return g < SMALL && pcr_has(before) && pcr_has(after) &&
	       pcr_level_gain(after, before) > MUCH_CPU;
}

/* Is it beyond the bar, or short of it, for sure? Neither: more samples, if there may be. */
static bool undecided(const struct pcr_climb_level *l, s64 g, s64 bar, s64 e)
{
	return l->n < PCR_CLIMB_SAMPLES && g - e < bar && g + e >= bar;
}

static bool judge_up(struct pcr_climber *c, bool pressed, u64 now)
{
	const struct pcr_climb_level *at = &c->level[c->at], *new = &c->level[c->trying];
	s64 g = pcr_level_gain(pcr_climb_rate(new), pcr_climb_rate(at));
	s64 e = pcr_level_noise(at, new);

	if (undecided(new, g, PCR_CLIMB_BAR, e))
		return false;
	if (g < PCR_CLIMB_BAR || g < e)
		return try_down(c, now);
	c->fast = c->trying;
	if (!pressed && dear(c, g))
		return try_down(c, now);
	c->at = c->trying;
	c->climbed = true;
	/* Unless it was surely more than that. */
	return g - e < SMALL && !pressed ? found(c, now) : try_up(c, now);
}

static bool judge_down(struct pcr_climber *c, u64 now)
{
	const struct pcr_climb_level *at = &c->level[c->at], *new = &c->level[c->trying];
	s64 g = pcr_level_gain(pcr_climb_rate(new), pcr_climb_rate(at));
	s64 e = pcr_level_noise(at, new);

	if (undecided(new, g, -PCR_CLIMB_BAR, e))
		return false;
	/* Where noise may hide a loss, what was there before stays. */
	if (g < larger(e, PCR_CLIMB_BAR) - 2 * PCR_CLIMB_BAR)
		return found(c, now);
	c->at = c->trying;
	return try_down(c, now);
}

/* --- settled --- */

/* The rate at its limit is another than when it settled. */
static bool changed(const struct pcr_climber *c)
{
	/* Where searches come to nothing, rates that differ are how things are here. */
	return c->exits >= pcr_max_u64(PCR_CLIMB_ENOUGH, c->rest / 8) &&
	       pcr_level_changed(&c->level[c->at], c->settled_rate, c->settled_scatter);
}

static void watch(struct pcr_climber *c, u64 now)
{
	if (c->exits >= c->rest || changed(c))
		begin(c, now);
}

bool pcr_climb_alone(const struct pcr_climber *c)
{
	return c->phase == PCR_CLIMB_WITHOUT || (c->phase == PCR_CLIMB_SETTLED && c->idle);
}

/*
 * The first step up, from no workers at all, has to be worth it like any other. A few
 * samples were enough to hold a limit against others; here there may have to be more.
 */
static bool judge_without(struct pcr_climber *c, u64 now)
{
	const struct pcr_climb_level *at = &c->level[c->at];
	s64 g = pcr_level_gain(pcr_climb_rate(at), pcr_climb_rate(&c->without));
	s64 e = pcr_level_noise(at, &c->without);

	if (undecided(&c->without, g, PCR_CLIMB_BAR, e))
		return false;
	if (undecided(at, g, PCR_CLIMB_BAR, e)) {
		turn_to(c, PCR_CLIMB_AGAIN, c->at, now);
		return false;
	}
	c->idle = g < PCR_CLIMB_BAR || g < e;
	return settle(c, now);
}

/* An exit without workers: asked for, or for the sake of another node. */
static bool note_alone(struct pcr_climber *c, const struct pcr_climb_sample *s, u64 now)
{
	if (!pcr_climb_alone(c))
		return false;
	pcr_level_add(&c->without, s, now);
	c->exits++;
	if (c->phase == PCR_CLIMB_SETTLED) {
		if (c->exits >= c->rest)
			begin(c, now);
		return false;
	}
	return c->without.n >= PCR_CLIMB_ENOUGH && judge_without(c, now);
}

bool pcr_climb_note(struct pcr_climber *c, const struct pcr_climb_sample *s, u64 now)
{
	struct pcr_climb_level *l = &c->level[c->trying];

	if (!s->pages || !s->usec)
		return false;
	if (!s->helped)
		return note_alone(c, s, now);
	/* They can't be left out here, or not any more: then what they gain is not known. */
	if (c->phase == PCR_CLIMB_WITHOUT)
		return ++c->refused >= REFUSED && settle(c, now);
	if (s->max_active != pcr_climb_limit(c, c->trying))
		return false;
	pcr_level_add(l, s, now);
	c->exits++;
	switch (c->phase) {
	case PCR_CLIMB_BASE:
		return pcr_level_enough(l) && try_up(c, now);
	case PCR_CLIMB_UP:
		return l->n >= PCR_CLIMB_ENOUGH && judge_up(c, s->pressed, now);
	case PCR_CLIMB_DOWN:
		return l->n >= PCR_CLIMB_ENOUGH && judge_down(c, now);
	case PCR_CLIMB_AGAIN:
		return judge_without(c, now);
	default:
		watch(c, now);
		return false;
	}
}
