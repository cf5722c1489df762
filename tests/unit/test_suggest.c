// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/base/suggest.c */
#include "unit/unit.h"

#include <string.h>

#include "base/suggest.h"

static const char *const keys[] = { "Reap",	"ReapAbove",   "ReapAfter", "ReapStep",
				    "Cooldown", "TrimCooldown", "DryRun",    "Trim" };

START_TEST(nearest_or_nothing)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "ReapAbov", "ReapAbove" },
		{ "ReapAboev", "ReapAbove" },		/* two letters swapped */
		{ "reapabove", "ReapAbove" },
		{ "REAPABOVE", "ReapAbove" },
		{ "CoolDown", "Cooldown" },
		{ "Dry_Run", "DryRun" },
		{ "dry-run", "DryRun" },
		{ "Reaps", "Reap" },
		{ "Trimm", "Trim" },
		{ "ReapAfte", "ReapAfter" },
		{ "Reap", "Reap" },
		{ "Fish", NULL },
		{ "x", NULL },
		{ "", NULL },
		{ "ReapAboveReapAboveReapAboveReapAboveReapAboveReapAbove", NULL },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		const char *got = pcr_suggest(cases[i].word, keys, PCR_ARRAY_SIZE(keys));

		ck_assert_msg(got == cases[i].want || (got && cases[i].want &&
						       strcmp(got, cases[i].want) == 0),
			      "%s: %s", cases[i].word, got ? got : "nothing");
	}
}
END_TEST

START_TEST(no_candidates)
{
	static const char *const one_letter[] = { "y" };

	ck_assert_ptr_null(pcr_suggest("Reap", keys, 0));
	ck_assert_ptr_null(pcr_suggest("x", one_letter, 1));
}
END_TEST

PCR_UNIT("suggest", nearest_or_nothing, no_candidates)
