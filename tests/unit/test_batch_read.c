// SPDX-License-Identifier: GPL-2.0-or-later
/* /sys/kernel/mm/batch_free as it may be: whole, in parts, not there; sets of CPUs. */
#include "unit/fakeroot.h"

#include "pcr/knobs.h"
#include "read/batch_free.h"

static struct pcr_cpus mask(const char *text)
{
	struct pcr_cpus cpus = { 0 };

	ck_assert_msg(pcr_cpumask_parse(text, strlen(text), &cpus) == 0, "%s", text);
	return cpus;
}

START_TEST(sets_of_cpus)
{
	static const char *const bad[] = { "", "\n", "g", "ff,", ",ff", "123456789", "f f", "-1", "0x3" };
	char big[PCR_CPUMASK_TEXT + 64], text[PCR_CPUMASK_TEXT];
	struct pcr_cpus cpus, both;

	ck_assert_uint_eq(mask("3\n").bit[0], 3);
	ck_assert(mask("3").any && !mask("0\n").any && !mask("00000000,00000000").any);
	ck_assert_uint_eq(mask("F0").bit[0], 0xf0);
	cpus = mask("00000001,80000000,0000000f\n");
	ck_assert_uint_eq(cpus.bit[0], 0x800000000000000fULL);
	ck_assert_uint_eq(cpus.bit[1], 1);
	ck_assert_uint_eq(pcr_cpus_count(&cpus), 6);
	ck_assert_str_eq(pcr_cpumask_text(&cpus, text), "1,80000000,0000000f");
	ck_assert_str_eq(pcr_cpumask_text(&(struct pcr_cpus){ 0 }, text), "0");
	for (size_t i = 0; i < PCR_ARRAY_SIZE(bad); i++)
		ck_assert_int_eq(pcr_cpumask_parse(bad[i], strlen(bad[i]), &cpus), -EINVAL);
	/* As many as there are, and more: those beyond are left out. */
	memset(&cpus, 0xff, sizeof(cpus));
	strcpy(big, "ffffffff,");
	strcat(big, pcr_cpumask_text(&cpus, text));
	cpus = mask(big);
	ck_assert_uint_eq(pcr_cpus_count(&cpus), PCR_CPUS_MAX);
	both = mask("0000000f,f0");
	both = pcr_cpus_both(&both, &cpus);
	ck_assert_uint_eq(both.bit[0], 0xf000000f0ULL);
	both = mask("f0");
	cpus = mask("f");
	both = pcr_cpus_both(&both, &cpus);
	ck_assert(!both.any);
}
END_TEST

START_TEST(nodes_by_their_names)
{
	u64 nodes = 7;

	fake_open();
	ck_assert_int_eq(pcr_read_batch_nodes(&fake.root, &nodes), PCR_NONE);
	ck_assert_uint_eq(nodes, 7);
	fake_dir("/sys/kernel/mm/batch_free/node0");
	fake_dir("/sys/kernel/mm/batch_free/node63");
	fake_dir("/sys/kernel/mm/batch_free/node64");
	fake_dir("/sys/kernel/mm/batch_free/node");
	fake_dir("/sys/kernel/mm/batch_free/node1x");
	fake_file(PCR_BATCH_ENABLED, "0\n");
	ck_assert_int_eq(pcr_read_batch_nodes(&fake.root, &nodes), 0);
	ck_assert_uint_eq(nodes, 1 | 1ULL << 63);
	fake_close();
}
END_TEST

/* Field report 24: what is missing is absent, and the rest is there. */
START_TEST(one_node)
{
	struct pcr_batch_sample s;

	fake_open();
	fake_file(PCR_BATCH_DIR "node1/exit_pages", "123\n");
	fake_file(PCR_BATCH_DIR "node1/exit_usec", "rubbish\n");
	fake_file(PCR_BATCH_QUEUE "1/max_active", "2\n");
	pcr_read_batch_node(&fake.root, 1, &s);
	ck_assert_uint_eq(s.exit_pages, 123);
	ck_assert_uint_eq(s.exit_usec, PCR_ABSENT);
	ck_assert_uint_eq(s.local_pages, PCR_ABSENT);
	ck_assert_uint_eq(s.max_active, 2);
	ck_assert_uint_eq(s.cpus, PCR_ABSENT);
	/* Those that both the queue and the node have. */
	fake_file("/sys/devices/system/node/node1/cpumap", "000000f0\n");
	pcr_read_batch_node(&fake.root, 1, &s);
	ck_assert_uint_eq(s.cpus, 4);
	fake_file(PCR_BATCH_QUEUE "1/cpumask", "00000033\n");
	pcr_read_batch_node(&fake.root, 1, &s);
	ck_assert_uint_eq(s.cpus, 2);
	/* A node without CPUs: those of its neighbour, as the queue has it. */
	fake_file("/sys/devices/system/node/node1/cpumap", "00000000\n");
	pcr_read_batch_node(&fake.root, 1, &s);
	ck_assert_uint_eq(s.cpus, 4);
	/* Nothing exited since: what costs more is not looked at again. */
	fake_file("/sys/devices/system/node/node1/cpumap", "00000001\n");
	fake_file(PCR_BATCH_QUEUE "1/max_active", "9\n");
	ck_assert(!pcr_read_batch_again(&fake.root, 1, &s));
	ck_assert_uint_eq(s.max_active, 9);
	ck_assert_uint_eq(s.cpus, 4);
	fake_file(PCR_BATCH_DIR "node1/exit_pages", "124\n");
	ck_assert(pcr_read_batch_again(&fake.root, 1, &s));
	ck_assert_uint_eq(s.cpus, 1);
	fake_close();
}
END_TEST

PCR_UNIT("batch read", sets_of_cpus, nodes_by_their_names, one_node)
