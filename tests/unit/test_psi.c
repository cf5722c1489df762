// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/loop/psi*.c: what is asked of the kernel, the queue, what is believed; then
 * the machine's own pressure files, where there are any. Plain files can't signal
 * EPOLLPRI, so no fake stands in for those.
 */
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "loop/psi.h"
#include "loop/psi_internal.h"
#include "sys/root.h"

/* Report 18, systemd 29723: CAP_SYS_RESOURCE or a multiple of 2 s; put it down, fall back, poll. */
START_TEST(ways)
{
	static const struct {
		u64 stall, window;
		struct pcr_psi_way first, second;
	} cases[] = {
		{ 150000, 2000000, { 150000, 2000000, false }, { 150000, 2000000, true } },
		{ 700000, 10000000, { 700000, 10000000, false }, { 700000, 10000000, true } },
		{ 150000, 1000000, { 150000, 1000000, true }, { 300000, 2000000, false } },
		{ 50000, 500000, { 50000, 500000, true }, { 200000, 2000000, false } },
		{ 300000, 3000000, { 300000, 3000000, true }, { 400000, 4000000, false } },
		{ 900000, 9000000, { 900000, 9000000, true }, { 1000000, 10000000, false } },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_psi_way got[PCR_PSI_WAYS];
		const struct pcr_psi_way *want[] = { &cases[i].first, &cases[i].second };

		ck_assert_uint_eq(pcr_psi_ways(cases[i].stall, cases[i].window, got), 2);
		for (size_t k = 0; k < 2; k++) {
			ck_assert_uint_eq(got[k].stall_usec, want[k]->stall_usec);
			ck_assert_uint_eq(got[k].window_usec, want[k]->window_usec);
			ck_assert(got[k].privileged == want[k]->privileged);
			/* Unless privileged, what the kernel takes from everybody. */
			ck_assert(got[k].privileged || got[k].window_usec % (2 * PCR_SEC) == 0);
			ck_assert_uint_le(got[k].stall_usec, got[k].window_usec);
		}
	}
}
END_TEST

START_TEST(trigger_text)
{
	struct pcr_psi_way way = { 150000, 2000000, false };
	char buf[64];

	ck_assert_uint_eq(pcr_psi_way_text(&way, buf, sizeof(buf)), 19);
	ck_assert_str_eq(buf, "some 150000 2000000");
	ck_assert_uint_eq(pcr_psi_way_text(&way, buf, 19), 0);
}
END_TEST

START_TEST(queue_is_bounded)
{
	struct pcr_psi_queue q = { .n = 0 };
	struct pcr_psi_event e = { .slice = 0 };

	for (u32 round = 0; round < 5; round++) {
		ck_assert(!pcr_psi_queue_take(&q, &e));
		for (u32 i = 0; i < PCR_PSI_QUEUE; i++) {
			e = (struct pcr_psi_event){ .slice = i, .usec = round };
			ck_assert_int_eq(pcr_psi_queue_put(&q, &e), 0);
		}
		ck_assert_int_eq(pcr_psi_queue_put(&q, &e), PCR_FULL);
		for (u32 i = 0; i < PCR_PSI_QUEUE; i++) {
			ck_assert(pcr_psi_queue_take(&q, &e));
			ck_assert_uint_eq(e.slice, i);
			ck_assert_uint_eq(e.usec, round);
		}
		/* Leave the head somewhere in the middle. */
		for (u32 i = 0; i < 17; i++) {
			ck_assert_int_eq(pcr_psi_queue_put(&q, &e), 0);
			ck_assert(pcr_psi_queue_take(&q, &e));
		}
	}
}
END_TEST

/* Report 17, bun 42783: a first event with nothing behind it. */
START_TEST(false_first)
{
	static const struct {
		u64 then, now, stall;
		bool believed;
	} cases[] = {
		{ 5000000, 5000000, 150000, false },
		{ 5000000, 5149999, 150000, false },
		{ 5000000, 5150000, 150000, true },
		{ 0, 150000, 150000, true },
		{ 5000000, 4000000, 150000, false },
		{ PCR_ABSENT, 0, 150000, true },
		{ 0, PCR_ABSENT, 150000, true },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++)
		ck_assert(pcr_psi_believable(cases[i].then, cases[i].now, cases[i].stall) ==
			  cases[i].believed);
}
END_TEST

