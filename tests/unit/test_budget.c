// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/model/budget.c: so many bytes in any such span, never more, and not much less. */
#include "unit/model_bench.h"

#define MIB (1ULL << 20)

static struct pcr_rule rule;
static struct pcr_reap reap;

static void budget(u64 bytes, u64 span)
{
	rule = (struct pcr_rule){ .reap_budget_bytes = bytes, .reap_budget_usec = span };
}

static void fresh_budget(u64 bytes, u64 span)
{
	budget(bytes, span);
	memset(&reap, 0, sizeof(reap));
}

static void spend(u64 bytes, u64 now)
{
	pcr_reap_spend(&reap, &rule, bytes, now);
}

START_TEST(full_then_used_then_full)
{
	fresh_budget(256 * MIB, PCR_MIN);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0), 256 * MIB);
	ck_assert_uint_eq(pcr_reap_spent_until(&reap, &rule), 0);
	ck_assert_uint_le(pcr_reap_funded(&reap, &rule, 256 * MIB), T0);
	spend(16 * MIB, T0);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0), 240 * MIB);
	ck_assert_uint_le(pcr_reap_funded(&reap, &rule, 240 * MIB), T0);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, 240 * MIB + 1), T0 + PCR_MIN);
	spend(240 * MIB, T0 + 30 * PCR_SEC);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + 30 * PCR_SEC), 0);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, 1), T0 + PCR_MIN);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, 17 * MIB), T0 + 90 * PCR_SEC);
	/* The last moment of the span, and the first after it. */
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + PCR_MIN - 1), 0);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + PCR_MIN), 16 * MIB);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + 90 * PCR_SEC), 256 * MIB);
	ck_assert_uint_eq(pcr_reap_spent_until(&reap, &rule), T0 + 90 * PCR_SEC);
}
END_TEST

START_TEST(more_than_there_ever_is)
{
	fresh_budget(MIB, PCR_SEC);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, MIB + 1), PCR_NEVER);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, UINT64_MAX), PCR_NEVER);
	/* Somebody asked for it through the socket: paid back like anything else. */
	spend(UINT64_MAX, T0);
	spend(UINT64_MAX, T0);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0), 0);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, 1), T0 + PCR_SEC);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + PCR_SEC), MIB);
	fresh_budget(0, PCR_SEC);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0), 0);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, 1), PCR_NEVER);
}
END_TEST

START_TEST(extremes_do_not_wrap)
{
	u64 late = UINT64_MAX - 10;

	fresh_budget(UINT64_MAX - 1, UINT64_MAX - 1);
	spend(UINT64_MAX - 1, T0);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, late), 0);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, 1), PCR_NEVER);
	fresh_budget(UINT64_MAX - 1, 1);
	spend(UINT64_MAX - 1, late);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, late), 0);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, late + 1), UINT64_MAX - 1);
	ck_assert_uint_eq(pcr_reap_funded(&reap, &rule, UINT64_MAX - 1), late + 1);
}
END_TEST

/* What is remembered are times and bytes: another budget is held against them as well. */
START_TEST(settings_change_under_it)
{
	fresh_budget(256 * MIB, PCR_MIN);
	for (u64 i = 0; i < 100; i++)
		spend(MIB, T0 + i * 100 * PCR_MSEC);
	budget(64 * MIB, PCR_MIN);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + 10 * PCR_SEC), 0);
	budget(256 * MIB, PCR_HOUR);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + 2 * PCR_MIN), 156 * MIB);
	for (u64 i = 0; i < 156; i++)
		spend(MIB, T0 + 2 * PCR_MIN + i * PCR_SEC);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + 10 * PCR_MIN), 0);
	budget(256 * MIB, PCR_SEC);
	ck_assert_uint_eq(pcr_reap_tokens(&reap, &rule, T0 + 10 * PCR_MIN), 256 * MIB);
}
END_TEST

/* --- any span --- */

#define SPENDS 4000

static struct {
	u64 when, bytes;
} log_of[SPENDS];

static u64 seed;

static u64 roll(u64 below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 20) % below;
}

static void check_spans(u32 n)
{
	u64 sum = 0, total = 0;
	u32 first = 0;

	for (u32 i = 0; i < n; i++) {
		sum += log_of[i].bytes;
		total += log_of[i].bytes;
		while (log_of[first].when + rule.reap_budget_usec <= log_of[i].when)
			sum -= log_of[first++].bytes;
		ck_assert_uint_le(sum, rule.reap_budget_bytes);
	}
	/* Greedy in the long run: at least three quarters of what would be allowed. */
	ck_assert_uint_ge(total, rule.reap_budget_bytes / 4 * 3 *
			  ((log_of[n - 1].when - log_of[0].when) / rule.reap_budget_usec));
}

START_TEST(never_more_in_any_span)
{
	for (seed = 1; seed <= 20; seed++) {
		u64 saved = seed, now = T0, step;

		fresh_budget((1 + roll(1000)) * MIB, 100 * PCR_MSEC + roll(10 * PCR_SEC));
		for (u32 i = 0; i < SPENDS; i++) {
			step = 1 + roll(rule.reap_budget_bytes / 8);
			if (pcr_reap_tokens(&reap, &rule, now) < step) {
				u64 when = pcr_reap_funded(&reap, &rule, step);

				/* Not earlier than it is true, and true then. */
				ck_assert_uint_gt(when, now);
				ck_assert_uint_lt(pcr_reap_tokens(&reap, &rule, when - 1), step);
				now = when;
			}
			ck_assert_uint_ge(pcr_reap_tokens(&reap, &rule, now), step);
			spend(step, now);
			ck_assert_uint_le(reap.n_spent, PCR_SPENT_MAX);
			log_of[i].when = now;
			log_of[i].bytes = step;
			now += roll(rule.reap_budget_usec / 50);
		}
		check_spans(SPENDS);
		seed = saved;
	}
}
END_TEST

PCR_UNIT("budget", full_then_used_then_full, more_than_there_ever_is, extremes_do_not_wrap,
	 settings_change_under_it, never_more_in_any_span)
