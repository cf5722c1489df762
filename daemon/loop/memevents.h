/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pressure of a cgroup's own limits: memory.events of those that a policy matches.
 *
 * A cgroup at its memory.high or memory.max waits for memory while the machine has
 * plenty, and PSI of the machine tells nothing. Its memory.events is notified then,
 * by IN_MODIFY on the file: a watch costs 1 kB and slows no rmdir, where a PSI
 * trigger makes each one 50 times slower. The file is hierarchical, so a watch speaks
 * for all that lives below; that is also how far the pressure is taken to reach.
 *
 * Nothing is read because time passed. No libev here: the loop waits for EPOLLIN on
 * the descriptor that on_fd names, calls pcr_memevents_ready() then, and
 * pcr_memevents_tick() in every turn.
 */
#ifndef PCR_LOOP_MEMEVENTS_H
#define PCR_LOOP_MEMEVENTS_H

#include "pcr/settings.h"
#include "pcr/state.h"
#include "sys/root.h"

/* Watches at most; each can have something to say 100 times a second. */
#define PCR_MEMEVENTS_MAX PCR_PRESSED_MAX
/* Files read in one turn; the rest is due at once. */
#define PCR_MEMEVENTS_BUDGET 32
/*
 * A cgroup that is throttled all the time notifies every 10 ms. Pressure is held for
 * 1 s at least (Hold=), so after each batch nobody listens for this long: that is the
 * one wake-up that is about time, and only while there is pressure.
 */
#define PCR_MEMEVENTS_REST (500 * PCR_MSEC)

struct pcr_memevents;

struct pcr_memevents_stats {
	u32 watched;
	u32 left_out;		/* of those that a policy matches */
	const char *why;	/* those are left out; "": they have no such file */
};

/*
 * Looks at the tree as it is; later changes are told by made() and gone(). *set is
 * read anew each time. 0, -ENOMEM.
 */
int pcr_memevents_open(const struct pcr_root *root, struct pcr_state *st,
		       const struct pcr_settings *const *set, struct pcr_memevents **ret_m);
struct pcr_memevents *pcr_memevents_close(struct pcr_memevents *m);

/* All below take NULL: then nothing is watched. */

/* A node came, or is about to leave. */
void pcr_memevents_made(struct pcr_memevents *m, const struct pcr_node *node);
void pcr_memevents_gone(struct pcr_memevents *m, const struct pcr_node *node);
/* The settings were swapped and the nodes matched anew. */
void pcr_memevents_rematch(struct pcr_memevents *m);

/*
 * Told whenever what is to be waited on changes: the descriptor, or -1 for nothing.
 * The old one is still open then.
 */
void pcr_memevents_on_fd(struct pcr_memevents *m, void (*on_fd)(void *data, int fd), void *data);
/* Events wait: notes which files are to be read. */
void pcr_memevents_ready(struct pcr_memevents *m, u64 now);
/* Reads them. 0, PCR_PART: call again soon. */
int pcr_memevents_tick(struct pcr_memevents *m, u64 now);
/* When tick must be called at the latest; PCR_NEVER: when something happens. */
u64 pcr_memevents_due(const struct pcr_memevents *m);

void pcr_memevents_stats(const struct pcr_memevents *m, struct pcr_memevents_stats *ret_stats);

#endif
