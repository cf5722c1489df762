/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroups whose policy says BatchFree=no: memory.batch_free is 0 there, which holds for
 * all below. Costs something only when such a cgroup comes, and once after the start and
 * after a reload. Undone where the policy is gone, and at the end.
 */
#ifndef PCR_LOOP_BATCH_CGROUPS_H
#define PCR_LOOP_BATCH_CGROUPS_H

#include "act/ids.h"
#include "pcr/settings.h"
#include "pcr/state.h"
#include "sys/root.h"

struct pcr_batch_cgroups {
	const struct pcr_root *root;
	struct pcr_state *st;
	const struct pcr_settings *const *set;
	struct pcr_ids ids;
	bool open;
	u32 off;		/* cgroups that are off by our doing */
	u32 without;		/* that should be, and have no such file */
	bool said;		/* that one can't be written */
	u64 retry_usec;		/* not looked for these before */
};

/* root, st and set are filled in; the tree has been walked. Takes over what a predecessor left. */
int pcr_batch_cgroups_open(struct pcr_batch_cgroups *c, const char *runtime_dir);
/* Puts back whatever is still ours. */
void pcr_batch_cgroups_close(struct pcr_batch_cgroups *c);
/* All of them: the settings were swapped and the nodes matched anew. */
void pcr_batch_cgroups_rematch(struct pcr_batch_cgroups *c);
/* Something exited: do those without the file have it by now? At most once a minute. */
void pcr_batch_cgroups_retry(struct pcr_batch_cgroups *c, u64 now);
/* One came, or is about to go. */
void pcr_batch_cgroups_made(struct pcr_batch_cgroups *c, const struct pcr_node *node);
void pcr_batch_cgroups_gone(struct pcr_batch_cgroups *c, const struct pcr_node *node);

#endif
