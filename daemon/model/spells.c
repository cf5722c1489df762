// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spells of work on a task and rests between them. A spell ends when all of its memory was
 * looked at, when that comes to nothing, or when the task is gone; the rest is the longer
 * the less it has brought.
 */
#include <stdio.h>
#include <string.h>

#include "model/internal.h"
#include "model/model.h"

/* At first a short one: what a new process maps is most often eligible a little later. */
#define REST PCR_SEC
/* Less than this part of its memory made huge is little for a spell: the next comes later. */
#define LITTLE_PART 8

u64 pcr_spell_made(const struct pcr_task *t)
{
	return pcr_has(t->huge_bytes) ? pcr_sub_u64(t->huge_bytes, t->huge_start) : 0;
}

void pcr_state_task_start(struct pcr_state *st, struct pcr_task *t, u64 now)
{
	const struct pcr_collapse *c = &st->collapse;

	t->working = true;
	t->last_look = false;
	t->stop = PCR_STOP_NONE;
	t->start_usec = t->moved_usec = t->rate_from_usec = now;
	t->huge_start = t->huge_bytes;
	/* What there is before the first step: khugepaged may have been here. */
	t->huge_usec = now;
	t->rate_scanned = t->scanned_bytes;
	t->rate_bytes = PCR_ABSENT;
	t->spell_scanned = t->spell_tried = t->spell_failed = 0;
	t->credit_bytes = 0;
	t->stat.scanned = PCR_ABSENT;
	t->spells++;
	/* A sleeping task never comes to look at its own memory. */
	t->how = c->ready[PCR_HOW_TASK] && (t->running || !c->ready[PCR_HOW_MADVISE]) ?
			 PCR_HOW_TASK : PCR_HOW_MADVISE;
}

/* The line of history and of the journal; false: not worth one. */
bool pcr_spell_record(struct pcr_state *st, const struct pcr_settings *set,
		      const struct pcr_task *t, u64 now, struct pcr_record *rec)
{
	u64 made = pcr_spell_made(t);

	/* What ends as it did the last time is no news. */
	if (!made && !t->dry_run && (t->fruitless || t->stop == PCR_STOP_DONE ||
				     t->stop == PCR_STOP_GONE || t->stop == PCR_STOP_OFF))
		return false;
	*rec = (struct pcr_record){
		.action = PCR_ACT_COLLAPSE, .why = PCR_WHY_ELIGIBLE, .stop = t->stop,
		.dry_run = t->stop == PCR_STOP_DRY_RUN,
		.err = t->stop == PCR_STOP_ERROR ? t->err : 0, .steps = 1, .target = t->cgroup,
		.start_usec = t->start_usec, .end_usec = now,
		.took_usec = pcr_sub_u64(now, t->start_usec), .asked = t->spell_scanned,
		.freed_bytes = PCR_ABSENT, .before = t->huge_start, .after = t->huge_bytes,
		.value = pcr_sub_u64(t->anon_bytes, t->huge_bytes), .threshold = PCR_ABSENT,
		.refault_pages = PCR_ABSENT,
	};
	if (t->policy >= 0)
		snprintf(rec->policy, sizeof(rec->policy), "%s", set->policies[t->policy].name);
	snprintf(rec->path, sizeof(rec->path), "%d %s", t->pid, t->comm);
	pcr_record_keep(st, rec);
	return true;
}

static void rest(struct pcr_task *t, enum pcr_reason why, u64 now)
{
	u64 span = REST << pcr_min_u64(pcr_sub_u64(t->fruitless, 1), 10);

	t->rest = why;
	t->rest_usec = now + pcr_min_u64(span, PCR_REST_MAX);
	t->rest_anon = t->anon_bytes;
}

/* By so much that there is something new to look at. */
bool pcr_task_larger(const struct pcr_task *t, const struct pcr_thp *thp)
{
	return pcr_has(t->rest_anon) &&
	       t->anon_bytes >= t->rest_anon + pcr_max_u64(t->rest_anon / LITTLE_PART,
							    16 * thp->huge_bytes);
}

bool pcr_spell_finish(struct pcr_state *st, const struct pcr_settings *set, struct pcr_task *t,
		      u64 now, struct pcr_record *rec)
{
	bool told = pcr_spell_record(st, set, t, now, rec);
	bool done = t->stop == PCR_STOP_DONE;

	if (pcr_spell_made(t) < t->anon_bytes / LITTLE_PART && !pcr_task_larger(t, &st->collapse.thp))
		t->fruitless++;
	else
		t->fruitless = 0;
	t->working = t->last_look = false;
	t->how = PCR_HOW_NONE;
	t->share_bytes = 0;
	rest(t, done ? PCR_WHY_ALL_HUGE : PCR_WHY_BACKOFF, now);
	return told;
}

/* The look that is still to come tells what it has come to. */
void pcr_state_task_end(struct pcr_task *t, enum pcr_stop stop, u64 now)
{
	if (t->last_look)
		return;
	t->last_look = true;
	t->stop = stop;
	t->huge_usec = now;
}
