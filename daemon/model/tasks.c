// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks that a policy wants huge pages for: who they are, and what came of the work on them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"
#include "model/model.h"
#include "model/tree.h"

#define ASLEEP (5 * PCR_SEC)
#define SIZE_EVERY (10 * PCR_SEC)
#define HUGE_EVERY (2 * PCR_SEC)
#define HUGE_EVERY_RESTING (60 * PCR_SEC)
/* A look at page tables is to take no more than this part of the time. */
#define HUGE_PART 50

/* Index of the first task whose pid is not smaller. */
static u32 place_of(const struct pcr_collapse *c, s32 pid)
{
	u32 from = 0, to = c->n;

	while (from < to) {
		u32 mid = from + (to - from) / 2;

		if (c->task[mid].pid < pid)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

struct pcr_task *pcr_task_find(const struct pcr_collapse *c, s32 pid)
{
	u32 i = place_of(c, pid);

	return i < c->n && c->task[i].pid == pid ? &c->task[i] : NULL;
}

static int grow(struct pcr_collapse *c)
{
	u32 cap = c->cap ? 2 * c->cap : 16;
	struct pcr_task *task;

	if (c->n < c->cap)
		return 0;
	if (c->n == PCR_TASKS_MAX)
		return PCR_FULL;
	task = realloc(c->task, cap * sizeof(*task));
	if (!task)
		return -ENOMEM;
	c->task = task;
	c->cap = cap;
	return 0;
}

static void insert(struct pcr_collapse *c, s32 pid, u64 now)
{
	u32 i = place_of(c, pid);

	memmove(&c->task[i + 1], &c->task[i], (c->n - i) * sizeof(c->task[0]));
	c->n++;
	c->task[i] = (struct pcr_task){
		.pid = pid, .policy = -1, .anon_bytes = PCR_ABSENT, .huge_bytes = PCR_ABSENT,
		.rate_bytes = PCR_ABSENT, .rest_anon = PCR_ABSENT, .stat.scanned = PCR_ABSENT, .born_usec = now,
		.size_usec = now, .huge_usec = now, .running = true, .run_usec = now,
	};
}

static void drop(struct pcr_collapse *c, u32 i)
{
	c->n--;
	memmove(&c->task[i], &c->task[i + 1], (c->n - i) * sizeof(c->task[0]));
}

int pcr_state_task(struct pcr_state *st, const struct pcr_node *node, s32 pid, u64 now)
{
	struct pcr_collapse *c = &st->collapse;
	struct pcr_task *t = pcr_task_find(c, pid);
	int r = t ? 0 : grow(c);

	if (r == PCR_FULL)
		c->left_out++;
	if (r)
		return r;
	if (!t) {
		insert(c, pid, now);
		t = pcr_task_find(c, pid);
	}
	t->seen = true;
	t->cgroup = node->id;
	t->policy = node->policy >= 0 ? node->policy : -1;
	return 0;
}

void pcr_state_tasks_rematch(struct pcr_state *st)
{
	for (u32 i = 0; i < st->collapse.n; i++)
		st->collapse.task[i].policy = PCR_UNMATCHED;
}

void pcr_state_tasks_clear(struct pcr_state *st)
{
	struct pcr_collapse *c = &st->collapse;

	free(c->task);
	c->task = NULL;
	c->n = c->cap = c->left_out = 0;
}

/* --- a spell of work, and the rest after it --- */

/* At first a short one: what a new process maps is most often eligible a little later. */
#define REST PCR_SEC
#define REST_MAX (10 * PCR_MIN)
/* Less than this part of its memory made huge is little for a spell: the next comes later. */
#define LITTLE_PART 8

static u64 spell_made(const struct pcr_task *t)
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
	t->huge_usec = pcr_min_u64(t->huge_usec, now + HUGE_EVERY);
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
static bool record(struct pcr_state *st, const struct pcr_settings *set, const struct pcr_task *t,
		   u64 now, struct pcr_record *rec)
{
	u64 made = spell_made(t);

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
	t->rest_usec = now + pcr_min_u64(span, REST_MAX);
	t->rest_anon = t->anon_bytes;
}

/* By so much that there is something new to look at. */
static bool larger(const struct pcr_task *t, const struct pcr_thp *thp)
{
	return pcr_has(t->rest_anon) &&
	       t->anon_bytes >= t->rest_anon + pcr_max_u64(t->rest_anon / LITTLE_PART,
							    16 * thp->huge_bytes);
}

static bool finish(struct pcr_state *st, const struct pcr_settings *set, struct pcr_task *t, u64 now,
		   struct pcr_record *rec)
{
	bool told = record(st, set, t, now, rec);
	bool done = t->stop == PCR_STOP_DONE;

	if (spell_made(t) < t->anon_bytes / LITTLE_PART && !larger(t, &st->collapse.thp))
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
	if (t->rest_usec > now && t->rest == PCR_WHY_ALL_HUGE && larger(t, &st->collapse.thp)) {
		t->rest_usec = 0;
		t->fruitless = 0;
		t->huge_usec = now;
	}
	st->collapse.news |= !t->working && t->rest_usec <= now &&
			     t->anon_bytes > t->huge_bytes;
	if (!pcr_has(s->huge_bytes))
		return;
	if (t->working && pcr_has(t->huge_bytes) && s->huge_bytes > t->huge_bytes) {
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
		told = record(st, set, t, now, rec);
	}
	drop(&st->collapse, (u32)(t - st->collapse.task));
	return told;
}

static bool unreadable(struct pcr_state *st, const struct pcr_settings *set, struct pcr_task *t,
		       int r, u64 now, struct pcr_record *rec)
{
	bool told = false;

	t->size_usec = t->huge_usec = now + REST_MAX;
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
	told = finish(st, set, t, now, rec);
	t->rest_usec = now + REST_MAX;
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
	return record(st, set, t, now, rec);
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
		return finish(st, set, t, now, rec);
	}
	/* A look that was taken before the work was done tells nothing of it. */
	return chore->depth == PCR_LOOK_HUGE && !chore->bytes && finish(st, set, t, now, rec);
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
