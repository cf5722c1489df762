// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/walk.c over plain directories. */
#include "unit/test_lifecycle.h"

static u32 scan_count(const char *path, u32 *ret_leaves)
{
	struct pcr_scan scan = { .fd = -1 };
	struct pcr_walk_entry e;
	u32 n = 0, leaves = 0;
	int r;

	ck_assert_int_eq(pcr_scan_open(&scan, &bed.root, path), 0);
	while ((r = pcr_scan_next(&scan, &e)) == 0) {
		ck_assert_uint_eq(strlen(e.name), e.n);
		ck_assert_uint_ne(e.id, 0);
		n++;
		leaves += e.leaf;
	}
	ck_assert_int_eq(r, PCR_NONE);
	pcr_scan_close(&scan);
	*ret_leaves = leaves;
	return n;
}

START_TEST(children_only)
{
	u32 leaves;
	int fd;

	bed_make();
	ck_assert_uint_eq(scan_count("", &leaves), 0);
	mk("a");
	mk("a/b");
	mk("leaf");
	mk("...");
	mk("name with \xff and \n");
	fd = open(at("cgroup.procs"), O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(symlink("a", at("link")), 0);
	ck_assert_uint_eq(scan_count("", &leaves), 4);
	ck_assert_uint_eq(leaves, 3);
	ck_assert_uint_eq(scan_count("a", &leaves), 1);
	ck_assert_uint_eq(scan_count("a/b", &leaves), 0);
	bed_drop();
}
END_TEST

/* More than a buffer's worth, with the longest names there are. */
START_TEST(many)
{
	char name[256];
	u32 leaves;

	bed_make();
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "%0255d", i);
		mk(name);
	}
	ck_assert_uint_eq(scan_count("", &leaves), 300);
	ck_assert_uint_eq(leaves, 300);
	bed_drop();
}
END_TEST

/* Report 15, systemd PR 38134 and crun PR 539: what vanishes under us is gone, by any errno. */
START_TEST(vanished)
{
	struct pcr_scan scan = { .fd = -1 };
	struct pcr_walk_entry e;
	bool leaf;
	u64 id;
	int r;

	bed_make();
	mk("a");
	ck_assert_int_eq(pcr_scan_open(&scan, &bed.root, "a"), 0);
	rm("a");
	r = pcr_scan_next(&scan, &e);
	ck_assert(r == PCR_NONE || r == PCR_GONE);
	pcr_scan_close(&scan);
	pcr_scan_close(&scan);
	ck_assert_int_eq(pcr_scan_open(&scan, &bed.root, "a"), PCR_GONE);
	ck_assert_int_eq(pcr_scan_open(&scan, &bed.root, "a/b"), PCR_GONE);
	ck_assert_int_eq(pcr_walk_stat(&bed.root, "a", &id, &leaf), PCR_GONE);
	r = open(at("file"), O_CREAT | O_WRONLY, 0600);
	ck_assert_int_ge(r, 0);
	close(r);
	ck_assert_int_eq(pcr_scan_open(&scan, &bed.root, "file"), PCR_GONE);
	ck_assert_int_eq(pcr_walk_stat(&bed.root, "file", &id, &leaf), PCR_GONE);
	ck_assert_int_eq(pcr_walk_stat(&bed.root, "file/x", &id, &leaf), PCR_GONE);
	bed_drop();
}
END_TEST

START_TEST(stat_one)
{
	bool leaf;
	u64 id;

	bed_make();
	mk("a");
	ck_assert_int_eq(pcr_walk_stat(&bed.root, "a", &id, &leaf), 0);
	ck_assert_uint_eq(id, id_of("a"));
	ck_assert(leaf);
	mk("a/b");
	ck_assert_int_eq(pcr_walk_stat(&bed.root, "a", &id, &leaf), 0);
	ck_assert(!leaf);
	ck_assert_int_eq(pcr_walk_stat(&bed.root, "", &id, &leaf), 0);
	ck_assert_uint_eq(id, bed.st.tree.root->id);
	bed_drop();
}
END_TEST

PCR_UNIT("walk", children_only, many, vanished, stat_one)
