// SPDX-License-Identifier: GPL-2.0-or-later
/* What a chore of a round brought about its task: a look, what the kernel did, what we did. */
#include <errno.h>
#include <string.h>

#include "model/internal.h"
#include "model/model.h"

#define ASLEEP (5 * PCR_SEC)
#define SIZE_EVERY (10 * PCR_SEC)
#define HUGE_EVERY (2 * PCR_SEC)
#define HUGE_EVERY_RESTING (60 * PCR_SEC)
/* A look at page tables is to take no more than this part of the time. */
#define HUGE_PART 50

/* --- what a look brought --- */

static void take_name(struct pcr_task *t, const struct pcr_task_sample *s, u64 now)
{
	if (!t->start_ticks) {
		t->start_ticks = s->start_ticks;
		t->born_usec = pcr_sub_u64(now, s->age_usec);
		t->cpu_ticks = s->cpu_ticks;
	}
	/* An exec gives it another one. */
	memcpy(t->comm, s->comm, sizeof(t->comm));
	if (s->cpu_ticks != t->cpu_ticks)
		t->run_usec = now;
	t->cpu_ticks = s->cpu_ticks;
	t->running = now < t->run_usec + ASLEEP;
}

static void take_size(struct pcr_state *st, struct pcr_task *t, const struct pcr_chore *chore,
		      u64 now)
{
	const struct pcr_task_sample *s = &chore->sample;

	if (!pcr_has(s->anon_bytes))
		return;
	t->anon_bytes = s->anon_bytes;
	t->size_usec = now + SIZE_EVERY;
	if (t->rest_usec > now && t->rest == PCR_WHY_ALL_HUGE && pcr_task_larger(t, &st->collapse.thp)) {
		t->rest_usec = 0;
		t->fruitless = 0;
		t->huge_usec = now;
	}
	st->collapse.news |= !t->working && t->rest_usec <= now &&
			     t->anon_bytes > t->huge_bytes;
	if (!pcr_has(s->huge_bytes))
		return;
	if (t->working && !t->spell_scanned) {
		t->huge_start = s->huge_bytes;
	} else if (t->working && s->huge_bytes > t->huge_bytes) {
		t->made_bytes += s->huge_bytes - t->huge_bytes;
		st->collapse.made_bytes += s->huge_bytes - t->huge_bytes;
	}
	t->huge_bytes = s->huge_bytes;
	t->huge_usec = now + pcr_max_u64(t->working ? HUGE_EVERY : HUGE_EVERY_RESTING,
					 HUGE_PART * chore->look_usec);
}

static void count(struct pcr_state *st, struct pcr_task *t, u64 scanned, u64 now)
{
	t->scanned_bytes += scanned;
	t->spell_scanned += scanned;
	st->collapse.scanned_bytes += scanned;
	if (now < t->rate_from_usec + PCR_SEC)
		return;
	t->rate_bytes = (t->scanned_bytes - t->rate_scanned) * PCR_SEC / (now - t->rate_from_usec);
	t->rate_scanned = t->scanned_bytes;
	t->rate_from_usec = now;
}

/* --- what the kernel did by itself --- */

/* Told to, and it has not moved for so long: it sleeps. */
#define STUCK (2 * PCR_SEC)

static void take_stat(struct pcr_state *st, struct pcr_task *t, const struct pcr_chore *chore,
		      u64 now)
{
	const struct pcr_collapse_stat *s = &chore->stat, *was = &t->stat;
	u64 full;

	if (!pcr_has(s->scanned))
		return;
	/* An exec begins anew, and without the rate. */
	if (pcr_has(was->scanned) && s->scanned < was->scanned) {
		t->granted_bytes = 0;
		t->rate_bytes = PCR_ABSENT;
		t->rate_from_usec = now;
		t->rate_scanned = t->scanned_bytes;
	}
	if (!pcr_has(was->scanned) || s->scanned < was->scanned) {
		t->stat = t->stat_start = *s;
		t->moved_usec = now;
		return;
	}
	count(st, t, pcr_sub_u64(s->scanned, was->scanned) * st->collapse.thp.page_bytes, now);
	if (s->scanned != was->scanned)
		t->moved_usec = now;
	full = pcr_sub_u64(s->full_scans, t->stat_start.full_scans);
	/* The first pass began at the beginning, later ones where the last spell ended. */
	if (full >= (t->spells == 1 ? 1u : 2u))
		pcr_state_task_end(t, PCR_STOP_DONE, now);
	else if (pcr_sub_u64(s->alloc_failed, was->alloc_failed) >
		 pcr_sub_u64(s->collapsed, was->collapsed))
		pcr_state_task_end(t, PCR_STOP_NO_PROGRESS, now);
	t->stat = *s;
	if (now >= t->moved_usec + STUCK && t->granted_bytes && st->collapse.ready[PCR_HOW_MADVISE])
		t->how = PCR_HOW_MADVISE;
}

static void take_grant(struct pcr_state *st, struct pcr_task *t, const struct pcr_chore *chore,
		       u64 now)
{
	if (!chore->grant)
		return;
	if (!chore->err) {
		t->granted_bytes = chore->bytes;
		t->lease_usec = chore->bytes ? now + PCR_GRANT_LEASE : 0;
		return;
	}
	t->granted_bytes = 0;
	if (!chore->bytes)
		return;
	t->err = chore->err;
	/* Switched off under us, for all of them; it is looked for again with the settings. */
	if (chore->err == EOPNOTSUPP)
		st->collapse.ready[PCR_HOW_TASK] = false;
	if (st->collapse.ready[PCR_HOW_MADVISE])
		t->how = PCR_HOW_MADVISE;
	else
		pcr_state_task_end(t, PCR_STOP_ERROR, now);
}

