/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replies as people read them: JSON in, text out, no daemon needed. */
#ifndef PCR_SHOW_H
#define PCR_SHOW_H

#include <jansson.h>

#include "client/style.h"

void pcr_show_status(const json_t *status, const struct pcr_style *style);
/* The same lines, those first that change and matter most. */
void pcr_show_status_live(const json_t *status, const struct pcr_style *style);
void pcr_show_cgroups(const json_t *reply, const struct pcr_style *style);
void pcr_show_policies(const json_t *reply, const struct pcr_style *style);
void pcr_show_explain(const json_t *reply, const struct pcr_style *style);
void pcr_show_history(const json_t *reply, const struct pcr_style *style);
void pcr_show_plan(const json_t *reply, const struct pcr_style *style);
void pcr_show_watch(const json_t *reply, const struct pcr_style *style);
void pcr_show_doctor(const json_t *reply, const struct pcr_style *style);

/* What top shows; NULL where nothing is known yet. */
struct pcr_top {
	const json_t *status;
	const json_t *cgroups;
	const json_t *history;
	const char *sort;
	u32 interval_sec;
	bool paused;
	bool keys;		/* the list of keys instead */
	const char *trouble;	/* why the figures are old; NULL: they are not */
};
/* One screen, of so many lines at most (show_top.c). */
void pcr_show_top(const struct pcr_top *top, const struct pcr_style *style, u32 rows);

/* show_batch.c: what follows the label, and lines each with a lead. */
void pcr_show_batch_line(const json_t *batch, FILE *out);
void pcr_show_batch_node(const json_t *node, const struct pcr_style *style,
			 void (*lead)(const struct pcr_style *style, const char *name));
void pcr_show_tasks(const json_t *reply, const struct pcr_style *style);
/* What explain says of a task beside the decision. */
void pcr_show_task(const json_t *task, const struct pcr_style *style);

/* Shared by them (show_words.c). Each writes into buf and returns it. */
#define PCR_WORDS 192
/* "2 min ago", "in 8 s", "–": of key_ago_usec and key_in_usec. */
const char *pcr_words_time(char buf[static PCR_WORDS], const json_t *o, const char *key);
/* "3 policies", "1 policy" */
const char *pcr_words_count(char buf[static PCR_WORDS], u64 n, const char *one, const char *many);
/* "reap 2 min ago: 48 MiB freed, 980 gone": a record in few words. */
const char *pcr_words_record(char buf[static PCR_WORDS], const json_t *record);
/* What a decision or record is about: its cgroup, knob, or the whole machine. */
const char *pcr_words_target(const json_t *o);

#endif
