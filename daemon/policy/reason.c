// SPDX-License-Identifier: GPL-2.0-or-later
/* Names for machines, of everything a decision can say. */
#include "policy/policy.h"

static const char *const action_names[_PCR_ACT_MAX] = {
	[PCR_ACT_NONE] = "none",
	[PCR_ACT_REAP] = "reap",
	[PCR_ACT_TRIM] = "trim",
	[PCR_ACT_COLLAPSE] = "collapse",
	[PCR_ACT_SET] = "set",
};

static const char *const reason_names[_PCR_WHY_MAX] = {
	[PCR_WHY_NOTHING] = "nothing-to-do",
	[PCR_WHY_ABOVE] = "above-threshold",
	[PCR_WHY_AGE] = "dying-too-long",
	[PCR_WHY_PRESSURE] = "memory-pressure",
	[PCR_WHY_CONTINUE] = "continues",
	[PCR_WHY_AFTER_REAP] = "after-reap",
	[PCR_WHY_AFTER_DEATHS] = "after-removals",
	[PCR_WHY_LATE] = "late-frees",
	[PCR_WHY_ASKED] = "asked",
	[PCR_WHY_SETTING] = "setting",
	[PCR_WHY_RESTORE] = "restore",
	[PCR_WHY_TRYING] = "trying",
	[PCR_WHY_SETTLED] = "settled",
	[PCR_WHY_NO_GAIN] = "no-gain",
	[PCR_WHY_CPU_PRESSURE] = "cpu-pressure",
	[PCR_WHY_ELIGIBLE] = "eligible",
	[PCR_WHY_OFF] = "off",
	[PCR_WHY_NO_KNOB] = "no-knob",
	[PCR_WHY_BELOW] = "below-threshold",
	[PCR_WHY_BUSY] = "busy",
	[PCR_WHY_COOLDOWN] = "cooldown",
	[PCR_WHY_BUDGET] = "budget",
	[PCR_WHY_BACKOFF] = "backoff",
	[PCR_WHY_SUSPENDED] = "suspended",
	[PCR_WHY_FOREIGN] = "foreign-value",
	[PCR_WHY_REFUSED] = "refused",
	[PCR_WHY_ORDER] = "other-first",
	[PCR_WHY_GUARDED] = "guarded",
	[PCR_WHY_SAID] = "dry-run-said",
	[PCR_WHY_FEW_DEATHS] = "few-removals",
	[PCR_WHY_NOT_YET] = "not-yet",
	[PCR_WHY_UNSEEN] = "not-looked-at",
	[PCR_WHY_PAUSED] = "paused",
	[PCR_WHY_NO_HUGE] = "no-free-huge-pages",
	[PCR_WHY_THP_NEVER] = "thp-never",
	[PCR_WHY_ALL_HUGE] = "all-huge",
};

static const struct {
	const char *name, *text;
} stops[_PCR_STOP_MAX] = {
	[PCR_STOP_NONE] = { "none", "under way" },
	[PCR_STOP_DONE] = { "done", "done" },
	[PCR_STOP_NO_PROGRESS] = { "no-progress", "the last steps freed nothing" },
	[PCR_STOP_NO_SWAP] = { "no-swap", "held by tmpfs files and there is no swap" },
	[PCR_STOP_BUDGET] = { "budget", "the budget is used up, it goes on later" },
	[PCR_STOP_REFAULT] = { "refault", "living cgroups read back what was reclaimed" },
	[PCR_STOP_STALL] = { "stall", "living cgroups stalled on memory" },
	[PCR_STOP_ERROR] = { "error", "the kernel refused" },
	[PCR_STOP_GONE] = { "gone", "the cgroup vanished" },
	[PCR_STOP_DRY_RUN] = { "dry-run", "dry run" },
	[PCR_STOP_OFF] = { "off", "switched off under way" },
	[PCR_STOP_REFUSED] = { "refused", "the kernel took the value and shows another" },
};

const char *pcr_action_name(enum pcr_action action)
{
	return action < _PCR_ACT_MAX ? action_names[action] : "?";
}

const char *pcr_reason_name(enum pcr_reason why)
{
	return why < _PCR_WHY_MAX ? reason_names[why] : "?";
}

const char *pcr_stop_name(enum pcr_stop stop)
{
	return stop < _PCR_STOP_MAX ? stops[stop].name : "?";
}

const char *pcr_stop_text(enum pcr_stop stop)
{
	return stop < _PCR_STOP_MAX ? stops[stop].text : "?";
}
