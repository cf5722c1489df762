// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/slabinfo.c: what half-used slabs of cgroups' caches hold that nobody uses. */
#include "unit/fakeroot.h"

#include "base/parse.h"
#include "read/slabinfo.h"

#define HEAD \
	"slabinfo - version: 2.1\n" \
	"# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>\n"
#define REST " : tunables    0    0    0 : slabdata      1      1      0\n"

START_TEST(which_caches_count)
{
	static const struct {
		const char *text;
		int r;
		u64 bytes;
	} cases[] = {
		{HEAD "kmalloc-4k  100  108  4096  8  8" REST, 0, 8 * 4096},
		{HEAD "kmalloc-cg-1k  100  101  1024  8  8" REST "kmalloc-rnd-03-96 1 2 96 8 8" REST, 0,
		 1024 + 96},
		{HEAD "kernfs_node_cache  7  39  104  39  1" REST "task_group 1 2 640 8 8" REST, 0,
		 32 * 104 + 640},
		/* Reclaimable, of something else, or with such a name in it. */
		{HEAD "kmalloc-rcl-4k 0 8 4096 8 8" REST "dentry 0 8 192 8 8" REST
		      "dma-kmalloc-4k 0 8 4096 8 8" REST "task_group_x 0 8 640 8 8" REST, 0, 0},
		/* A moment between two counts may have more in use than there are. */
		{HEAD "kmalloc-4k  109  108  4096  8  8" REST, 0, 0},
		{HEAD "kmalloc-4k  x  108  4096" REST "kmalloc-4k  1 2" REST "kmalloc-8 1 2 8 8 8" REST,
		 0, 8},
		{HEAD, 0, 0},
		{HEAD "kmalloc-8 0 18446744073709551615 18446744073709551615 8 8" REST
		      "kmalloc-8 0 9 8 8 8" REST, 0, PCR_MAX},
		{"", -EINVAL, 77},
		{"kmalloc-4k  100  108  4096  8  8" REST, -EINVAL, 77},
		{"slabinfo - version: 3.0\n", -EINVAL, 77},
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		u64 bytes = 77;

		ck_assert_int_eq(pcr_slab_lost_parse(cases[i].text, strlen(cases[i].text), &bytes),
				 cases[i].r);
		ck_assert_uint_eq(bytes, cases[i].bytes);
	}
}
END_TEST

/* Kernels without SLUB_DEBUG have none; others show it to root alone. */
START_TEST(the_file)
{
	u64 bytes = 77;

	fake_open();
	ck_assert_int_eq(pcr_read_slab_lost(&fake.root, &bytes), PCR_NONE);
	fake_file("/proc/slabinfo", HEAD "kmalloc-4k  100  108  4096  8  8" REST);
	ck_assert_int_eq(pcr_read_slab_lost(&fake.root, &bytes), 0);
	ck_assert_uint_eq(bytes, 8 * 4096);
	fake_close();
}
END_TEST

PCR_UNIT("slabinfo", which_caches_count, the_file)
