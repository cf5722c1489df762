// SPDX-License-Identifier: GPL-2.0-or-later
/* Help for exits: what each node's samples say of its worker limit, and when to pause. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/climber.h"
#include "model/internal.h"
#include "model/model.h"

/* While it pauses, pressure is looked at so often: nothing else would end the pause. */
#define PAUSE_LOOK (10 * PCR_SEC)

const struct pcr_workers *pcr_node_workers(const struct pcr_settings *set, u32 node)
{
	for (u32 i = 0; i < set->n_nodes; i++)
		if (set->nodes[i].node == node)
			return &set->nodes[i].workers;
	return &set->batch.workers;
}

void pcr_batch_absent(struct pcr_batch_sample *s)
{
	memset(s, 0xff, sizeof(*s));
}

int pcr_state_batch_nodes(struct pcr_state *st, u32 n)
{
	struct pcr_batch *b = &st->batch;
	struct pcr_batch_node *more;

	if (n <= b->n_nodes)
		return 0;
	if (n > PCR_NODES_MAX)
		return -E2BIG;
	more = realloc(b->node, n * sizeof(*more));
	if (!more)
		return -ENOMEM;
	b->node = more;
	for (; b->n_nodes < n; b->n_nodes++) {
		struct pcr_batch_node *node = &more[b->n_nodes];

		*node = (struct pcr_batch_node){ .told = PCR_ABSENT, .barred = PCR_ABSENT };
		pcr_batch_absent(&node->now);
	}
	return 0;
}

void pcr_batch_clear(struct pcr_batch *b)
{
	free(b->node);
	b->node = NULL;
	b->n_nodes = 0;
}

/* How far a counter went; 0 where that can't be told. */
static u64 step(u64 before, u64 after)
{
	return pcr_has(before) && pcr_has(after) ? pcr_sub_u64(after, before) : 0;
}

static u64 cap_of(const struct pcr_batch_node *n)
{
	/* Nobody says how many CPUs: then not more than is hardly ever too many. */
	u64 cpus = pcr_has(n->now.cpus) && n->now.cpus ? n->now.cpus : 4;

	return pcr_has(n->barred) ? pcr_min_u64(cpus, pcr_sub_u64(n->barred, 1)) : cpus;
}

void pcr_state_batch_node(struct pcr_state *st, u32 node, const struct pcr_batch_sample *s, u64 now)
{
	struct pcr_batch_node *n = &st->batch.node[node];

	n->moved_pages = step(n->now.exit_pages, s->exit_pages);
	n->moved_usec = step(n->now.exit_usec, s->exit_usec);
	n->moved_worker_usec = pcr_has(n->now.worker_usec) && pcr_has(s->worker_usec) ?
			       step(n->now.worker_usec, s->worker_usec) : PCR_ABSENT;
	n->there = true;
	n->now = *s;
	pcr_state_setting_sample(st, PCR_SETTING_NODE + node, s->max_active);
	if (!n->climber.cap && pcr_has(s->max_active)) {
		pcr_climb_init(&n->climber, s->max_active, cap_of(n), now);
		n->told = s->max_active;
	} else if (n->climber.cap) {
		pcr_climb_cap(&n->climber, cap_of(n), now);
	}
}

void pcr_state_batch_node_gone(struct pcr_state *st, u32 node)
{
	struct pcr_batch_node *n = &st->batch.node[node];

	n->there = false;
	pcr_batch_absent(&n->now);
	pcr_state_setting_sample(st, PCR_SETTING_NODE + node, PCR_ABSENT);
}

bool pcr_batch_alone(const struct pcr_state *st, const struct pcr_settings *set, bool pressed)
{
	bool any = false, help = false;

	for (u32 i = 0; i < st->batch.n_nodes; i++) {
		const struct pcr_batch_node *n = &st->batch.node[i];
		const struct pcr_climber *c = &n->climber;

		if (!n->there || !c->cap)
			continue;
		if (pcr_node_workers(set, i)->max_active) {
			help = true;
			continue;
		}
		/* It goes for all nodes, takes a few exits, and can wait. */
		if (c->phase == PCR_CLIMB_WITHOUT)
			return !pressed;
		any |= pcr_climb_alone(c);
		help |= c->level[c->at].last_usec && !pcr_climb_alone(c);
	}
	return any && !help;
}

