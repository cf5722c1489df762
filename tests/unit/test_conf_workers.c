// SPDX-License-Identifier: GPL-2.0-or-later
/* [BatchFree] and [BatchFree nodeN]: limits, nice values, CPUs, and what a node inherits. */
#include "unit/test_conf.h"

#include "model/model.h"

static const struct pcr_workers *node(const struct loaded *l, u32 number)
{
	return pcr_node_workers(l->s, number);
}

START_TEST(neutral_until_asked)
{
	struct loaded l = load_text("");

	ck_assert(!l.s->batch.enabled);
	ck_assert_uint_eq(l.s->batch.workers.max_active, 0);
	ck_assert_int_eq(l.s->batch.workers.nice, PCR_NICE_KEEP);
	ck_assert(!l.s->batch.workers.cpus.any);
	ck_assert_uint_eq(l.s->batch.pause_bp, 6000);
	ck_assert(l.s->rule.batch_free);
	unload(&l);
}
END_TEST

START_TEST(a_node_inherits_what_it_does_not_say)
{
	struct loaded l = load_text("[BatchFree node1]\nMaxActive=4\n"
				    "[BatchFree]\nEnabled=yes\nMaxActive=8\nWorkerNice=-5\n"
				    "WorkerCPUs=0-3,9,1000\n"
				    "[BatchFree node63]\nWorkerNice=keep\nWorkerCPUs=2\n"
				    "[BatchFree node1]\nMaxActive=auto\n"
				    "[BatchFree node2]\nMaxActive=4\nMaxActive=\n");

	ck_assert_uint_eq(l.s->n_nodes, 3);
	ck_assert_uint_eq(node(&l, 0)->max_active, 8);
	ck_assert_uint_eq(node(&l, 1)->max_active, 0);
	ck_assert_int_eq(node(&l, 1)->nice, -5);
	ck_assert_uint_eq(node(&l, 1)->cpus.bit[0], 0x20f);
	ck_assert_uint_eq(node(&l, 2)->max_active, 8);
	ck_assert_uint_eq(node(&l, 63)->max_active, 8);
	ck_assert_int_eq(node(&l, 63)->nice, PCR_NICE_KEEP);
	ck_assert_uint_eq(node(&l, 63)->cpus.bit[0], 4);
	ck_assert_uint_eq(node(&l, 63)->cpus.bit[1000 / 64], 0);
	ck_assert_uint_eq(l.s->nodes[0].origin[pcr_key_index("BatchFree", "MaxActive")].line, 12);
	VALUE_IS(l.s, -1, "BatchFree", "WorkerCPUs", "0-3,9,1000");
	VALUE_IS(l.s, -1, "BatchFree", "WorkerNice", "-5");
	VALUE_IS(l.s, -1, "BatchFree", "MaxActive", "8");
	unload(&l);
}
END_TEST

START_TEST(what_is_refused)
{
	refused("[BatchFree]\nMaxActive=0\n", "f:2:11: MaxActive=0: must be auto, or 1 to 512");
	refused("[BatchFree]\nMaxActive=513\n", "f:2:11: MaxActive=513: must be auto, or 1 to 512");
	refused("[BatchFree]\nMaxActive=atuo\n",
		"f:2:11: MaxActive=atuo: must be auto, or 1 to 512; did you mean auto?");
	refused("[BatchFree]\nWorkerNice=20\n", "f:2:12: WorkerNice=20: must be keep, or -20 to 19");
	refused("[BatchFree]\nWorkerNice=-21\n", "f:2:12: WorkerNice=-21: must be keep, or -20 to 19");
	refused("[BatchFree]\nWorkerNice=-\n", "f:2:12: WorkerNice=-: must be keep, or -20 to 19");
	refused("[BatchFree]\nWorkerCPUs=0-3,x\n",
		"f:2:16: WorkerCPUs=0-3,x: must be keep, or a list of CPUs up to 1023");
	refused("[BatchFree]\nWorkerCPUs=3-1\n",
		"f:2:12: WorkerCPUs=3-1: must be keep, or a list of CPUs up to 1023");
	refused("[BatchFree]\nWorkerCPUs=1024\n",
		"f:2:12: WorkerCPUs=1024: must be keep, or a list of CPUs up to 1023");
	refused("[BatchFree]\nWorkerCPUs=1,\n",
		"f:2:14: WorkerCPUs=1,: must be keep, or a list of CPUs up to 1023");
	refused("[BatchFree]\nEnabled=yes\n[BatchFree node1]\nMinRSS=1G\n",
		"f:4:1: MinRSS=1G: not a key of [BatchFree node1]: it belongs in [BatchFree]");
	refused("[BatchFree]\nEnabled=yes\n[BatchFree node1]\nMaxAktive=1\n",
		"f:4:1: MaxAktive=1: unknown key in [BatchFree node1]; did you mean MaxActive?");
	refused("[BatchFree 1]\n", "f:1:1: [BatchFree 1]: which node? [BatchFree node1]");
	refused("[BatchFree node]\n", "f:1:1: [BatchFree node]: which node? [BatchFree node1]");
	refused("[BatchFree node64]\n", "f:1:1: [BatchFree node64]: nodes 0 to 63 are managed");
	refused("[BatchFree]\nBatchFree=no\n",
		"f:2:1: BatchFree=no: not a key of [BatchFree]: it belongs in [Policy NAME]");
}
END_TEST

START_TEST(of_no_use_while_it_is_off)
{
	struct loaded l = load_text("[BatchFree node1]\nMaxActive=4\n");

	ck_assert_str_eq(l.text, "f:1:1: warning: [BatchFree node1] is of no use with Enabled=no\n"
				 "0 errors, 1 warning");
	unload(&l);
}
END_TEST

START_TEST(a_policy_may_say_no)
{
	struct loaded l = load_text("[Policy a]\nMatch=/a\nBatchFree=no\n[Policy b]\nMatch=/b\n");

	ck_assert(!l.s->policies[0].rule.batch_free);
	ck_assert(l.s->policies[1].rule.batch_free);
	unload(&l);
}
END_TEST

PCR_UNIT("conf workers", neutral_until_asked, a_node_inherits_what_it_does_not_say,
	 what_is_refused, of_no_use_while_it_is_off, a_policy_may_say_no)
