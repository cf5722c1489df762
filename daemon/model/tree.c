// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two open-addressed tables of node pointers over one set of nodes. Linear probing
 * with backward-shift deletion: no tombstones, so a table that has seen a million
 * cgroups come and go is as fast as a new one.
 */
#include "model/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CAP_MIN 64u

typedef u32 (*hash_fn)(const struct pcr_node *node);

static u32 mix(u64 x)
{
	x *= 0x9e3779b97f4a7c15ULL;
	return (u32)(x >> 32);
}

static u32 hash_name(u64 parent_id, const char *name, size_t n)
{
	u64 h = 0xcbf29ce484222325ULL ^ parent_id;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (u8)name[i]) * 0x100000001b3ULL;
	return mix(h);
}

static u32 id_of(const struct pcr_node *node)
{
	return mix(node->id);
}

static u32 name_of(const struct pcr_node *node)
{
	return hash_name(node->parent ? node->parent->id : 0, node->name, strlen(node->name));
}

static void table_put(struct pcr_node **table, u32 cap, hash_fn hash, struct pcr_node *node)
{
	u32 i = hash(node) & (cap - 1);

	while (table[i])
		i = (i + 1) & (cap - 1);
	table[i] = node;
}

static void table_take(struct pcr_node **table, u32 cap, hash_fn hash, const struct pcr_node *node)
{
	u32 mask = cap - 1;
	u32 hole = hash(node) & mask;

	while (table[hole] != node)
		hole = (hole + 1) & mask;
	/* Move back what may now stand nearer to its own place. */
	for (u32 i = (hole + 1) & mask; table[i]; i = (i + 1) & mask) {
		u32 home = hash(table[i]) & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			table[hole] = table[i];
			hole = i;
		}
	}
	table[hole] = NULL;
}

static int resize(struct pcr_tree *tree, u32 cap)
{
	struct pcr_node **by_id = calloc(cap, sizeof(struct pcr_node *));
	struct pcr_node **by_name = calloc(cap, sizeof(struct pcr_node *));

	if (!by_id || !by_name) {
		free(by_id);
		free(by_name);
		return -ENOMEM;
	}
	for (u32 i = 0; i < tree->cap; i++) {
		if (tree->by_id[i])
			table_put(by_id, cap, id_of, tree->by_id[i]);
		if (tree->by_name[i])
			table_put(by_name, cap, name_of, tree->by_name[i]);
	}
	free(tree->by_id);
	free(tree->by_name);
	tree->by_id = by_id;
	tree->by_name = by_name;
	tree->cap = cap;
	return 0;
}

/* Between an eighth and three quarters full; fuller only while there is no memory. */
static int make_room(struct pcr_tree *tree)
{
	if ((u64)tree->n * 4 < (u64)tree->cap * 3 || resize(tree, tree->cap * 2) == 0)
		return 0;
	/* Probing ends at an empty place: the last one is never taken. */
	return tree->n + 1 < tree->cap ? 0 : -ENOMEM;
}

static void give_room(struct pcr_tree *tree)
{
	if (tree->cap > CAP_MIN && tree->n < tree->cap / 8)
		(void)resize(tree, tree->cap / 2);
}

static struct pcr_node *new_node(u64 id, const char *name, size_t n)
{
	struct pcr_node *node = calloc(1, sizeof(*node) + n + 1);

	if (!node)
		return NULL;
	node->id = id;
	node->watch = -1;
	node->policy = -1;
	memcpy(node->name, name, n);
	return node;
}

static void enter(struct pcr_tree *tree, struct pcr_node *node)
{
	table_put(tree->by_id, tree->cap, id_of, node);
	table_put(tree->by_name, tree->cap, name_of, node);
	tree->n++;
}

int pcr_tree_init(struct pcr_tree *tree, u64 root_id)
{
	*tree = (struct pcr_tree){ 0 };
	if (resize(tree, CAP_MIN) < 0)
		return -ENOMEM;
	tree->root = new_node(root_id, "", 0);
	if (!tree->root) {
		pcr_tree_clear(tree);
		return -ENOMEM;
	}
	enter(tree, tree->root);
	return 0;
}

void pcr_tree_clear(struct pcr_tree *tree)
{
	for (u32 i = 0; i < tree->cap; i++)
		free(tree->by_id[i]);
	free(tree->by_id);
	free(tree->by_name);
	*tree = (struct pcr_tree){ 0 };
}

