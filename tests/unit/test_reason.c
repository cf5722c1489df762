// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/policy/reason.c, sentence.c: names for machines, sentences for people (systemd
 * 32687, 32304, 20649).
 */
#include "unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "policy/policy.h"

#define NOW (1000 * PCR_SEC)
#define MIB (1ULL << 20)

/* systemd 43106, 42385: every value has a name, no two the same, and none is a digit. */
static void check_names(const char *(*name)(int), int n)
{
	for (int i = 0; i < n; i++) {
		ck_assert_ptr_nonnull(name(i));
		ck_assert_uint_gt(strlen(name(i)), 2);
		ck_assert_uint_eq(strspn(name(i), "abcdefghijklmnopqrstuvwxyz-"), strlen(name(i)));
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(name(i), name(j));
	}
	ck_assert_str_eq(name(n), "?");
	ck_assert_str_eq(name(-1), "?");
}

static const char *action(int i)
{
	return pcr_action_name((enum pcr_action)i);
}

static const char *reason(int i)
{
	return pcr_reason_name((enum pcr_reason)i);
}

static const char *stop(int i)
{
	return pcr_stop_name((enum pcr_stop)i);
}

START_TEST(names)
{
	check_names(action, _PCR_ACT_MAX);
	check_names(reason, _PCR_WHY_MAX);
	check_names(stop, _PCR_STOP_MAX);
	for (int i = 0; i < _PCR_STOP_MAX; i++)
		ck_assert_str_ne(pcr_stop_text((enum pcr_stop)i), "?");
	ck_assert_str_eq(pcr_stop_text(_PCR_STOP_MAX), "?");
}
END_TEST

START_TEST(decisions)
{
	static const struct {
		struct pcr_decision d;
		const char *text;
	} cases[] = {
		{{PCR_ACT_REAP, .why = PCR_WHY_ABOVE, .act = true,
		  .evidence = {1204, 20, 0, PCR_NEVER}},
		 "dying 1,204 ≥ 20"},
		{{PCR_ACT_TRIM, .why = PCR_WHY_ABOVE, .act = true,
		  .evidence = {3 * MIB, MIB, 0, PCR_NEVER}},
		 "surplus 3 MiB ≥ 1 MiB"},
		{{PCR_ACT_TRIM, .why = PCR_WHY_AFTER_DEATHS, .act = true,
		  .evidence = {1500, 1000, 0, PCR_NEVER}},
		 "removals 1,500 ≥ 1,000"},
		{{PCR_ACT_TRIM, .why = PCR_WHY_AFTER_REAP, .act = true,
		  .evidence = {8192, 1, 0, PCR_NEVER}},
		 "a reap ended, surplus 8 KiB"},
		{{PCR_ACT_REAP, .why = PCR_WHY_AGE, .act = true,
		  .evidence = {12 * PCR_SEC, 10 * PCR_SEC, 0, PCR_NEVER}},
		 "dying for 12 s ≥ 10 s"},
		{{PCR_ACT_REAP, .why = PCR_WHY_PRESSURE, .act = true,
		  .evidence = {5, 1, 0, PCR_NEVER}},
		 "memory pressure, dying 5"},
		{{PCR_ACT_TRIM, .why = PCR_WHY_PRESSURE, .act = true,
		  .evidence = {8192, 1, 0, PCR_NEVER}},
		 "memory pressure, surplus 8 KiB"},
		{{PCR_ACT_REAP, .why = PCR_WHY_CONTINUE, .act = true,
		  .evidence = {980, 0, 0, PCR_NEVER}},
		 "the last step helped, dying 980"},
		{{PCR_ACT_SET, .why = PCR_WHY_SETTING, .act = true, .wanted = {4, 32, 0, PCR_NEVER},
		  .setting = PCR_SETTING_HIGH},
		 "the settings want empty_pages_high 32"},
		{{PCR_ACT_SET, .why = PCR_WHY_PRESSURE, .act = true, .pressed = true,
		  .wanted = {8, 4, 0, PCR_NEVER}, .setting = PCR_SETTING_LOW},
		 "the settings want empty_pages_low 4 under memory pressure"},
		{{PCR_ACT_SET, .why = PCR_WHY_RESTORE, .act = true, .wanted = {8, 25, 0, PCR_NEVER},
		  .setting = PCR_SETTING_PERCENT},
		 "reclaim_min_percent 25 again, as it was found"},
		{{PCR_ACT_SET, .why = PCR_WHY_NOTHING, .pressed = true, .wanted = {4, 4, 0, PCR_NEVER},
		  .evidence = {.until_usec = NOW + PCR_MIN}},
		 "empty_pages_low is 4, as the settings want it under memory pressure, 1 min left"},
		{{PCR_ACT_SET, .why = PCR_WHY_NO_KNOB, .evidence = {.until_usec = PCR_NEVER}},
		 "kernel has no /sys/kernel/mm/percpu/empty_pages_low"},
		{{PCR_ACT_SET, .why = PCR_WHY_ORDER, .evidence = {.until_usec = PCR_NEVER}},
		 "the other end of the float moves before empty_pages_low"},
		{{PCR_ACT_REAP, .why = PCR_WHY_BELOW, .evidence = {12, 100, 0, NOW + 8 * PCR_SEC}},
		 "dying 12 < 100, 8 s left"},
		{{PCR_ACT_REAP, .why = PCR_WHY_BELOW, .evidence = {12, 100, 0, PCR_NEVER}},
		 "dying 12 < 100"},
		{{PCR_ACT_REAP, .why = PCR_WHY_BUDGET,
		  .evidence = {MIB, 2 * MIB, 0, NOW + PCR_MIN}},
		 "budget 1 MiB < 2 MiB, 1 min left"},
		{{PCR_ACT_REAP, .why = PCR_WHY_COOLDOWN, .evidence = {0, 0, 0, NOW + 1}},
		 "cooldown, 1 us left"},
		/* Over by the time it is said: no time left is no time to tell. */
		{{PCR_ACT_REAP, .why = PCR_WHY_COOLDOWN, .evidence = {0, 0, 0, NOW}}, "cooldown"},
		{{PCR_ACT_SET, .why = PCR_WHY_FOREIGN, .wanted = {16, 32, 0, PCR_NEVER}},
		 "another program set empty_pages_low to 16: left alone"},
		/* systemd 36434: not sampled is a dash, never 0. */
		{{PCR_ACT_TRIM, .why = PCR_WHY_BELOW, .evidence = {PCR_ABSENT, MIB, 0, PCR_NEVER}},
		 "surplus – < 1 MiB"},
		{{PCR_ACT_TRIM, .why = PCR_WHY_FEW_DEATHS, .evidence = {999, 1000, 0, PCR_NEVER}},
		 "removals 999 < 1,000"},
		{{PCR_ACT_TRIM, .why = PCR_WHY_NOT_YET, .evidence = {2000, 1000, 0, PCR_NEVER}},
		 "waits for the end of a reap, with nothing left dying and no memory pressure"},
		{{PCR_ACT_REAP, .why = PCR_WHY_NOTHING}, "nothing to do"},
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		char buf[160];

		ck_assert_str_eq(pcr_decision_text(buf, sizeof(buf), &cases[i].d, NOW),
				 cases[i].text);
	}
}
END_TEST

