// SPDX-License-Identifier: GPL-2.0-or-later
/* Huge pages for tasks: finding them, and one round of work after the other. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/cleanup.h"
#include "loop/crank_internal.h"
#include "loop/round.h"
#include "model/model.h"
#include "model/tree.h"
#include "policy/policy.h"
#include "read/procs.h"

/* Fork raises no event of a cgroup: so often it is looked for new tasks. */
#define SWEEP (2 * PCR_SEC)
/* Where thousands of cgroups have such a policy: no more than this part of the time. */
#define SWEEP_PART 100
/* After a cgroup was made, for others may follow. */
#define SWEEP_SOON PCR_SEC
/* In one turn: cgroups passed by, and cgroups whose tasks are read. */
#define SWEEP_NODES 2000
#define SWEEP_READS 16

static void ended(void *data, const struct pcr_record *record)
{
	struct pcr_crank *c = data;

	c->record(c->data, record);
}

void pcr_crank_collapse_anew(struct pcr_crank *c)
{
	struct pcr_collapse *col = &c->st->collapse;

	pcr_collapse_probe(c->root, &c->collapse);
	for (u32 i = 0; i < _PCR_HOW_MAX; i++)
		col->ready[i] = c->collapse.ready[i];
	if (!col->thp.page_bytes)
		col->thp.page_bytes = (u64)sysconf(_SC_PAGESIZE);
	col->machine_usec = 0;
	c->sweep_usec = c->round_usec = 0;
	c->sweep_id = 0;
}

/* --- finding tasks --- */

static void find_tasks(struct pcr_crank *c, const struct pcr_node *node, u64 now)
{
	PCR_AUTOFREE s32 *pids = NULL;
	char path[PCR_PATH_MAX];
	u32 n = 0;

	pcr_node_path(node, path, sizeof(path));
	/* Gone or a cgroup of threads: its process is found where that lives. */
	if (pcr_read_procs(c->root, path, PCR_TASKS_MAX, &pids, &n))
		return;
	for (u32 i = 0; i < n; i++)
		if (pcr_state_task(c->st, node, pids[i], now) < 0)
			return;
}

static void sweep_start(struct pcr_crank *c)
{
	c->sweep_id = c->st->tree.root->id;
	c->sweep_created = c->st->totals.created;
	c->sweep_found = false;
	c->sweep_took_usec = 0;
	c->st->collapse.left_out = 0;
}

static void sweep_end(struct pcr_crank *c, u64 now)
{
	struct pcr_collapse *col = &c->st->collapse;

	c->sweep_id = 0;
	c->swept_usec = now;
	c->sweep_usec = now + pcr_max_u64(SWEEP, SWEEP_PART * c->sweep_took_usec);
	pcr_state_tasks_swept(c->st, *c->set, PCR_STOP_GONE, now, ended, c);
	/* Beside us, khugepaged does the same: another writer of its settings is noticed. */
	pcr_sampler_khugepaged(&c->sampler);
	for (u32 i = 0; i < col->n; i++) {
		const struct pcr_rule *rule = pcr_task_rule(*c->set, &col->task[i]);

		col->task[i].dry_run = rule->dry_run || (*c->set)->daemon.dry_run;
	}
	c->round_usec = pcr_min_u64(c->round_usec, now);
}

/* When to sweep; where no cgroup has such a policy, only when one was made. */
static u64 sweep_due(const struct pcr_crank *c)
{
	if (c->sweep_id || !c->sweep_usec)
		return 0;
	if (c->st->totals.created != c->sweep_created)
		return pcr_min_u64(c->sweep_usec,
				   c->swept_usec + pcr_max_u64(SWEEP_SOON,
							       SWEEP_PART * c->sweep_took_usec));
	return c->sweep_found ? c->sweep_usec : PCR_NEVER;
}

static void sweep(struct pcr_crank *c, u64 now)
{
	struct pcr_node *node;
	u32 reads = 0;
	u64 start;

	if (sweep_due(c) > now)
		return;
	if (!c->sweep_id)
		sweep_start(c);
	node = pcr_tree_by_id(&c->st->tree, c->sweep_id);
	if (!node) {
		/* It vanished: nobody is dropped for half of a sweep. */
		c->sweep_id = 0;
		c->sweep_usec = now + SWEEP_SOON;
		return;
	}
	for (u32 i = 0; node && i < SWEEP_NODES && reads < SWEEP_READS; i++) {
		if (pcr_node_rule(*c->set, node)->collapse_bytes) {
			c->sweep_found = true;
			reads++;
			start = pcr_now_usec();
			find_tasks(c, node, now);
			c->sweep_took_usec += pcr_now_usec() - start;
		}
		node = pcr_tree_next(node);
	}
	if (node)
		c->sweep_id = node->id;
	else
		sweep_end(c, now);
}

/* --- a round --- */

static void start_round(struct pcr_crank *c, u64 now)
{
	struct pcr_round *round;

	if (now < c->round_usec || c->round_out)
		return;
	round = pcr_round_make(c->st, *c->set, now);
	c->round_usec = pcr_round_due(c->st, now);
	if (!round)
		return;
	if (round->n == 0 && !round->machine) {
		free(round);
		return;
	}
	c->round_out = true;
	pcr_collapser_ask(c->collapser, round);
}

static void fetch_round(struct pcr_crank *c, u64 now)
{
	struct pcr_round *round = c->round_out ? pcr_collapser_next(c->collapser) : NULL;
	struct pcr_collapse *col = &c->st->collapse;
	struct pcr_record record;

	if (!round)
		return;
	c->round_out = false;
	if (round->machine) {
		col->thp = round->thp;
		col->machine_usec = now + PCR_MACHINE_EVERY;
		pcr_state_collapse_machine(c->st, *c->set, round->some_bp, round->free_huge, now);
	}
	for (u32 i = 0; i < round->n; i++)
		if (pcr_state_chore(c->st, *c->set, &round->chore[i], now, &record))
			c->record(c->data, &record);
	free(round);
	c->round_usec = pcr_min_u64(c->round_usec, pcr_round_due(c->st, now));
}

/* --- on and off --- */

static bool wanted(struct pcr_crank *c, u64 now)
{
	int r = 0;

	if (!pcr_policy_collapses(*c->set) || !c->st->tree.root || !c->collapse_notify) {
		c->collapser = pcr_collapser_stop(c->collapser);
		c->round_out = false;
		pcr_state_tasks_swept(c->st, *c->set, PCR_STOP_OFF, now, ended, c);
		pcr_state_tasks_clear(c->st);
		return false;
	}
	if (!c->collapser)
		r = pcr_collapser_start(c->root, c->collapse_notify, c->data, &c->collapser);
	if (r < 0) {
		pcr_log_err("no huge pages for tasks: no thread: %s", strerror(-r));
		/* Said once. */
		c->collapse_notify = NULL;
	}
	return r == 0;
}

u64 pcr_crank_collapse(struct pcr_crank *c, u64 now)
{
	if (!wanted(c, now))
		return PCR_NEVER;
	fetch_round(c, now);
	sweep(c, now);
	start_round(c, now);
	return pcr_min_u64(sweep_due(c), c->round_out ? PCR_NEVER : c->round_usec);
}
