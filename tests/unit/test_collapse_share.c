// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/policy/collapse.c: how a budget is shared out. */
#include "unit/unit.h"

#include "policy/policy.h"

#define MIB (1ULL << 20)
#define PCR_MAX_TEST (UINT64_MAX - 1)

static u64 total(const u64 *share, u32 n)
{
	u64 sum = 0;

	for (u32 i = 0; i < n; i++)
		sum += share[i];
	return sum;
}

START_TEST(by_weight_with_a_floor)
{
	const u64 weight[3] = { 600, 300, 0 }, cap[3] = { PCR_NEVER, PCR_NEVER, PCR_NEVER };
	u64 share[3];

	ck_assert_uint_eq(pcr_collapse_fill(64 * MIB, 3, weight, cap, share), total(share, 3));
	/* an eighth is for both alike, the rest by weight */
	ck_assert_uint_eq(share[0], 4 * MIB + 56 * MIB * 600 / 900);
	ck_assert_uint_eq(share[1], 4 * MIB + 56 * MIB * 300 / 900);
	ck_assert_uint_eq(share[2], 0);
}
END_TEST

START_TEST(what_one_cannot_take_goes_to_the_others)
{
	const u64 weight[3] = { 1000, 1, 1 }, cap[3] = { 8 * MIB, PCR_NEVER, 3 * MIB };
	u64 share[3];

	ck_assert_uint_ge(pcr_collapse_fill(64 * MIB, 3, weight, cap, share), 64 * MIB - 3);
	ck_assert_uint_eq(share[0], 8 * MIB);
	ck_assert_uint_eq(share[2], 3 * MIB);
	ck_assert_uint_ge(share[1], 53 * MIB - 3);
}
END_TEST

START_TEST(nobody_starves)
{
	u64 weight[PCR_TASKS_MAX], cap[PCR_TASKS_MAX], share[PCR_TASKS_MAX];

	for (u32 i = 0; i < PCR_TASKS_MAX; i++) {
		weight[i] = i ? 1 : 1ULL << 50;
		cap[i] = PCR_NEVER;
	}
	ck_assert_uint_le(pcr_collapse_fill(64 * MIB, PCR_TASKS_MAX, weight, cap, share), 64 * MIB);
	for (u32 i = 0; i < PCR_TASKS_MAX; i++)
		ck_assert_uint_ge(share[i], 64 * MIB / 8 / PCR_TASKS_MAX);
}
END_TEST

START_TEST(nothing_for_nobody)
{
	const u64 none[2] = { 0, 0 }, cap[2] = { 0, 0 };
	u64 share[2] = { 7, 7 };

	ck_assert_uint_eq(pcr_collapse_fill(64 * MIB, 0, none, cap, share), 0);
	ck_assert_uint_eq(pcr_collapse_fill(64 * MIB, 2, none, cap, share), 0);
	ck_assert_uint_eq(total(share, 2), 0);
	ck_assert_uint_eq(pcr_collapse_fill(0, 2, (const u64[]){ 1, 2 },
					    (const u64[]){ PCR_NEVER, PCR_NEVER }, share), 0);
}
END_TEST

/* What holds whatever the figures: never too much, nobody beyond a cap, little left over. */
START_TEST(any_figures)
{
	u64 weight[64], cap[64], share[64], budget, given, room;

	srandom(1);
	for (u32 round = 0; round < 20000; round++) {
		u32 n = (u32)random() % 64;
		bool any = false;

		budget = (u64)random() << (random() % 20);
		room = 0;
		for (u32 i = 0; i < n; i++) {
			weight[i] = random() % 4 ? (u64)random() << (random() % 28) : 0;
			cap[i] = random() % 3 ? (u64)random() << (random() % 20) :
				 random() % 2 ? PCR_NEVER : 0;
			any |= weight[i] && cap[i];
			if (weight[i])
				room = pcr_add_u64(room, cap[i]);
		}
		given = pcr_collapse_fill(budget, n, weight, cap, share);
		ck_assert_uint_eq(given, total(share, n));
		ck_assert_uint_le(given, budget);
		for (u32 i = 0; i < n; i++)
			ck_assert(share[i] <= cap[i] && (weight[i] || !share[i]));
		if (any)
			ck_assert_uint_ge(given + n, pcr_min_u64(budget, room));
	}
}
END_TEST

static struct pcr_task task_of(u64 anon, u64 huge)
{
	return (struct pcr_task){ .anon_bytes = anon, .huge_bytes = huge, .running = true };
}

START_TEST(weight_follows_what_it_brings)
{
	struct pcr_task much = task_of(1024 * MIB, 0), little = task_of(16 * MIB, 0), other = much;
	u64 now = PCR_HOUR, w = pcr_collapse_weight(&much, now);

	ck_assert_uint_gt(w, 30 * pcr_collapse_weight(&little, now));
	other.running = false;
	ck_assert_uint_gt(w, 3 * pcr_collapse_weight(&other, now));
	other = much;
	other.scanned_bytes = 1024 * MIB;	/* in vain */
	ck_assert_uint_gt(w, 10 * pcr_collapse_weight(&other, now));
	other.made_bytes = 1024 * MIB;
	ck_assert_uint_eq(w, pcr_collapse_weight(&other, now));
	other = much;
	other.born_usec = now;
	ck_assert_uint_gt(w, 10 * pcr_collapse_weight(&other, now));
	little = task_of(0, 0);
	ck_assert_uint_ge(pcr_collapse_weight(&little, now), 1);
	/* figures that no machine has overflow nothing */
	other = task_of(PCR_MAX_TEST, 0);
	other.made_bytes = other.scanned_bytes = PCR_MAX_TEST / 2;
	ck_assert_uint_lt(pcr_collapse_weight(&other, now), 1ULL << 52);
}
END_TEST

PCR_UNIT("collapse_share", by_weight_with_a_floor, what_one_cannot_take_goes_to_the_others,
	 nobody_starves, nothing_for_nobody, any_figures, weight_follows_what_it_brings)
