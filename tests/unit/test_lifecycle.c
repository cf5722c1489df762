// SPDX-License-Identifier: GPL-2.0-or-later
/* Sources inotify and walk over plain directories, and the reconciling behind all four. */
#include "unit/test_lifecycle.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

static const enum pcr_source plain[] = { PCR_SOURCE_INOTIFY, PCR_SOURCE_WALK };

/* Whatever the source: make it look. Source walk needs its period to pass. */
static void look(void)
{
	if (pcr_lifecycle_source(bed.lc) == PCR_SOURCE_WALK)
		bed.skew += 2 * PCR_SEC;
	settle();
}

START_TEST(first_walk)
{
	for (size_t i = 0; i < PCR_ARRAY_SIZE(plain); i++) {
		bed_make();
		mk("a");
		mk("a/b");
		mk("a/b/c");
		mk("d");
		bed_open(plain[i]);
		same_as_disk();
		ck_assert_uint_eq(bed.st.tree.n, 5);
		ck_assert_uint_eq(bed.lc->stats.resyncs + bed.lc->stats.audits, 0);
		ck_assert_str_eq(pcr_lifecycle_why(bed.lc), "");
		/* What died before, or between two walks, only the root's count tells. */
		ck_assert_uint_le(bed.st.root_sample_usec, bed_now() + PCR_SEC);
		bed_drop();
	}
}
END_TEST

START_TEST(comes_and_goes)
{
	for (size_t i = 0; i < PCR_ARRAY_SIZE(plain); i++) {
		bed_make();
		bed_open(plain[i]);
		mk("a");
		mk("a/b");
		mk("with space \\x2d\xff");
		look();
		same_as_disk();
		rm("a/b");
		rm("a");
		look();
		same_as_disk();
		ck_assert_uint_eq(bed.st.tree.n, 2);
		ck_assert_uint_eq(bed.st.totals.removed, 2);
		bed_drop();
	}
}
END_TEST

/* Report 11, memavaild 4: parent and child made in one burst, before anything is read. */
START_TEST(burst)
{
	bed_make();
	bed_open(PCR_SOURCE_INOTIFY);
	mk("a");
	mk("a/b");
	mk("a/b/c");
	mk("a/b/c/d");
	mk("a/b/e");
	settle();
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.resyncs, 0);
	bed_drop();
}
END_TEST

#define RACES 1000

static void *race(void *arg)
{
	char path[64];

	for (int i = 0; i < RACES; i++) {
		snprintf(path, sizeof(path), "%s/r%d", (char *)arg, i);
		(void)!mkdir(path, 0755);
		strcat(path, "/s");
		(void)!mkdir(path, 0755);
		strcat(path, "/t");
		(void)!mkdir(path, 0755);
	}
	return NULL;
}

/* The same while we read: without looking into each new directory, one in eight is missed. */
START_TEST(nested_race)
{
	pthread_t thread;

	bed_make();
	bed_open(PCR_SOURCE_INOTIFY);
	ck_assert_int_eq(pthread_create(&thread, NULL, race, bed.cg), 0);
	for (int i = 0; i < 200; i++) {
		turn();
		sched_yield();
	}
	pthread_join(thread, NULL);
	settle();
	same_as_disk();
	ck_assert_uint_eq(bed.st.tree.n, 1 + 3 * RACES);
	ck_assert_uint_eq(bed.lc->stats.watches, bed.st.tree.n);
	bed_drop();
}
END_TEST

static u32 count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	u32 n = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/*
 * Report 9, finit 417: watches leak after rmdir. Report 8, containerd 5670 and
 * cgroups 364: one descriptor whatever n. Reports 5 and 10: nothing grows by churn.
 */
