/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread that looks at tasks and works on them: reading their page tables, telling
 * the kernel their rates, or having ranges made huge, which takes milliseconds each. A
 * round of chores goes over and comes back; between the two it is the thread's.
 */
#ifndef PCR_COLLAPSER_H
#define PCR_COLLAPSER_H

#include "act/collapse.h"

struct pcr_collapser;

/* notify runs on the thread after each round. 0, -errno. */
int pcr_collapser_start(const struct pcr_root *root, void (*notify)(void *data), void *data,
			struct pcr_collapser **ret_collapser);
/*
 * Ends what runs at the next range, takes back the rates that the kernel was told, drops
 * a round that was not fetched. Takes NULL.
 */
struct pcr_collapser *pcr_collapser_stop(struct pcr_collapser *c);

/* For n chores, all zero; NULL: no memory. Freed with free(). */
struct pcr_round *pcr_round_new(u32 n);
/* Takes the round over; one at a time: the last one has been fetched. */
void pcr_collapser_ask(struct pcr_collapser *c, struct pcr_round *round);
/* The round that is done, the caller's from now on; NULL: none. */
struct pcr_round *pcr_collapser_next(struct pcr_collapser *c);

/* What the thread does with a round, here and now. */
struct pcr_hands;
struct pcr_hands *pcr_hands_new(const struct pcr_root *root);
struct pcr_hands *pcr_hands_free(struct pcr_hands *hands);
void pcr_hands_do(struct pcr_hands *hands, struct pcr_round *round);
/* Makes pcr_hands_do() return soon; from any thread. */
void pcr_hands_stop(struct pcr_hands *hands);

#endif