START_TEST(every_reason_has_a_sentence_that_fits)
{
	for (int a = PCR_ACT_REAP; a < _PCR_ACT_MAX; a++)
		for (int why = 0; why < _PCR_WHY_MAX; why++) {
			struct pcr_decision d = {
				.action = (enum pcr_action)a, .why = (enum pcr_reason)why,
				.amount = UINT64_MAX - 1,
				.evidence = { UINT64_MAX - 1, UINT64_MAX - 1, 0, PCR_NEVER - 1 },
			};
			char buf[160], small[8];

			pcr_decision_text(buf, sizeof(buf), &d, NOW);
			ck_assert_uint_lt(strlen(buf), sizeof(buf) - 1);
			ck_assert_uint_gt(strlen(buf), 3);
			pcr_decision_text(small, sizeof(small), &d, NOW);
			ck_assert_uint_lt(strlen(small), sizeof(small));
		}
}
END_TEST

/* oomd 26: the outcome is what is logged, with its errno, not the intent. */
START_TEST(records)
{
	static const struct {
		struct pcr_record r;
		const char *text;
	} cases[] = {
		{{.action = PCR_ACT_REAP,
		  .stop = PCR_STOP_NO_SWAP,
		  .before = 1204,
		  .after = 224,
		  .freed_bytes = 48 * MIB,
		  .took_usec = 900 * PCR_MSEC,
		  .policy = "ci",
		  .path = "machine.slice/ci"},
		 "reap /machine.slice/ci: 980 of 1,204 removed cgroups gone, 48 MiB freed in 900 "
		 "ms (policy ci); "
		 "224 stay: held by tmpfs files and there is no swap"},
		{{.action = PCR_ACT_REAP,
		  .stop = PCR_STOP_DONE,
		  .before = 5,
		  .after = 0,
		  .freed_bytes = PCR_ABSENT,
		  .took_usec = 5 * PCR_MSEC,
		  .path = ""},
		 "reap /: 5 of 5 removed cgroups gone, took 5 ms"},
		{{.action = PCR_ACT_REAP,
		  .stop = PCR_STOP_ERROR,
		  .err = EROFS,
		  .before = 5,
		  .after = 5,
		  .freed_bytes = 0,
		  .took_usec = 10,
		  .path = "ci"},
		 "reap /ci: 0 of 5 removed cgroups gone, 0 B freed in 10 us; 5 stay: the kernel "
		 "refused: EROFS"},
		{{.action = PCR_ACT_REAP,
		  .stop = PCR_STOP_GONE,
		  .before = PCR_ABSENT,
		  .after = PCR_ABSENT,
		  .freed_bytes = PCR_ABSENT,
		  .took_usec = 10,
		  .path = "ci"},
		 "reap /ci: took 10 us; the cgroup vanished"},
		/* More died than went: that is not a huge number of them gone. */
		{{.action = PCR_ACT_REAP,
		  .stop = PCR_STOP_NO_PROGRESS,
		  .before = 5,
		  .after = 9,
		  .freed_bytes = 0,
		  .took_usec = 10,
		  .path = "ci"},
		 "reap /ci: 0 of 5 removed cgroups gone, 0 B freed in 10 us; 9 stay: the last "
		 "steps freed nothing"},
		{{.action = PCR_ACT_REAP,
		  .stop = PCR_STOP_DRY_RUN,
		  .dry_run = true,
		  .asked = MIB,
		  .before = 120,
		  .after = 120,
		  .freed_bytes = PCR_ABSENT,
		  .path = "ci",
		  .policy = "ci"},
		 "reap /ci: would reclaim for 120 removed cgroups, 1 MiB first (policy ci)"},
		{{.action = PCR_ACT_TRIM,
		  .stop = PCR_STOP_DONE,
		  .freed_bytes = MIB,
		  .took_usec = PCR_MSEC},
		 "trim percpu: 1 MiB freed in 1 ms"},
		{{.action = PCR_ACT_TRIM,
		  .stop = PCR_STOP_NO_PROGRESS,
		  .freed_bytes = 0,
		  .took_usec = 5},
		 "trim percpu: 0 B freed in 5 us; the last steps freed nothing"},
		{{.action = PCR_ACT_TRIM, .stop = PCR_STOP_DRY_RUN, .dry_run = true, .value = MIB},
		 "trim percpu: would give back 1 MiB of empty pages"},
		{{.action = PCR_ACT_SET,
		  .stop = PCR_STOP_DONE,
		  .asked = 32,
		  .before = 0,
		  .path = "/k"},
		 "set /k: 32 instead of 0"},
		{{.action = PCR_ACT_SET,
		  .why = PCR_WHY_PRESSURE,
		  .stop = PCR_STOP_DONE,
		  .asked = 4,
		  .before = 8,
		  .path = "/k"},
		 "set /k: 4 instead of 8, for memory pressure"},
		{{.action = PCR_ACT_SET,
		  .why = PCR_WHY_RESTORE,
		  .stop = PCR_STOP_DONE,
		  .asked = 4,
		  .before = 8,
		  .path = "/k"},
		 "set /k: 4 instead of 8, as it was found"},
		{{.action = PCR_ACT_SET,
		  .stop = PCR_STOP_REFUSED,
		  .asked = 32,
		  .before = 4,
		  .path = "/k"},
		 "set /k: 32 instead of 4; the kernel took the value and shows another"},
		{{.action = PCR_ACT_SET,
		  .stop = PCR_STOP_ERROR,
		  .err = 4095,
		  .asked = 32,
		  .before = 4,
		  .path = "/k"},
		 "set /k: 32 instead of 4; the kernel refused: unknown error"},
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		char buf[320];

		ck_assert_str_eq(pcr_record_text(buf, sizeof(buf), &cases[i].r), cases[i].text);
	}
}
END_TEST

START_TEST(records_are_cut_not_overrun)
{
	struct pcr_record r = {
		.action = PCR_ACT_REAP,
		.stop = PCR_STOP_ERROR,
		.err = EINVAL,
		.before = UINT64_MAX - 1,
		.after = 1,
		.freed_bytes = UINT64_MAX - 1,
		.took_usec = UINT64_MAX - 1,
		.policy = "a-policy-of-just-31-bytes-named",
	};

	memset(r.path, 'p', sizeof(r.path) - 1);
	for (size_t size = 1; size < 400; size++) {
		char *buf = malloc(size);

		pcr_record_text(buf, size, &r);
		ck_assert_uint_lt(strlen(buf), size);
		free(buf);
	}
}
END_TEST

PCR_UNIT("reason", names, decisions, every_reason_has_a_sentence_that_fits, records,
	 records_are_cut_not_overrun)