START_TEST(churn_leaves_nothing)
{
	char path[64];
	u32 fds, cap;

	bed_make();
	mk("kept");
	bed_open(PCR_SOURCE_INOTIFY);
	fds = count_fds();
	cap = bed.st.tree.cap;
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 250; i++) {
			snprintf(path, sizeof(path), "kept/c%d", i);
			mk(path);
		}
		settle();
		ck_assert_uint_eq(count_fds(), fds);
		ck_assert_uint_eq(kernel_watches(bed.lc->fd), 252);
		for (int i = 0; i < 250; i++) {
			snprintf(path, sizeof(path), "kept/c%d", i);
			rm(path);
		}
		settle();
	}
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.watches, 2);
	ck_assert_uint_eq(kernel_watches(bed.lc->fd), 2);
	ck_assert_uint_eq(bed.st.tree.cap, cap);
	ck_assert_uint_eq(bed.st.totals.removed, 5000);
	ck_assert_uint_eq(bed.lc->stats.overflows + bed.lc->stats.repaired, 0);
	bed_drop();
}
END_TEST

/* Report 12, ebpf_exporter 443 and 263: one hardly there is no error, and its death counts. */
START_TEST(short_lived)
{
	bed_make();
	bed_open(PCR_SOURCE_INOTIFY);
	mk("x");
	rm("x");
	mk("x");
	rm("x");
	settle();
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.malformed + bed.lc->stats.resyncs, 0);
	ck_assert_uint_eq(bed.lc->stats.stale, 4);
	ck_assert_uint_eq(bed.st.totals.removed, 2);
	ck_assert_uint_eq(bed.st.trim.deaths, 2);
	bed_drop();
}
END_TEST

START_TEST(name_used_again)
{
	for (size_t i = 0; i < PCR_ARRAY_SIZE(plain); i++) {
		u64 old;

		bed_make();
		mk("a");
		mk("a/b");
		bed_open(plain[i]);
		old = node_of("a")->id;
		rm("a/b");
		rm("a");
		mk("a");
		mk("a/c");
		if (id_of("a") == old)	/* a file system that gives numbers out again at once */
			printf("skipped: inode numbers are reused here\n");
		look();
		same_as_disk();
		ck_assert_uint_eq(bed.st.totals.removed, id_of("a") == old ? 1 : 2);
		bed_drop();
	}
}
END_TEST

/* Cgroup v1 can rename, with children below; cgroup2 refuses. */
START_TEST(renamed)
{
	for (size_t i = 0; i < PCR_ARRAY_SIZE(plain); i++) {
		bed_make();
		mk("a");
		mk("a/b");
		mk("a/b/c");
		mk("x");
		bed_open(plain[i]);
		mv("a", "z");
		look();
		same_as_disk();
		mk("z/b/d");
		rm("x");
		look();
		same_as_disk();
		if (plain[i] == PCR_SOURCE_INOTIFY)
			ck_assert_uint_eq(kernel_watches(bed.lc->fd), bed.st.tree.n);
		bed_drop();
	}
}
END_TEST

static u64 read_number(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned long long v = 0;

	if (!f)
		return PCR_ABSENT;
	if (fscanf(f, "%llu", &v) != 1)
		v = 0;
	fclose(f);
	return v;
}

START_TEST(overflow_heals)
{
	u64 most = read_number("/proc/sys/fs/inotify/max_queued_events");
	char path[64];

	if (most > 50000) {
		printf("skipped: fs.inotify.max_queued_events is too large to overflow\n");
		return;
	}
	bed_make();
	mk("stays");
	bed_open(PCR_SOURCE_INOTIFY);
	for (u64 i = 0; i < most / 2 + 1000; i++) {
		snprintf(path, sizeof(path), "c%llu", (unsigned long long)i);
		mk(path);
		if (i % 10)
			rm(path);
	}
	rm("stays");
	settle();
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.overflows, 1);
	ck_assert_uint_eq(bed.lc->stats.resyncs, 1);
	ck_assert_uint_eq(kernel_watches(bed.lc->fd), bed.st.tree.n);
	bed_drop();
}
END_TEST

static int no_more_watches(struct pcr_lifecycle *lc, struct pcr_node *node, const char *path)
{
	(void)lc;
	(void)node;
	(void)path;
	return PCR_FULL;
}

static int fds_told[4], n_told;

static void told_fd(void *data, int fd)
{
	ck_assert_ptr_eq(data, &bed);
	fds_told[n_told++ % 4] = fd;
}

