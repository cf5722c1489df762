/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sentences for people, by what they are about: why something is or is not done, and the
 * journal's line about what was. Between the files sentence*.c, and for nobody else.
 */
#ifndef PCR_POLICY_SENTENCE_H
#define PCR_POLICY_SENTENCE_H

#include "policy/policy.h"

/* A decision's sentence up to its time; returns its length as snprintf() does. */
int pcr_percpu_sentence(char *buf, size_t size, const struct pcr_decision *d);
int pcr_setting_sentence(char *buf, size_t size, const struct pcr_decision *d);
int pcr_collapse_sentence(char *buf, size_t size, const struct pcr_decision *d);

/* A line that grows; what does not fit is cut off. */
struct pcr_line {
	char *buf;
	size_t size, n;
};

__attribute__((format(printf, 2, 3)))
void pcr_line_add(struct pcr_line *l, const char *fmt, ...);

/* What was done; a tail comes behind the policy that asked for it. */
void pcr_reap_line(struct pcr_line *l, const struct pcr_record *r);
void pcr_reap_tail(struct pcr_line *l, const struct pcr_record *r);
void pcr_trim_line(struct pcr_line *l, const struct pcr_record *r);
void pcr_setting_line(struct pcr_line *l, const struct pcr_record *r);
void pcr_collapse_line(struct pcr_line *l, const struct pcr_record *r);
void pcr_collapse_tail(struct pcr_line *l, const struct pcr_record *r);

#endif
