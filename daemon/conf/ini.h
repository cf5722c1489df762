/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text in sections and keys, read by inih under supervision. */
#ifndef PCR_CONF_INI_H
#define PCR_CONF_INI_H

#include "pcr/types.h"

struct pcr_ini_key {
	const char *name;
	const char *value;	/* without the blanks around it and the comment behind it */
	u32 line;
	u32 column;
	u32 value_column;
};

struct pcr_ini_sink {
	void *data;
	/* false: keys up to the next section are not to be looked at */
	bool (*section)(void *data, u32 line, u32 column, const char *name, size_t n);
	void (*key)(void *data, const struct pcr_ini_key *key);
	void (*error)(void *data, u32 line, u32 column, const char *what);
};

/*
 * 0; -ENOTSUP: this build of inih does not do what we rely on. What is wrong in the
 * text goes to the sink and is no failure of this.
 */
int pcr_ini_parse(const char *text, size_t n, const struct pcr_ini_sink *sink);

#endif
