/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes on their way in: cut into messages at NULs, and nothing kept while there are none. */
#ifndef PCR_INPUT_H
#define PCR_INPUT_H

#include "pcr/types.h"

struct pcr_input {
	char *bytes;
	size_t n;
	size_t cap;
	size_t done;	/* dealt with */
	size_t seen;	/* looked through for a NUL */
	bool eof;	/* nothing more will come */
};

/* Reads what is there, up to one message of max bytes and its NUL beyond what is kept. */
int pcr_input_read(struct pcr_input *input, int fd, size_t max);
/* The next whole message, which stays the next until it is taken. */
bool pcr_input_message(struct pcr_input *input, const char **ret_text, size_t *ret_n);
void pcr_input_take(struct pcr_input *input, size_t n);
void pcr_input_clear(struct pcr_input *input);

static inline size_t pcr_input_waiting(const struct pcr_input *input)
{
	return input->n - input->done;
}

#endif
