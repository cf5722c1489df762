// SPDX-License-Identifier: GPL-2.0-or-later
/* Rooms without system calls, measured from inside: policy and settings. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/conf.h"
#include "model/model.h"
#include "policy/policy.h"

/* --- policy --- */

static struct pcr_settings *defaults(const struct bench *b)
{
	struct pcr_conf_report report = { 0 };
	struct pcr_settings *set = NULL;

	if (pcr_conf_load(b->scratch, NULL, &set, &report) < 0)
		give_up("defaults");
	pcr_conf_report_done(&report);
	return set;
}

/* n living parents, each with some dying cgroups, none of them to be acted on yet. */
static void dying_parents(struct pcr_state *st, const struct pcr_settings *set, int n)
{
	const struct pcr_reap_sample sample = {
		.dying = 5, .pinned_bytes = 1 << 20, .shmem_bytes = 0, .residue_bytes = PCR_ABSENT,
		.refaults = 0, .stall_usec = 0,
	};
	struct pcr_node *node;
	char name[32];

	if (pcr_state_init(st, 1) < 0)
		give_up("state");
	for (int i = 0; i < n; i++) {
		int len = snprintf(name, sizeof(name), "parent%d", i);

		if (pcr_state_made(st, set, st->tree.root, (u64)i + 2, name, (size_t)len, PCR_SEC, &node) ||
		    pcr_state_reap_sample(st, set, node, &sample, PCR_SEC))
			give_up("a dying parent");
	}
}

/* Nanoseconds an evaluation takes for each parent. */
static double eval_nsec(const struct pcr_settings *set, int parents)
{
	static struct pcr_state st;
	struct pcr_plan plan;
	double best = 1e9;

	dying_parents(&st, set, parents);
	for (int round = 0; round < 7; round++) {
		int times = 2000000 / parents / 10;
		double start = now_sec(), took;

		for (int i = 0; i < times; i++)
			pcr_policy_eval(&st, set, 2 * PCR_SEC, &plan);
		took = (now_sec() - start) / times / parents * 1e9;
		best = took < best ? took : best;
	}
	pcr_state_clear(&st);
	return best;
}

void bench_policy(const struct bench *b)
{
	struct pcr_settings *set = defaults(b);
	double few = eval_nsec(set, 10), many = eval_nsec(set, 1000);

	figure("policy.ns_per_parent_10", few, "ns");
	figure("policy.ns_per_parent_1000", many, "ns");
	/* Caches make the larger one dearer; a square law would show as 100. */
	bounded("policy.per_parent_1000_per_10", many / few, "times", 8,
		"grows with what dies, not with its square");
	pcr_settings_free(set);
}

/* --- settings --- */

static double load_msec(const struct bench *b, int policies)
{
	struct pcr_conf_report report = { 0 };
	struct pcr_settings *set = NULL;
	char dir[400], path[500];
	double best = 1e9;
	FILE *f;

	snprintf(dir, sizeof(dir), "%.200s/conf%d", b->scratch, policies);
	snprintf(path, sizeof(path), "%s/pcpu-reclaimd.conf", dir);
	if (mkdir(dir, 0755) < 0 || !(f = fopen(path, "we")))
		give_up(dir);
	for (int i = 0; i < policies; i++)
		fprintf(f, "[Policy p%d]\nMatch=/machine.slice/vm-%d.scope/** /kubepods.slice/pod%d/*\n"
			   "ReapAbove=%d\nReapStep=8M\n\n", i, i, i, 10 + i);
	if (fclose(f) < 0)
		give_up(path);
	for (int round = 0; round < 5; round++) {
		double start = now_sec(), took;

		if (pcr_conf_load("", dir, &set, &report) < 0) {
			fprintf(stderr, "%s\n", pcr_conf_report_text(&report));
			give_up("settings");
		}
		took = (now_sec() - start) * 1e3;
		best = took < best ? took : best;
		pcr_settings_free(set);
		set = NULL;
		pcr_conf_report_done(&report);
	}
	return best;
}

void bench_settings(const struct bench *b)
{
	double few = load_msec(b, 100), many = load_msec(b, 1000);

	figure("settings.ms_100_policies", few, "ms");
	figure("settings.ms_1000_policies", many, "ms");
	/* Each policy is held against all before it (shadowing): a square, with a small factor. */
	figure("settings.per_policy_1000_per_100", many / few / 10, "times");
}
