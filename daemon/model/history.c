// SPDX-License-Identifier: GPL-2.0-or-later
/* Finished actions: a ring of the last ones, and what they add up to. */
#include <errno.h>

#include "model/internal.h"
#include "model/model.h"

static void keep(struct pcr_state *st, const struct pcr_record *rec)
{
	st->next_seq = rec->seq + 1;
	st->history[(rec->seq - 1) % PCR_HISTORY] = *rec;
	if (st->n_history < PCR_HISTORY)
		st->n_history++;
}

void pcr_record_keep(struct pcr_state *st, struct pcr_record *rec)
{
	rec->seq = st->next_seq;
	keep(st, rec);
	st->totals.ended[rec->action][rec->stop]++;
	if (rec->dry_run) {
		st->totals.dry_runs++;
		return;
	}
	st->totals.actions++;
	if (rec->stop == PCR_STOP_ERROR || rec->stop == PCR_STOP_REFUSED)
		st->totals.failed++;
}

int pcr_state_remember(struct pcr_state *st, const struct pcr_record *rec)
{
	if (rec->seq == 0 || rec->seq == UINT64_MAX ||
	    (st->n_history && rec->seq != st->next_seq))
		return -EINVAL;
	keep(st, rec);
	return 0;
}

const struct pcr_record *pcr_state_history(const struct pcr_state *st, u32 i)
{
	if (i >= st->n_history)
		return NULL;
	return &st->history[(st->next_seq - 2 - i) % PCR_HISTORY];
}

static u64 target_of(const struct pcr_record *rec)
{
	return rec->action == PCR_ACT_SET ? rec->setting : rec->target;
}

const struct pcr_record *pcr_state_last(const struct pcr_state *st, enum pcr_action action,
					u64 target)
{
	const struct pcr_record *rec;

	for (u32 i = 0; (rec = pcr_state_history(st, i)); i++)
		if (rec->action == action && target_of(rec) == target)
			return rec;
	return NULL;
}
