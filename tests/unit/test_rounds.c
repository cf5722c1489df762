// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/loop/round.c, model/tasks.c, model/allowance.c, policy/collapse.c together, on a
 * machine of made-up tasks and a clock moved by hand: what is looked at in any ten
 * seconds, by whom, and how work on a task begins and ends.
 */
#include "unit/model_bench.h"

#include <errno.h>

#include "loop/round.h"

#define MIB (1ULL << 20)
#define HUGE (2 * MIB)
#define STEP (20 * PCR_MSEC)
#define STEPS_MAX 20000

/* A task and, where the kernel has the series, what it was told. */
struct made_up {
	s32 pid;
	u64 start;
	u64 anon, huge;
	u64 never;		/* of it, can't be huge */
	bool sleeps;
	bool gone;
	int refuses;		/* errno */
	u64 looked;		/* into its memory, in this pass */
	u64 cpu;
	/* the kernel's */
	u64 rate, lease, refill, pending;
	struct pcr_collapse_stat stat;
};

static struct {
	u32 n;
	struct made_up task[64];
	u64 some_bp, free_huge;
	bool no_alloc;
	struct pcr_round *out;
	u64 due, back;
	u64 scanned;
	u64 at[STEPS_MAX];	/* .scanned, by step */
	u32 steps;
	u32 records;
	struct pcr_record rec;
} m;

static struct made_up *with_pid(s32 pid)
{
	for (u32 i = 0; i < m.n; i++)
		if (m.task[i].pid == pid && !m.task[i].gone)
			return &m.task[i];
	return NULL;
}

static void open_machine(const char *settings, bool series, bool madvise)
{
	memset(&m, 0, sizeof(m));
	bench_open(settings);
	bench.st.collapse.ready[PCR_HOW_TASK] = series;
	bench.st.collapse.ready[PCR_HOW_MADVISE] = madvise;
	bench.st.collapse.thp.page_bytes = 4096;
	m.free_huge = 1000;
	m.due = bench.now;
}

static void close_machine(void)
{
	free(m.out);
	bench_close();
}

static struct made_up *add(const char *cgroup, u64 anon)
{
	struct made_up *t = &m.task[m.n++];

	*t = (struct made_up){ .pid = (s32)(100 + m.n), .start = 1000 + m.n, .anon = anon };
	ck_assert_int_eq(pcr_state_task(&bench.st, cg(cgroup), t->pid, bench.now), 0);
	return t;
}

static const struct pcr_task *seen(const struct made_up *t)
{
	return pcr_task_find(&bench.st.collapse, t->pid);
}

/* Looks at so much of it; what can be huge there becomes huge. Returns how much there was. */
static u64 look_at(struct made_up *t, u64 bytes, u64 *made)
{
	u64 left = t->anon - t->looked, n = pcr_min_u64(bytes, left) / HUGE * HUGE;

	*made = 0;
	if (!m.no_alloc && t->huge < t->anon - t->never)
		*made = pcr_min_u64(n, t->anon - t->never - t->huge) / HUGE * HUGE;
	t->huge += *made;
	t->looked += n;
	m.scanned += n;
	return n;
}

static void run_kernel(struct made_up *t)
{
	u64 made, n;

	t->cpu += !t->sleeps;
	if (!t->rate || bench.now >= t->lease) {
		t->rate = t->pending = 0;
		return;
	}
	if (bench.now >= t->refill) {
		t->refill = bench.now + PCR_GRANT_PERIOD;
		t->pending = pcr_min_u64(t->pending, HUGE - 1) + t->rate;
	}
	if (t->sleeps)
		return;
	n = look_at(t, t->pending, &made);
	t->pending -= n;
	t->stat.scanned += n / 4096;
	t->stat.collapsed += made / HUGE;
	t->stat.alloc_failed += m.no_alloc && n;
	if (t->anon - t->looked < HUGE) {
		t->looked = 0;
		t->pending = 0;
		t->stat.full_scans++;
	}
}

