// SPDX-License-Identifier: GPL-2.0-or-later
/* What a round of work on tasks is made of. */
#include "loop/round.h"

#include "loop/collapser.h"
#include "model/model.h"
#include "policy/policy.h"

/* A round while there is work; as long as a period of the kernel's own rates. */
#define ROUND PCR_GRANT_PERIOD
/* Looks in one round: the dear ones, and all. */
#define HUGE_LOOKS 8
#define CHORES 128
#define RENEW (PCR_GRANT_LEASE / 2)

struct draft {
	struct pcr_round *round;
	u32 huge_looks;
};

static struct pcr_chore *add(struct draft *d, struct pcr_task *t)
{
	struct pcr_chore *chore = &d->round->chore[d->round->n++];

	t->out = true;
	chore->pid = t->pid;
	chore->start_ticks = t->start_ticks;
	chore->how = t->how;
	return chore;
}

static enum pcr_depth depth_of(const struct draft *d, const struct pcr_task *t, u64 now)
{
	if (t->huge_usec <= now)
		return d->huge_looks < HUGE_LOOKS ? PCR_LOOK_HUGE : PCR_LOOK_NO;
	return t->size_usec <= now ? PCR_LOOK_SIZE : PCR_LOOK_NO;
}

/* Our own looking, its rate in the kernel, or only a look; false: nothing is due. */
static bool consider(struct pcr_state *st, struct draft *d, struct pcr_task *t, u64 *room, u64 now)
{
	enum pcr_depth depth = depth_of(d, t, now);
	u64 grant = t->last_look ? 0 : pcr_state_collapse_grant(st, t, room);
	bool told = grant != t->granted_bytes || (grant && t->lease_usec < now + RENEW);
	u64 bytes = t->last_look ? 0 : pcr_state_collapse_spend(st, t);
	bool stat = t->granted_bytes && now >= t->rate_from_usec + PCR_SEC;
	struct pcr_chore *chore;

	if (depth == PCR_LOOK_NO && !told && !bytes && !stat)
		return false;
	chore = add(d, t);
	chore->depth = depth;
	d->huge_looks += depth == PCR_LOOK_HUGE;
	chore->grant = told;
	chore->bytes = told ? grant : bytes;
	if (told)
		chore->how = PCR_HOW_TASK;
	return true;
}

/* Those whose turn it is begin; those that no policy wants any more end. */
static void begin(struct pcr_state *st, const struct pcr_settings *set, u64 now)
{
	struct pcr_collapse *col = &st->collapse;
	u64 shares[PCR_TASKS_MAX];

	pcr_policy_collapse_shares(st, set, now, shares);
	for (u32 i = 0; i < col->n; i++) {
		struct pcr_task *t = &col->task[i];

		t->share_bytes = shares[i];
		if (t->working && (col->thp.never || !col->thp.huge_bytes))
			pcr_state_task_end(t, PCR_STOP_OFF, now);
		/* All of it is huge, whoever did it: nothing is left to end the pass for. */
		else if (t->working && !pcr_collapse_worth(t, &col->thp))
			pcr_state_task_end(t, PCR_STOP_DONE, now);
		if (shares[i] && !t->working)
			pcr_state_task_start(st, t, now);
	}
}

struct pcr_round *pcr_round_make(struct pcr_state *st, const struct pcr_settings *set, u64 now)
{
	struct pcr_collapse *col = &st->collapse;
	u32 most = (u32)pcr_min_u64(col->n, CHORES), i;
	struct draft d = { .round = pcr_round_new(most) };
	u64 room;

	if (!d.round)
		return NULL;
	col->news = false;
	pcr_state_collapse_accrue(st, set, now);
	begin(st, set, now);
	room = pcr_state_collapse_room(st, set);
	d.round->thp = col->thp;
	d.round->machine = col->machine_usec <= now;
	d.round->n = 0;
	for (i = 0; i < col->n && d.round->n < most; i++)
		(void)consider(st, &d, &col->task[(col->turn + i) % col->n], &room, now);
	/* Who found no place this time is the first next time. */
	col->turn = col->n ? (col->turn + (i < col->n ? i : 1)) % col->n : 0;
	return d.round;
}

/* Work of our own, or an end to be seen to; the kernel's own rates need no more than a look. */
static bool in_haste(const struct pcr_task *t)
{
	return t->working && (t->how == PCR_HOW_MADVISE || t->last_look || !t->granted_bytes);
}

u64 pcr_round_due(const struct pcr_state *st, u64 now)
{
	const struct pcr_collapse *col = &st->collapse;
	bool paused = col->paused != PCR_WHY_NOTHING;
	u64 next = col->n && paused ? now + PCR_MACHINE_EVERY : col->news ? now : PCR_NEVER;

	for (u32 i = 0; i < col->n; i++) {
		const struct pcr_task *t = &col->task[i];

		if (!paused && in_haste(t))
			return now + ROUND;
		if (t->working)
			next = pcr_min_u64(next, now + PCR_MACHINE_EVERY);
		next = pcr_min_u64(next, pcr_min_u64(t->size_usec, t->huge_usec));
		if (t->rest_usec > now)
			next = pcr_min_u64(next, t->rest_usec);
	}
	return pcr_max_u64(next, now + ROUND);
}
