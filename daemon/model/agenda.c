// SPDX-License-Identifier: GPL-2.0-or-later
/* Binary heaps over one set of reaps: each is once in both, from its first day to its last. */
#include "model/agenda.h"

#include <errno.h>
#include <stdlib.h>

#define CAP_MIN 16u

static void put(struct pcr_agenda *a, u32 which, u32 i, struct pcr_agenda_entry e)
{
	a->entry[i] = e;
	e.reap->place[which] = i;
}

static void rise(struct pcr_agenda *a, u32 which, u32 i, struct pcr_agenda_entry e)
{
	while (i && a->entry[(i - 1) / 2].due_usec > e.due_usec) {
		put(a, which, i, a->entry[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	put(a, which, i, e);
}

static void sink(struct pcr_agenda *a, u32 which, u32 i, struct pcr_agenda_entry e)
{
	u32 child;

	for (; (child = 2 * i + 1) < a->n; i = child) {
		if (child + 1 < a->n && a->entry[child + 1].due_usec < a->entry[child].due_usec)
			child++;
		if (a->entry[child].due_usec >= e.due_usec)
			break;
		put(a, which, i, a->entry[child]);
	}
	put(a, which, i, e);
}

static void file(struct pcr_state *st, u32 which, struct pcr_reap *r, u64 due)
{
	struct pcr_agenda *a = &st->agenda[which];
	u32 i = r->place[which];
	struct pcr_agenda_entry e = { due, r };

	if (due < a->entry[i].due_usec)
		rise(a, which, i, e);
	else
		sink(a, which, i, e);
}

static int resize(struct pcr_agenda *a, u32 cap)
{
	struct pcr_agenda_entry *entry = reallocarray(a->entry, cap, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	a->entry = entry;
	a->cap = cap;
	return 0;
}

int pcr_agenda_enter(struct pcr_state *st, struct pcr_reap *r)
{
	const u64 due[] = { [PCR_AGENDA_LOOK] = r->sample_usec, [PCR_AGENDA_PLAN] = 0 };

	for (u32 i = 0; i < _PCR_AGENDA_MAX; i++) {
		struct pcr_agenda *a = &st->agenda[i];

		if (a->n == a->cap && resize(a, a->cap ? 2 * a->cap : CAP_MIN) < 0)
			return -ENOMEM;
	}
	for (u32 i = 0; i < _PCR_AGENDA_MAX; i++)
		rise(&st->agenda[i], i, st->agenda[i].n++, (struct pcr_agenda_entry){ due[i], r });
	return 0;
}

void pcr_agenda_leave(struct pcr_state *st, struct pcr_reap *r)
{
	for (u32 i = 0; i < _PCR_AGENDA_MAX; i++) {
		struct pcr_agenda *a = &st->agenda[i];
		struct pcr_agenda_entry last = a->entry[--a->n];

		if (last.reap != r) {
			put(a, i, r->place[i], (struct pcr_agenda_entry){ a->entry[r->place[i]].due_usec,
									   last.reap });
			file(st, i, last.reap, last.due_usec);
		}
		if (a->cap > CAP_MIN && a->n < a->cap / 8)
			(void)resize(a, a->cap / 2);
	}
}

void pcr_agenda_clear(struct pcr_state *st)
{
	for (u32 i = 0; i < _PCR_AGENDA_MAX; i++)
		free(st->agenda[i].entry);
}

/* --- when --- */

void pcr_reap_look_at(struct pcr_state *st, struct pcr_reap *r, u64 usec)
{
	r->sample_usec = usec;
	file(st, PCR_AGENDA_LOOK, r, usec);
}

void pcr_reap_planned(struct pcr_state *st, struct pcr_reap *r, u64 until_usec)
{
	file(st, PCR_AGENDA_PLAN, r, until_usec);
}

void pcr_reap_stir(struct pcr_state *st, struct pcr_reap *r)
{
	file(st, PCR_AGENDA_PLAN, r, 0);
}

void pcr_state_stir(struct pcr_state *st)
{
	struct pcr_agenda *a = &st->agenda[PCR_AGENDA_PLAN];

	for (u32 i = 0; i < a->n; i++)
		a->entry[i].due_usec = 0;
}

/* --- in turn --- */

u32 pcr_agenda_first(const struct pcr_agenda *a, u64 before)
{
	return a->n && a->entry[0].due_usec < before ? 0 : a->n;
}

static bool has(const struct pcr_agenda *a, u32 i, u64 before)
{
	return i < a->n && a->entry[i].due_usec < before;
}

u32 pcr_agenda_next(const struct pcr_agenda *a, u32 i, u64 before)
{
	/* None stands below one that is later. */
	if (has(a, i, before)) {
		if (has(a, 2 * i + 1, before))
			return 2 * i + 1;
		if (has(a, 2 * i + 2, before))
			return 2 * i + 2;
	}
	/* On the way up, to the right of each left one. */
	for (; i; i = (i - 1) / 2)
		if (i % 2 && has(a, i + 1, before))
			return i + 1;
	return a->n;
}
