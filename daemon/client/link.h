/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's end of the socket: a message out, messages in, nothing waited for forever. */
#ifndef PCR_LINK_H
#define PCR_LINK_H

#include <jansson.h>

#include "pcr/types.h"

#define PCR_ANSWER_MSEC 5000

struct pcr_link {
	int fd;
	char *bytes;
	size_t n;
	size_t cap;
	size_t taken;	/* of the last message, to be dropped before the next */
	u64 received;	/* bytes of all messages so far */
};

/* 0, -errno: ENOENT and ECONNREFUSED mean that nobody serves it. */
int pcr_link_open(const char *path, struct pcr_link *ret_link);
void pcr_link_close(struct pcr_link *link);

/* Takes params over; NULL: none. A peer that has hung up is no error: it may have said why. */
int pcr_link_send(struct pcr_link *link, const char *method, json_t *params, bool more);
/* What all messages of one answer may add up to: some 200,000 cgroups. */
#define PCR_ANSWER_MAX (128 * 1024 * 1024)
/*
 * The next message. -ETIMEDOUT, -ECONNRESET at its end, -EBADMSG. msec < 0 waits for
 * as long as it takes.
 */
int pcr_link_receive(struct pcr_link *link, int msec, json_t **ret_message);

#endif
