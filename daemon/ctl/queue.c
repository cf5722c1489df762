// SPDX-License-Identifier: GPL-2.0-or-later
/* The output queue of one connection. */
#include "ctl/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct sink {
	struct pcr_queue *queue;
	size_t max;
	int r;
};

static int reserve(struct pcr_queue *queue, size_t more, size_t max)
{
	size_t cap = queue->cap ? queue->cap : 1024;
	char *bytes;

	if (queue->end - queue->start + more > max)
		return PCR_FULL;
	if (queue->start && queue->end + more > queue->cap) {
		memmove(queue->bytes, queue->bytes + queue->start, queue->end - queue->start);
		queue->end -= queue->start;
		queue->start = 0;
	}
	if (queue->end + more <= queue->cap)
		return 0;
	while (cap < queue->end + more)
		cap *= 2;
	bytes = realloc(queue->bytes, cap);
	if (!bytes)
		return -ENOMEM;
	queue->bytes = bytes;
	queue->cap = cap;
	return 0;
}

static int append(const char *bytes, size_t n, void *data)
{
	struct sink *sink = data;

	sink->r = reserve(sink->queue, n, sink->max);
	if (sink->r != 0)
		return -1;
	memcpy(sink->queue->bytes + sink->queue->end, bytes, n);
	sink->queue->end += n;
	return 0;
}

int pcr_queue_message(struct pcr_queue *queue, const json_t *message, size_t max)
{
	struct sink sink = { .queue = queue, .max = max };
	size_t before = pcr_queue_waiting(queue);

	if (json_dump_callback(message, append, &sink, JSON_COMPACT) == 0 &&
	    append("", 1, &sink) == 0)
		return 0;
	queue->end = queue->start + before;
	return sink.r ? sink.r : -ENOMEM;
}

int pcr_queue_send(struct pcr_queue *queue, int fd)
{
	while (pcr_queue_waiting(queue)) {
		ssize_t n = send(fd, queue->bytes + queue->start, pcr_queue_waiting(queue),
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? PCR_PART : -errno;
		queue->start += (size_t)n;
	}
	pcr_queue_clear(queue);
	return 0;
}

void pcr_queue_clear(struct pcr_queue *queue)
{
	free(queue->bytes);
	*queue = (struct pcr_queue){ 0 };
}
