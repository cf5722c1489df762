// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/loop/batch_free.c: looks when something exited, and at nothing otherwise. Field
 * reports 1, 2: no wake-up because time passed; 24: what is missing disables itself alone.
 */
#include "unit/fakeroot.h"
#include "unit/model_bench.h"

#include "act/kept.h"
#include "loop/batch_free.h"
#include "pcr/knobs.h"

static struct pcr_batch_watch watch;
static struct pcr_kept kept;
static const struct pcr_settings *set;
static int fd;
static u32 records, fds;

static void on_fd(void *data, int new)
{
	(void)data;
	fd = new;
	fds++;
}

static void on_record(void *data, const struct pcr_record *record)
{
	(void)data;
	(void)record;
	records++;
}

static void counter(u32 node, const char *file, u64 value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), PCR_BATCH_DIR "node%u/%s", node, file);
	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)value);
	fake_file(path, text);
}

static void machine(void)
{
	fake_file(PCR_BATCH_ENABLED, "0\n");
	fake_file(PCR_BATCH_MIN_RSS, "64\n");
	fake_file(PCR_BATCH_MAX_PENDING, "64\n");
	fake_file(PCR_BATCH_EXITS, "0\n");
	fake_file(PCR_BATCH_QUEUE "0/max_active", "2\n");
	fake_file(PCR_BATCH_QUEUE "0/cpumask", "f\n");
	fake_file("/proc/pressure/cpu", "some avg10=10.00 avg60=0.00 avg300=0.00 total=0\n");
	counter(0, "exit_pages", 0);
	counter(0, "exit_usec", 0);
}

static void start(const char *settings)
{
	fake_dir("/run");
	bench_open(settings);
	bench.now = pcr_now_usec();
	set = bench.set;
	fd = -1;
	records = fds = 0;
	ck_assert_int_eq(pcr_kept_open(&kept, fake_path("/run")), 0);
	watch = (struct pcr_batch_watch){ .root = &fake.root, .st = &bench.st, .set = &set,
					  .kept = &kept, .record = on_record };
	pcr_batch_open(&watch);
	pcr_batch_on_fd(&watch, on_fd, NULL);
	bench.now = pcr_now_usec();
}

static void stop(void)
{
	pcr_batch_close(&watch);
	pcr_kept_close(&kept);
	bench_close();
	fake_close();
}

static u64 pages;

/* The kernel's counters move, and it tells of that. */
static void an_exit(void)
{
	pages += 1000000;
	counter(0, "exit_pages", pages);
	counter(0, "exit_usec", pages);
	fake_file(PCR_BATCH_EXITS, "1\n");
}

static const struct pcr_batch_node *node0(void)
{
	return &bench.st.batch.node[0];
}

START_TEST(a_kernel_without)
{
	fake_open();
	start("[BatchFree]\nEnabled=yes\n");
	ck_assert(!bench.st.batch.there);
	ck_assert_int_eq(fd, -1);
	pcr_batch_tick(&watch, bench.now);
	pcr_batch_look(&watch, bench.now);
	ck_assert_uint_eq(pcr_batch_due(&watch), PCR_NEVER);
	ck_assert_uint_eq(bench.st.batch.n_nodes, 0);
	stop();
}
END_TEST

START_TEST(off_watches_nothing)
{
	fake_open();
	machine();
	start("");
	ck_assert(bench.st.batch.there);
	ck_assert_int_eq(fd, -1);
	ck_assert_uint_eq(pcr_batch_due(&watch), PCR_NEVER);
	ck_assert_uint_eq(bench.st.setting[PCR_SETTING_BATCH].seen, 0);
	/* Asked for: all there is, all the same. */
	counter(0, "exits", 5);
	pcr_batch_look(&watch, bench.now);
	ck_assert_uint_eq(node0()->now.exits, 5);
	stop();
}
END_TEST

START_TEST(looks_when_something_exited)
{
	fake_open();
	machine();
	start("[BatchFree]\nEnabled=yes\n");
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(pcr_batch_due(&watch), PCR_NEVER);
	an_exit();
	/* Not before it is told. */
	pcr_batch_tick(&watch, bench.now);
	ck_assert_uint_eq(node0()->climber.exits, 0);
	pcr_batch_ready(&watch, bench.now);
	ck_assert_int_eq(fd, -1);
	pcr_batch_tick(&watch, bench.now);
	ck_assert_uint_eq(node0()->climber.exits, 1);
	ck_assert_uint_eq(bench.st.batch.cpu_bp, 1000);
	/* Those that follow soon are told of together. */
	ck_assert_uint_eq(pcr_batch_due(&watch), bench.now + PCR_BATCH_REST);
	an_exit();
	an_exit();
	pcr_batch_tick(&watch, bench.now + 1);
	ck_assert_uint_eq(node0()->climber.exits, 1);
	bench.now += PCR_BATCH_REST;
	pcr_batch_tick(&watch, bench.now);
	ck_assert_int_ge(fd, 0);
	pcr_batch_ready(&watch, bench.now);
	pcr_batch_tick(&watch, bench.now);
	ck_assert_uint_eq(node0()->climber.exits, 2);
	/* Nothing since. */
	bench.now += PCR_BATCH_REST;
	pcr_batch_tick(&watch, bench.now);
	ck_assert_uint_eq(pcr_batch_due(&watch), PCR_NEVER);
	stop();
}
END_TEST

