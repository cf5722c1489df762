// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/act/backend.c: what each write did. write() here is the kernel behind the knobs. */
#include "unit/fakeroot.h"

#include <sys/syscall.h>

#include "act/backend.h"
#include "pcr/knobs.h"

#define CI CG_MOUNT "/ci"

static struct {
	int err;		/* the knob's answer */
	const char *file;	/* written by the kernel meanwhile ... */
	const char *text;	/* ... with this */
	char order[512];	/* "knob=text;" as they came */
} kernel;

ssize_t write(int fd, const void *buf, size_t n)
{
	char link[64], path[512] = "";
	const char *base;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) < 0 || !*fake.prefix ||
	    strncmp(path, fake.prefix, strlen(fake.prefix)) || !kernel.order[0])
		return syscall(SYS_write, fd, buf, n);
	base = strrchr(path, '/') + 1;
	snprintf(kernel.order + strlen(kernel.order), sizeof(kernel.order) - strlen(kernel.order),
		 "%s=%.*s;", base, (int)n, (const char *)buf);
	if (!strcmp(base, "trace_marker"))
		return (ssize_t)n;
	if (kernel.file) {
		char *whole = strdup(fake_path(kernel.file));
		int to = open(whole, O_WRONLY | O_TRUNC);

		free(whole);
		(void)!syscall(SYS_write, to, kernel.text, strlen(kernel.text));
		close(to);
	}
	if (kernel.err) {
		errno = kernel.err;
		return -1;
	}
	return (ssize_t)n;
}

static void behave(int err, const char *file, const char *text)
{
	kernel.err = err;
	kernel.file = file;
	kernel.text = text;
	snprintf(kernel.order, sizeof(kernel.order), ":");
}

static struct pcr_job job_of(enum pcr_action action, u64 amount, const char *path)
{
	struct pcr_job job = { .decision = { .action = action, .target = 7, .amount = amount } };

	snprintf(job.path, sizeof(job.path), "%s", path);
	return job;
}

START_TEST(reap_outcomes)
{
	static const struct {
		int kernel_err;
		const char *after;	/* memory.current */
		int err;
		bool part, gone;
		u64 freed;
	} cases[] = {
		{0, "4096\n", 0, false, false, 96 << 10},
		{EAGAIN, "90112\n", 0, true, false, 12 << 10}, /* less than asked is no failure */
		{EAGAIN, "102400\n", 0, true, false, 0},
		{0, "204800\n", 0, false, false, 0}, /* grew meanwhile */
		{ENOENT, "102400\n", 0, false, true, 0},
		{ENODEV, "102400\n", 0, false, true, 0},
		{EINVAL, "102400\n", EINVAL, false, false, 0},
		{EROFS, "102400\n", EROFS, false, false, 0},
		{EPERM, "102400\n", EPERM, false, false, 0},
		{EBUSY, "102400\n", EBUSY, false, false, 0},
		{EINTR, "102400\n", EINTR, false, false, 0},
		{0, "", 0, false, false, PCR_ABSENT}, /* not measured is not 0 */
	};

	fake_open_v2();
	fake_file(CI "/memory.reclaim", "");
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_job job = job_of(PCR_ACT_REAP, 131072, "ci");
		struct pcr_outcome o;

		fake_file(CI "/memory.current", "102400\n");
		behave(cases[i].kernel_err, CI "/memory.current", cases[i].after);
		pcr_backend_stock.reap(&fake.root, &job, &o);
		ck_assert_int_eq(o.err, cases[i].err);
		ck_assert_int_eq(o.part, cases[i].part);
		ck_assert_int_eq(o.gone, cases[i].gone);
		ck_assert_uint_eq(o.freed_bytes, cases[i].freed);
		ck_assert(o.asked == 131072 && o.target == 7 && o.action == PCR_ACT_REAP);
		ck_assert_str_eq(o.knob, "memory.reclaim");
		ck_assert_str_eq(o.path, "ci");
		ck_assert(!o.dry_run && !o.refused);
		ck_assert_ptr_nonnull(strstr(kernel.order, "memory.reclaim=131072;"));
		kernel.order[0] = '\0';
	}
	fake_close();
}
END_TEST

