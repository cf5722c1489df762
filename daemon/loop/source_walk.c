// SPDX-License-Identifier: GPL-2.0-or-later
/* No events at all: the tree is walked every WalkPeriod=. Works wherever there are cgroups. */
#include "loop/lifecycle.h"

static int probe(const struct pcr_root *root, char *why, size_t size)
{
	(void)root;
	(void)why;
	(void)size;
	return 0;
}

static int open_walk(struct pcr_lifecycle *lc, char *why, size_t size)
{
	return probe(lc->root, why, size);
}

static void close_walk(struct pcr_lifecycle *lc)
{
	(void)lc;
}

const struct pcr_lifecycle_ops pcr_source_walk = {
	.kind = PCR_SOURCE_WALK,
	.name = "walk",
	.probe = probe,
	.open = open_walk,
	.close = close_walk,
};
