// SPDX-License-Identifier: GPL-2.0-or-later
/* A look at one cgroup's figures: what to read is put together on the loop, read anywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop/reader.h"
#include "model/tree.h"
#include "read/slabinfo.h"
#include "sys/root.h"

static const struct pcr_memcg_sample absent = {
	.current_bytes = PCR_ABSENT, .shmem_bytes = PCR_ABSENT, .dirty_bytes = PCR_ABSENT,
	.percpu_bytes = PCR_ABSENT, .refaults = PCR_ABSENT, .stall_usec = PCR_ABSENT,
};

struct pcr_look *pcr_look_new(const struct pcr_node *node, bool children)
{
	bool names = children && node->n_children <= PCR_LOOK_CHILDREN;
	const struct pcr_node *first = names ? node->child : NULL;
	char path[PCR_PATH_MAX], *at;
	struct pcr_look *look;
	size_t size;

	pcr_node_path(node, path, sizeof(path));
	size = strlen(path) + 1;
	for (const struct pcr_node *c = first; c; c = c->next)
		size += strlen(c->name) + 1;
	look = malloc(sizeof(*look) + size);
	if (!look)
		return NULL;
	*look = (struct pcr_look){
		.id = node->id, .children = children, .n_children = node->n_children,
		.own = absent, .slab_lost_bytes = PCR_ABSENT, .pinned_bytes = PCR_ABSENT, .pinned_shmem_bytes = PCR_ABSENT,
	};
	at = stpcpy(look->text, path) + 1;
	for (const struct pcr_node *c = first; c; c = c->next)
		at = stpcpy(at, c->name) + 1;
	return look;
}

static u64 minus(u64 a, u64 b)
{
	return pcr_has(a) && pcr_has(b) ? pcr_sub_u64(a, b) : PCR_ABSENT;
}

/* What no living child accounts for; not told where that would take too many reads. */
static void read_pinned(const struct pcr_root *root, struct pcr_look *look)
{
	const char *name = look->text + strlen(look->text) + 1;
	char path[2 * PCR_PATH_MAX];

	if (look->n_children > PCR_LOOK_CHILDREN)
		return;
	look->pinned_bytes = look->own.current_bytes;
	look->pinned_shmem_bytes = look->own.shmem_bytes;
	for (u32 i = 0; i < look->n_children; i++, name += strlen(name) + 1) {
		struct pcr_memcg_sample child;

		snprintf(path, sizeof(path), "%s%s%s", look->text, *look->text ? "/" : "", name);
		if (pcr_read_memcg(root, path, &child))
			continue;
		look->pinned_bytes = minus(look->pinned_bytes, child.current_bytes);
		look->pinned_shmem_bytes = minus(look->pinned_shmem_bytes, child.shmem_bytes);
	}
}

void pcr_look_read(const struct pcr_root *root, struct pcr_look *look)
{
	look->r = pcr_read_memcg(root, look->text, &look->own);
	if (look->r == 0 && look->children)
		read_pinned(root, look);
	if (look->machine && pcr_read_slab_lost(root, &look->slab_lost_bytes))
		look->slab_lost_bytes = PCR_ABSENT;
}
