/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one table of keys, and what a typed parser looks like. For use within conf/. */
#ifndef PCR_CONF_TABLE_H
#define PCR_CONF_TABLE_H

#include "conf/conf.h"

struct pcr_key;

/* Why a value is refused, or taken with doubts. {} to begin with. */
struct pcr_complaint {
	size_t at;		/* offset of the culprit in the value */
	char what[128];
	char mean[96];		/* a value that would do, or "" */
	bool doubt;		/* with a value that is taken: hardly meant */
};

/*
 * A kind of value. parse() takes (text, n), never "": resetting to the default is
 * the caller's. It writes to dst, or with dst NULL only says whether it would; 0,
 * with the complaint filled in when that is a doubt; -EINVAL with the complaint
 * filled in, -ENOMEM. show() writes what stands at src
 * as a file would have it. range() says what is allowed, where min and max do not.
 */
struct pcr_form {
	const char *name;
	int (*parse)(const struct pcr_key *key, const char *text, size_t n, void *dst,
		     struct pcr_complaint *c);
	void (*show)(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT]);
	/* One bound in the spelling of the form; NULL: key->range says it in words. */
	void (*bound)(u64 value, char buf[static PCR_KEY_TEXT]);
};

extern const struct pcr_form pcr_form_bool, pcr_form_count, pcr_form_size, pcr_form_span,
	pcr_form_percent, pcr_form_rate, pcr_form_rate_off, pcr_form_trigger, pcr_form_source,
	pcr_form_level, pcr_form_setting, pcr_form_limit, pcr_form_nice, pcr_form_cpus,
	pcr_form_slices, pcr_form_group, pcr_form_globs;

struct pcr_key {
	const char *section;
	const char *name;
	const struct pcr_form *form;
	size_t offset;		/* in struct pcr_settings; of Match=, in struct pcr_policy */
	u64 min, max;
	const char *range;	/* in words, for forms without bounds */
	const char *def;	/* text, so that it goes through the same parser */
	const char *doc;
	const char *knob;	/* the kernel's file that it is about; of no effect without */
	bool in_policy;		/* a [Policy] may override it */
	bool in_node;		/* a [BatchFree nodeN] may */
	bool list;		/* given again, it adds instead of replacing */
};

extern const struct pcr_key pcr_keys[];
extern const size_t pcr_n_keys;

/* Where the value of a key lies: in the settings, or in the rule of one policy or node. */
void *pcr_key_slot(const struct pcr_key *key, struct pcr_settings *settings,
		   struct pcr_policy *policy, struct pcr_node_rule *node);

/* Sets it to key->def, or a list to nothing. 0, -ENOMEM. */
int pcr_key_reset(const struct pcr_key *key, struct pcr_settings *settings,
		  struct pcr_policy *policy, struct pcr_node_rule *node);

/* Fills in a complaint; returns -EINVAL. */
__attribute__((format(printf, 3, 4)))
int pcr_complain(struct pcr_complaint *c, size_t at, const char *fmt, ...);

/* Match= globs of one policy, and of all together: each costs a match per new cgroup. */
#define PCR_MATCH_MAX 64
#define PCR_GLOBS_MAX 4096

/* append to a NULL-able array of owned strings */
int pcr_strv_push(char ***array, u32 *n, const char *text, size_t len);
void pcr_strv_clear(char ***array, u32 *n);

#endif
