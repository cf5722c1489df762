// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/tree.c: 100,000 random operations, held against a naive model. */
#include "unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "model/tree.h"

#define MODEL 3000

static struct known {
	u64 id;
	u64 parent;
	u32 children;
	char name[8];
} known[MODEL];
static u32 n_known;

static u64 seed;

static u32 roll(u32 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % below;
}

static struct known *known_id(u64 id)
{
	for (u32 i = 0; i < n_known; i++)
		if (known[i].id == id)
			return &known[i];
	return NULL;
}

static bool known_name(u64 parent, const char *name)
{
	for (u32 i = 0; i < n_known; i++)
		if (known[i].parent == parent && !strcmp(known[i].name, name))
			return true;
	return false;
}

static void model_add(struct pcr_tree *tree, u64 id)
{
	struct known *parent = &known[roll(n_known)];
	struct known k = { .id = id, .parent = parent->id };
	struct pcr_node *node;

	snprintf(k.name, sizeof(k.name), "%c%u", 'a' + (char)roll(3), roll(40));
	node = pcr_tree_child(tree, pcr_tree_by_id(tree, k.parent), k.name, strlen(k.name));
	ck_assert_int_eq(node != NULL, known_name(k.parent, k.name));
	if (node)
		return;
	ck_assert_int_eq(pcr_tree_add(tree, pcr_tree_by_id(tree, k.parent), id, k.name,
				      strlen(k.name), &node), 0);
	parent->children++;
	known[n_known++] = k;
}

static void model_remove(struct pcr_tree *tree, u32 i)
{
	struct pcr_node *node = pcr_tree_by_id(tree, known[i].id);

	ck_assert_ptr_nonnull(node);
	ck_assert_uint_eq(node->n_children, known[i].children);
	if (i == 0 || known[i].children)
		return;
	known_id(known[i].parent)->children--;
	pcr_tree_remove(tree, node);
	ck_assert_ptr_null(pcr_tree_by_id(tree, known[i].id));
	known[i] = known[--n_known];
}

static void model_path(u64 id, char *buf, size_t size)
{
	const struct known *k = known_id(id);
	size_t n;

	if (!k->parent) {
		*buf = '\0';
		return;
	}
	model_path(k->parent, buf, size);
	n = strlen(buf);
	snprintf(buf + n, size - n, "%s%s", n ? "/" : "", k->name);
}

static void same_as_model(const struct pcr_tree *tree)
{
	u32 n = 0;

	for (struct pcr_node *node = tree->root; node; node = pcr_tree_next(node))
		n++;
	ck_assert_uint_eq(n, n_known);
	ck_assert_uint_eq(tree->n, n_known);
	ck_assert_uint_lt(tree->n, tree->cap);
	ck_assert(tree->cap == 64 || tree->n >= tree->cap / 8);
	for (u32 i = 0; i < n_known; i += 1 + n_known / 64) {
		struct pcr_node *node = pcr_tree_by_id(tree, known[i].id);
		char want[PCR_PATH_MAX], path[PCR_PATH_MAX];

		ck_assert_ptr_nonnull(node);
		model_path(known[i].id, want, sizeof(want));
		pcr_node_path(node, path, sizeof(path));
		ck_assert_str_eq(path, want);
		ck_assert_ptr_eq(pcr_tree_lookup(tree, path, strlen(path)), node);
	}
}

START_TEST(random_operations_match_a_naive_model)
{
	struct pcr_tree tree;
	u64 next_id = 2;

	seed = 42;
	ck_assert_int_eq(pcr_tree_init(&tree, 1), 0);
	known[0] = (struct known){ .id = 1 };
	n_known = 1;
	/* Waves of growth and decay, so that the tables pass through every size. */
	for (u32 step = 0; step < 100000; step++) {
		bool grow = step / 10000 % 2 == 0;

		if (n_known < MODEL && roll(10) < (grow ? 7 : 3))
			/* kernfs on 64 bits: the generation above, the number below */
			model_add(&tree, next_id++ % 5 ? next_id : next_id << 32);
		else
			model_remove(&tree, roll(n_known));
		if (step % 1000 == 0)
			same_as_model(&tree);
	}
	same_as_model(&tree);
	pcr_tree_clear(&tree);
}
END_TEST

PCR_UNIT("tree, at random", random_operations_match_a_naive_model)
