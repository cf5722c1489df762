// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/read/memory_events.c, and daemon/loop/memevents*.c on a machine of plain files:
 * inotify tells of writes to those as the kernel does of memory.events.
 */
#include "unit/fakeroot.h"

#include <sched.h>

#include "conf/conf.h"
#include "loop/memevents_internal.h"
#include "model/model.h"
#include "model/tree.h"
#include "read/memory_events.h"

#define EVENTS "low %llu\nhigh %llu\nmax %llu\noom %llu\noom_kill 0\noom_group_kill 0\n"
#define T0 (1000 * PCR_SEC)

static struct {
	struct pcr_state st;
	struct pcr_settings *set;
	const struct pcr_settings *read;
	struct pcr_memevents *m;
	u64 now;
	u64 next_id;
	int fd;			/* as told by on_fd */
} bed;

/* --- the parser --- */

START_TEST(words)
{
	static const struct {
		const char *text;
		int r;
		u64 sum;
	} cases[] = {
		{ "low 9\nhigh 12\nmax 3\noom 1\noom_kill 5\noom_group_kill 7\n", 0, 16 },
		{ "high 0\nmax 0\noom 0", 0, 0 },
		/* As old kernels, and as new ones. */
		{ "low 0\nhigh 1\nmax 0\noom 0\noom_kill 0\n", 0, 1 },
		{ "low 0\nhigh 0\nmax 2\noom 0\noom_kill 0\nsock_throttled 4\n", 0, 2 },
		{ "", -EINVAL, 0 },
		{ "low 0\nhigh 12\nmax 3\noo", -EINVAL, 0 },
		{ "high 1\nmax 1\noom_kill 1\n", -EINVAL, 0 },
		{ "high x\nmax 1\noom 1\n", -EINVAL, 0 },
		{ "high -1\nmax 1\noom 1\n", -EINVAL, 0 },
		{ "high\nmax 1\noom 1\n", -EINVAL, 0 },
		{ "high 18446744073709551616\nmax 1\noom 1\n", -ERANGE, 0 },
		/* Never "not sampled", however much it is. */
		{ "high 18446744073709551613\nmax 18446744073709551613\noom 0\n", 0,
		  PCR_ABSENT - 1 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_memory_events e = { 7, 7, 7 };
		int r = pcr_memory_events_parse(cases[i].text, strlen(cases[i].text), &e);

		ck_assert_msg(r == cases[i].r, "%s: %d", cases[i].text, r);
		if (r == 0)
			ck_assert_uint_eq(pcr_memory_events_sum(&e), cases[i].sum);
		else
			ck_assert_uint_eq(e.high + e.max + e.oom, 21);
	}
}
END_TEST

/* --- the bed --- */

static void settings(const char *text)
{
	struct pcr_conf_report report = { 0 };

	bed.set = NULL;
	ck_assert_int_eq(pcr_conf_parse_text("bed.conf", text, strlen(text), &bed.set, &report), 0);
	pcr_conf_report_done(&report);
	bed.read = bed.set;
}

static void bed_make(const char *text)
{
	memset(&bed, 0, sizeof(bed));
	bed.fd = -1;
	bed.now = T0;
	bed.next_id = 2;
	fake_open_v2();
	settings(text);
	ck_assert_int_eq(pcr_state_init(&bed.st, 1), 0);
}

static void on_fd(void *data, int fd)
{
	ck_assert_ptr_eq(data, &bed);
	bed.fd = fd;
}

static void bed_open(void)
{
	ck_assert_int_eq(pcr_memevents_open(&fake.root, &bed.st, &bed.read, &bed.m), 0);
	pcr_memevents_on_fd(bed.m, on_fd, &bed);
}

static void bed_close(void)
{
	ck_assert_ptr_null(pcr_memevents_close(bed.m));
	ck_assert_int_eq(bed.fd, -1);
	pcr_state_clear(&bed.st);
	pcr_settings_free(bed.set);
	fake_close();
}

static void reload(const char *text)
{
	struct pcr_settings *old = bed.set;

	settings(text);
	pcr_state_rematch(&bed.st, bed.set);
	pcr_memevents_rematch(bed.m);
	pcr_settings_free(old);
}

static const char *file_of(const char *cgroup)
{
	static char path[300];

	snprintf(path, sizeof(path), CG_MOUNT "/%s/memory.events", cgroup);
	return path;
}

static void write_events(const char *cgroup, u64 low, u64 high, u64 max, u64 oom)
{
	char content[256];

	snprintf(content, sizeof(content), EVENTS, (unsigned long long)low,
		 (unsigned long long)high, (unsigned long long)max, (unsigned long long)oom);
	fake_file(file_of(cgroup), content);
}

/* One component more than what is there. */
static struct pcr_node *cg_bare(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t dir = slash ? (size_t)(slash - path) : 0;
	struct pcr_node *parent = pcr_tree_lookup(&bed.st.tree, path, dir);
	struct pcr_node *node = NULL;

	ck_assert_ptr_nonnull(parent);
	ck_assert_int_eq(pcr_state_made(&bed.st, bed.set, parent, bed.next_id++, name, strlen(name),
					bed.now, &node), 0);
	if (node->policy >= 0)
		pcr_memevents_made(bed.m, node);
	return node;
}

static struct pcr_node *cg(const char *path)
{
	write_events(path, 0, 0, 0, 0);
	return cg_bare(path);
}

static void uncg(struct pcr_node *node)
{
	if (node->policy >= 0)
		pcr_memevents_gone(bed.m, node);
	pcr_state_removed(&bed.st, node, bed.now);
}

/* As the loop does it, and past the rest. */
static void turn(void)
{
	if (bed.fd >= 0)
		pcr_memevents_ready(bed.m, bed.now);
	while (pcr_memevents_tick(bed.m, bed.now) == PCR_PART)
		;
	while (pcr_memevents_due(bed.m) != PCR_NEVER) {
		bed.now = pcr_max_u64(bed.now, pcr_memevents_due(bed.m));
		pcr_memevents_tick(bed.m, bed.now);
	}
}

static bool pressed(const struct pcr_node *node)
{
	return pcr_state_pressed(&bed.st, bed.set, node, bed.now);
}

static struct pcr_memevents_stats stats(void)
{
	struct pcr_memevents_stats s;

	pcr_memevents_stats(bed.m, &s);
	return s;
}

/* Watches as the kernel counts them. */
static u32 kernel_watches(void)
{
	char path[64], line[256];
	u32 n = 0;
	FILE *f;

	if (bed.m->fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", bed.m->fd);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		n += !strncmp(line, "inotify wd:", 11);
	fclose(f);
	return n;
}

#define CI "[Policy ci]\nMatch=/ci /ci/**\n"

/* --- what counts --- */

START_TEST(an_increase_is_pressure)
{
	static const struct {
		u64 low, high, max, oom;
		bool pressure;
	} cases[] = {
		{ 0, 1, 0, 0, true },	{ 0, 1, 0, 0, false },	{ 5, 1, 0, 0, false },
		{ 5, 1, 1, 0, true },	{ 5, 1, 1, 2, true },	{ 5, 9, 1, 2, true },
		/* Counted from anew: no news, but what follows is. */
		{ 0, 0, 0, 0, false },	{ 0, 1, 0, 0, true },
	};
	struct pcr_node *ci;

	bed_make(CI);
	ci = cg("ci");
	write_events("ci", 0, 0, 0, 0);
	bed_open();
	turn();
	ck_assert(!pressed(ci));
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		write_events("ci", cases[i].low, cases[i].high, cases[i].max, cases[i].oom);
		turn();
		ck_assert_msg(pressed(ci) == cases[i].pressure, "case %zu", i);
		bed.now += PCR_MIN;
	}
	bed_close();
}
END_TEST

/* What was counted before it was watched is no news; half a file is none either. */
START_TEST(only_what_is_new)
{
	struct pcr_node *ci;

	bed_make(CI);
	write_events("ci", 3, 700, 20, 1);
	ci = cg_bare("ci");
	bed_open();
	turn();
	write_events("ci", 4, 700, 20, 1);
	turn();
	fake_file(file_of("ci"), "low 0\nhigh 9");
	turn();
	fake_file(file_of("ci"), "");
	turn();
	write_events("ci", 4, 700, 20, 1);
	turn();
	ck_assert(!pressed(ci));
	write_events("ci", 4, 701, 20, 1);
	turn();
	ck_assert(pressed(ci));
	bed_close();
}
END_TEST

START_TEST(who_is_watched)
{
	static const struct {
		const char *settings;
		enum pcr_cgroup_mode mode;
		u32 watched, matched;
	} cases[] = {
		{ CI, PCR_CGROUP_V2, 2, 2 },
		{ "", PCR_CGROUP_V2, 0, 0 },
		{ "[Policy a]\nMatch=/a\n", PCR_CGROUP_V2, 0, 0 },
		{ "[Policy all]\nMatch=/**\n", PCR_CGROUP_V2, 3, 4 },	/* one without the file */
		{ CI "Reap=no\n", PCR_CGROUP_V2, 0, 0 },
		{ CI "[Pressure]\nPressure=no\n", PCR_CGROUP_V2, 0, 0 },
		{ CI, PCR_CGROUP_V2_BARE, 0, 0 },
		{ CI, PCR_CGROUP_HYBRID, 0, 0 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_node *other;

		bed_make(cases[i].settings);
		fake.root.mode = cases[i].mode;
		cg("ci");
		cg("ci/job");
		other = cg("other");
		cg_bare("bare");
		bed_open();
		ck_assert_msg(stats().watched == cases[i].watched, "case %zu", i);
		ck_assert_uint_eq(stats().left_out, cases[i].matched - cases[i].watched);
		ck_assert_str_eq(stats().why, "");
		ck_assert_uint_eq(kernel_watches(), cases[i].watched);
		/* Nobody to watch: not even an instance. */
		ck_assert_int_eq(bed.fd >= 0, cases[i].watched > 0);
		turn();
		write_events("other", 0, 1, 0, 0);
		turn();
		ck_assert(pressed(other) == (cases[i].watched == 3));
		bed_close();
	}
}
END_TEST

/* --- coming and going --- */

START_TEST(come_and_go)
{
	struct pcr_node *job;
	int fd;

	bed_make(CI);
	bed_open();
	ck_assert_int_eq(bed.fd, -1);
	ck_assert_uint_eq(pcr_memevents_due(bed.m), PCR_NEVER);
	cg("ci");
	fd = bed.fd;
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < 1000; i++) {
		job = cg("ci/job");
		if (i % 2)
			turn();
		ck_assert_uint_eq(stats().watched, 2);
		/* On cgroup2 the file is gone before we know, and the watch stays. */
		if (i % 3 == 0)
			fake_gone(file_of("ci/job"));
		if (i % 4 == 0)
			turn();
		uncg(job);
		ck_assert_uint_eq(stats().watched, 1);
		ck_assert_uint_eq(stats().left_out, 0);
		ck_assert_uint_eq(kernel_watches(), 1);
	}
	/* The kernel's answers to the removals are no news. */
	turn();
	ck_assert_int_eq(bed.fd, fd);
	pcr_memevents_ready(bed.m, bed.now);
	ck_assert_uint_eq(pcr_memevents_due(bed.m), PCR_NEVER);
	bed_close();
}
END_TEST

START_TEST(a_name_used_again)
{
	struct pcr_node *job;

	bed_make(CI);
	bed_open();
	cg("ci");
	write_events("ci/job", 0, 50, 0, 0);
	job = cg_bare("ci/job");
	turn();
	uncg(job);
	fake_gone(file_of("ci/job"));
	job = cg("ci/job");
	turn();
	ck_assert(!pressed(job));
	write_events("ci/job", 0, 1, 0, 0);
	turn();
	ck_assert(pressed(job) && !pressed(job->parent));
	bed_close();
}
END_TEST

START_TEST(settings_change)
{
	struct pcr_node *ci, *other;

	bed_make(CI);
	bed_open();
	ci = cg("ci");
	other = cg("other");
	turn();
	/* What is watched already keeps what it has seen: news in between is news. */
	write_events("ci", 0, 1, 0, 0);
	reload("[Policy all]\nMatch=/**\n");
	ck_assert_uint_eq(stats().watched, 2);
	turn();
	ck_assert(pressed(ci) && !pressed(other));
	reload("[Policy other]\nMatch=/other\n");
	ck_assert_uint_eq(stats().watched, 1);
	ck_assert_uint_eq(kernel_watches(), 1);
	write_events("other", 0, 1, 0, 0);
	turn();
	ck_assert(pressed(other));
	reload("");
	ck_assert_uint_eq(stats().watched, 0);
	ck_assert_int_eq(bed.fd, -1);
	ck_assert_int_eq(bed.m->fd, -1);
	reload(CI);
	ck_assert_int_ge(bed.fd, 0);
	ck_assert_uint_eq(stats().watched, 1);
	bed_close();
}
END_TEST

/* --- limits --- */

START_TEST(bounded)
{
	struct pcr_node *job[300];
	char path[32];

	bed_make(CI);
	bed_open();
	cg("ci");
	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "ci/job%d", i);
		job[i] = cg(path);
	}
	ck_assert_uint_eq(stats().watched, PCR_MEMEVENTS_MAX);
	ck_assert_uint_eq(stats().left_out, 301 - PCR_MEMEVENTS_MAX);
	ck_assert_ptr_nonnull(strstr(stats().why, "256"));
	ck_assert_uint_eq(kernel_watches(), PCR_MEMEVENTS_MAX);
	/* Those left out go: nothing else changes. */
	uncg(job[299]);
	ck_assert_uint_eq(stats().left_out, 300 - PCR_MEMEVENTS_MAX);
	/* Places are free: those left out get them, but not at each removal. */
	for (int i = 0; i < 43; i++)
		uncg(job[i]);
	ck_assert_uint_lt(stats().watched, PCR_MEMEVENTS_MAX);
	for (int i = 43; i < 60; i++)
		uncg(job[i]);
	turn();
	ck_assert_uint_eq(stats().watched, 240);
	ck_assert_uint_eq(stats().left_out, 0);
	ck_assert_str_eq(stats().why, "");
	ck_assert_uint_eq(kernel_watches(), 240);
	turn();
	write_events("ci/job290", 0, 1, 0, 0);
	turn();
	ck_assert(pressed(job[290]));
	bed_close();
}
END_TEST

