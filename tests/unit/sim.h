/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated kernel below the model and the policy, in virtual time: parents with
 * removed cgroups that hold pages, a living sibling that re-reads its cache, tmpfs,
 * swap, pages that never go, pages in the CPUs' batches; one worker, as the daemon has.
 */
#ifndef PCR_TEST_SIM_H
#define PCR_TEST_SIM_H

#include "unit/model_bench.h"

#define SIM_PAGE 4096ULL
#define SIM_PARENTS 6
#define SIM_DEAD 400
#define SIM_ASKED 20000
/* As in loop/crank.c: an older sample is read again before an action leans on it. */
#define SIM_FRESH (500 * PCR_MSEC)

struct sim_dead {
	u64 removed_usec;	/* rmdir */
	u64 gone_usec;		/* really gone; PCR_NEVER while it holds a page */
	u32 pages;
	bool tmpfs, pinned, batched;
};

struct sim_parent {
	struct pcr_node *node;
	struct sim_dead dead[SIM_DEAD];	/* in the order they are removed in */
	u32 n_dead, n_removed;
	/* the living sibling, in pages */
	u64 cache, evicted, lost;	/* lost: taken by us, in sum */
	u64 touch;			/* looked at each second */
	u64 refaults, looked_usec, remainder;
	/* requests, for the budget */
	u32 in_flight, n_asked;
	u64 asked_usec[SIM_ASKED], asked[SIM_ASKED];
};

static struct sim {
	u32 n_parents;
	struct sim_parent parent[SIM_PARENTS];
	u64 swap;			/* free pages */
	u32 bias; /* of 100 pages taken, so many from the dead while they have some */
	u32 series, turns;
	u64 freed_dead;			/* pages */
	/* the worker's queue; done_usec is that of job[0], PCR_NEVER without one */
	struct pcr_decision job[2 * PCR_PLAN_MAX];
	u32 jobs;
	u64 done_usec;
	void (*record)(const struct pcr_record *rec);
} sim;

static u64 sim_seed;

static inline u64 sim_rand(u64 below)
{
	sim_seed = sim_seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (sim_seed >> 24) % below;
}

/* --- the kernel --- */

/* The sibling looks at its cache: what is not there is read back. */
static inline void sim_live(struct sim_parent *p)
{
	u64 part = (bench.now - p->looked_usec) * p->touch + p->remainder, looked, back;

	p->looked_usec = bench.now;
	p->remainder = part % PCR_SEC;
	looked = part / PCR_SEC;
	if (!p->evicted || !looked)
		return;
	back = pcr_min_u64(p->evicted, (looked * p->evicted + p->cache - 1) / p->cache);
	p->evicted -= back;
	p->refaults += back;
}

static inline bool sim_takes_from(struct sim_dead *d)
{
	if (!d->pages || d->pinned || d->batched)
		return false;
	if (d->tmpfs && !sim.swap)
		return false;
	d->pages--;
	sim.swap -= d->tmpfs;
	if (!d->pages)
		d->gone_usec = bench.now + 34 * PCR_MSEC;
	return true;
}

/* memory.reclaim: pages taken of those asked for. */
static inline u64 sim_reclaim(struct sim_parent *p, u64 pages, bool unpin)
{
	u32 at = 0, turn = 0;
	u64 taken = 0;

	for (u32 i = 0; unpin && i < p->n_removed; i++)
		p->dead[i].batched = false;
	while (taken < pages) {
		bool dead = turn++ % 100 < sim.bias || p->evicted == p->cache;

		while (dead && at < p->n_removed && !sim_takes_from(&p->dead[at]))
			at++;
		if (dead && at < p->n_removed) {
			sim.freed_dead++;
		} else if (p->evicted < p->cache) {
			p->evicted++;
			p->lost++;
		} else if (dead) {
			break;
		}
		taken++;
	}
	return taken;
}

static inline u64 sim_dying(const struct sim_parent *p)
{
	u64 n = 0;

	for (u32 i = 0; i < p->n_removed; i++)
		n += p->dead[i].gone_usec > bench.now;
	return n;
}

static inline struct sim_parent *sim_of(u64 id)
{
	for (u32 i = 0; i < sim.n_parents; i++)
		if (sim.parent[i].node->id == id)
			return &sim.parent[i];
	ck_abort_msg("an action on a cgroup that nobody has");
}

/* rmdir of those whose time has come. */
static inline void sim_remove(struct sim_parent *p)
{
	while (p->n_removed < p->n_dead && p->dead[p->n_removed].removed_usec <= bench.now) {
		struct sim_dead *d = &p->dead[p->n_removed++];
		struct pcr_node *node;

		ck_assert_int_eq(pcr_state_made(&bench.st, bench.set, p->node, bench.next_id++,
						"job", 3, bench.now, &node),
				 0);
		pcr_state_removed(&bench.st, node, bench.now);
		d->gone_usec = d->pages ? PCR_NEVER : bench.now + 34 * PCR_MSEC;
	}
}