START_TEST(nobody_notifies)
{
	fake_open();
	machine();
	fake_gone(PCR_BATCH_EXITS);
	start("[BatchFree]\nEnabled=yes\n");
	ck_assert_int_eq(fd, -1);
	ck_assert_str_eq(watch.why, "the kernel does not notify of them");
	ck_assert_uint_eq(pcr_batch_due(&watch), PCR_NEVER);
	pages += 5000;
	counter(0, "exit_pages", pages);
	counter(0, "exit_usec", pages);
	/* In turns that are taken for something else, a second apart. */
	pcr_batch_tick(&watch, bench.st.batch.sampled_usec + PCR_BATCH_SPACING - 1);
	ck_assert_uint_eq(node0()->climber.exits, 0);
	pcr_batch_tick(&watch, bench.st.batch.sampled_usec + PCR_BATCH_SPACING);
	ck_assert_uint_eq(node0()->climber.exits, 1);
	ck_assert_uint_eq(bench.st.batch.exits, PCR_ABSENT);
	stop();
}
END_TEST

START_TEST(a_pause_has_a_clock)
{
	fake_open();
	machine();
	start("[BatchFree]\nEnabled=yes\n");
	fake_file("/proc/pressure/cpu", "some avg10=80.00 avg60=0.00 avg300=0.00 total=0\n");
	an_exit();
	pcr_batch_ready(&watch, bench.now);
	pcr_batch_tick(&watch, bench.now);
	ck_assert_uint_eq(bench.st.batch.paused_usec, bench.now);
	bench.now += PCR_BATCH_REST;
	pcr_batch_tick(&watch, bench.now);
	ck_assert_uint_eq(pcr_batch_due(&watch), bench.st.batch.paused_usec + 10 * PCR_SEC);
	fake_file("/proc/pressure/cpu", "some avg10=20.00 avg60=0.00 avg300=0.00 total=0\n");
	pcr_batch_tick(&watch, pcr_batch_due(&watch));
	ck_assert_uint_eq(bench.st.batch.paused_usec, 0);
	ck_assert_uint_eq(pcr_batch_due(&watch), PCR_NEVER);
	/* psi=0 */
	fake_gone("/proc/pressure/cpu");
	pcr_batch_look(&watch, bench.now);
	ck_assert_uint_eq(bench.st.batch.cpu_bp, PCR_ABSENT);
	stop();
}
END_TEST

START_TEST(nodes_come_and_go)
{
	fake_open();
	machine();
	start("[BatchFree]\nEnabled=yes\nWorkerNice=5\n");
	counter(2, "exit_pages", 1);
	fake_file(PCR_BATCH_QUEUE "2/max_active", "2\n");
	fake_file(PCR_BATCH_QUEUE "2/nice", "0\n");
	an_exit();
	pcr_batch_ready(&watch, bench.now);
	pcr_batch_tick(&watch, bench.now);
	ck_assert_uint_eq(bench.st.batch.n_nodes, 3);
	ck_assert(bench.st.batch.node[2].there && !bench.st.batch.node[1].there);
	/* Its workers are as the settings want them, too. */
	ck_assert(!strncmp(fake_read(PCR_BATCH_QUEUE "2/nice"), "5", 1));
	fake_gone(PCR_BATCH_DIR "node2/exit_pages");
	fake_gone(PCR_BATCH_DIR "node2");
	pcr_batch_look(&watch, bench.now);
	ck_assert(!bench.st.batch.node[2].there);
	ck_assert_uint_eq(bench.st.setting[PCR_SETTING_NODE + 2].seen, PCR_ABSENT);
	stop();
}
END_TEST

START_TEST(reloads)
{
	struct pcr_settings *old;

	fake_open();
	machine();
	start("");
	old = bench.set;
	set = bench.set = bench_settings("[BatchFree]\nEnabled=yes\n");
	pcr_batch_probe(&watch, bench.now);
	ck_assert_int_ge(fd, 0);
	pcr_settings_free(old);
	old = bench.set;
	set = bench.set = bench_settings("");
	pcr_batch_probe(&watch, bench.now);
	ck_assert_int_eq(fd, -1);
	pcr_settings_free(old);
	stop();
}
END_TEST

PCR_UNIT("batch watch", a_kernel_without, off_watches_nothing, looks_when_something_exited,
	 nobody_notifies, a_pause_has_a_clock, nodes_come_and_go, reloads)
