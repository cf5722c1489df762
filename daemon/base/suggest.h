/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean": the nearest of some words, by edit distance. */
#ifndef PCR_SUGGEST_H
#define PCR_SUGGEST_H

#include "pcr/types.h"

/* The nearest candidate, or NULL when none is near. Letter case costs less than a letter. */
const char *pcr_suggest(const char *word, const char *const *candidates, size_t n);

#endif
