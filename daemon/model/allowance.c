// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Budget= over time. Two kinds of looking share it: what the kernel was told to do each
 * period, which counts from when it is told, and our own, which counts as it is done. In
 * any ten seconds the two come to no more than Budget= and a twentieth.
 */
#include "model/model.h"

/* Our own may save up so long for a round that comes late. */
#define SAVED (400 * PCR_MSEC)
/* Below memory pressure and back: not to and fro at the edge. */
#define CALM_PERCENT 75
/* Huge pages that are free: with fewer it stops, with so many it goes on. */
#define FREE_LOW 4
#define FREE_ENOUGH 16
/* What is left of a period at the old rate may overlap the new one: a little less for that. */
#define GRANT_PERCENT 99

static u64 rate(const struct pcr_settings *set)
{
	return (u64)((unsigned __int128)set->collapse.budget_bytes * PCR_SEC /
		     set->collapse.budget_usec);
}

static u64 granted(const struct pcr_state *st)
{
	u64 sum = 0;

	for (u32 i = 0; i < st->collapse.n; i++)
		sum = pcr_add_u64(sum, st->collapse.task[i].granted_bytes);
	return sum;
}

static u64 over(u64 bytes_second, u64 usec)
{
	return (u64)((unsigned __int128)bytes_second * usec / PCR_SEC);
}

static u64 most(const struct pcr_state *st, const struct pcr_settings *set)
{
	return pcr_max_u64(over(rate(set), SAVED), st->collapse.thp.huge_bytes);
}

void pcr_state_collapse_accrue(struct pcr_state *st, const struct pcr_settings *set, u64 now)
{
	struct pcr_collapse *c = &st->collapse;
	u64 span = pcr_sub_u64(now, c->tokens_usec);
	u64 kernels;

	/* A lease that nobody renewed is over. */
	for (u32 i = 0; i < c->n; i++)
		if (c->task[i].granted_bytes && c->task[i].lease_usec <= now)
			c->task[i].granted_bytes = 0;
	/* After an idle time there is no more than after a late round. */
	span = pcr_min_u64(span, SAVED);
	kernels = over(granted(st), PCR_SEC * PCR_SEC / PCR_GRANT_PERIOD);
	c->tokens_usec = now;
	c->tokens_bytes = pcr_min_u64(pcr_add_u64(c->tokens_bytes,
						  over(pcr_sub_u64(rate(set), kernels), span)),
				      most(st, set));
	for (u32 i = 0; i < c->n; i++) {
		struct pcr_task *t = &c->task[i];
		u64 save = pcr_max_u64(over(t->share_bytes, SAVED), 2 * c->thp.huge_bytes);

		if (t->how == PCR_HOW_MADVISE)
			t->credit_bytes = pcr_min_u64(
				pcr_add_u64(t->credit_bytes, over(t->share_bytes, span)), save);
	}
}

u64 pcr_state_collapse_spend(struct pcr_state *st, struct pcr_task *t)
{
	struct pcr_collapse *c = &st->collapse;
	u64 bytes = pcr_min_u64(t->credit_bytes, c->tokens_bytes);

	if (!c->thp.huge_bytes || t->how != PCR_HOW_MADVISE || t->granted_bytes)
		return 0;
	bytes = bytes / c->thp.huge_bytes * c->thp.huge_bytes;
	t->credit_bytes -= bytes;
	c->tokens_bytes -= bytes;
	return bytes;
}

void pcr_state_collapse_settle(struct pcr_state *st, const struct pcr_settings *set, u64 given,
			       u64 used)
{
	struct pcr_collapse *c = &st->collapse;

	if (used > given)
		c->tokens_bytes = pcr_sub_u64(c->tokens_bytes, used - given);
	else
		c->tokens_bytes = pcr_min_u64(c->tokens_bytes + given - used, most(st, set));
}

u64 pcr_state_collapse_room(const struct pcr_state *st, const struct pcr_settings *set)
{
	return pcr_sub_u64(over(rate(set), PCR_GRANT_PERIOD) / 100 * GRANT_PERCENT, granted(st));
}

u64 pcr_state_collapse_grant(const struct pcr_state *st, const struct pcr_task *t, u64 *room)
{
	u64 want = over(t->share_bytes, PCR_GRANT_PERIOD) / 100 * GRANT_PERCENT;
	u64 page = st->collapse.thp.page_bytes, more;

	if (t->how != PCR_HOW_TASK || !page)
		return 0;
	want = want / page * page;
	/* A small difference is not worth the telling. */
	if (want > t->granted_bytes - t->granted_bytes / 8 &&
	    want < t->granted_bytes + t->granted_bytes / 8)
		return t->granted_bytes;
	/* More is had only when others have less. */
	more = pcr_min_u64(pcr_sub_u64(want, t->granted_bytes), *room / page * page);
	*room -= more;
	return pcr_min_u64(want, t->granted_bytes) + more;
}

void pcr_state_collapse_machine(struct pcr_state *st, const struct pcr_settings *set, u64 some_bp,
				u64 free_huge, u64 now)
{
	struct pcr_collapse *c = &st->collapse;
	bool was_pressed = c->paused == PCR_WHY_PAUSED, was_short = c->paused == PCR_WHY_NO_HUGE;
	u64 limit = set->collapse.pressure_bp;
	enum pcr_reason now_why = PCR_WHY_NOTHING;

	if (was_pressed)
		limit = limit * CALM_PERCENT / 100;
	if (pcr_has(some_bp) && some_bp > limit)
		now_why = PCR_WHY_PAUSED;
	else if (free_huge < (was_short ? FREE_ENOUGH : FREE_LOW))
		now_why = PCR_WHY_NO_HUGE;
	if (now_why != c->paused)
		c->paused_usec = now;
	c->paused = now_why;
	c->some_bp = some_bp;
	c->free_huge = free_huge;
}