static char prefix[64];

static void make(const char *path, const char *content)
{
	char full[256], *p;
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", prefix, path);
	for (p = full + strlen(prefix) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	fputs(content, f);
	fclose(f);
}

static const char pressure[] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=12\n"
			       "full avg10=0.00 avg60=0.00 avg300=0.00 total=3\n";

static struct pcr_pressure_rule rule(u64 window, char *slice)
{
	struct pcr_pressure_rule r = { .enabled = true, .stall_usec = window / 10,
				       .window_usec = window };

	if (slice)
		r.slices[r.n_slices++] = slice;
	return r;
}

static void remove_all(void)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", prefix);
	ck_assert_int_eq(system(cmd), 0);
}

/* A kernel without PSI: not an error, and said why. */
START_TEST(no_psi)
{
	struct pcr_pressure_rule r = rule(2 * PCR_SEC, NULL);
	struct pcr_psi_watch *w = NULL;
	struct pcr_root root;
	char why[160] = "";

	snprintf(prefix, sizeof(prefix), "/tmp/pcr-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(prefix));
	ck_assert_int_eq(pcr_root_open(&root, prefix), 0);
	ck_assert_int_eq(pcr_psi_open(&root, &r, NULL, NULL, why, sizeof(why), &w), PCR_NONE);
	ck_assert_ptr_nonnull(strstr(why, "psi=0"));
	ck_assert_ptr_null(pcr_psi_close(w));
	pcr_root_close(&root);
	remove_all();
}
END_TEST

/* A recorded machine is read, never written to: no triggers, and its files stay as they are. */
START_TEST(recorded)
{
	struct pcr_pressure_rule r;
	struct pcr_psi_watch *w = NULL;
	struct pcr_psi_event e;
	struct pcr_root root;
	char why[160] = "", text[256], slice[] = "/system.slice";
	size_t n;

	snprintf(prefix, sizeof(prefix), "/tmp/pcr-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(prefix));
	make("proc/pressure/memory", pressure);
	make("cg/other", "");
	ck_assert_int_eq(pcr_root_open(&root, prefix), 0);
	snprintf(text, sizeof(text), "%s/cg", prefix);
	root.cgroup_fd = open(text, O_PATH | O_DIRECTORY | O_CLOEXEC);
	root.mode = PCR_CGROUP_V2;
	r = rule(2 * PCR_SEC, slice);
	ck_assert_int_eq(pcr_psi_open(&root, &r, NULL, NULL, why, sizeof(why), &w), 0);
	ck_assert_int_eq(pcr_psi_state(w, 0), PCR_PSI_POLL);
	ck_assert_int_eq(pcr_psi_state(w, 1), PCR_PSI_GONE);
	ck_assert(pcr_psi_polls(w));
	ck_assert_uint_eq(pcr_psi_armed(w), 0);
	ck_assert_str_ne(pcr_psi_why(w), "");
	make("cg/system.slice/memory.pressure", pressure);
	ck_assert_int_eq(pcr_psi_rearm(w, 1), PCR_PSI_POLL);
	ck_assert_int_eq(pcr_psi_rearm(w, 2), PCR_PSI_GONE);
	ck_assert(!pcr_psi_next(w, &e));
	w = pcr_psi_close(w);
	ck_assert_int_eq(pcr_slurp(&root, "proc/pressure/memory", text, sizeof(text), &n), 0);
	ck_assert_str_eq(text, pressure);
	pcr_root_close(&root);
	remove_all();
}
END_TEST

/* --- the real thing --- */

static void notified(void *data)
{
	__atomic_add_fetch((int *)data, 1, __ATOMIC_SEQ_CST);
}

static bool wait_event(struct pcr_psi_watch *w, struct pcr_psi_event *ret_event)
{
	for (int i = 0; i < 2000; i++) {
		struct timespec ms = { .tv_nsec = 1000000 };

		if (pcr_psi_next(w, ret_event))
			return true;
		nanosleep(&ms, NULL);
	}
	return false;
}

static bool have_machine(struct pcr_root *root)
{
	if (access("/proc/pressure/memory", R_OK | W_OK) < 0) {
		printf("skipped: /proc/pressure/memory: %s\n", strerror(errno));
		return false;
	}
	ck_assert_int_eq(pcr_root_open(root, "/"), 0);
	return true;
}

/* Short windows want a capability: with or without it, a trigger is had, and said how. */
START_TEST(machine)
{
	static const u64 windows[] = { 2 * PCR_SEC, 500 * PCR_MSEC };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(windows); i++) {
		struct pcr_pressure_rule r = rule(windows[i], NULL);
		struct pcr_psi_watch *w = NULL;
		struct pcr_psi_event e;
		struct pcr_root root;
		char why[160] = "";
		int told = 0;

		if (!have_machine(&root))
			return;
		ck_assert_int_eq(pcr_psi_open(&root, &r, notified, &told, why, sizeof(why), &w), 0);
		if (pcr_psi_armed(w) != 1)
			printf("skipped: no trigger to be had: %s\n", pcr_psi_why(w));
		else if (w->slot[0].trigger.way.window_usec != windows[i])
			ck_assert_ptr_nonnull(strstr(pcr_psi_why(w), "CAP_SYS_RESOURCE"));
		else
			ck_assert_str_eq(pcr_psi_why(w), "");
		/* Armed anew while armed: the old one is closed on the thread. */
		ck_assert_int_eq(pcr_psi_rearm(w, 0), pcr_psi_state(w, 0));
		while (pcr_psi_next(w, &e))
			ck_assert(!e.gone);
		w = pcr_psi_close(w);
		pcr_root_close(&root);
	}
}
END_TEST

/*
 * Report 17, bun 39654: POLLERR for ever after rmdir. The trigger's cgroup goes: one
 * event, the trigger closed, the thread asleep; it comes again: armed again.
 */
START_TEST(cgroup_goes_and_comes)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char path[128], name[64], file[160], why[160] = "";
	struct pcr_psi_watch *w = NULL;
	struct pcr_pressure_rule r;
	struct pcr_psi_event e;
	struct pcr_psi_stats stats;
	struct timespec cpu = { 0 }, pause = { .tv_nsec = 50000000 };
	struct pcr_root root;
	clockid_t clock;
	size_t m;
	int told = 0;

	if (!have_machine(&root))
		return;
	snprintf(name, sizeof(name), "/pcr-test-psi-%d", (int)getpid());
	for (m = 0; m < PCR_ARRAY_SIZE(mounts); m++) {
		snprintf(path, sizeof(path), "%s%s", mounts[m], name);
		snprintf(file, sizeof(file), "%s/memory.pressure", path);
		if (mkdir(path, 0755) == 0 && access(file, R_OK | W_OK) == 0)
			break;
		(void)rmdir(path);
	}
	if (m == PCR_ARRAY_SIZE(mounts)) {
		printf("skipped: no cgroup2 with pressure files that may be written\n");
		pcr_root_close(&root);
		return;
	}
	root.cgroup_fd = open(mounts[m], O_PATH | O_DIRECTORY | O_CLOEXEC);
	root.mode = PCR_CGROUP_V2;
	r = rule(2 * PCR_SEC, name);
	ck_assert_int_eq(pcr_psi_open(&root, &r, notified, &told, why, sizeof(why), &w), 0);
	/* Opening leaves the slices to their time. */
	ck_assert_int_eq(pcr_psi_state(w, 1), PCR_PSI_GONE);
	ck_assert_int_eq(pcr_psi_rearm(w, 1), PCR_PSI_ARMED);
	for (int round = 0; round < 3; round++) {
		ck_assert_int_eq(rmdir(path), 0);
		ck_assert(wait_event(w, &e));
		ck_assert(e.gone);
		ck_assert_uint_eq(e.slice, 1);
		ck_assert_int_eq(pcr_psi_state(w, 1), PCR_PSI_GONE);
		ck_assert_int_eq(pcr_psi_rearm(w, 1), PCR_PSI_GONE);
		ck_assert_int_eq(mkdir(path, 0755), 0);
		ck_assert_int_eq(pcr_psi_rearm(w, 1), PCR_PSI_ARMED);
	}
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert(wait_event(w, &e));
	nanosleep(&pause, NULL);
	ck_assert(!pcr_psi_next(w, &e));
	pcr_psi_stats(w, &stats);
	ck_assert_uint_eq(stats.gone, 4);
	ck_assert_uint_eq(stats.dropped, 0);
	ck_assert_int_ge(__atomic_load_n(&told, __ATOMIC_SEQ_CST), 4);
	ck_assert_int_eq(pthread_getcpuclockid(w->thread, &clock), 0);
	ck_assert_int_eq(clock_gettime(clock, &cpu), 0);
	ck_assert_int_eq(cpu.tv_sec, 0);
	ck_assert_int_lt(cpu.tv_nsec, 25000000);
	w = pcr_psi_close(w);
	pcr_root_close(&root);
}
END_TEST