static void do_chore(struct pcr_chore *c)
{
	struct made_up *t = with_pid(c->pid);
	u64 made;

	c->stat.scanned = PCR_ABSENT;
	c->r = !t || (c->start_ticks && c->start_ticks != t->start) ? PCR_GONE : 0;
	if (c->r)
		return;
	c->sample = (struct pcr_task_sample){
		.start_ticks = t->start, .age_usec = PCR_MIN, .cpu_ticks = t->cpu,
		.anon_bytes = c->depth ? t->anon : PCR_ABSENT,
		.huge_bytes = c->depth == PCR_LOOK_HUGE ? t->huge : PCR_ABSENT, .comm = "made-up",
	};
	if (c->how == PCR_HOW_TASK) {
		if (c->grant) {
			t->rate = c->bytes;
			t->lease = bench.now + PCR_GRANT_LEASE;
		}
		c->stat = t->stat;
	} else if (c->how == PCR_HOW_MADVISE && c->bytes) {
		ck_assert_uint_eq(t->rate, 0);
		c->err = t->refuses;
		if (t->refuses)
			return;
		c->scanned_bytes = look_at(t, c->bytes, &made);
		c->tried_bytes = c->scanned_bytes;
		c->failed_bytes = m.no_alloc ? c->scanned_bytes : 0;
		c->pass_ended = t->anon - t->looked < HUGE;
		if (c->pass_ended)
			t->looked = 0;
	}
}

static void bring_back(void)
{
	if (m.out->machine) {
		bench.st.collapse.thp = (struct pcr_thp){ .huge_bytes = HUGE, .page_bytes = 4096 };
		bench.st.collapse.machine_usec = bench.now + PCR_MACHINE_EVERY;
		pcr_state_collapse_machine(&bench.st, bench.set, m.some_bp, m.free_huge, bench.now);
	}
	for (u32 i = 0; i < m.out->n; i++)
		if (pcr_state_chore(&bench.st, bench.set, &m.out->chore[i], bench.now, &m.rec))
			m.records++;
	free(m.out);
	m.out = NULL;
	m.due = pcr_min_u64(m.due, pcr_round_due(&bench.st, bench.now));
}

/* Rounds come when they are due and take a while. */
static void tick(void)
{
	bench.now += STEP;
	for (u32 i = 0; i < m.n; i++)
		if (!m.task[i].gone)
			run_kernel(&m.task[i]);
	if (m.out && bench.now >= m.back)
		bring_back();
	if (!m.out && bench.now >= m.due) {
		m.out = pcr_round_make(&bench.st, bench.set, bench.now);
		m.due = pcr_round_due(&bench.st, bench.now);
		m.back = bench.now + (u64)random() % (150 * PCR_MSEC);
		for (u32 i = 0; i < m.out->n; i++)
			do_chore(&m.out->chore[i]);
	}
	ck_assert_uint_lt(m.steps, STEPS_MAX);
	m.at[m.steps++] = m.scanned;
}

static void run(u64 usec)
{
	for (u64 until = bench.now + usec; bench.now < until;)
		tick();
}

/* Least and most that was looked at in ten seconds, from the first step to the last. */
static void windows(u32 from, u32 to, u64 *least, u64 *most)
{
	u32 w = 10 * PCR_SEC / STEP;

	*least = UINT64_MAX;
	*most = 0;
	for (u32 i = from; i + w < to; i++) {
		*least = pcr_min_u64(*least, m.at[i + w] - m.at[i]);
		*most = pcr_max_u64(*most, m.at[i + w] - m.at[i]);
	}
}

static void budget_holds(u64 budget_second, u32 from)
{
	u64 least, most;

	windows(0, m.steps, &least, &most);
	ck_assert_uint_le(most, budget_second * 10 * 105 / 100);
	windows(from, m.steps, &least, &most);
	ck_assert_uint_ge(least, budget_second * 10 * 90 / 100);
}

