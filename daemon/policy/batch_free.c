// SPDX-License-Identifier: GPL-2.0-or-later
/* Help for exits: values for its kernel settings. What is found out is model/climber.h's. */
#include "model/climber.h"
#include "model/model.h"
#include "policy/internal.h"

static u64 mib(u64 bytes)
{
	return (bytes + (1 << 20) - 1) >> 20;
}

/* Memory that is free sooner is worth the CPU while tasks wait for it. */
static void wish_enabled(const struct pcr_batch *b, struct pcr_wish *w)
{
	bool paused = b->paused_usec && !w->pressed;

	w->value = paused ? 0 : 1;
	w->passing = b->paused_usec;
	if (!paused)
		return;
	w->why = PCR_WHY_CPU_PRESSURE;
	w->since_usec = b->paused_usec;
}

/* Nothing may be pending: the kernel counts exits, and helps none of them. */
static void wish_pending(const struct pcr_state *st, const struct pcr_settings *set,
			 struct pcr_wish *w)
{
	u64 seen = st->setting[PCR_SETTING_MAX_PENDING].seen;
	bool trying = false;

	w->value = mib(set->batch.max_pending_bytes);
	if (!pcr_batch_alone(st, set, w->pressed)) {
		/* The end of a comparison is no news either. */
		w->why = seen ? PCR_WHY_SETTING : PCR_WHY_SETTLED;
		return;
	}
	for (u32 i = 0; i < st->batch.n_nodes; i++)
		trying |= st->batch.node[i].climber.phase == PCR_CLIMB_WITHOUT;
	w->value = 0;
	w->why = trying ? PCR_WHY_TRYING : PCR_WHY_NO_GAIN;
}

static void wish_limit(const struct pcr_batch_node *n, struct pcr_wish *w)
{
	const struct pcr_climber *c = &n->climber;

	if (!c->cap)
		return;
	w->value = pcr_climb_wants(c, w->pressed);
	w->passing = c->phase == PCR_CLIMB_SETTLED && c->fast != c->at;
	w->why = c->phase == PCR_CLIMB_UP || c->phase == PCR_CLIMB_DOWN ? PCR_WHY_TRYING :
									   PCR_WHY_SETTLED;
	if (w->passing && w->pressed)
		w->why = PCR_WHY_PRESSURE;
	w->since_usec = c->since_usec;
}

void pcr_wish_batch(const struct pcr_state *st, const struct pcr_settings *set, u32 which,
		    struct pcr_wish *w)
{
	const struct pcr_workers *workers;

	w->value = PCR_ABSENT;
	w->why = PCR_WHY_SETTING;
	w->dry_run = set->daemon.dry_run;
	if (!set->batch.enabled)
		return;
	if (which == PCR_SETTING_MIN_RSS) {
		w->value = mib(set->batch.min_rss_bytes);
	} else if (which == PCR_SETTING_MAX_PENDING) {
		wish_pending(st, set, w);
	} else if (which == PCR_SETTING_BATCH) {
		wish_enabled(&st->batch, w);
	} else {
		workers = pcr_node_workers(set, which - PCR_SETTING_NODE);
		if (workers->max_active)
			w->value = workers->max_active;
		else
			wish_limit(&st->batch.node[which - PCR_SETTING_NODE], w);
	}
}