/* Report 7, cadvisor 1581 and kubernetes 10421: degraded, and the message names the sysctl. */
START_TEST(watch_limit)
{
	struct pcr_lifecycle_ops limited = pcr_source_inotify;

	bed_make();
	mk("a");
	bed_open(PCR_SOURCE_INOTIFY);
	pcr_lifecycle_on_fd(bed.lc, told_fd, &bed);
	limited.watch = no_more_watches;
	bed.lc->ops = &limited;
	mk("b");
	mk("b/c");
	settle();
	ck_assert_int_eq(pcr_lifecycle_source(bed.lc), PCR_SOURCE_WALK);
	ck_assert_ptr_nonnull(strstr(pcr_lifecycle_why(bed.lc), "fs.inotify.max_user_watches"));
	ck_assert_int_eq(pcr_lifecycle_fd(bed.lc), -1);
	ck_assert_int_eq(n_told, 1);
	ck_assert_int_eq(fds_told[0], -1);
	ck_assert_uint_eq(bed.lc->stats.watches, 0);
	same_as_disk();
	mk("b/d");
	look();
	same_as_disk();
	/* The limit was raised, and the settings read again. */
	pcr_lifecycle_reload(bed.lc);
	ck_assert_int_eq(pcr_lifecycle_source(bed.lc), PCR_SOURCE_INOTIFY);
	ck_assert_int_eq(fds_told[2], pcr_lifecycle_fd(bed.lc));
	settle();
	ck_assert_str_eq(pcr_lifecycle_why(bed.lc), "");
	ck_assert_uint_eq(kernel_watches(bed.lc->fd), bed.st.tree.n);
	bed_drop();
}
END_TEST

static bool write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	return f && fputs(text, f) >= 0 && fclose(f) == 0;
}

static int limited_child(void)
{
	char path[32];

	if (unshare(CLONE_NEWUSER) < 0 || !write_text("/proc/sys/user/max_inotify_watches", "20"))
		return 77;
	for (int i = 0; i < 30; i++) {
		snprintf(path, sizeof(path), "c%d", i);
		mk(path);
	}
	bed.set.daemon.source = PCR_SOURCE_INOTIFY;
	if (pcr_lifecycle_open(&bed.root, &bed.st, &bed.settings, &bed.lc) < 0)
		return 1;
	same_as_disk();
	return !(pcr_lifecycle_source(bed.lc) == PCR_SOURCE_WALK &&
		 strstr(pcr_lifecycle_why(bed.lc), "after 20 watches"));
}