#define POLICY(rate) "[Policy p]\nMatch=/p /p/**\nCollapse=" rate "\n"

/* 40 tasks at once: ten seconds are never more than the budget, and never much less. */
static void many(bool series)
{
	open_machine(POLICY("64M/1s"), series, true);
	for (u32 i = 0; i < 40; i++)
		add("p", (16 + 64 * (i % 5)) * MIB);
	run(60 * PCR_SEC);
	budget_holds(64 * MIB, 2 * PCR_SEC / STEP);
	close_machine();
}

START_TEST(budget_by_madvise)
{
	many(false);
}
END_TEST

START_TEST(budget_by_the_tasks)
{
	many(true);
}
END_TEST

/* Some sleep: what they leave is used by others, and they are worked on by ourselves. */
START_TEST(budget_by_both)
{
	struct made_up *t;

	open_machine(POLICY("64M/1s"), true, true);
	for (u32 i = 0; i < 20; i++) {
		t = add("p", 300 * MIB);
		t->sleeps = i % 3 == 0;
	}
	run(60 * PCR_SEC);
	budget_holds(64 * MIB, 5 * PCR_SEC / STEP);
	for (u32 i = 0; i < m.n; i++)
		ck_assert_uint_gt(m.task[i].huge, 0);
	close_machine();
}
END_TEST

START_TEST(small_budget)
{
	open_machine("[Collapse]\nBudget=8M/1s\n" POLICY("64M/1s"), false, true);
	for (u32 i = 0; i < 3; i++)
		add("p", 200 * MIB);
	run(60 * PCR_SEC);
	budget_holds(8 * MIB, 2 * PCR_SEC / STEP);
	close_machine();
}
END_TEST

/* A policy's rate holds for all of its tasks together, and leaves the rest to others. */
START_TEST(rate_of_a_policy)
{
	struct made_up *p[4], *q;
	u64 sum = 0;

	open_machine(POLICY("4M/1s") "[Policy q]\nMatch=/q\nCollapse=1G/1s\n", false, true);
	for (u32 i = 0; i < 4; i++)
		p[i] = add("p", 1024 * MIB);
	q = add("q", 4096 * MIB);
	run(40 * PCR_SEC);
	for (u32 i = 0; i < 4; i++)
		sum += p[i]->huge;
	ck_assert_uint_le(sum, 40 * 4 * MIB + 4 * HUGE);
	ck_assert_uint_ge(sum, 40 * 4 * MIB * 85 / 100);
	ck_assert_uint_ge(q->huge, 40 * 60 * MIB * 90 / 100);
	close_machine();
}
END_TEST

/* Beside one that has a hundred times more to gain. */
START_TEST(no_starvation)
{
	struct made_up *small[20];

	open_machine(POLICY("64M/1s"), false, true);
	add("p", 100 * 1024 * MIB);
	for (u32 i = 0; i < 20; i++)
		small[i] = add("p", 16 * MIB);
	run(60 * PCR_SEC);
	for (u32 i = 0; i < 20; i++)
		ck_assert_uint_eq(small[i]->huge, 16 * MIB);
	close_machine();
}
END_TEST

START_TEST(one_line_for_a_spell)
{
	struct made_up *t;
	char text[300];

	open_machine(POLICY("64M/1s"), false, true);
	t = add("p", 256 * MIB);
	run(10 * PCR_SEC);
	ck_assert_uint_eq(t->huge, 256 * MIB);
	ck_assert_uint_eq(m.records, 1);
	ck_assert_int_eq(m.rec.stop, PCR_STOP_DONE);
	ck_assert_uint_eq(m.rec.after - m.rec.before, 256 * MIB);
	pcr_record_text(text, sizeof(text), &m.rec);
	ck_assert_ptr_nonnull(strstr(text, "collapse 101 made-up: 256 MiB huge in 4"));
	ck_assert_ptr_nonnull(strstr(text, "(policy p)"));
	ck_assert_uint_ge(seen(t)->made_bytes, 256 * MIB);
	/* From then on nothing is said, and ever less is looked at. */
	m.scanned = 0;
	run(100 * PCR_SEC);
	ck_assert_uint_eq(m.records, 1);
	ck_assert_uint_le(m.scanned, 8 * 256 * MIB);
	m.scanned = 0;
	run(100 * PCR_SEC);
	ck_assert_uint_le(m.scanned, 2 * 256 * MIB);
	/* Until it has grown. */
	t->anon = 512 * MIB;
	run(30 * PCR_SEC);
	ck_assert_uint_eq(t->huge, 512 * MIB);
	ck_assert_uint_eq(m.records, 2);
	close_machine();
}
END_TEST

