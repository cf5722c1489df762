/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scenarios: what happens to a machine, and what policy makes of it, as text. The
 * language is described in tests/scn/README.md.
 */
#ifndef PCR_SCN_H
#define PCR_SCN_H

#include "model/model.h"
#include "pcr/decision.h"
#include "pcr/settings.h"
#include "pcr/state.h"

/* 0s of a scenario; 0 itself means "never". */
#define SCN_START (1000 * PCR_SEC)

#define SCN_RECORDS 8
#define SCN_WORDS 24

struct scn {
	const char *file;
	u32 line;
	bool failed;
	struct pcr_state st;
	struct pcr_settings *set;
	u64 now;
	/* a run of "expect ACTION" lines is one plan, started when it ends */
	struct pcr_plan plan;
	bool planned;
	u32 matched;
	/* actions that ended, until an "expect stop" takes them */
	struct pcr_record rec[SCN_RECORDS];
	u32 n_rec;
	struct pcr_record last;
	bool dry[_PCR_ACT_MAX];	/* the last one started was a dry run */
	u64 set_amount[PCR_SETTINGS_ALL];	/* of the last one started */
};

/* One line, cut into words; .rest is what follows the words taken so far. */
struct scn_line {
	u32 n;
	char *word[SCN_WORDS];
	const char *text;
};

/* words.c: what a line says. All say why and return false when they can't. */
__attribute__((format(printf, 2, 3)))
bool scn_fail(struct scn *s, const char *fmt, ...);

enum scn_unit { SCN_NUMBER, SCN_SIZE, SCN_SPAN, SCN_TIME, SCN_YES };

/* key=value, key<=value, key>=value */
struct scn_key {
	const char *key;
	enum scn_unit unit;
	u64 *value;		/* set by scn_keys(), compared by scn_compare() */
};
bool scn_value(struct scn *s, enum scn_unit unit, const char *text, u64 *ret_value);
/* Sets what words[from..] say; others are left. */
bool scn_keys(struct scn *s, const struct scn_line *l, u32 from, const struct scn_key *keys, u32 n);
/* Holds what words[from..] say against the values. */
bool scn_compare(struct scn *s, const struct scn_line *l, u32 from, const struct scn_key *keys,
		 u32 n);
/* Cuts "key=text" of a word, or returns NULL. */
const char *scn_after(const char *word, const char *key);
/* The cgroup of an absolute path; NULL after saying that there is none. */
struct pcr_node *scn_node(struct scn *s, const char *path);

/* low, high, percent, ...: see events.c */
bool scn_setting(const char *word, u32 *ret_setting);

/* events.c: what happens. False: no such command; scn->failed tells the rest. */
bool scn_event(struct scn *s, const struct scn_line *l);
bool scn_reload(struct scn *s, const char *settings);
void scn_ended(struct scn *s, const struct pcr_record *rec);

/* expect.c: what should come of it. */
bool scn_expect(struct scn *s, const struct scn_line *l);
/* The run of expected actions is over: nothing else may be planned; start them. */
bool scn_close_plan(struct scn *s);
/* Nothing may be left that was not expected. */
bool scn_finish(struct scn *s);

#endif
