/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of living cgroups: by id, and by path one component at a time.
 * Everything here is O(1) in the number of cgroups but pcr_tree_clear(), and O(depth)
 * where a path is made or measured.
 */
#ifndef PCR_TREE_H
#define PCR_TREE_H

#include "pcr/state.h"

/*
 * Longest cgroup path handled, with its NUL: the kernel's own limit for a path.
 * mkdirat() makes deeper ones, but nobody can open those from the root.
 */
#define PCR_PATH_MAX 4096

int pcr_tree_init(struct pcr_tree *tree, u64 root_id);
void pcr_tree_clear(struct pcr_tree *tree);

struct pcr_node *pcr_tree_by_id(const struct pcr_tree *tree, u64 id);
struct pcr_node *pcr_tree_child(const struct pcr_tree *tree, const struct pcr_node *parent,
				const char *name, size_t n);
/* Path relative to the root, "" is the root; a leading slash is allowed. */
struct pcr_node *pcr_tree_lookup(const struct pcr_tree *tree, const char *path, size_t n);

/*
 * Adds a cgroup. The caller has made sure that neither the id nor the name below
 * this parent is taken. 0, PCR_GONE when it is too deep to have a path, -ENOMEM.
 */
int pcr_tree_add(struct pcr_tree *tree, struct pcr_node *parent, u64 id, const char *name,
		 size_t n, struct pcr_node **ret_node);
/* Removes and frees a node without children. */
void pcr_tree_remove(struct pcr_tree *tree, struct pcr_node *node);

/*
 * Path relative to the root without leading slash; returns its length. 0 for the
 * root; what does not fit is cut at the front, whole components at a time, and begins
 * with ".../" (with PCR_PATH_MAX bytes everything fits, pcr_tree_add() sees to that).
 */
size_t pcr_node_path(const struct pcr_node *node, char *buf, size_t size);

/* Depth first, children before parents or after; NULL at the end. */
struct pcr_node *pcr_tree_next(const struct pcr_node *node);	/* parents first */
struct pcr_node *pcr_tree_skip(const struct pcr_node *node);	/* the same, without its children */
struct pcr_node *pcr_tree_deepest(struct pcr_node *node);	/* first in children-first order */
struct pcr_node *pcr_tree_next_post(const struct pcr_node *top, const struct pcr_node *node);

/* True for top itself and everything below it. */
static inline bool pcr_node_below(const struct pcr_node *node, const struct pcr_node *top)
{
	while (node && node != top)
		node = node->parent;
	return node != NULL;
}

#endif