START_TEST(pauses)
{
	struct pcr_decision d;
	struct made_up *t;
	u64 huge;

	open_machine(POLICY("64M/1s"), true, true);
	t = add("p", 4096 * MIB);
	run(3 * PCR_SEC);
	ck_assert_uint_gt(t->huge, 32 * MIB);
	m.some_bp = 1500;
	run(2 * PCR_SEC);
	huge = t->huge;
	ck_assert_uint_eq(t->rate, 0);
	run(10 * PCR_SEC);
	ck_assert_uint_eq(t->huge, huge);
	pcr_policy_collapse(&bench.st, bench.set, seen(t), bench.now, &d);
	ck_assert(!d.act && d.why == PCR_WHY_PAUSED && d.want == PCR_WHY_ELIGIBLE);
	m.some_bp = 900;	/* below, but not by a quarter */
	run(5 * PCR_SEC);
	ck_assert_uint_eq(t->huge, huge);
	m.some_bp = 700;
	run(5 * PCR_SEC);
	ck_assert_uint_gt(t->huge, huge);
	m.free_huge = 3;
	run(2 * PCR_SEC);
	huge = t->huge;
	m.free_huge = 10;
	run(5 * PCR_SEC);
	ck_assert_uint_eq(t->huge, huge);
	pcr_policy_collapse(&bench.st, bench.set, seen(t), bench.now, &d);
	ck_assert_int_eq(d.why, PCR_WHY_NO_HUGE);
	m.free_huge = PCR_ABSENT;	/* can't be told: no reason to stop */
	run(5 * PCR_SEC);
	ck_assert_uint_gt(t->huge, huge);
	close_machine();
}
END_TEST

/* What fails is tried again ever more rarely, and told once. */
static void fails(bool series)
{
	struct made_up *t;

	open_machine(POLICY("64M/1s"), series, !series);
	m.no_alloc = true;
	t = add("p", 128 * MIB);
	run(60 * PCR_SEC);
	ck_assert_uint_eq(m.records, 1);
	ck_assert_int_eq(m.rec.stop, PCR_STOP_NO_PROGRESS);
	m.scanned = 0;
	run(60 * PCR_SEC);
	ck_assert_uint_le(m.scanned, 2 * 128 * MIB);
	ck_assert_int_eq(seen(t)->rest, PCR_WHY_BACKOFF);
	m.no_alloc = false;
	run(120 * PCR_SEC);
	ck_assert_uint_eq(t->huge, 128 * MIB);
	close_machine();
}

START_TEST(back_off)
{
	fails(false);
	fails(true);
}
END_TEST

START_TEST(refused)
{
	struct made_up *t;

	open_machine(POLICY("64M/1s"), false, true);
	t = add("p", 128 * MIB);
	t->refuses = EPERM;
	run(60 * PCR_SEC);
	ck_assert_uint_eq(m.records, 1);
	ck_assert_int_eq(m.rec.stop, PCR_STOP_ERROR);
	ck_assert_int_eq(m.rec.err, EPERM);
	ck_assert_int_eq(seen(t)->err, EPERM);
	close_machine();
}
END_TEST

