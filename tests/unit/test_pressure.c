// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/: pressure.c, and the kernel setting that is under the ledger. */
#include "unit/model_bench.h"

static bool pressed(const struct pcr_node *node)
{
	return pcr_state_pressed(&bench.st, bench.set, node, bench.now);
}

START_TEST(held_for_a_while)
{
	struct pcr_node *ci;

	bench_open("[Pressure]\nHold=10s\n");
	ci = cg("ci");
	ck_assert(!pressed(ci) && !pressed(NULL));
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	ck_assert(pressed(ci) && pressed(NULL));
	ck_assert_uint_eq(bench.st.pressure[0].events, 1);
	bench.now += 10 * PCR_SEC - 1;
	ck_assert(pressed(NULL));
	bench.now++;
	ck_assert(!pressed(NULL));
	/* An event that comes late does not make it last longer than that. */
	pcr_state_pressure_event(&bench.st, 0, bench.now);
	ck_assert(pressed(NULL));
	bench.now += 10 * PCR_SEC;
	ck_assert(!pressed(NULL));
	bench_close();
}
END_TEST

START_TEST(a_slice_counts_only_below_itself)
{
	struct pcr_node *slice, *pod, *other;

	bench_open("[Pressure]\nSlices=/kube\n");
	slice = cg("kube");
	pod = cg("kube/pod/x");
	other = cg("kubepods");
	bench.st.n_pressure = 2;
	bench.st.pressure[1].id = slice->id;
	pcr_state_pressure_event(&bench.st, 1, bench.now);
	ck_assert(pressed(slice) && pressed(pod));
	ck_assert(!pressed(other) && !pressed(bench.st.tree.root));
	/* Not the machine's: percpu memory is nobody's in particular. */
	ck_assert(!pressed(NULL));
	/* The slice is gone, or was never there. */
	bench.st.pressure[1].id = 0;
	ck_assert(!pressed(pod));
	bench.st.pressure[1].id = 4711;
	ck_assert(!pressed(pod));
	bench_close();
}
END_TEST

START_TEST(events_of_slices_that_are_not)
{
	bench_open("");
	pcr_state_pressure_event(&bench.st, 1, bench.now);
	pcr_state_pressure_event(&bench.st, UINT32_MAX, bench.now);
	ck_assert_uint_eq(bench.st.pressure[1].events, 0);
	ck_assert(!pressed(NULL));
	bench_close();
}
END_TEST

/* --- cgroups at a limit of their own --- */

START_TEST(a_limit_counts_at_and_below_its_cgroup)
{
	struct pcr_node *ci, *job, *other;

	bench_open("[Pressure]\nHold=10s\n[Percpu]\nReapAfter=1h\n");
	ci = cg("ci");
	job = cg("ci/runner/job");
	other = cg("ci2");
	pcr_state_cgroup_pressure(&bench.st, ci->id, bench.now);
	ck_assert(pressed(ci) && pressed(job));
	ck_assert(!pressed(other) && !pressed(bench.st.tree.root) && !pressed(NULL));
	/* What dies there is seen only later, and is reaped all the same. */
	bench.now += 5 * PCR_SEC;
	dying(ci, 3);
	dying(job->parent, 2);
	dying(other, 50);
	ck_assert_int_eq(decide(ci).why, PCR_WHY_PRESSURE);
	ck_assert(decide(ci).act);
	ck_assert_int_eq(decide(job->parent).why, PCR_WHY_PRESSURE);
	ck_assert_int_eq(decide(other).why, PCR_WHY_BELOW);
	bench.now += 5 * PCR_SEC - 1;
	ck_assert(pressed(job));
	bench.now++;
	ck_assert(!pressed(ci) && !pressed(job));
	/* Another cgroup's pressure does not revive this one's. */
	pcr_state_cgroup_pressure(&bench.st, other->id, bench.now);
	ck_assert(pressed(other) && !pressed(ci));
	pcr_state_cgroup_pressure(&bench.st, ci->id, bench.now);
	ck_assert(pressed(ci));
	ck_assert_uint_eq(bench.st.n_pressed, 2);
	bench_close();
}
END_TEST

