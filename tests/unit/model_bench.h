/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Model and policy on a bench: settings from text, cgroups by path, and a clock that
 * only moves when a test moves it (field report 32: time is an argument).
 */
#ifndef PCR_TEST_MODEL_BENCH_H
#define PCR_TEST_MODEL_BENCH_H

#include "unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "conf/conf.h"
#include "model/internal.h"
#include "model/model.h"
#include "model/tree.h"
#include "policy/policy.h"

/* Some uptime: 0 means "never" everywhere. */
#define T0 (1000 * PCR_SEC)
#define NONE PCR_ABSENT

static struct {
	struct pcr_state st;
	struct pcr_settings *set;
	u64 now;
	u64 next_id;
	struct pcr_record rec;		/* of the last action that ended */
} bench;

static inline struct pcr_settings *bench_settings(const char *text)
{
	struct pcr_conf_report report = { 0 };
	struct pcr_settings *set = NULL;
	int r = pcr_conf_parse_text("bench.conf", text, strlen(text), &set, &report);
	char *said = pcr_conf_report_text(&report);

	ck_assert_msg(r == 0, "%s: %s", text, said ? said : "?");
	free(said);
	pcr_conf_report_done(&report);
	return set;
}

static inline void bench_open(const char *settings)
{
	bench.set = bench_settings(settings);
	ck_assert_int_eq(pcr_state_init(&bench.st, 1), 0);
	bench.st.reap_knob = true;
	bench.now = T0;
	bench.next_id = 2;
}

static inline void bench_close(void)
{
	pcr_state_clear(&bench.st);
	pcr_settings_free(bench.set);
	bench.set = NULL;
}

static inline void bench_reload(const char *settings)
{
	struct pcr_settings *old = bench.set;

	bench.set = bench_settings(settings);
	pcr_state_rematch_start(&bench.st);
	while (pcr_state_rematch_next(&bench.st, bench.set) == PCR_PART)
		;
	pcr_settings_free(old);
}

/* The cgroup of that path, made with its parents where it is not there. */
static inline struct pcr_node *cg(const char *path)
{
	struct pcr_node *node = bench.st.tree.root, *child;

	while (*path) {
		size_t n = strcspn(path, "/");

		child = pcr_tree_child(&bench.st.tree, node, path, n);
		if (!child)
			ck_assert_int_eq(pcr_state_made(&bench.st, bench.set, node, bench.next_id++,
							path, n, bench.now, &child),
					 0);
		node = child;
		path += n + (path[n] == '/');
	}
	return node;
}

static inline void sample(struct pcr_node *node, struct pcr_reap_sample s)
{
	ck_assert_int_eq(pcr_state_reap_sample(&bench.st, bench.set, node, &s, bench.now), 0);
}

/* Dying cgroups alone: nothing else was sampled. */
static inline struct pcr_reap *dying(struct pcr_node *node, u64 n)
{
	struct pcr_reap_sample s;

	memset(&s, 0xff, sizeof(s));	/* all figures are PCR_ABSENT */
	s.dying = n;
	sample(node, s);
	return node->reap;
}

static inline struct pcr_decision decide(const struct pcr_node *node)
{
	struct pcr_decision d;

	pcr_policy_reap(&bench.st, bench.set, node, bench.now, &d);
	return d;
}

/* What policy wants is started; it must want it. */
static inline struct pcr_decision go(const struct pcr_node *node)
{
	struct pcr_decision d = decide(node);

	ck_assert_msg(d.act, "held: %s", pcr_reason_name(d.why));
	pcr_state_started(&bench.st, bench.set, &d, bench.now);
	return d;
}

static inline bool outcome(const struct pcr_outcome *o)
{
	memset(&bench.rec, 0xee, sizeof(bench.rec));
	return pcr_state_outcome(&bench.st, bench.set, o, bench.now, &bench.rec);
}

static inline bool reaped(const struct pcr_node *node, u64 freed)
{
	return outcome(&(struct pcr_outcome){
		.action = PCR_ACT_REAP, .target = node->id, .asked = node->reap->step_bytes,
		.freed_bytes = freed, .took_usec = 5000,
	});
}

/* A step with its look afterwards: so many are left. True when that ended the series. */
static inline bool step(struct pcr_node *node, u64 freed, u64 left)
{
	go(node);
	if (reaped(node, freed))
		return true;
	bench.now = pcr_max_u64(bench.now, node->reap->sample_usec);
	node->reap->sample_usec = PCR_NEVER;	/* as the sampler does */
	dying(node, left);
	return pcr_state_settled(&bench.st, bench.set, node->reap, bench.now, &bench.rec);
}

/* Steps until it ends: each leaves as many as there were. */
static inline void fruitless_series(struct pcr_node *node)
{
	u64 left = node->reap->dying;

	for (int i = 0; i < 20; i++)
		if (step(node, 0, left))
			return;
	ck_abort_msg("a series without effect does not end");
}

#endif
