/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How values become JSON. One hand for all replies: stable snake_case names, the
 * unit in the name (_bytes, _usec, _bp), and what is not known is left out.
 *
 * The pcr_put functions return true when memory ran out, so that a reply is
 * built with `bad |= pcr_put_...()` and judged once.
 */
#ifndef PCR_REPLY_H
#define PCR_REPLY_H

#include <jansson.h>

#include "pcr/view.h"

/* One moment, by both clocks: what is kept is monotonic, people want a date. */
struct pcr_clock {
	u64 now;		/* CLOCK_MONOTONIC, usec */
	u64 real;		/* CLOCK_REALTIME at the same moment, usec */
};

/* PCR_ABSENT is left out; JSON integers end at 2^63 - 1. */
bool pcr_put_u64(json_t *o, const char *key, u64 value);
bool pcr_put_bool(json_t *o, const char *key, bool value);
/* Text made by us; NULL and "" are left out. Bytes that are no UTF-8 are escaped. */
bool pcr_put_text(json_t *o, const char *key, const char *text);
json_t *pcr_text_json(const char *text);
/* A cgroup path as the tree has it, written with the leading slash and escaped (name.h). */
bool pcr_put_path(json_t *o, const char *key, const char *path);
/* key_ago_usec or key_in_usec, and key_at; 0 and PCR_NEVER are left out. */
bool pcr_put_time(json_t *o, const struct pcr_clock *clock, const char *key, u64 when);
/*
 * The same for what has been: a look that the request itself caused came a little
 * after its clock was read, and is not in the future for that.
 */
bool pcr_put_past(json_t *o, const struct pcr_clock *clock, const char *key, u64 when);
/* A date of a boot before this one, and how long ago that is. */
bool pcr_put_date(json_t *o, const struct pcr_clock *clock, const char *key, u64 real_usec);
/* Takes the value over, also on failure; NULL is out of memory. */
bool pcr_put_new(json_t *o, const char *key, json_t *value);

/* "FILE:LINE" of an origin; false for a default. buf holds PATH_MAX and some. */
bool pcr_origin_text(const struct pcr_settings *set, const struct pcr_origin *origin, char *buf,
		     size_t size);

/* Objects that several replies share; NULL: out of memory. */
json_t *pcr_reply_decision(const struct pcr_view *view, const struct pcr_clock *clock,
			   const struct pcr_decision *d);
/* Whether something is there to be done and has to wait; everything else is no news. */
bool pcr_held_back(const struct pcr_decision *d);
json_t *pcr_reply_record(const struct pcr_clock *clock, const struct pcr_record *r);
json_t *pcr_reply_status(const struct pcr_view *view, const struct pcr_clock *clock);
json_t *pcr_reply_totals(const struct pcr_totals *t);
json_t *pcr_reply_percpu(const struct pcr_clock *clock, const struct pcr_trim *trim);
/* reply_batch.c; the node is one that the state has a place for; whole: with what was tried */
json_t *pcr_reply_batch(const struct pcr_view *view, const struct pcr_clock *clock);
json_t *pcr_reply_batch_node(const struct pcr_view *view, const struct pcr_clock *clock, u32 node,
			     bool whole);
json_t *pcr_reply_node_keys(const struct pcr_settings *set, u32 node);
json_t *pcr_reply_collapse(const struct pcr_view *view, const struct pcr_clock *clock);
json_t *pcr_reply_overrides(const struct pcr_settings *set, const struct pcr_policy *policy);
/* The name of a decision's or node's policy, "" where [Percpu] applies. */
const char *pcr_policy_label(const struct pcr_settings *set, s32 policy);

#endif