START_TEST(limits_are_forgotten)
{
	struct pcr_node *ci, *job;

	bench_open("");
	ci = cg("ci");
	job = cg("ci/job");
	pcr_state_cgroup_pressure(&bench.st, job->id, bench.now);
	pcr_state_cgroup_pressure(&bench.st, ci->id, bench.now);
	pcr_state_removed(&bench.st, job, bench.now);
	ck_assert_uint_eq(bench.st.n_pressed, 1);
	ck_assert(pressed(ci));
	/* Across a sleep nothing of before is present. */
	pcr_state_gap(&bench.st, bench.now);
	ck_assert(!pressed(ci));
	ck_assert_uint_eq(bench.st.n_pressed, 0);
	/* One that is not in the tree (any more) speaks for nobody. */
	pcr_state_cgroup_pressure(&bench.st, 4711, bench.now);
	ck_assert(!pressed(ci));
	bench_close();
}
END_TEST

START_TEST(limits_are_bounded)
{
	struct pcr_node *first, *second, *last;

	bench_open("");
	first = cg("first");
	second = cg("second");
	last = cg("last");
	pcr_state_cgroup_pressure(&bench.st, second->id, bench.now);
	pcr_state_cgroup_pressure(&bench.st, first->id, ++bench.now);
	for (u64 i = 2; i < PCR_PRESSED_MAX; i++)
		pcr_state_cgroup_pressure(&bench.st, 10000 + i, bench.now);
	pcr_state_cgroup_pressure(&bench.st, second->id, ++bench.now);
	for (u64 i = 2; i < PCR_PRESSED_MAX; i++)
		pcr_state_cgroup_pressure(&bench.st, 10000 + i, bench.now);
	ck_assert(pressed(first) && pressed(second));
	pcr_state_cgroup_pressure(&bench.st, last->id, bench.now);
	ck_assert_uint_eq(bench.st.n_pressed, PCR_PRESSED_MAX);
	ck_assert(pressed(last) && pressed(second) && !pressed(first));
	bench_close();
}
END_TEST

/* --- EmptyPagesHigh= --- */

static struct pcr_decision float_decision(void)
{
	struct pcr_decision d;

	pcr_policy_setting(&bench.st, bench.set, PCR_SETTING_HIGH, bench.now, &d);
	return d;
}

static void seen(u64 value)
{
	pcr_state_setting_sample(&bench.st, PCR_SETTING_HIGH, value);
}

/* Decided, written and known; 0, an errno, -1: taken, but it shows another value. */
static void written(int err)
{
	struct pcr_decision d = float_decision();

	ck_assert_msg(d.act, "held: %s", pcr_reason_name(d.why));
	pcr_state_started(&bench.st, bench.set, &d, bench.now);
	ck_assert_int_eq(float_decision().why, PCR_WHY_BUSY);
	ck_assert(outcome(&(struct pcr_outcome){
		.action = PCR_ACT_SET, .setting = PCR_SETTING_HIGH, .asked = d.amount,
		.freed_bytes = NONE,
		.err = err > 0 ? err : 0, .refused = err < 0, .dry_run = d.dry_run,
		.knob = "/sys/kernel/mm/percpu/empty_pages_high",
	}));
}

static void held_by(enum pcr_reason why)
{
	struct pcr_decision d = float_decision();

	ck_assert(!d.act);
	ck_assert_str_eq(pcr_reason_name(d.why), pcr_reason_name(why));
}

/* tuned 416, PR 518, PR 882: put back what was found, 0 as well, and nothing of others. */
START_TEST(set_and_put_back)
{
	static const u64 found[] = { 4, 0, 63 };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(found); i++) {
		struct pcr_setting_state *f = &bench.st.setting[PCR_SETTING_HIGH];

		bench_open("[Percpu]\nEmptyPagesHigh=32\n");
		held_by(PCR_WHY_NO_KNOB);
		seen(found[i]);
		ck_assert_uint_eq(float_decision().amount, 32);
		written(0);
		ck_assert_uint_eq(bench.rec.before, found[i]);
		ck_assert_uint_eq(bench.rec.after, 32);
		ck_assert_int_eq(bench.rec.stop, PCR_STOP_DONE);
		ck_assert_uint_eq(f->base, found[i]);
		seen(32);
		held_by(PCR_WHY_NOTHING);
		bench_reload("");
		ck_assert_uint_eq(float_decision().amount, found[i]);
		written(0);
		ck_assert_uint_eq(f->base, PCR_ABSENT);
		ck_assert_uint_eq(f->set, PCR_ABSENT);
		seen(found[i]);
		held_by(PCR_WHY_OFF);
		bench_close();
	}
}
END_TEST

