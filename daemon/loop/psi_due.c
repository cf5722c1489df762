// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When to arm a slice. Writing a trigger while its cgroup is being removed can make
 * the kernel use what it has freed, so cgroups that come and go are let alone: one
 * has to have lived a while, the longer the more often the slice is made again.
 */
#include "loop/psi.h"

#define SETTLE (2 * PCR_SEC)
#define RETRY (10 * PCR_SEC)
#define WAIT_MAX (5 * PCR_MIN)
/* A cgroup, or a trigger, that lasts this long starts afresh. */
#define LASTS PCR_MIN

static u64 doubled(u64 wait, u64 first)
{
	return wait ? pcr_min_u64(2 * wait, WAIT_MAX) : first;
}

static void retry(struct pcr_psi_due *d, u64 now)
{
	d->retry_usec = doubled(d->retry_usec, RETRY);
	d->due_usec = now + d->retry_usec;
}

bool pcr_psi_due(struct pcr_psi_due *d, u64 id, bool armed, bool settled, u64 now)
{
	if (!id) {
		d->due_usec = PCR_NEVER;
		return false;
	}
	if (id != d->id) {
		bool again = d->id && now < d->seen_usec + LASTS;

		*d = (struct pcr_psi_due){
			.id = id, .seen_usec = now,
			.settle_usec = again ? doubled(d->settle_usec, SETTLE) : SETTLE,
		};
		d->due_usec = settled ? now : now + d->settle_usec;
	} else if (!armed && d->due_usec == PCR_NEVER) {
		/* Lost, or it went out of sight and is back. */
		if (d->armed_usec && now >= d->armed_usec + LASTS)
			d->retry_usec = 0;
		retry(d, now);
	}
	return now >= d->due_usec;
}

void pcr_psi_tried(struct pcr_psi_due *d, bool armed, u64 now)
{
	if (armed) {
		d->armed_usec = now;
		d->due_usec = PCR_NEVER;
	} else {
		retry(d, now);
	}
}
