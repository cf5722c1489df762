/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes on their way out: bounded, and nothing at all while there are none. */
#ifndef PCR_QUEUE_H
#define PCR_QUEUE_H

#include <jansson.h>

#include "pcr/types.h"

struct pcr_queue {
	char *bytes;
	size_t start;	/* sent already */
	size_t end;
	size_t cap;
};

static inline size_t pcr_queue_waiting(const struct pcr_queue *queue)
{
	return queue->end - queue->start;
}

/* One message, its NUL with it: all of it or nothing. PCR_FULL, -ENOMEM. */
int pcr_queue_message(struct pcr_queue *queue, const json_t *message, size_t max);
/* Sends what the socket takes. 0: all, PCR_PART: some waits, -errno: the peer is gone. */
int pcr_queue_send(struct pcr_queue *queue, int fd);
void pcr_queue_clear(struct pcr_queue *queue);

#endif
