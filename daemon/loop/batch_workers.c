// SPDX-License-Identifier: GPL-2.0-or-later
/* Nice and cpumask of each node's workers: set by the settings alone, and put back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "act/kept.h"
#include "base/log.h"
#include "loop/batch_free.h"
#include "model/model.h"
#include "read/batch_free.h"

static void knob_of(char buf[static 128], u32 node, const char *file)
{
	snprintf(buf, 128, PCR_BATCH_QUEUE "%u/%s", node, file);
}

/* Says what came of it, once for each time that the settings are applied. */
static void tell(const char *knob, const char *value, int r)
{
	switch (r) {
	case 0:
		pcr_log_info("set %s: %s", knob, value);
		break;
	case PCR_KEPT_FOREIGN:
		pcr_log_notice("%s was changed by another program: left alone", knob);
		break;
	case PCR_NONE:
		pcr_log_notice("%s is not set: kernel has no such file", knob);
		break;
	default:
		pcr_log_err("%s is not set: %s", knob,
			    r == -ERANGE ? "the kernel took the value and shows another" :
			    r == PCR_FULL ? "too many" : strerror(-r));
	}
}

static bool stands(const struct pcr_batch_watch *w, const char *knob, const char *value)
{
	const struct pcr_kept_entry *e = pcr_kept_find(w->kept, knob);

	return e && !strcmp(e->ours, value);
}

static void set(struct pcr_batch_watch *w, const char *knob, const char *value)
{
	bool news = !stands(w, knob, value);
	int r;

	if ((*w->set)->daemon.dry_run) {
		pcr_log_info("set %s: would be %s", knob, value);
		return;
	}
	r = pcr_kept_set(w->kept, w->root, knob, value);
	/* That it was so before is no news. */
	if (r || (news && pcr_kept_find(w->kept, knob)))
		tell(knob, value, r);
}

static void restore(struct pcr_batch_watch *w, const char *knob)
{
	int r = pcr_kept_find(w->kept, knob) ? pcr_kept_restore(w->kept, w->root, knob) : 0;

	if (r == PCR_KEPT_FOREIGN)
		pcr_log_notice("%s was changed by another program: left alone", knob);
	else if (r)
		pcr_log_err("%s can't be put back: %s; the next start tries again", knob,
			    strerror(-r));
}

static void apply_nice(struct pcr_batch_watch *w, u32 node, const struct pcr_workers *workers)
{
	char knob[128], value[16];

	knob_of(knob, node, "nice");
	snprintf(value, sizeof(value), "%lld", (long long)workers->nice);
	if ((*w->set)->batch.enabled && workers->nice != PCR_NICE_KEEP)
		set(w, knob, value);
	else
		restore(w, knob);
}

/* Of the node's own CPUs those that the settings name; none: it keeps its own. */
static void apply_cpus(struct pcr_batch_watch *w, u32 node, const struct pcr_workers *workers)
{
	char knob[128], value[PCR_CPUMASK_TEXT];
	struct pcr_cpus own = { 0 }, both;

	knob_of(knob, node, "cpumask");
	(void)pcr_read_node_cpus(w->root, node, &own);
	both = pcr_cpus_both(&own, &workers->cpus);
	if ((*w->set)->batch.enabled && both.any)
		set(w, knob, pcr_cpumask_text(&both, value));
	else
		restore(w, knob);
}

void pcr_batch_workers(struct pcr_batch_watch *w)
{
	const struct pcr_batch *b = &w->st->batch;

	for (u32 i = 0; i < b->n_nodes; i++) {
		const struct pcr_workers *workers = pcr_node_workers(*w->set, i);

		/* Not yet, where help was never switched on. */
		if (!pcr_has(b->node[i].now.max_active))
			continue;
		apply_nice(w, i, workers);
		apply_cpus(w, i, workers);
	}
}

void pcr_batch_workers_restore(struct pcr_batch_watch *w)
{
	char knob[128];

	for (u32 i = w->kept->n; i-- > 0;) {
		snprintf(knob, sizeof(knob), "%s", w->kept->entry[i].knob);
		restore(w, knob);
	}
}
