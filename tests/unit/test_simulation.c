// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Model and policy against a simulated kernel, at random, in virtual time: what holds
 * whatever the machine is like. A seed that fails is told.
 */
#include "unit/sim.h"

#define RUNS 1000
/* Pages that the kernel takes at once: the least that can be asked for. */
#define BATCH 32

static struct {
	u64 seed;
	bool reclaimable;	/* all the dead can go, and the sibling is no reason to stop */
	u64 dead_pages;
	u32 steps;
	u64 last_death_usec;
} run;

#define claim(what, fmt, ...)                                                                      \
	ck_assert_msg(what, "seed %llu: " fmt, (unsigned long long)run.seed, ##__VA_ARGS__)

static void record(const struct pcr_record *rec)
{
	u64 allowed = 128 + pcr_min_u64(rec->freed_bytes, rec->asked) / SIM_PAGE / 4;

	claim(rec->stop != PCR_STOP_NONE && rec->action == PCR_ACT_REAP, "a record of nothing");
	claim(rec->steps > 0 && rec->asked > 0, "a series without steps");
	claim(rec->end_usec - rec->start_usec < PCR_HOUR, "a series that lasted an hour");
	claim(rec->refault_pages <= allowed || rec->stop == PCR_STOP_REFAULT || !rec->after,
	      "%llu pages read back of %llu asked for", (unsigned long long)rec->refault_pages,
	      (unsigned long long)rec->asked / SIM_PAGE);
	run.steps += rec->steps;
}

/* --- a machine --- */

static u64 one_of(const u64 *values, u32 n)
{
	return values[sim_rand(n)];
}

#define ONE_OF(...)                                                                                \
	one_of((const u64[]){ __VA_ARGS__ }, (u32)PCR_ARRAY_SIZE(((const u64[]){ __VA_ARGS__ })))

static void fill(struct sim_parent *p, u64 tmpfs, u64 pinned, u64 batched)
{
	u64 span = ONE_OF(0, 1, 10, 60) * PCR_SEC;
	u64 each = 1 + sim_rand(8);

	p->n_dead = 1 + (u32)sim_rand(SIM_DEAD);
	for (u32 i = 0; i < p->n_dead; i++) {
		struct sim_dead *d = &p->dead[i];

		/* One after the other: initializers may be worked out in any order. */
		d->removed_usec = T0 + span * i / p->n_dead;
		d->gone_usec = PCR_NEVER;
		d->pages = sim_rand(10) ? (u32)each : 0;
		d->tmpfs = sim_rand(100) < tmpfs;
		d->pinned = sim_rand(100) < pinned;
		d->batched = sim_rand(100) < batched;
		run.dead_pages += d->pages;
		run.last_death_usec = pcr_max_u64(run.last_death_usec, d->removed_usec);
	}
	p->cache = ONE_OF(0, 1024, 16384);
	p->touch = p->cache * ONE_OF(0, 1, 4) / 2;
	p->looked_usec = T0;
}

static void machine(u64 seed)
{
	static const char *const settings[] = {
		"",
		"[Percpu]\nReapAbove=20\n",
		"[Percpu]\nReapAbove=1\nCooldown=0\n",
		"[Percpu]\nReapStep=64K\nReapBudget=128K/1s\n",
		"[Percpu]\nReapStep=1M\nReapBudget=4M/10s\n",
		"[Percpu]\nReapAfter=1min\n[Daemon]\nSuspendAfter=1\n",
	};
	u64 tmpfs, pinned, batched;
	bool greedy = false;

	memset(&sim, 0, sizeof(sim));
	memset(&run, 0, sizeof(run));
	run.seed = sim_seed = seed;
	bench_open(settings[sim_rand(PCR_ARRAY_SIZE(settings))]);
	sim.record = record;
	sim.done_usec = PCR_NEVER;
	sim.bias = (u32)ONE_OF(100, 90, 50, 10);
	sim.swap = ONE_OF(0, 100, 1000000);
	sim.n_parents = 1 + (u32)sim_rand(SIM_PARENTS);
	tmpfs = ONE_OF(0, 0, 50, 100);
	pinned = ONE_OF(0, 0, 0, 10, 100);
	batched = ONE_OF(0, 2, 20);
	for (u32 i = 0; i < sim.n_parents; i++) {
		char name[16];

		snprintf(name, sizeof(name), "p%u", i);
		sim.parent[i].node = cg(name);
		fill(&sim.parent[i], tmpfs, pinned, batched);
		greedy |= sim.parent[i].touch && sim.bias < 90;
	}
	run.reclaimable = !pinned && (!tmpfs || sim.swap == 1000000) && !greedy;
}

/* --- what holds --- */

static void check_budget(const struct sim_parent *p)
{
	const struct pcr_rule *rule = &bench.set->rule;
	u64 sum = 0;

	for (u32 i = 0, first = 0; i < p->n_asked; i++) {
		sum += p->asked[i];
		while (p->asked_usec[first] + rule->reap_budget_usec <= p->asked_usec[i])
			sum -= p->asked[first++];
		claim(sum <= rule->reap_budget_bytes, "%llu asked for within one span",
		      (unsigned long long)sum);
	}
}

static void live_until(u64 until)
{
	u32 spins = 0;
	u64 next = bench.now;

	while (next <= until) {
		spins = next > bench.now ? 0 : spins + 1;
		claim(spins < 20, "turns without end at one moment");
		bench.now = pcr_max_u64(bench.now, next);
		next = sim_turn();
	}
	bench.now = until;
}

static u64 all_dying(void)
{
	u64 n = 0;

	for (u32 i = 0; i < sim.n_parents; i++)
		n += sim_dying(&sim.parent[i]);
	return n;
}

static void check_end(void)
{
	u64 lost = 0, day = 24 * PCR_HOUR;
	u32 turns, series;
	bool over;

	for (u32 i = 0; i < sim.n_parents; i++) {
		check_budget(&sim.parent[i]);
		lost += sim.parent[i].lost;
	}
	if (run.reclaimable)
		claim(all_dying() == 0, "%llu stay", (unsigned long long)all_dying());
	/*
	 * What the living lose is in proportion to what the dead held: twice what this
	 * kernel cannot do without, and two batches a step.
	 */
	claim(lost <= run.dead_pages * 200 / sim.bias + run.steps * BATCH * 2,
	      "%llu pages lost for %llu dead, %u steps", (unsigned long long)lost,
	      (unsigned long long)run.dead_pages, run.steps);
	/* Another day of nothing happening: hardly any work, whatever stays. */
	turns = sim.turns;
	series = sim.series;
	over = all_dying() == 0;
	live_until(bench.now + day);
	claim(sim.series - series <= sim.n_parents * 26, "%u series in a day", sim.series - series);
	claim(sim.turns - turns <= sim.n_parents * 26 * 12, "%u turns in a day", sim.turns - turns);
	if (over) {
		claim(bench.st.n_reaps == 0, "%u states kept", bench.st.n_reaps);
		claim(sim.turns - turns <= sim.n_parents * 4, "%u turns for nothing",
		      sim.turns - turns);
	}
}

START_TEST(whatever_the_machine_is_like)
{
	u32 reclaimable = 0, left = 0;

	for (u64 seed = 1; seed <= RUNS; seed++) {
		machine(seed);
		live_until(run.last_death_usec + 2 * PCR_HOUR);
		check_end();
		reclaimable += run.reclaimable;
		left += all_dying() > 0;
		bench_close();
	}
	/* The dice are such that both ends are seen. */
	ck_assert_uint_gt(reclaimable, RUNS / 10);
	ck_assert_uint_gt(left, RUNS / 20);
}
END_TEST

PCR_UNIT("simulation", whatever_the_machine_is_like)
