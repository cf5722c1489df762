/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an inotify watch descriptor to its node. Descriptors rise without end over
 * the life of an instance, so this is a hash table, open-addressed like the tree's;
 * the key stands in the node.
 */
#ifndef PCR_WATCHES_H
#define PCR_WATCHES_H

#include "pcr/state.h"

struct pcr_watches {
	struct pcr_node **slot;
	u32 cap;
	u32 n;
};

/* node->watch is the descriptor; it must not be in the table yet. 0, -ENOMEM. */
int pcr_watches_put(struct pcr_watches *w, struct pcr_node *node);
struct pcr_node *pcr_watches_get(const struct pcr_watches *w, s32 wd);
void pcr_watches_take(struct pcr_watches *w, const struct pcr_node *node);
void pcr_watches_clear(struct pcr_watches *w);

#endif
