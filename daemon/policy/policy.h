/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings + state + now -> plan. Pure: the same function serves the daemon, the
 * plan and explain requests, scenario tests and the replay of a recorded trace.
 */
#ifndef PCR_POLICY_H
#define PCR_POLICY_H

#include "pcr/decision.h"
#include "pcr/settings.h"
#include "pcr/state.h"

void pcr_policy_eval(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
		     struct pcr_plan *ret_plan);
/*
 * The same for whoever makes one plan after another: of the reaps, only those are looked at
 * for which it may have changed, and the others' times are noted (model/agenda.h).
 */
void pcr_policy_replan(struct pcr_state *st, const struct pcr_settings *set, u64 now,
		       struct pcr_plan *ret_plan);

/* One target at a time: also says what holds an action back. */
void pcr_policy_reap(const struct pcr_state *st, const struct pcr_settings *set,
		     const struct pcr_node *node, u64 now, struct pcr_decision *ret_decision);
void pcr_policy_trim(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
		     struct pcr_decision *ret_decision);
void pcr_policy_setting(const struct pcr_state *st, const struct pcr_settings *set,
			u32 which, u64 now, struct pcr_decision *ret_decision);

/* Does anything ask for huge pages at all? Without it no task is ever looked at. */
bool pcr_policy_collapses(const struct pcr_settings *set);
/* One task: whether it is worked on now. */
void pcr_policy_collapse(const struct pcr_state *st, const struct pcr_settings *set,
			 const struct pcr_task *task, u64 now, struct pcr_decision *ret_decision);
/* Of all of them, in the order of the state: bytes to be looked at, a second. */
void pcr_policy_collapse_shares(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
				u64 *ret_shares);
/*
 * Shares budget out by weight, nobody beyond its cap; weight 0: gets nothing. Who has a
 * weight gets a part of an even floor. What somebody can't take goes to the others.
 * Returns what was given.
 */
u64 pcr_collapse_fill(u64 budget, u32 n, const u64 *weight, const u64 *cap, u64 *ret_share);
/* What looking at a task's memory is expected to bring; never 0. */
u64 pcr_collapse_weight(const struct pcr_task *task, u64 now);
/* Bytes of it that are not huge, where that is worth anything; else 0. */
u64 pcr_collapse_worth(const struct pcr_task *task, const struct pcr_thp *thp);
/* The rule that a task's cgroup has. */
const struct pcr_rule *pcr_task_rule(const struct pcr_settings *set, const struct pcr_task *task);

/* Percpu memory and what it takes to keep book on it, going on as it does. */
struct pcr_forecast {
	u64 bytes;		/* what it comes to, peaks aside */
	u64 slope_bytes_hour;
	u64 limit_bytes;	/* ForecastShare= of memory */
	u64 reached_usec;	/* when that is reached, maybe long ago; PCR_NEVER */
};
/* False: it does not rise steadily, or that can't be told. */
bool pcr_policy_forecast(const struct pcr_state *st, const struct pcr_settings *set, u64 now,
			 struct pcr_forecast *ret_forecast);
/* For the journal; buf is returned. */
const char *pcr_forecast_text(char *buf, size_t size, const struct pcr_settings *set,
			      const struct pcr_forecast *f, u64 now);

/* Percpu memory, in bytes, that a trim could give back (empty pages above the float). */
u64 pcr_percpu_surplus(const struct pcr_percpu_sample *s);

/* Stable names for JSON and journal fields: "reap", "above", "no-progress". */
const char *pcr_action_name(enum pcr_action action);
const char *pcr_reason_name(enum pcr_reason why);
const char *pcr_stop_name(enum pcr_stop stop);
/* The same for people; buf holds at least 160 bytes and is returned. */
const char *pcr_decision_text(char *buf, size_t size, const struct pcr_decision *d, u64 now);
const char *pcr_stop_text(enum pcr_stop stop);
/* The journal's line about a finished action. */
const char *pcr_record_text(char *buf, size_t size, const struct pcr_record *r);

#endif