/*
 * An exit takes as long for its pages here as for those of other nodes. Where only a few
 * of them lay here, that is the doing of others: less than half an even share.
 */
static bool of_others(const struct pcr_state *st, const struct pcr_batch_node *n)
{
	u64 total = 0, nodes = 0;

	for (u32 i = 0; i < st->batch.n_nodes; i++) {
		total = pcr_add_u64(total, st->batch.node[i].moved_pages);
		nodes += st->batch.node[i].moved_pages > 0;
	}
	return (unsigned __int128)n->moved_pages * 2 * nodes < total;
}

/* Workers gain nothing, or there is a limit that is the best. */
static void settled(struct pcr_state *st, const struct pcr_settings *set, u32 node, u64 now,
		    struct pcr_record *rec)
{
	struct pcr_batch_node *n = &st->batch.node[node];
	const struct pcr_climber *c = &n->climber;
	u64 limit = pcr_climb_limit(c, c->at);

	*rec = (struct pcr_record){
		.action = PCR_ACT_SET, .why = PCR_WHY_SETTLED, .stop = PCR_STOP_DONE,
		.setting = PCR_SETTING_NODE + node, .steps = c->tried,
		.start_usec = c->begun_usec, .end_usec = now,
		.asked = limit, .freed_bytes = PCR_ABSENT, .before = n->told, .after = limit,
		.value = pcr_climb_rate(&c->level[c->at]), .threshold = pcr_climb_rate(&c->without),
	};
	if (c->idle) {
		rec->why = PCR_WHY_NO_GAIN;
		rec->setting = PCR_SETTING_MAX_PENDING;
		rec->asked = rec->after = 0;
		rec->before = set->batch.max_pending_bytes >> 20;
	}
	snprintf(rec->path, sizeof(rec->path), "%.120s", pcr_setting_knob(rec->setting));
	n->told = limit;
	n->told_idle = c->idle;
	pcr_record_keep(st, rec);
}

bool pcr_state_batch_climb(struct pcr_state *st, const struct pcr_settings *set, u32 node, u64 now,
			   struct pcr_record *ret_record)
{
	struct pcr_batch_node *n = &st->batch.node[node];
	struct pcr_climb_sample s = {
		.pages = n->moved_pages, .usec = n->moved_usec,
		.worker_usec = n->moved_worker_usec, .max_active = n->now.max_active,
		.helped = st->setting[PCR_SETTING_MAX_PENDING].seen != 0,
		.pressed = now < pcr_state_pressed_until(st, set),
	};

	if (!n->there || !n->climber.cap || !set->batch.enabled || st->batch.paused_usec ||
	    pcr_node_workers(set, node)->max_active || of_others(st, n))
		return false;
	if (!pcr_climb_note(&n->climber, &s, now) ||
	    (pcr_climb_limit(&n->climber, n->climber.at) == n->told &&
	     n->climber.idle == n->told_idle))
		return false;
	settled(st, set, node, now, ret_record);
	return true;
}

void pcr_state_batch_bar(struct pcr_state *st, u32 node, u64 limit, u64 now)
{
	struct pcr_batch_node *n = &st->batch.node[node];

	n->barred = pcr_min_u64(n->barred, limit);
	if (n->climber.cap)
		pcr_climb_cap(&n->climber, cap_of(n), now);
}

void pcr_state_batch_cpu(struct pcr_state *st, const struct pcr_settings *set, u64 some_bp, u64 now)
{
	struct pcr_batch *b = &st->batch;
	u64 most = set->batch.pause_bp;
	bool high = pcr_has(some_bp) && some_bp > (b->paused_usec ? most * 3 / 4 : most);

	b->cpu_bp = some_bp;
	if (!set->batch.enabled || !high)
		b->paused_usec = 0;
	else if (!b->paused_usec)
		b->paused_usec = now;
	b->sample_usec = b->paused_usec ? now + PAUSE_LOOK : PCR_NEVER;
}
