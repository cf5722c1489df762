// SPDX-License-Identifier: GPL-2.0-or-later
/* Linear probing with backward-shift deletion, as in model/tree.c. */
#include "loop/watches.h"

#include <errno.h>
#include <stdlib.h>

#define CAP_MIN 64u

static u32 home(const struct pcr_watches *w, s32 wd)
{
	return ((u32)wd * 0x9e3779b1u >> 7) & (w->cap - 1);
}

static void place(struct pcr_watches *w, struct pcr_node *node)
{
	u32 i = home(w, node->watch);

	while (w->slot[i])
		i = (i + 1) & (w->cap - 1);
	w->slot[i] = node;
}

static int resize(struct pcr_watches *w, u32 cap)
{
	struct pcr_watches new = { calloc(cap, sizeof(struct pcr_node *)), cap, w->n };

	if (!new.slot)
		return -ENOMEM;
	for (u32 i = 0; i < w->cap; i++)
		if (w->slot[i])
			place(&new, w->slot[i]);
	free(w->slot);
	*w = new;
	return 0;
}

int pcr_watches_put(struct pcr_watches *w, struct pcr_node *node)
{
	if ((u64)w->n * 4 >= (u64)w->cap * 3) {
		int r = resize(w, w->cap ? w->cap * 2 : CAP_MIN);

		if (r < 0)
			return r;
	}
	place(w, node);
	w->n++;
	return 0;
}

static bool find(const struct pcr_watches *w, s32 wd, u32 *ret_i)
{
	if (!w->cap)
		return false;
	for (u32 i = home(w, wd); w->slot[i]; i = (i + 1) & (w->cap - 1)) {
		if (w->slot[i]->watch == wd) {
			*ret_i = i;
			return true;
		}
	}
	return false;
}

struct pcr_node *pcr_watches_get(const struct pcr_watches *w, s32 wd)
{
	u32 i;

	return find(w, wd, &i) ? w->slot[i] : NULL;
}

void pcr_watches_take(struct pcr_watches *w, const struct pcr_node *node)
{
	u32 mask = w->cap - 1;
	u32 hole;

	if (!find(w, node->watch, &hole))
		return;
	for (u32 i = (hole + 1) & mask; w->slot[i]; i = (i + 1) & mask) {
		if (((i - home(w, w->slot[i]->watch)) & mask) >= ((i - hole) & mask)) {
			w->slot[hole] = w->slot[i];
			hole = i;
		}
	}
	w->slot[hole] = NULL;
	w->n--;
	/* A storm's peak is given back. */
	if (w->cap > CAP_MIN && w->n < w->cap / 8)
		(void)resize(w, w->cap / 2);
}

void pcr_watches_clear(struct pcr_watches *w)
{
	free(w->slot);
	*w = (struct pcr_watches){ 0 };
}
