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

/* --- matching --- */

/* 1,024 policies of four globs each, of which none matches; %d is the policy's number. */
static struct pcr_settings *many_globs(const char *globs)
{
	struct pcr_conf_report report = { 0 };
	struct pcr_settings *set = NULL;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	for (int i = 0; f && i < 1024; i++) {
		fprintf(f, "[Policy p%d]\nMatch=", i);
		for (const char *c = globs; *c; c++) {
			if (*c == '#')
				fprintf(f, "%d", i);
			else
				fputc(*c, f);
		}
		fputc('\n', f);
	}
	if (!f || fclose(f) < 0 || pcr_conf_parse_text("many", text, n, &set, &report) < 0)
		give_up("many globs");
	pcr_conf_report_done(&report);
	free(text);
	return set;
}

static void many_cgroups(struct pcr_state *st, const struct pcr_settings *set)
{
	struct pcr_node *parent = NULL, *node;
	char name[64];

	if (pcr_state_init(st, 1) < 0)
		give_up("state");
	for (int i = 0; i < CGROUPS; i++) {
		bool slice = i % 100 == 0;
		int len = snprintf(name, sizeof(name), slice ? "kubepods-pod%d.slice" :
				   "cri-containerd-%032x.scope", i);

		if (pcr_state_made(st, set, slice ? st->tree.root : parent, (u64)i + 2, name,
				   (size_t)len, PCR_SEC, &node))
			give_up("a cgroup");
		if (slice)
			parent = node;
	}
}

static double rematch_msec(const char *globs, double *ret_longest)
{
	static struct pcr_state st;
	struct pcr_settings *none = many_globs("/x"), *set = many_globs(globs);
	double start, before, took, longest = 0;

	many_cgroups(&st, none);
	start = before = now_sec();
	pcr_state_rematch_start(&st);
	while (pcr_state_rematch_next(&st, set) == PCR_PART) {
		took = now_sec() - before;
		longest = took > longest ? took : longest;
		before += took;
	}
	took = now_sec() - start;
	pcr_state_clear(&st);
	pcr_settings_free(set);
	pcr_settings_free(none);
	*ret_longest = longest * 1e3;
	return took * 1e3;
}

void bench_match(const struct bench *b)
{
	double longest, anchored = rematch_msec("/kubepods-x#.slice/** /a#/* /b#/*.scope /c#",
						&longest);
	double free = rematch_msec("**/x#* **/y#*.scope **/*.z# **/w#", &longest);

	figure("match.ms_10000_cgroups_4096_globs", anchored, "ms");
	figure("match.ms_10000_cgroups_4096_unanchored", free, "ms");
	figure("match.longest_cgroup_ms", longest, "ms");
	bounded("match.unanchored_per_anchored", free / anchored, "times", 8,
		"names part by their last component");
}

void bench_settings(const struct bench *b)
{
	double few = load_msec(b, 100), many = load_msec(b, 1000);

	figure("settings.ms_100_policies", few, "ms");
	figure("settings.ms_1000_policies", many, "ms");
	/* Each policy is held against all before it (shadowing): a square, with a small factor. */
	figure("settings.per_policy_1000_per_100", many / few / 10, "times");
}