START_TEST(dry_run)
{
	struct made_up *t;

	open_machine(POLICY("64M/1s") "DryRun=yes\n", true, true);
	t = add("p", 128 * MIB);
	pcr_task_find(&bench.st.collapse, t->pid)->dry_run = true;
	run(60 * PCR_SEC);
	ck_assert_uint_eq(t->huge, 0);
	ck_assert_uint_eq(m.scanned, 0);
	ck_assert_uint_eq(m.records, 1);
	ck_assert(m.rec.dry_run && m.rec.stop == PCR_STOP_DRY_RUN);
	ck_assert_uint_eq(m.rec.value, 128 * MIB);
	close_machine();
}
END_TEST

static void on_ended(void *data, const struct pcr_record *record)
{
	(void)data;
	m.rec = *record;
	m.records++;
}

START_TEST(tasks_that_go)
{
	struct made_up *t, *other, *moved;

	open_machine(POLICY("64M/1s"), false, true);
	t = add("p", 1024 * MIB);
	other = add("p", 1024 * MIB);
	moved = add("p", 1024 * MIB);
	run(5 * PCR_SEC);
	t->gone = true;
	run(PCR_SEC);
	ck_assert_ptr_null(seen(t));
	ck_assert_uint_eq(m.records, 1);
	ck_assert_int_eq(m.rec.stop, PCR_STOP_GONE);
	/* Its pid, but another process: the old one is dropped, and found anew. */
	other->start++;
	run(PCR_SEC);
	ck_assert_ptr_null(seen(other));
	ck_assert_int_eq(pcr_state_task(&bench.st, cg("p"), other->pid, bench.now), 0);
	/* The sweep did not see the third. */
	pcr_state_tasks_swept(&bench.st, bench.set, PCR_STOP_GONE, bench.now, on_ended, NULL);
	pcr_state_task(&bench.st, cg("p"), other->pid, bench.now);
	pcr_state_tasks_swept(&bench.st, bench.set, PCR_STOP_GONE, bench.now, on_ended, NULL);
	ck_assert_ptr_null(seen(moved));
	ck_assert_ptr_nonnull(seen(other));
	run(5 * PCR_SEC);
	ck_assert_uint_gt(seen(other)->made_bytes, 0);
	close_machine();
}
END_TEST

START_TEST(too_many)
{
	open_machine(POLICY("64M/1s"), false, true);
	for (s32 pid = PCR_TASKS_MAX + 5; pid > 0; pid--)
		ck_assert_int_eq(pcr_state_task(&bench.st, cg("p"), pid, bench.now),
				 pid > 5 ? 0 : PCR_FULL);
	ck_assert_uint_eq(bench.st.collapse.n, PCR_TASKS_MAX);
	ck_assert_uint_eq(bench.st.collapse.left_out, 5);
	for (u32 i = 1; i < PCR_TASKS_MAX; i++)
		ck_assert_int_lt(bench.st.collapse.task[i - 1].pid, bench.st.collapse.task[i].pid);
	close_machine();
}
END_TEST

/* An exec takes the rate and the counters with it. */
START_TEST(exec)
{
	struct made_up *t;

	open_machine(POLICY("64M/1s"), true, false);
	t = add("p", 2048 * MIB);
	run(5 * PCR_SEC);
	t->rate = t->looked = 0;
	t->huge = 0;
	memset(&t->stat, 0, sizeof(t->stat));
	run(10 * PCR_SEC);
	ck_assert_uint_gt(t->huge, 300 * MIB);
	close_machine();
}
END_TEST

/* Nobody asks: no round is ever due. */
START_TEST(nobody_asks)
{
	open_machine("", true, true);
	ck_assert(!pcr_policy_collapses(bench.set));
	ck_assert_uint_eq(pcr_round_due(&bench.st, bench.now), PCR_NEVER);
	close_machine();
}
END_TEST

PCR_UNIT("rounds", budget_by_madvise, budget_by_the_tasks, budget_by_both, small_budget,
	 rate_of_a_policy, no_starvation, one_line_for_a_spell, pauses, back_off, refused, dry_run,
	 tasks_that_go, too_many, exec, nobody_asks)
