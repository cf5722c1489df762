/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroup globs: `*` any bytes within one path component, `?` one byte other than
 * '/', `**` any bytes across components, and "/" `**` "/" a single slash as well, so
 * that what is directly below counts as below. Nothing else is special: names stand
 * as they are on disk, systemd's \x2d among them. Time is O(pattern * path), never
 * exponential.
 */
#ifndef PCR_GLOB_H
#define PCR_GLOB_H

#include "pcr/types.h"

/* Longer patterns (after their leading plain text) match nothing; conf/ refuses them. */
#define PCR_GLOB_MAX 512

bool pcr_glob_match(const char *pattern, const char *path);

/* True when every path that `inner` matches is also matched by `outer`, as far as
 * can be told cheaply (a false "false" is allowed): for shadowed policies. */
bool pcr_glob_covers(const char *outer, const char *inner);

#endif