struct pcr_node *pcr_tree_by_id(const struct pcr_tree *tree, u64 id)
{
	u32 mask = tree->cap - 1;

	for (u32 i = mix(id) & mask; tree->by_id[i]; i = (i + 1) & mask)
		if (tree->by_id[i]->id == id)
			return tree->by_id[i];
	return NULL;
}

struct pcr_node *pcr_tree_child(const struct pcr_tree *tree, const struct pcr_node *parent,
				const char *name, size_t n)
{
	u32 mask = tree->cap - 1;

	for (u32 i = hash_name(parent->id, name, n) & mask; tree->by_name[i]; i = (i + 1) & mask) {
		struct pcr_node *node = tree->by_name[i];

		/* The length first: what is looked for may be longer than what is there. */
		if (node->parent == parent && strlen(node->name) == n &&
		    !memcmp(node->name, name, n))
			return node;
	}
	return NULL;
}

struct pcr_node *pcr_tree_lookup(const struct pcr_tree *tree, const char *path, size_t n)
{
	struct pcr_node *node = tree->root;
	size_t i = 0;

	while (node) {
		size_t end;

		while (i < n && path[i] == '/')
			i++;
		if (i == n)
			return node;
		for (end = i; end < n && path[end] != '/'; end++)
			;
		node = pcr_tree_child(tree, node, path + i, end - i);
		i = end;
	}
	return NULL;
}

/* What pcr_node_path() needs for a child of that name, its NUL included. */
static size_t path_size(const struct pcr_node *parent, size_t n)
{
	for (; parent->parent; parent = parent->parent)
		n += strlen(parent->name) + 1;
	return n + 1;
}

int pcr_tree_add(struct pcr_tree *tree, struct pcr_node *parent, u64 id, const char *name, size_t n,
		 struct pcr_node **ret_node)
{
	struct pcr_node *node;

	/* A path that came cut would name another cgroup, and that one would be acted on. */
	if (path_size(parent, n) > PCR_PATH_MAX)
		return PCR_GONE;
	if (make_room(tree) < 0)
		return -ENOMEM;
	node = new_node(id, name, n);
	if (!node)
		return -ENOMEM;
	node->parent = parent;
	node->next = parent->child;
	if (parent->child)
		parent->child->prev = node;
	parent->child = node;
	parent->n_children++;
	node->mark = tree->mark;
	enter(tree, node);
	*ret_node = node;
	return 0;
}

void pcr_tree_remove(struct pcr_tree *tree, struct pcr_node *node)
{
	struct pcr_node *parent = node->parent;

	table_take(tree->by_id, tree->cap, id_of, node);
	table_take(tree->by_name, tree->cap, name_of, node);
	tree->n--;
	if (node->prev)
		node->prev->next = node->next;
	else
		parent->child = node->next;
	if (node->next)
		node->next->prev = node->prev;
	parent->n_children--;
	free(node);
	give_room(tree);
}

/* In the place of what did not fit. */
static const char cut[] = ".../";
#define CUT (sizeof(cut) - 1)

size_t pcr_node_path(const struct pcr_node *node, char *buf, size_t size)
{
	size_t at = size - 1;

	buf[at] = '\0';
	for (; node->parent; node = node->parent) {
		size_t n = strlen(node->name);
		bool slash = buf[at] != '\0';

		if (n + slash + (node->parent->parent ? CUT : 0) > at) {
			if (slash)
				memcpy(buf + (at -= CUT), cut, CUT);
			break;
		}
		if (slash)
			buf[--at] = '/';
		at -= n;
		memcpy(buf + at, node->name, n);
	}
	memmove(buf, buf + at, size - at);
	return size - 1 - at;
}

struct pcr_node *pcr_tree_skip(const struct pcr_node *node)
{
	for (; node; node = node->parent)
		if (node->next)
			return node->next;
	return NULL;
}

struct pcr_node *pcr_tree_next(const struct pcr_node *node)
{
	return node->child ? node->child : pcr_tree_skip(node);
}

struct pcr_node *pcr_tree_deepest(struct pcr_node *node)
{
	while (node->child)
		node = node->child;
	return node;
}

struct pcr_node *pcr_tree_next_post(const struct pcr_node *top, const struct pcr_node *node)
{
	if (node == top)
		return NULL;
	return node->next ? pcr_tree_deepest(node->next) : node->parent;
}
