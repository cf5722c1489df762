/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the runtime directory that are there whole or not at all. */
#ifndef PCR_ACT_REPLACE_H
#define PCR_ACT_REPLACE_H

#include "pcr/types.h"

/* "DIR/NAME". 0, -ENAMETOOLONG. */
int pcr_file_in(const char *dir, const char *name, char *buf, size_t size);
/* A new file in the place of the old one, by way of NAME.new. 0, -errno. */
int pcr_replace_file(const char *dir, const char *name, const char *text, size_t n);
/* All of the text to a descriptor. 0, -errno. */
int pcr_write_all(int fd, const char *text, size_t n);

#endif
