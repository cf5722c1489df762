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

/* Up to eight plain bytes, to be compared at once; mask says which. */
struct pcr_glob_key {
	u64 bits;
	u64 mask;
};

/*
 * A glob and a path made ready: many of both are held against each other, and nearly
 * all pairs part by what they say plainly. The texts are borrowed.
 */
struct pcr_glob {
	const char *text;
	u32 len;
	u32 prefix;	/* plain bytes it begins with */
	u32 tail;	/* plain bytes it ends with */
	u32 base;	/* where what matches a path's last component begins; 0: not known */
	u32 head;	/* plain bytes there */
	struct pcr_glob_key first, last, name;	/* of those three */
};
struct pcr_glob_path {
	const char *text;
	u32 len;
	u32 base;	/* of its last component */
	struct pcr_glob_key first, last, name;
};
void pcr_glob_prepare(const char *pattern, struct pcr_glob *ret_glob);
void pcr_glob_path(const char *path, struct pcr_glob_path *ret_path);

bool pcr_glob_match(const struct pcr_glob *glob, const struct pcr_glob_path *path);

/* True when every path that `inner` matches is also matched by `outer`, as far as
 * can be told cheaply (a false "false" is allowed): for shadowed policies. */
bool pcr_glob_covers(const struct pcr_glob *outer, const struct pcr_glob *inner);

#endif
