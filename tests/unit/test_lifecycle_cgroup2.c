// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fanotify and inotify on this machine's own cgroup2, where there is one that may
 * be written: below a cgroup made for it, and removed again.
 *
 * Report 13, ebpf_exporter 613: on hybrid hosts /sys/fs/cgroup is a tmpfs, and a
 * mark on it sees nothing; the mark goes on the cgroup2 mount itself.
 */
#include "unit/test_lifecycle.h"

#include <sys/vfs.h>

#define CGROUP2_MAGIC 0x63677270

static const enum pcr_source events[] = { PCR_SOURCE_FANOTIFY, PCR_SOURCE_INOTIFY };

static char own[64];

static const char *find_cgroup2(void)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(mounts); i++) {
		struct statfs fs;

		if (statfs(mounts[i], &fs) == 0 && fs.f_type == CGROUP2_MAGIC)
			return mounts[i];
	}
	return NULL;
}

/* False: nothing to test here, said why. */
static bool bed_cgroup2(enum pcr_source source)
{
	const char *mount = find_cgroup2();
	char why[256];

	if (!mount) {
		printf("skipped: no cgroup2 is mounted\n");
		return false;
	}
	memset(&bed, 0, sizeof(bed));
	bed_mount("/", mount);
	snprintf(own, sizeof(own), "pcr-test-%d", (int)getpid());
	if (mkdir(at(own), 0755) < 0) {
		printf("skipped: %s: %s\n", at(own), strerror(errno));
	} else if (pcr_lifecycle_probe(&bed.root, source, why, sizeof(why))) {
		printf("skipped: %s: %s\n", pcr_source_name(source), why);
		rm(own);
	} else {
		bed_open(source);
		return true;
	}
	bed_drop();
	return false;
}

static void bed_leave(void)
{
	rm(own);
	bed_drop();
}

static const char *in(const char *path)
{
	static char buf[128];

	snprintf(buf, sizeof(buf), "%s/%s", own, path);
	return buf;
}

/* Only what is below our own cgroup: others may come and go beside it. */
static void same_below(void)
{
	struct pcr_node *top = node_of(own);
	u32 n = 0;

	ck_assert_ptr_nonnull(top);
	for (struct pcr_node *p = top; p && pcr_node_below(p, top); p = pcr_tree_next(p))
		n++;
	ck_assert_uint_eq(count_dirs(at(own), strlen(bed.cg) + 1), n);
}

START_TEST(comes_and_goes)
{
	for (size_t i = 0; i < PCR_ARRAY_SIZE(events); i++) {
		u64 removed;

		if (!bed_cgroup2(events[i]))
			continue;
		mk(in("a"));
		mk(in("a/b"));
		mk(in("a/b/c"));
		mk(in("short"));
		rm(in("short"));
		settle();
		same_below();
		removed = bed.st.totals.removed;
		ck_assert_uint_ge(removed, 1);
		/* A name used again, and again. */
		for (int k = 0; k < 10; k++) {
			rm(in("a/b/c"));
			mk(in("a/b/c"));
		}
		settle();
		same_below();
		ck_assert_uint_ge(bed.st.totals.removed, removed + 10);
		rm(in("a/b/c"));
		rm(in("a/b"));
		rm(in("a"));
		settle();
		same_below();
		ck_assert_uint_eq(bed.lc->stats.overflows + bed.lc->stats.resyncs, 0);
		ck_assert_uint_eq(bed.lc->stats.malformed, 0);
		bed_leave();
	}
}
END_TEST

/* Reports 8 and 9 where the kernel really sends no IN_IGNORED. */
START_TEST(churn)
{
	char name[32];

	for (size_t i = 0; i < PCR_ARRAY_SIZE(events); i++) {
		if (!bed_cgroup2(events[i]))
			continue;
		for (int k = 0; k < 500; k++) {
			snprintf(name, sizeof(name), "c%d", k % 50);
			mk(in(name));
			if (k % 7 == 0)
				turn();
			rm(in(name));
		}
		settle();
		same_below();
		if (events[i] == PCR_SOURCE_INOTIFY) {
			ck_assert_uint_eq(kernel_watches(bed.lc->fd), bed.st.tree.n);
			ck_assert_uint_eq(bed.lc->stats.watches, bed.st.tree.n);
		}
		bed_leave();
	}
}
END_TEST

START_TEST(overflow_heals)
{
	char name[32];

	for (size_t i = 0; i < PCR_ARRAY_SIZE(events); i++) {
		if (!bed_cgroup2(events[i]))
			continue;
		/* Identical neighbours would be merged; 16384 is what the queue holds. */
		for (int k = 0; k < 9000; k++) {
			snprintf(name, sizeof(name), "c%d", k);
			mk(in(name));
			if (k % 1000)
				rm(in(name));
		}
		settle();
		same_below();
		ck_assert_uint_ge(bed.lc->stats.overflows, 1);
		ck_assert_uint_ge(bed.lc->stats.resyncs, 1);
		for (int k = 0; k < 9000; k += 1000) {
			snprintf(name, sizeof(name), "c%d", k);
			rm(in(name));
		}
		settle();
		same_below();
		bed_leave();
	}
}
END_TEST

PCR_UNIT("lifecycle on cgroup2", comes_and_goes, churn, overflow_heals)