/* --- what we did --- */

static void take_scan(struct pcr_state *st, struct pcr_task *t, const struct pcr_chore *chore,
		      u64 now)
{
	if (chore->scanned_bytes)
		count(st, t, chore->scanned_bytes, now);
	t->spell_tried += chore->tried_bytes;
	t->spell_failed += chore->failed_bytes;
	if (chore->err == EPERM || chore->err == EACCES) {
		t->err = chore->err;
		pcr_state_task_end(t, PCR_STOP_ERROR, now);
	} else if (chore->pass_ended) {
		pcr_state_task_end(t, t->spell_failed ? PCR_STOP_NO_PROGRESS : PCR_STOP_DONE, now);
		/* Nothing was tried: what there is to see was seen before. */
		if (!t->spell_tried)
			t->huge_usec = PCR_NEVER;
	}
}

/* --- a chore is back --- */

/* Gone, or never there: what it had come to is told. */
static bool vanish(struct pcr_state *st, const struct pcr_settings *set, struct pcr_task *t,
		   enum pcr_stop stop, u64 now, struct pcr_record *rec)
{
	bool told = false;

	if (t->working && pcr_has(t->huge_bytes)) {
		t->stop = stop;
		told = pcr_spell_record(st, set, t, now, rec);
	}
	pcr_task_drop(&st->collapse, t);
	return told;
}

static bool unreadable(struct pcr_state *st, const struct pcr_settings *set, struct pcr_task *t,
		       int r, u64 now, struct pcr_record *rec)
{
	bool told = false;

	t->huge_usec = now + PCR_REST_MAX;
	/* Its pid may soon be another's. */
	t->size_usec = now + SIZE_EVERY;
	if (r == PCR_NONE) {
		t->anon_bytes = t->huge_bytes = 0;
		return false;
	}
	t->err = -r;
	if (!pcr_has(t->anon_bytes))
		t->anon_bytes = t->huge_bytes = 0;
	t->stop = PCR_STOP_ERROR;
	t->huge_start = t->huge_bytes;
	t->start_usec = t->working ? t->start_usec : now;
	told = pcr_spell_finish(st, set, t, now, rec);
	t->rest_usec = now + PCR_REST_MAX;
	return told;
}

/* What a dry run has to say about it, once. */
static bool say_dry(struct pcr_state *st, const struct pcr_settings *set, struct pcr_task *t,
		    u64 now, struct pcr_record *rec)
{
	const struct pcr_thp *thp = &st->collapse.thp;

	if (!t->dry_run || t->said || !pcr_has(t->huge_bytes) || !thp->huge_bytes ||
	    pcr_sub_u64(t->anon_bytes, t->huge_bytes) < thp->huge_bytes)
		return false;
	t->said = true;
	t->stop = PCR_STOP_DRY_RUN;
	t->start_usec = now;
	t->huge_start = t->huge_bytes;
	return pcr_spell_record(st, set, t, now, rec);
}

bool pcr_state_chore(struct pcr_state *st, const struct pcr_settings *set,
		     const struct pcr_chore *chore, u64 now, struct pcr_record *rec)
{
	struct pcr_task *t = pcr_task_find(&st->collapse, chore->pid);

	if (chore->how == PCR_HOW_MADVISE)
		pcr_state_collapse_settle(st, set, chore->bytes, chore->scanned_bytes);
	/* Dropped meanwhile, or its pid is another's by now. */
	if (!t || !t->out || (t->start_ticks && t->start_ticks != chore->start_ticks))
		return false;
	t->out = false;
	if (chore->r == PCR_GONE)
		return vanish(st, set, t, PCR_STOP_GONE, now, rec);
	if (chore->r)
		return unreadable(st, set, t, chore->r, now, rec);
	take_name(t, &chore->sample, now);
	take_size(st, t, chore, now);
	take_grant(st, t, chore, now);
	if (!t->working)
		return say_dry(st, set, t, now, rec);
	take_stat(st, t, chore, now);
	take_scan(st, t, chore, now);
	if (!t->last_look)
		return false;
	if (t->huge_usec == PCR_NEVER) {
		t->huge_usec = now + HUGE_EVERY;
		return pcr_spell_finish(st, set, t, now, rec);
	}
	/* A look that was taken before the work was done tells nothing of it. */
	return chore->depth == PCR_LOOK_HUGE && !chore->bytes && pcr_spell_finish(st, set, t, now, rec);
}

void pcr_state_tasks_swept(struct pcr_state *st, const struct pcr_settings *set,
			   enum pcr_stop stop, u64 now,
			   void (*ended)(void *data, const struct pcr_record *record), void *data)
{
	struct pcr_record rec;

	for (u32 i = st->collapse.n; i-- > 0;) {
		struct pcr_task *t = &st->collapse.task[i];

		if (t->seen)
			t->seen = false;
		else if (vanish(st, set, t, stop, now, &rec))
			ended(data, &rec);
	}
}