/* Field report 7: the kernel's ENOSPC reads like a full disk. Last: the limit stays. */
START_TEST(no_watches_to_be_had)
{
	int fd;

	if (unshare(CLONE_NEWUSER) < 0) {
		printf("skipped: no user namespace: %s\n", strerror(errno));
		return;
	}
	fd = open("/proc/sys/user/max_inotify_watches", O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1) {
		printf("skipped: no limit to be set: %s\n", strerror(errno));
		return;
	}
	close(fd);
	bed_make(CI);
	bed_open();
	cg("ci");
	cg("ci/job");
	ck_assert_uint_eq(stats().watched, 1);
	ck_assert_uint_eq(stats().left_out, 1);
	ck_assert_ptr_nonnull(strstr(stats().why, "fs.inotify.max_user_watches"));
	bed_close();
}
END_TEST

/* --- how often --- */

START_TEST(rests_after_news)
{
	struct pcr_node *ci;
	int fd;

	bed_make(CI);
	bed_open();
	ci = cg("ci");
	pcr_memevents_tick(bed.m, bed.now);
	fd = bed.fd;
	write_events("ci", 0, 1, 0, 0);
	pcr_memevents_ready(bed.m, bed.now);
	ck_assert_int_eq(bed.fd, -1);
	ck_assert_int_eq(pcr_memevents_tick(bed.m, bed.now), 0);
	/* The first one counts at once ... */
	ck_assert(pressed(ci));
	ck_assert_uint_eq(pcr_memevents_due(bed.m), bed.now + PCR_MEMEVENTS_REST);
	pcr_memevents_tick(bed.m, bed.now + PCR_MEMEVENTS_REST - 1);
	ck_assert_int_eq(bed.fd, -1);
	/* ... and what comes meanwhile is not lost. */
	write_events("ci", 0, 2, 0, 0);
	bed.now += PCR_MEMEVENTS_REST;
	pcr_memevents_tick(bed.m, bed.now);
	ck_assert_int_eq(bed.fd, fd);
	ck_assert_uint_eq(pcr_memevents_due(bed.m), PCR_NEVER);
	pcr_memevents_ready(bed.m, bed.now);
	pcr_memevents_tick(bed.m, bed.now);
	ck_assert_uint_eq(bed.st.pressed_usec, bed.now);
	bed_close();
}
END_TEST

