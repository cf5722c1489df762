// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/tree.c: the living cgroups by id, by name and by path. */
#include "unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "model/tree.h"

static struct pcr_node *put(struct pcr_tree *tree, struct pcr_node *parent, u64 id,
			    const char *name)
{
	struct pcr_node *node = NULL;

	ck_assert_int_eq(pcr_tree_add(tree, parent, id, name, strlen(name), &node), 0);
	ck_assert_ptr_nonnull(node);
	return node;
}

static struct pcr_node *look(const struct pcr_tree *tree, const char *path)
{
	return pcr_tree_lookup(tree, path, strlen(path));
}

START_TEST(a_root_alone)
{
	struct pcr_tree tree;
	char path[8] = "xxxxxxx";

	ck_assert_int_eq(pcr_tree_init(&tree, 1), 0);
	ck_assert_uint_eq(tree.n, 1);
	ck_assert_ptr_eq(pcr_tree_by_id(&tree, 1), tree.root);
	ck_assert_ptr_null(pcr_tree_by_id(&tree, 0));
	ck_assert_ptr_eq(look(&tree, ""), tree.root);
	ck_assert_ptr_eq(look(&tree, "/"), tree.root);
	ck_assert_ptr_null(look(&tree, "a"));
	ck_assert_uint_eq(pcr_node_path(tree.root, path, sizeof(path)), 0);
	ck_assert_str_eq(path, "");
	ck_assert_ptr_null(pcr_tree_next(tree.root));
	ck_assert_ptr_null(pcr_tree_skip(tree.root));
	ck_assert_ptr_eq(pcr_tree_deepest(tree.root), tree.root);
	ck_assert_ptr_null(pcr_tree_next_post(tree.root, tree.root));
	pcr_tree_clear(&tree);
	pcr_tree_clear(&tree);
}
END_TEST

/*
 *   ""─┬─ a ─┬─ b ── c
 *      │     └─ bb
 *      └─ ab ── b
 */
START_TEST(lookup_goes_by_whole_components)
{
	struct pcr_tree tree;
	struct pcr_node *a, *b, *c, *bb, *ab, *b2;

	ck_assert_int_eq(pcr_tree_init(&tree, 1), 0);
	a = put(&tree, tree.root, 2, "a");
	b = put(&tree, a, 3, "b");
	c = put(&tree, b, 4, "c");
	bb = put(&tree, a, 5, "bb");
	ab = put(&tree, tree.root, 6, "ab");
	b2 = put(&tree, ab, 7, "b");

	struct {
		const char *path;
		const struct pcr_node *node;
	} cases[] = {
		{ "a", a },	   { "/a", a },	     { "a/", a },	{ "//a//b", b },
		{ "a/b", b },	   { "a/b/c", c },   { "a/bb", bb },	{ "ab", ab },
		{ "ab/b", b2 },	   { "b", NULL },    { "a/b/c/d", NULL }, { "a/bbb", NULL },
		{ "abb", NULL },   { "A", NULL },    { "a/c", NULL },	{ ".", NULL },
		{ "a/..", NULL },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++)
		ck_assert_msg(look(&tree, cases[i].path) == cases[i].node, "%s", cases[i].path);
	ck_assert_ptr_eq(pcr_tree_lookup(&tree, "a/bb", 3), b);

	/* Nothing is read past the length, nor past the end of a shorter name. */
	ck_assert_ptr_null(pcr_tree_child(&tree, tree.root, "a\0bcdefghijklmnop", 17));
	ck_assert_ptr_eq(pcr_tree_child(&tree, tree.root, "abc", 2), ab);

	ck_assert(pcr_node_below(c, a) && pcr_node_below(a, a) && pcr_node_below(c, tree.root));
	ck_assert(!pcr_node_below(a, c) && !pcr_node_below(b2, a));
	pcr_tree_clear(&tree);
}
END_TEST

START_TEST(walks_see_each_node_once_in_order)
{
	struct pcr_tree tree;
	struct pcr_node *a;
	u32 seen = 0, post = 0;

	ck_assert_int_eq(pcr_tree_init(&tree, 1), 0);
	a = put(&tree, tree.root, 2, "a");
	put(&tree, tree.root, 3, "z");
	for (u64 id = 10; id < 14; id++) {
		char name[8];

		snprintf(name, sizeof(name), "n%u", (unsigned)id);
		put(&tree, put(&tree, a, id, name), id + 100, "leaf");
	}
	for (struct pcr_node *n = tree.root; n; n = pcr_tree_next(n)) {
		ck_assert(!n->parent || n->parent->mark == 7);
		n->mark = 7;
		seen++;
	}
	ck_assert_uint_eq(seen, tree.n);
	for (struct pcr_node *n = pcr_tree_deepest(a); n; n = pcr_tree_next_post(a, n)) {
		for (const struct pcr_node *c = n->child; c; c = c->next)
			ck_assert_uint_eq(c->mark, 8);
		n->mark = 8;
		post++;
	}
	ck_assert_uint_eq(post, 9);
	ck_assert_uint_eq(tree.root->mark, 7);
	/* Without the children of a there is only its sibling. */
	ck_assert_uint_eq(a->next ? a->next->id : 0, pcr_tree_skip(a) ? pcr_tree_skip(a)->id : 0);
	pcr_tree_clear(&tree);
}
END_TEST

