// SPDX-License-Identifier: GPL-2.0-or-later
/* The input buffer of one connection. */
#include "ctl/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static int make_room(struct pcr_input *input, size_t max)
{
	size_t cap = input->cap ? input->cap * 2 : 1024;
	char *bytes;

	if (input->done) {
		memmove(input->bytes, input->bytes + input->done, input->n - input->done);
		input->n -= input->done;
		input->seen -= input->done;
		input->done = 0;
	}
	if (input->n < input->cap)
		return 0;
	cap = pcr_min_u64(cap, max + 1);
	if (cap == input->cap)
		return PCR_FULL;
	bytes = realloc(input->bytes, cap);
	if (!bytes)
		return -ENOMEM;
	input->bytes = bytes;
	input->cap = cap;
	return 0;
}

static int receive(struct pcr_input *input, int fd, size_t max)
{
	while (!input->eof) {
		int r = make_room(input, max);
		ssize_t n;

		if (r != 0)
			return r < 0 ? r : 0;
		n = recv(fd, input->bytes + input->n, input->cap - input->n, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (n == 0)
			input->eof = true;
		input->n += (size_t)n;
	}
	return 0;
}

int pcr_input_read(struct pcr_input *input, int fd, size_t max)
{
	int r = receive(input, fd, max);

	/* who says nothing costs nothing */
	if (pcr_input_waiting(input) == 0)
		pcr_input_clear(input);
	return r;
}

bool pcr_input_message(struct pcr_input *input, const char **ret_text, size_t *ret_n)
{
	const char *nul;

	if (input->n == input->seen)
		return false;
	nul = memchr(input->bytes + input->seen, '\0', input->n - input->seen);
	/* a message that drips in byte by byte is looked through once, not n times */
	input->seen = nul ? (size_t)(nul - input->bytes) : input->n;
	if (!nul)
		return false;
	*ret_text = input->bytes + input->done;
	*ret_n = input->seen - input->done;
	return true;
}

void pcr_input_take(struct pcr_input *input, size_t n)
{
	input->done += n + 1;
	input->seen = input->done;
	if (input->done == input->n)
		pcr_input_clear(input);
}

void pcr_input_clear(struct pcr_input *input)
{
	bool eof = input->eof;

	free(input->bytes);
	*input = (struct pcr_input){ .eof = eof };
}