START_TEST(reap_where_there_is_no_such_cgroup_or_figure)
{
	struct pcr_job job = job_of(PCR_ACT_REAP, 4096, "gone");
	struct pcr_outcome o;

	fake_open_v2();
	pcr_backend_stock.reap(&fake.root, &job, &o);
	ck_assert(o.gone && !o.err);
	ck_assert_uint_eq(o.freed_bytes, PCR_ABSENT);
	/* The root cgroup has no memory.current. */
	fake_file(CG_MOUNT "/memory.reclaim", "");
	job.path[0] = '\0';
	pcr_backend_stock.reap(&fake.root, &job, &o);
	ck_assert(!o.gone && !o.err);
	ck_assert_uint_eq(o.freed_bytes, PCR_ABSENT);
	ck_assert_str_eq(o.path, "");
	fake_close();
}
END_TEST

START_TEST(reap_on_v1_forces_empty)
{
	struct pcr_job job = job_of(PCR_ACT_REAP, 131072, "ci");
	struct pcr_outcome o;

	fake_open_v2();
	fake_file(CI "/memory.force_empty", "");
	fake_file(CI "/memory.usage_in_bytes", "102400\n");
	job.cgroup_v1 = true;
	behave(0, CI "/memory.usage_in_bytes", "0\n");
	pcr_backend_stock.reap(&fake.root, &job, &o);
	ck_assert_str_eq(o.knob, "memory.force_empty");
	ck_assert_uint_eq(o.freed_bytes, 102400);
	ck_assert_str_eq(kernel.order, ":memory.force_empty=0;");
	kernel.order[0] = '\0';
	fake_close();
}
END_TEST

START_TEST(long_paths_keep_their_end)
{
	static char path[400];
	struct pcr_outcome o;
	struct pcr_job job;

	fake_open_v2();
	for (size_t n = 125; n < 131; n++) {
		memset(path, 'p', n);
		path[n - 1] = 'e';
		path[n] = '\0';
		job = job_of(PCR_ACT_REAP, 1, path);
		pcr_backend_dry_run.reap(&fake.root, &job, &o);
		ck_assert_uint_eq(strlen(o.path), pcr_min_u64(n, sizeof(o.path) - 1));
		ck_assert_int_eq(strncmp(o.path, "...", 3) == 0, n >= sizeof(o.path));
		ck_assert_int_eq(o.path[strlen(o.path) - 1], 'e');
	}
	fake_close();
}
END_TEST

START_TEST(trims)
{
	static const struct {
		u64 amount;
		int kernel_err;
		const char *written;
		int err;
		bool part;
	} cases[] = {
		{ PCR_ABSENT, 0, ":reclaim=max;", 0, false },
		{ 65536, 0, ":reclaim=65536;", 0, false },
		{ 0, 0, ":reclaim=0;", 0, false },
		{ 65536, EAGAIN, ":reclaim=65536;", 0, true },
		{ 65536, EROFS, ":reclaim=65536;", EROFS, false },
		{ 65536, ENODEV, ":reclaim=65536;", ENOENT, false },
	};

	fake_open_v2();
	fake_file(PCR_PERCPU_RECLAIM, "");
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_job job = job_of(PCR_ACT_TRIM, cases[i].amount, "");
		struct pcr_outcome o;

		fake_file("/proc/meminfo", "Percpu: 1000 kB\n");
		behave(cases[i].kernel_err, "/proc/meminfo", "Percpu: 900 kB\n");
		pcr_backend_patched.trim(&fake.root, &job, &o);
		ck_assert_str_eq(kernel.order, cases[i].written);
		ck_assert_int_eq(o.err, cases[i].err);
		ck_assert_int_eq(o.part, cases[i].part);
		ck_assert(!o.gone);
		ck_assert_uint_eq(o.freed_bytes, 100 << 10);
		ck_assert_str_eq(o.knob, PCR_PERCPU_RECLAIM);
		kernel.order[0] = '\0';
	}
	fake_close();
}
END_TEST

/* Percpu memory of the machine the tests run on is none of a recorded one's. */
START_TEST(no_spare_chunk_of_another_machine)
{
	struct pcr_job job = job_of(PCR_ACT_TRIM, PCR_ABSENT, "");
	struct pcr_outcome o;

	fake_open_v2();
	fake_file("/proc/meminfo", "Percpu: 1000 kB\nMemAvailable: 1 kB\nVmallocUsed: 0 kB\n");
	pcr_backend_stock.trim(&fake.root, &job, &o);
	ck_assert_int_eq(o.err, ENOTSUP);
	ck_assert_uint_eq(o.freed_bytes, 0);
	ck_assert_str_eq(o.knob, "spare percpu chunk");
	fake_close();
}
END_TEST

