/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One turn of the crank: outcomes in, samples that are due, policy, actions out.
 * No libev here: the loop calls pcr_crank_turn() whenever something happened and
 * at the time it returned.
 */
#ifndef PCR_CRANK_H
#define PCR_CRANK_H

#include "act/backend.h"
#include "act/ledger.h"
#include "act/worker.h"
#include "loop/collapser.h"
#include "loop/sampler.h"
#include "policy/policy.h"

struct pcr_crank {
	const struct pcr_root *root;
	struct pcr_state *st;
	const struct pcr_settings *const *set;
	struct pcr_sampler sampler;
	struct pcr_worker *worker;
	struct pcr_ledger *ledger;
	struct pcr_knobs knobs;
	const struct pcr_backend *backend;	/* live; dry runs go to the other one */
	u64 suspended_usec;			/* of the last turn */
	u64 poll_usec;				/* pressure is read then; PCR_NEVER: not */
	u64 forecast_usec;			/* the percpu sample that the last one was made of */
	struct pcr_collapse_knobs collapse;
	struct pcr_collapser *collapser;	/* NULL while no policy asks for huge pages */
	void (*collapse_notify)(void *data);	/* on its thread, after each round; NULL: none is started */
	bool round_out;				/* it has a round */
	u64 round_usec;				/* the next one is due; PCR_NEVER */
	u64 sweep_usec;				/* likewise the search for tasks */
	u64 sweep_took_usec;			/* time that the one under way has spent reading */
	u64 swept_usec;				/* the last one ended */
	u64 sweep_id;				/* under way: the next cgroup in tree order; 0: it is not */
	u64 sweep_created;			/* cgroups made before the last one */
	bool sweep_found;			/* it found a cgroup with such a policy */
	bool unread[PCR_SETTINGS_ALL];		/* in the ledger since the start, not read yet */
	bool told_foreign[PCR_SETTINGS_ALL];	/* said: another program's value */
	/* An action ended. */
	void (*record)(void *data, const struct pcr_record *record);
	/* Percpu memory will have reached ForecastShare= within ForecastWithin=. */
	void (*forewarn)(void *data, const struct pcr_forecast *forecast);
	void *data;
};

/* Looks for the knobs; also after a reload. The caller has filled in the upper half. */
void pcr_crank_probe(struct pcr_crank *c);
/*
 * Takes over the settings in the ledger that still have our value, drops the rest. One
 * that can't be read stays there, and is looked at again when a sample could.
 */
void pcr_crank_adopt(struct pcr_crank *c);
/* Puts back every setting in the ledger that is still ours. */
void pcr_crank_restore(struct pcr_crank *c);
/* Pressure has to be polled (or not any more). */
void pcr_crank_poll_pressure(struct pcr_crank *c, bool on, u64 now);

/* Returns when to call again at the latest; PCR_NEVER: when something happens. */
u64 pcr_crank_turn(struct pcr_crank *c, u64 now);

/* Machine-wide figures as of now, for somebody who asks: percpu, dying, pressure. */
void pcr_crank_look(struct pcr_crank *c, u64 now);

/* Starts an action whatever policy says. 0, PCR_FULL, PCR_NONE (no such knob), -EALREADY. */
int pcr_crank_ask(struct pcr_crank *c, const struct pcr_decision *d, u64 now);

#endif
