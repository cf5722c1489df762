/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of the reaps something is to be done about, and when, without a look at all the
 * others: st->agenda[].
 *
 * PCR_AGENDA_LOOK holds each by sample_usec, so that is set through pcr_reap_look_at(). Who
 * sets it to a later time by hand only has it come up too early. PCR_AGENDA_PLAN holds each
 * by the time before which policy can't want another thing for it than it did. Whatever in
 * model/ changes what policy looks at stirs it; policy then decides about it anew.
 */
#ifndef PCR_AGENDA_H
#define PCR_AGENDA_H

#include "pcr/state.h"

/* A reap is new, and goes. 0, -ENOMEM: it is in none. */
int pcr_agenda_enter(struct pcr_state *st, struct pcr_reap *r);
void pcr_agenda_leave(struct pcr_state *st, struct pcr_reap *r);
void pcr_agenda_clear(struct pcr_state *st);

/* It is to be sampled then. */
void pcr_reap_look_at(struct pcr_state *st, struct pcr_reap *r, u64 usec);
/* Policy was asked, and wants nothing else of it until then. */
void pcr_reap_planned(struct pcr_state *st, struct pcr_reap *r, u64 until_usec);
/* What policy wants of it, of all of them, may be something else now. */
void pcr_reap_stir(struct pcr_state *st, struct pcr_reap *r);
void pcr_state_stir(struct pcr_state *st);

/*
 * Those that are due before some time, in no order; a->n: there is none, or no more. From
 * one to the next that time may only come nearer, and one may be filed later: then another
 * stands in its place.
 */
u32 pcr_agenda_first(const struct pcr_agenda *a, u64 before);
u32 pcr_agenda_next(const struct pcr_agenda *a, u32 i, u64 before);

#endif