/* The same with the kernel's own limit, in a user namespace that has a low one. */
START_TEST(real_watch_limit)
{
	int status;
	pid_t pid;

	bed_make();
	pid = fork();
	if (pid == 0)
		_exit(limited_child());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		printf("skipped: no user namespaces here\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
	bed_drop();
}
END_TEST

START_TEST(audit_mends)
{
	struct pcr_node *node;

	bed_make();
	bed.set.daemon.audit_usec = 10 * PCR_SEC;
	mk("a");
	mk("a/b");
	mk("c");
	bed_open(PCR_SOURCE_INOTIFY);
	ck_assert_uint_eq(pcr_lifecycle_due(bed.lc), PCR_NEVER);
	/* What no event told: one too few, one too many. */
	pcr_reconcile_forget(bed.lc, node_of("a"));
	ck_assert_int_eq(pcr_state_made(&bed.st, &bed.set, bed.st.tree.root, 1ULL << 40, "ghost", 5,
					bed_now(), &node), 0);
	bed.skew += 9 * PCR_SEC;
	turn();
	ck_assert_uint_eq(bed.lc->stats.audits, 0);
	/* What an event did tell is no repair, even if the audit meets it first. */
	mk("c/told");
	bed.skew += 2 * PCR_SEC;
	while (pcr_lifecycle_tick(bed.lc, bed_now()) == PCR_PART)
		;
	ck_assert_uint_eq(bed.lc->stats.audits, 1);
	ck_assert_uint_eq(bed.lc->stats.repaired, 3);
	settle();
	same_as_disk();
	bed.skew += 11 * PCR_SEC;
	turn();
	ck_assert_uint_eq(bed.lc->stats.audits, 2);
	ck_assert_uint_eq(bed.lc->stats.repaired, 3);
	ck_assert_uint_eq(bed.lc->stats.resyncs, 0);
	bed_drop();
}
END_TEST

/* An audit of a tree in which nothing moved is one look at the kernel's count. */
START_TEST(idle_audit)
{
	bed_make();
	bed.set.daemon.audit_usec = PCR_SEC;
	mk("a");
	bed_open(PCR_SOURCE_INOTIFY);
	ck_assert(write_text(at("cgroup.stat"), "nr_descendants 1\nnr_dying_descendants 7\n"));
	ck_assert(pcr_resync_idle(bed.lc));
	ck_assert(write_text(at("cgroup.stat"), "nr_descendants 2\nnr_dying_descendants 7\n"));
	ck_assert(!pcr_resync_idle(bed.lc));
	ck_assert(write_text(at("cgroup.stat"), ""));
	ck_assert(!pcr_resync_idle(bed.lc));
	bed_drop();
}
END_TEST

static int broken_read(struct pcr_lifecycle *lc)
{
	(void)lc;
	return -EIO;
}

START_TEST(source_breaks)
{
	struct pcr_lifecycle_ops broken = pcr_source_inotify;

	bed_make();
	mk("a");
	bed_open(PCR_SOURCE_INOTIFY);
	broken.read = broken_read;
	bed.lc->ops = &broken;
	mk("b");
	settle();
	ck_assert_int_eq(pcr_lifecycle_source(bed.lc), PCR_SOURCE_WALK);
	same_as_disk();
	bed_drop();
}
END_TEST

/* What was asked for can't be had: the next best, and the reason kept. */
START_TEST(falls_back)
{
	char why[128];

	bed_make();
	mk("a");
	bed.set.daemon.source = PCR_SOURCE_FANOTIFY;
	ck_assert_int_eq(pcr_lifecycle_open(&bed.root, &bed.st, &bed.settings, &bed.lc), 0);
	ck_assert_int_eq(pcr_lifecycle_source(bed.lc), PCR_SOURCE_INOTIFY);
	ck_assert_ptr_nonnull(strstr(pcr_lifecycle_why(bed.lc), "fanotify: "));
	ck_assert_ptr_nonnull(strstr(pcr_lifecycle_why(bed.lc), "tracefs: "));
	same_as_disk();
	ck_assert_int_eq(pcr_lifecycle_probe(&bed.root, PCR_SOURCE_TRACEFS, why, sizeof(why)),
			 PCR_NONE);
	ck_assert_int_eq(pcr_lifecycle_probe(&bed.root, PCR_SOURCE_INOTIFY, why, sizeof(why)), 0);
	ck_assert_int_eq(pcr_lifecycle_probe(&bed.root, PCR_SOURCE_WALK, why, sizeof(why)), 0);
	/* The settings change their mind. */
	bed.set.daemon.source = PCR_SOURCE_WALK;
	pcr_lifecycle_reload(bed.lc);
	ck_assert_int_eq(pcr_lifecycle_source(bed.lc), PCR_SOURCE_WALK);
	ck_assert_int_eq(node_of("a")->watch, -1);
	bed_drop();
}
END_TEST

START_TEST(no_cgroups_at_all)
{
	bed_make();
	close(bed.root.cgroup_fd);
	bed.root.cgroup_fd = -1;
	ck_assert_int_eq(pcr_lifecycle_open(&bed.root, &bed.st, &bed.settings, &bed.lc), PCR_NONE);
	ck_assert_ptr_null(pcr_lifecycle_close(NULL));
	bed_drop();
}
END_TEST

PCR_UNIT("lifecycle", first_walk, comes_and_goes, burst, nested_race, churn_leaves_nothing,
	 short_lived, name_used_again, renamed, overflow_heals, watch_limit, real_watch_limit,
	 audit_mends, idle_audit, source_breaks, falls_back, no_cgroups_at_all)