START_TEST(reads_are_bounded)
{
	char path[32];

	bed_make(CI);
	bed_open();
	cg("ci");
	for (int i = 0; i < 2 * PCR_MEMEVENTS_BUDGET; i++) {
		snprintf(path, sizeof(path), "ci/job%d", i);
		cg(path);
	}
	ck_assert_int_eq(pcr_memevents_tick(bed.m, bed.now), PCR_PART);
	ck_assert_int_eq(pcr_memevents_tick(bed.m, bed.now), PCR_PART);
	ck_assert_int_eq(pcr_memevents_tick(bed.m, bed.now), 0);
	bed_close();
}
END_TEST

static u64 queue_limit(void)
{
	FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "r");
	unsigned long long n = 16384;

	if (f) {
		if (fscanf(f, "%llu", &n) != 1)
			n = 16384;
		fclose(f);
	}
	return n;
}

/* Two that take turns fill the queue; the third one's event is lost and found. */
START_TEST(overflow)
{
	struct pcr_node *third;
	u64 limit = queue_limit();
	int fd[2];

	if (limit > 100000) {
		printf("skipped: a queue of %llu events\n", (unsigned long long)limit);
		return;
	}
	bed_make(CI);
	bed_open();
	cg("ci");
	cg("ci/one");
	cg("ci/two");
	third = cg("ci/three");
	turn();
	fd[0] = open(fake_path(file_of("ci/one")), O_WRONLY);
	fd[1] = open(fake_path(file_of("ci/two")), O_WRONLY);
	for (u64 i = 0; i < limit + 10; i++)
		ck_assert_int_eq(pwrite(fd[i % 2], "l", 1, 0), 1);
	close(fd[0]);
	close(fd[1]);
	write_events("ci/three", 0, 1, 0, 0);
	/* A turn takes a part of the queue. */
	turn();
	ck_assert(!pressed(third));
	for (u64 i = 0; i < limit / 1000; i++)
		turn();
	ck_assert(pressed(third));
	bed_close();
}
END_TEST

START_TEST(nothing_at_all)
{
	struct pcr_memevents_stats s;

	pcr_memevents_made(NULL, NULL);
	pcr_memevents_gone(NULL, NULL);
	pcr_memevents_rematch(NULL);
	pcr_memevents_on_fd(NULL, on_fd, NULL);
	pcr_memevents_ready(NULL, T0);
	ck_assert_int_eq(pcr_memevents_tick(NULL, T0), 0);
	ck_assert_uint_eq(pcr_memevents_due(NULL), PCR_NEVER);
	ck_assert_ptr_null(pcr_memevents_close(NULL));
	pcr_memevents_stats(NULL, &s);
	ck_assert_uint_eq(s.watched + s.left_out, 0);
}
END_TEST

PCR_UNIT("memory.events", words, an_increase_is_pressure, only_what_is_new, who_is_watched,
	 come_and_go, a_name_used_again, settings_change, bounded,
	 rests_after_news, reads_are_bounded, overflow, nothing_at_all, no_watches_to_be_had)
