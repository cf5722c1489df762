// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks that a policy wants huge pages for: who they are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"
#include "model/model.h"
#include "model/tree.h"

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

void pcr_task_drop(struct pcr_collapse *c, struct pcr_task *t)
{
	u32 i = (u32)(t - c->task);

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
