// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever happens in whatever order, the tree ends up as the disk. Cgroups come,
 * go and move at random while reading and walking are cut into the smallest
 * slices, so that every cursor gets pulled from under every walk. The seed is
 * printed with a failure.
 */
#include "unit/test_lifecycle.h"

#define NAMES 4
#define DEPTH 4

static u32 seed;

static u32 any(u32 n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static size_t random_path(char *buf, size_t size)
{
	u32 depth = 1 + any(DEPTH);
	size_t n = 0;

	for (u32 i = 0; i < depth; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%c", i ? "/" : "", (char)('a' + any(NAMES)));
	return n;
}

static void random_change(bool renames)
{
	char a[64], b[64];

	random_path(a, sizeof(a));
	random_path(b, sizeof(b));
	switch (any(renames ? 8 : 7)) {
	case 0: case 1: case 2: case 3:
		(void)mkdirat(bed.root.cgroup_fd, a, 0755);
		break;
	case 4: case 5: case 6:
		(void)unlinkat(bed.root.cgroup_fd, a, AT_REMOVEDIR);
		break;
	default:
		(void)renameat(bed.root.cgroup_fd, a, bed.root.cgroup_fd, b);
	}
}

static void random_look(void)
{
	switch (any(8)) {
	case 0: case 1:
		(void)pcr_lifecycle_ready(bed.lc);
		break;
	case 2: case 3: case 4:
		(void)pcr_lifecycle_tick(bed.lc, bed_now());
		break;
	case 5:
		pcr_reconcile_lose(bed.lc);
		break;
	case 6:
		bed.skew += PCR_SEC;
		break;
	default:
		break;
	}
}

static void one_run(u32 start, enum pcr_source source, u32 watched_per_mille)
{
	bool renames;

	seed = start;
	bed_make();
	bed.seed = start;
	renames = any(2);
	bed.set.daemon.audit_usec = any(2) ? PCR_SEC : PCR_NEVER;
	for (int i = 0; i < 20; i++)
		random_change(renames);
	bed_open(source);
	/* Each look at the clock costs up to a slice: walks advance by a few steps at a time. */
	bed.stride = any(2) ? PCR_LIFECYCLE_SLICE : 10;
	for (int i = 0; i < 400; i++) {
		random_change(renames);
		if (any(1000) < watched_per_mille)
			random_look();
	}
	/* A walk that began before the last change need not have seen it: one after it must. */
	if (source == PCR_SOURCE_WALK) {
		settle();
		bed.skew += 2 * PCR_SEC;
	}
	settle();
	same_as_disk();
	if (source == PCR_SOURCE_INOTIFY) {
		ck_assert_uint_eq(kernel_watches(bed.lc->fd), bed.st.tree.n);
		ck_assert_uint_eq(bed.lc->stats.watches, bed.st.tree.n);
	}
	bed_drop();
}

static void many_runs(enum pcr_source source)
{
	for (u32 start = 1; start <= 150; start++) {
		u32 busy = start % 3 == 0 ? 1000 : start % 3 == 1 ? 300 : 30;

		one_run(start, source, busy);
	}
}

START_TEST(random_inotify)
{
	many_runs(PCR_SOURCE_INOTIFY);
}
END_TEST

START_TEST(random_walk)
{
	many_runs(PCR_SOURCE_WALK);
}
END_TEST

/*
 * Report 14, systemd PR 40704: the outcome does not hang on the order. Told ids,
 * as from tracefs, with removals that overtake their creation; no stat is made, so
 * the paths need not exist.
 */
START_TEST(any_order)
{
	for (u32 start = 1; start <= 200; start++) {
		struct pcr_lifecycle_sink *sink;
		int made[8] = { 0 }, removed[8] = { 0 };

		seed = start;
		bed_make();
		bed_open(PCR_SOURCE_WALK);
		sink = &bed.lc->sink;
		for (int left = 16; left > 0;) {
			u32 i = any(8);
			int *done = any(2) ? made : removed;
			char name[8];
			int n = snprintf(name, sizeof(name), "n%u", i);

			if (done[i])
				continue;
			if (done == made)
				sink->made(sink->data, 1000000 + i, name, (size_t)n);
			else
				sink->removed(sink->data, 1000000 + i, name, (size_t)n);
			done[i] = 1;
			left--;
		}
		ck_assert_uint_eq(bed.st.tree.n, 1);
		ck_assert_uint_eq(bed.st.totals.removed, 8);
		ck_assert_uint_eq(bed.st.trim.deaths, 8);
		bed_drop();
	}
}
END_TEST

/* Report 12 again: what is kept about unknown ids is bounded. */
START_TEST(early_is_bounded)
{
	struct pcr_lifecycle_sink *sink;

	bed_make();
	bed_open(PCR_SOURCE_WALK);
	sink = &bed.lc->sink;
	for (u64 id = 1000000; id < 1100000; id++)
		sink->removed(sink->data, id, "x", 1);
	ck_assert_uint_eq(bed.st.tree.n, 1);
	ck_assert_uint_eq(bed.st.totals.removed, 100000);
	bed_drop();
}
END_TEST

/* Streams that lie: a walk follows, nothing worse. */
START_TEST(nonsense)
{
	struct pcr_lifecycle_sink *sink;
	char path[PCR_PATH_MAX + 10];

	bed_make();
	mk("a");
	mk("a/b");
	bed_open(PCR_SOURCE_WALK);
	sink = &bed.lc->sink;
	memset(path, 'p', sizeof(path));
	sink->made(sink->data, 7, "", 0);
	sink->made(sink->data, 7, "a/", 2);
	sink->made(sink->data, 1ULL << 40, path, sizeof(path));
	sink->removed(sink->data, 0, "", 0);
	sink->removed(sink->data, bed.st.tree.root->id, "x", 1);
	sink->removed(sink->data, 0, "no/such/place", 13);
	ck_assert_uint_eq(bed.st.tree.n, 3);
	/* An id below itself. */
	sink->made(sink->data, id_of("a"), "a/b/c", 5);
	sink->made(sink->data, bed.st.tree.root->id, "a/b/c", 5);
	ck_assert_uint_eq(bed.st.tree.n, 3);
	ck_assert(!bed.lc->lost);
	/* A parent that nobody told of. */
	sink->made(sink->data, 1ULL << 40, "no/such", 7);
	ck_assert(bed.lc->lost);
	sink->lost(sink->data);
	sink->released(sink->data, 12345);
	settle();
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.resyncs, 1);
	ck_assert_uint_eq(bed.lc->stats.overflows, 1);
	bed_drop();
}
END_TEST

/* A queue that never runs empty must not put the resync off for ever. */
static int endless(struct pcr_lifecycle *lc)
{
	(void)lc;
	return PCR_PART;
}

START_TEST(resync_in_a_storm)
{
	struct pcr_lifecycle_ops storm = pcr_source_inotify;
	u64 due;

	bed_make();
	bed_open(PCR_SOURCE_INOTIFY);
	mk("a");
	settle();
	storm.read = endless;
	bed.lc->ops = &storm;
	ck_assert_int_eq(pcr_lifecycle_ready(bed.lc), PCR_PART);
	pcr_reconcile_lose(bed.lc);
	pcr_lifecycle_tick(bed.lc, bed_now());
	ck_assert_uint_eq(bed.lc->stats.resyncs, 0);
	due = pcr_lifecycle_due(bed.lc);
	ck_assert_uint_le(due, bed_now() + PCR_SEC);
	bed.skew += PCR_SEC;
	while (pcr_lifecycle_tick(bed.lc, bed_now()) == PCR_PART)
		;
	ck_assert_uint_eq(bed.lc->stats.resyncs, 1);
	bed.lc->ops = &pcr_source_inotify;
	bed_drop();
}
END_TEST

PCR_UNIT("lifecycle, at random", random_inotify, random_walk, any_order, early_is_bounded, nonsense,
	 resync_in_a_storm)
