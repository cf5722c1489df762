/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread for the writes that work in the writer's context, for seconds: never
 * on the loop. Jobs go in by value, outcomes come out by value, both through
 * bounded queues; a callback tells the loop that there is something to fetch.
 */
#ifndef PCR_WORKER_H
#define PCR_WORKER_H

#include "pcr/backend.h"

struct pcr_worker;

/* notify is called on the worker's thread after each outcome. 0 or -errno. */
int pcr_worker_start(struct pcr_worker **ret_worker, const struct pcr_root *root,
		     void (*notify)(void *data), void *data);
/* Interrupts what runs (reclaim answers signals) and waits for the thread's end. */
void pcr_worker_stop(struct pcr_worker *worker);

/* Takes a copy. 0, PCR_FULL, PCR_NONE when the backend has no such action. */
int pcr_worker_submit(struct pcr_worker *worker, const struct pcr_backend *backend,
		      const struct pcr_job *job);
/* Next outcome, or false. */
bool pcr_worker_fetch(struct pcr_worker *worker, struct pcr_outcome *ret_outcome);
u32 pcr_worker_queued(struct pcr_worker *worker);

#endif
