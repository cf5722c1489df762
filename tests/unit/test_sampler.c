// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/loop/sampler_node.c: what is read of a cgroup, and whose dead they are. */
#include "unit/sampler_bed.h"

/*
 * cgroup.stat counts everything below: /a 10, of which /a/b 7, of which /a/b/c 2. Each
 * has what the living ones below it do not explain, whoever is asked first.
 */
START_TEST(each_has_its_own)
{
	static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(orders); i++) {
		struct pcr_node *node[3];

		open_bed("");
		node[0] = counts("a", 10);
		node[1] = counts("a/b", 7);
		node[2] = counts("a/b/c", 2);
		for (int k = 0; k < 3; k++)
			suspect(node[orders[i][k]]);
		run();
		ck_assert_uint_eq(own(node[0]), 3);
		ck_assert_uint_eq(own(node[1]), 5);
		ck_assert_uint_eq(own(node[2]), 2);
		close_bed();
	}
}
END_TEST

/* Those of /a/b went by themselves; the old figure must not hide the new dead of /a. */
START_TEST(an_old_figure_does_not_hide_new_dead)
{
	struct pcr_node *a, *b;

	open_bed("");
	a = counts("a", 50);
	b = counts("a/b", 50);
	suspect(a);
	suspect(b);
	run();
	ck_assert_uint_eq(own(b), 50);
	ck_assert_uint_eq(own(a), 0);
	bench.now += PCR_SEC;
	/* Both can't be true: 30 in all, 50 of them below. */
	counts("a/b", 0);
	counts("a", 30);
	suspect(a);
	run();
	ck_assert_uint_eq(own(a), 30);
	ck_assert_uint_eq(own(b), 0);
	/* Both could be true, but one of them is old. */
	counts("a/b", 20);
	counts("a", 50);
	suspect(b);
	run();
	bench.now += 2 * PCR_MIN;
	counts("a/b", 0);
	suspect(a);
	run();
	ck_assert_uint_eq(own(a), 50);
	close_bed();
}
END_TEST

START_TEST(the_first_look_sees_what_is_pinned)
{
	struct pcr_node *a;

	open_bed("");
	a = counts("a", 0);
	fake_file(CG_MOUNT "/a/memory.current", "1000000\n");
	fake_file(CG_MOUNT "/a/memory.stat", "shmem 400000\n");
	cg("a/x");
	cg("a/y");
	fake_file(CG_MOUNT "/a/x/memory.current", "300000\n");
	fake_file(CG_MOUNT "/a/x/memory.stat", "shmem 100000\n");
	fake_file(CG_MOUNT "/a/y/memory.current", "200000\n");
	fake_file(CG_MOUNT "/a/y/memory.stat", "shmem 0\n");
	suspect(a);
	run();
	ck_assert_ptr_null(a->reap);
	counts("a", 3);
	suspect(a);
	run();
	ck_assert_uint_eq(a->reap->pinned_bytes, 500000);
	ck_assert_uint_eq(a->reap->shmem_bytes, 300000);
	/* Not again at every look. */
	fake_file(CG_MOUNT "/a/memory.current", "2000000\n");
	suspect(a);
	run();
	ck_assert_uint_eq(a->reap->pinned_bytes, 500000);
	ck_assert_int_eq(pcr_sampler_node(&sampler, a, true, bench.now), 0);
	ck_assert_uint_eq(a->reap->pinned_bytes, 1500000);
	close_bed();
}
END_TEST

/* systemd 36434: what was too much to read is not known, and not what the living have too. */
START_TEST(too_many_children_to_read)
{
	struct pcr_node *a;

	open_bed("");
	a = counts("a", 3);
	fake_file(CG_MOUNT "/a/memory.current", "1000000\n");
	fake_file(CG_MOUNT "/a/memory.stat", "shmem 400000\n");
	for (int i = 0; i < 65; i++) {
		char path[16];

		snprintf(path, sizeof(path), "a/%d", i);
		cg(path);
	}
	suspect(a);
	run();
	ck_assert_uint_eq(own(a), 3);
	ck_assert_uint_eq(a->reap->pinned_bytes, PCR_ABSENT);
	ck_assert_uint_eq(a->reap->shmem_bytes, PCR_ABSENT);
	close_bed();
}
END_TEST

/* koordinator 2408: one that is gone is not read again and again until somebody tells. */
START_TEST(one_that_can_not_be_read)
{
	struct pcr_node *a;

	open_bed("");
	a = cg("a");
	suspect(a);
	run();
	ck_assert_ptr_nonnull(a->reap);
	ck_assert_uint_eq(a->reap->sample_usec, bench.now + PCR_MIN);
	ck_assert_uint_eq(pcr_sampler_due(&sampler), bench.now + PCR_MIN);
	/* The same for one whose file is empty. */
	fake_file(CG_MOUNT "/a/cgroup.stat", "");
	bench.now += PCR_MIN;
	run();
	ck_assert_uint_eq(a->reap->sample_usec, bench.now + PCR_MIN);
	close_bed();
}
END_TEST

/* cadvisor 1774: however many want a look, a turn takes a bounded number of them. */
START_TEST(a_bounded_number_at_a_time)
{
	u32 seen = 0, turns = 0;

	open_bed("");
	counts("", 200);
	for (int i = 0; i < 200; i++) {
		char path[16];

		snprintf(path, sizeof(path), i < 100 ? "s%d" : "deep/s%d", i);
		suspect(counts(path, 1));
	}
	while (pcr_sampler_due(&sampler) <= bench.now) {
		const struct pcr_list *pos;
		u32 deep = 0;

		run();
		turns++;
		seen = 0;
		pcr_list_for(pos, &bench.st.reaps) {
			const struct pcr_reap *r = pcr_container_of(pos, struct pcr_reap, link);

			seen += r->sampled_usec != 0;
			deep += r->sampled_usec != 0 && pcr_sampler_depth(r->node) == 2;
		}
		ck_assert_uint_le(seen, turns * PCR_SAMPLER_BUDGET);
		ck_assert(deep == seen || deep == 100);
	}
	ck_assert_uint_eq(seen, 200);
	ck_assert_uint_eq(turns, 4);
	close_bed();
}
END_TEST

PCR_UNIT("sampler", each_has_its_own, an_old_figure_does_not_hide_new_dead,
	 the_first_look_sees_what_is_pinned, too_many_children_to_read, one_that_can_not_be_read,
	 a_bounded_number_at_a_time)