/* --- the daemon's crank around it --- */

static inline void sim_ended(const struct pcr_record *rec)
{
	sim.series++;
	sim.record(rec);
}

static inline void sim_look(struct sim_parent *p)
{
	struct pcr_reap_sample s = {
		.pinned_bytes = PCR_ABSENT, .residue_bytes = PCR_ABSENT, .stall_usec = 0,
		.refaults = p->refaults, .dying = sim_dying(p),
	};
	struct pcr_record rec;

	for (u32 i = 0; i < p->n_removed; i++)
		s.shmem_bytes += p->dead[i].tmpfs ? p->dead[i].pages * SIM_PAGE : 0;
	p->node->reap->sample_usec = PCR_NEVER;
	bench.st.swap_free_bytes = sim.swap * SIM_PAGE;
	sample(p->node, s);
	if (p->node->reap &&
	    pcr_state_settled(&bench.st, bench.set, p->node->reap, bench.now, &rec))
		sim_ended(&rec);
}

static inline void sim_start(const struct pcr_decision *d)
{
	struct sim_parent *p = sim_of(d->target);

	ck_assert_uint_eq(p->in_flight++, 0);
	ck_assert_uint_lt(p->n_asked, SIM_ASKED);
	ck_assert_uint_gt(d->amount, 0);
	p->asked_usec[p->n_asked] = bench.now;
	p->asked[p->n_asked++] = d->amount;
	pcr_state_started(&bench.st, bench.set, d, bench.now);
	ck_assert_uint_lt(sim.jobs, PCR_ARRAY_SIZE(sim.job));
	sim.job[sim.jobs++] = *d;
	if (sim.jobs == 1)
		sim.done_usec = bench.now + PCR_MSEC + d->amount / SIM_PAGE * 20;
}

static inline void sim_work(void)
{
	const struct pcr_decision d = sim.job[0];
	struct sim_parent *p = sim_of(d.target);
	u64 taken = sim_reclaim(p, d.amount / SIM_PAGE, d.unpin);
	struct pcr_record rec;

	memmove(sim.job, sim.job + 1, --sim.jobs * sizeof(sim.job[0]));
	sim.done_usec = !sim.jobs ? PCR_NEVER :
			bench.now + PCR_MSEC + sim.job[0].amount / SIM_PAGE * 20;
	p->in_flight--;
	if (pcr_state_outcome(&bench.st, bench.set, &(struct pcr_outcome){
		.action = PCR_ACT_REAP, .target = d.target, .asked = d.amount,
		.freed_bytes = taken * SIM_PAGE, .took_usec = PCR_MSEC,
		.part = taken < d.amount / SIM_PAGE,
	}, bench.now, &rec))
		sim_ended(&rec);
}

static inline void sim_decide(struct pcr_plan *plan)
{
	bool again = false;

	pcr_policy_eval(&bench.st, bench.set, bench.now, plan);
	for (u32 i = 0; i < plan->n; i++) {
		struct sim_parent *p = sim_of(plan->d[i].target);

		if (bench.now > p->node->reap->sampled_usec + SIM_FRESH) {
			sim_look(p);
			again = true;
		}
	}
	if (again)
		pcr_policy_eval(&bench.st, bench.set, bench.now, plan);
}

/* One turn; returns when the next one has to come. */
static inline u64 sim_turn(void)
{
	struct pcr_plan plan;
	u64 next;

	sim.turns++;
	for (u32 i = 0; i < sim.n_parents; i++) {
		sim_live(&sim.parent[i]);
		sim_remove(&sim.parent[i]);
	}
	if (sim.done_usec <= bench.now)
		sim_work();
	for (u32 i = 0; i < sim.n_parents; i++) {
		const struct pcr_reap *r = sim.parent[i].node->reap;

		if (r && !r->in_flight && r->sample_usec <= bench.now)
			sim_look(&sim.parent[i]);
	}
	sim_decide(&plan);
	for (u32 i = 0; i < plan.n; i++)
		sim_start(&plan.d[i]);
	next = pcr_min_u64(plan.next_usec, sim.done_usec);
	for (u32 i = 0; i < sim.n_parents; i++) {
		const struct sim_parent *p = &sim.parent[i];

		if (p->node->reap && !p->node->reap->in_flight)
			next = pcr_min_u64(next, p->node->reap->sample_usec);
		if (p->n_removed < p->n_dead)
			next = pcr_min_u64(next, p->dead[p->n_removed].removed_usec);
	}
	return next;
}

#endif