/* tuned 452: taken is not in effect; irqbalance 303: refused is not lost. */
START_TEST(settings)
{
	static const struct {
		int kernel_err;
		const char *after;
		int err;
		bool refused;
	} cases[] = {
		{ 0, "32\n", 0, false },
		{ 0, "16\n", 0, true },
		{ 0, "4\n", 0, true },
		{ 0, "", 0, true },
		{ EINVAL, "4\n", EINVAL, false },
		{ EROFS, "4\n", EROFS, false },
		{ EAGAIN, "4\n", EAGAIN, false },
		{ ENODEV, "4\n", ENOENT, false },
	};

	fake_open_v2();
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_job job = job_of(PCR_ACT_SET, 32, "");
		struct pcr_outcome o;

		job.decision.setting = PCR_SETTING_HIGH;
		fake_file(PCR_PERCPU_HIGH, "4\n");
		behave(cases[i].kernel_err, PCR_PERCPU_HIGH, cases[i].after);
		pcr_backend_patched.set(&fake.root, &job, &o);
		ck_assert_str_eq(kernel.order, ":empty_pages_high=32;");
		ck_assert_int_eq(o.err, cases[i].err);
		ck_assert_int_eq(o.refused, cases[i].refused);
		ck_assert(!o.part);
		ck_assert_uint_eq(o.freed_bytes, PCR_ABSENT);
		kernel.order[0] = '\0';
	}
	fake_close();
}
END_TEST

START_TEST(a_line_in_the_trace_comes_first)
{
	struct pcr_job job = job_of(PCR_ACT_REAP, 1, "ci");
	struct pcr_outcome o;

	fake_open_v2();
	fake_file(CI "/memory.reclaim", "");
	fake_file(PCR_TRACE_MARKER, "");
	job.trace_marker = true;
	behave(0, NULL, NULL);
	pcr_backend_stock.reap(&fake.root, &job, &o);
	ck_assert_str_eq(kernel.order,
			 ":trace_marker=pcpu-reclaimd: write memory.reclaim;memory.reclaim=1;");
	/* No tracefs: not a word about it, the write comes all the same. */
	fake_gone(PCR_TRACE_MARKER);
	behave(0, NULL, NULL);
	pcr_backend_stock.reap(&fake.root, &job, &o);
	ck_assert_str_eq(kernel.order, ":memory.reclaim=1;");
	ck_assert(!o.err);
	kernel.order[0] = '\0';
	fake_close();
}
END_TEST

START_TEST(a_dry_run_writes_nothing)
{
	const struct pcr_backend *dry = &pcr_backend_dry_run;
	struct pcr_job job;
	struct pcr_outcome o;

	fake_open_v2();
	fake_file(CI "/memory.reclaim", "");
	fake_file(PCR_PERCPU_RECLAIM, "");
	fake_file(PCR_PERCPU_HIGH, "4\n");
	behave(0, NULL, NULL);
	job = job_of(PCR_ACT_REAP, 1, "ci");
	job.trace_marker = true;
	dry->reap(&fake.root, &job, &o);
	ck_assert(o.dry_run && !o.err && !pcr_has(o.freed_bytes));
	ck_assert_str_eq(o.knob, "memory.reclaim");
	job = job_of(PCR_ACT_TRIM, 1, "");
	dry->trim(&fake.root, &job, &o);
	ck_assert(o.dry_run && o.action == PCR_ACT_TRIM);
	job = job_of(PCR_ACT_SET, 32, "");
	dry->set(&fake.root, &job, &o);
	ck_assert(o.dry_run && o.asked == 32 && !o.refused);
	ck_assert_str_eq(kernel.order, ":");
	kernel.order[0] = '\0';
	fake_close();
}
END_TEST

PCR_UNIT("backend", reap_outcomes, reap_where_there_is_no_such_cgroup_or_figure,
	 reap_on_v1_forces_empty, long_paths_keep_their_end, trims,
	 no_spare_chunk_of_another_machine, settings,
	 a_line_in_the_trace_comes_first, a_dry_run_writes_nothing)