/* A slice made again and again is let alone, longer and longer; one that lasts is armed after 2 s. */
START_TEST(made_again)
{
	static const u64 waits[] = { 2, 4, 8, 16, 32, 64, 128, 256, 300, 300 };
	struct pcr_psi_due d = { .due_usec = PCR_NEVER };
	u64 now = 1000 * PCR_SEC;

	ck_assert(!pcr_psi_due(&d, 0, false, false, now));
	ck_assert_uint_eq(d.due_usec, PCR_NEVER);
	for (u64 i = 0; i < PCR_ARRAY_SIZE(waits); i++) {
		now += PCR_SEC;
		ck_assert(!pcr_psi_due(&d, 10 + i, false, false, now));
		ck_assert_uint_eq(d.due_usec, now + waits[i] * PCR_SEC);
		/* Gone: nothing to wake up for. */
		ck_assert(!pcr_psi_due(&d, 0, false, false, now));
		ck_assert_uint_eq(d.due_usec, PCR_NEVER);
	}
	now += 2 * PCR_MIN;
	ck_assert(!pcr_psi_due(&d, 30, false, false, now));
	ck_assert(!pcr_psi_due(&d, 30, false, false, now + 2 * PCR_SEC - 1));
	ck_assert(pcr_psi_due(&d, 30, false, false, now + 2 * PCR_SEC));
	pcr_psi_tried(&d, true, now);
	ck_assert(!pcr_psi_due(&d, 30, true, false, now + PCR_MIN));
	ck_assert_uint_eq(d.due_usec, PCR_NEVER);
	/* At the daemon's start. */
	d = (struct pcr_psi_due){ .due_usec = PCR_NEVER };
	ck_assert(pcr_psi_due(&d, 30, false, true, now));
}
END_TEST