/* Field report 12: names come back, and so may ids after a wrap; a table must not grow from it. */
START_TEST(names_and_ids_come_back)
{
	struct pcr_tree tree;

	ck_assert_int_eq(pcr_tree_init(&tree, 1), 0);
	for (u64 i = 0; i < 10000; i++) {
		struct pcr_node *node = put(&tree, tree.root, 2 + i % 3, "job");

		ck_assert_ptr_eq(pcr_tree_by_id(&tree, 2 + i % 3), node);
		ck_assert_ptr_eq(look(&tree, "job"), node);
		pcr_tree_remove(&tree, node);
		ck_assert_ptr_null(pcr_tree_by_id(&tree, 2 + i % 3));
		ck_assert_ptr_null(look(&tree, "job"));
	}
	ck_assert_uint_eq(tree.n, 1);
	ck_assert_uint_eq(tree.cap, 64);
	ck_assert_uint_eq(tree.root->n_children, 0);
	ck_assert_ptr_null(tree.root->child);
	pcr_tree_clear(&tree);
}
END_TEST

START_TEST(paths_at_the_edge_of_the_buffer)
{
	struct pcr_tree tree;
	struct pcr_node *a, *b, *c;
	static const struct {
		size_t size;
		const char *path;
	} cases[] = {
		/* "aaa/bb/c" wants 9 bytes; whole components go first, at the front */
		{ 64, "aaa/bb/c" }, { 9, "aaa/bb/c" }, { 8, ".../c" }, { 6, ".../c" },
		{ 5, "" },	    { 2, "" },	       { 1, "" },
	};

	ck_assert_int_eq(pcr_tree_init(&tree, 1), 0);
	a = put(&tree, tree.root, 2, "aaa");
	b = put(&tree, a, 3, "bb");
	c = put(&tree, b, 4, "c");
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		char buf[64];
		size_t n;

		memset(buf, '~', sizeof(buf));
		n = pcr_node_path(c, buf, cases[i].size);
		ck_assert_uint_eq(n, strlen(cases[i].path));
		ck_assert_str_eq(buf, cases[i].path);
		if (cases[i].size < sizeof(buf))
			ck_assert_int_eq(buf[cases[i].size], '~');
	}
	pcr_tree_clear(&tree);
}
END_TEST

/*
 * mkdirat() makes trees whose path exceeds PATH_MAX. A cut path would name another
 * cgroup (whose memory would then be reclaimed): such a one is not taken in at all.
 */
START_TEST(a_path_too_long_is_not_taken_in)
{
	struct pcr_tree tree;
	struct pcr_node *node, *deep;
	char name[256], path[PCR_PATH_MAX];
	u64 id = 1;

	memset(name, 'n', 255);
	name[255] = '\0';
	ck_assert_int_eq(pcr_tree_init(&tree, 1), 0);
	node = tree.root;
	for (int i = 0; i < 15; i++)
		node = put(&tree, node, ++id, name);
	/* 15 * 255 + 14 = 3839 so far; a slash and 255 more make 4095 and a NUL. */
	ck_assert_uint_eq(pcr_node_path(node, path, sizeof(path)), 3839);
	deep = put(&tree, node, 100, name);
	ck_assert_uint_eq(pcr_node_path(deep, path, sizeof(path)), PCR_PATH_MAX - 1);
	ck_assert_ptr_eq(look(&tree, path), deep);
	ck_assert_int_eq(pcr_tree_add(&tree, deep, 101, "x", 1, &node), PCR_GONE);
	ck_assert_uint_eq(tree.n, 17);
	ck_assert_uint_eq(deep->n_children, 0);
	ck_assert_ptr_null(pcr_tree_by_id(&tree, 101));
	pcr_tree_clear(&tree);
}
END_TEST

START_TEST(tables_grow_and_shrink)
{
	enum { N = 20000 };
	struct pcr_tree tree;

	ck_assert_int_eq(pcr_tree_init(&tree, 1), 0);
	for (u64 i = 0; i < N; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%u", (unsigned)i);
		put(&tree, tree.root, i + 2, name);
		ck_assert_uint_lt(tree.n, tree.cap);
	}
	ck_assert_uint_eq(tree.cap, 32768);
	while (tree.root->child)
		pcr_tree_remove(&tree, tree.root->child);
	ck_assert_uint_eq(tree.cap, 64);
	ck_assert_ptr_eq(pcr_tree_by_id(&tree, 1), tree.root);
	pcr_tree_clear(&tree);
}
END_TEST

PCR_UNIT("tree", a_root_alone, lookup_goes_by_whole_components, walks_see_each_node_once_in_order,
	 names_and_ids_come_back, paths_at_the_edge_of_the_buffer, a_path_too_long_is_not_taken_in,
	 tables_grow_and_shrink)
