/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fuzz targets share. Not crashing is the least: a target also says what must
 * hold of every input, with MUST(). Bytes come in a block of exactly their size.
 */
#ifndef PCR_FUZZ_H
#define PCR_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                                                                                 \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			fprintf(stderr, "%s:%d: must hold: %s\n", __FILE__, __LINE__, #cond);      \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

#endif