/* A living slice without a trigger is tried again; one that has it costs no wake-up. */
START_TEST(tried_again)
{
	static const u64 waits[] = { 10, 20, 40, 80, 160, 300, 300 };
	struct pcr_psi_due d = { .due_usec = PCR_NEVER };
	u64 now = 1000 * PCR_SEC;

	ck_assert(pcr_psi_due(&d, 7, false, true, now));
	for (size_t i = 0; i < PCR_ARRAY_SIZE(waits); i++) {
		pcr_psi_tried(&d, false, now);
		ck_assert_uint_eq(d.due_usec, now + waits[i] * PCR_SEC);
		ck_assert(!pcr_psi_due(&d, 7, false, false, d.due_usec - 1));
		now = d.due_usec;
		ck_assert(pcr_psi_due(&d, 7, false, false, now));
	}
	pcr_psi_tried(&d, true, now);
	ck_assert_uint_eq(d.due_usec, PCR_NEVER);
	/* Lost at once: it goes on where it was; after a while: from the start. */
	ck_assert(!pcr_psi_due(&d, 7, false, false, now + PCR_SEC));
	ck_assert_uint_eq(d.due_usec, now + 301 * PCR_SEC);
	pcr_psi_tried(&d, true, now);
	ck_assert(!pcr_psi_due(&d, 7, false, false, now + PCR_MIN));
	ck_assert_uint_eq(d.due_usec, now + PCR_MIN + 10 * PCR_SEC);
}
END_TEST

PCR_UNIT("psi", made_again, tried_again, ways, trigger_text, queue_is_bounded, false_first, no_psi, recorded, machine,
	 cgroup_goes_and_comes)