START_TEST(another_programs_value_stays)
{
	bench_open("[Percpu]\nEmptyPagesHigh=32\n");
	seen(4);
	written(0);
	seen(16);
	held_by(PCR_WHY_FOREIGN);
	ck_assert_uint_eq(float_decision().evidence.value, 16);
	/* Not put back over it either. */
	bench_reload("");
	seen(16);
	held_by(PCR_WHY_FOREIGN);
	/* The settings come to agree: nothing to do, and no quarrel. */
	bench_reload("[Percpu]\nEmptyPagesHigh=16\n");
	seen(16);
	held_by(PCR_WHY_NOTHING);
	/* Our value again: ours again. */
	bench_reload("");
	seen(32);
	ck_assert_uint_eq(float_decision().amount, 4);
	written(0);
	held_by(PCR_WHY_OFF);
	bench_close();
}
END_TEST

/* A look between the write and its outcome: neither what was found nor foreign. */
START_TEST(a_look_while_it_is_written)
{
	struct pcr_decision d;

	bench_open("[Percpu]\nEmptyPagesHigh=32\n");
	seen(4);
	d = float_decision();
	pcr_state_started(&bench.st, bench.set, &d, bench.now);
	seen(32);
	ck_assert(outcome(&(struct pcr_outcome){ .action = PCR_ACT_SET,
					      .setting = PCR_SETTING_HIGH, .asked = 32 }));
	ck_assert_uint_eq(bench.st.setting[PCR_SETTING_HIGH].base, 4);
	bench_reload("");
	d = float_decision();
	ck_assert_uint_eq(d.amount, 4);
	pcr_state_started(&bench.st, bench.set, &d, bench.now);
	seen(4);
	ck_assert(outcome(&(struct pcr_outcome){ .action = PCR_ACT_SET,
					      .setting = PCR_SETTING_HIGH, .asked = 4 }));
	ck_assert(!bench.st.setting[PCR_SETTING_HIGH].foreign);
	bench_reload("[Percpu]\nEmptyPagesHigh=32\n");
	written(0);
	bench_close();
}
END_TEST

/* Refused once is refused, until something changes: no storm of retries, no storm of lines. */
START_TEST(refusals)
{
	static const int errs[] = { 22, 30, -1 };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(errs); i++) {
		bench_open("[Percpu]\nEmptyPagesHigh=32\n");
		seen(4);
		written(errs[i]);
		ck_assert_int_eq(bench.rec.stop, errs[i] < 0 ? PCR_STOP_REFUSED : PCR_STOP_ERROR);
		ck_assert_uint_eq(bench.rec.after, 4);
		ck_assert_uint_eq(bench.st.totals.failed, 1);
		held_by(PCR_WHY_REFUSED);
		ck_assert_uint_eq(bench.st.setting[PCR_SETTING_HIGH].base, PCR_ABSENT);
		bench_reload("[Percpu]\nEmptyPagesHigh=16\n");
		written(0);
		bench_close();
	}
}
END_TEST

START_TEST(a_dry_run_is_said_once)
{
	bench_open("[Daemon]\nDryRun=yes\n[Percpu]\nEmptyPagesHigh=32\n");
	seen(4);
	ck_assert(float_decision().dry_run);
	written(0);
	ck_assert(bench.rec.dry_run);
	ck_assert_uint_eq(bench.st.totals.dry_runs, 1);
	ck_assert_uint_eq(bench.st.setting[PCR_SETTING_HIGH].set, PCR_ABSENT);
	held_by(PCR_WHY_REFUSED);
	bench_close();
}
END_TEST

PCR_UNIT("pressure and float", held_for_a_while, a_slice_counts_only_below_itself,
	 events_of_slices_that_are_not, a_limit_counts_at_and_below_its_cgroup,
	 limits_are_forgotten, limits_are_bounded, set_and_put_back, another_programs_value_stays,
	 a_look_while_it_is_written, refusals, a_dry_run_is_said_once)
