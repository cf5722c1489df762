/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace as text. Lines, one after the other:
 *
 *   pcpu-reclaimd trace 1
 *   recorded DATE VERSION KERNEL
 *   machine ROOT V1 REAP             id of the root cgroup; 1 or 0: cgroup v1, a reap knob
 *   settings N                       so many lines of a settings file follow, escaped
 *   ...
 *   USEC WORD VALUE... [NAME]        an event; see include/pcr/trace.h
 *   USEC settings N                  others are in force; N lines follow as above
 *
 * Times count from the start of the recording, "-" is absent, names are written as
 * base/escape.h says. Pure: whoever calls reads and writes.
 */
#ifndef PCR_TRACE_TRACE_H
#define PCR_TRACE_TRACE_H

#include "pcr/trace.h"

/* The longest line with its newline and NUL: 13 numbers, a word, an escaped name. */
#define PCR_TRACE_LINE 1536
/* Of one word of the head. */
#define PCR_TRACE_WORD 96

struct pcr_trace {
	char date[PCR_TRACE_WORD];
	char version[PCR_TRACE_WORD];
	char kernel[PCR_TRACE_WORD];
	u64 root;
	bool v1;
	bool reap_knob;
	bool ended;			/* false: cut off */
	const char *settings;		/* in the text that was parsed, as are names */
	size_t settings_n;
	u32 first_line;			/* of the events */
	u32 n;
	struct pcr_event *event;
};

/* What is wrong with a trace, 1-based. */
struct pcr_trace_fault {
	u32 line;
	u32 column;
	const char *text;
};

/* Returns the length. Lines that follow on one of settings are the caller's. */
size_t pcr_trace_event(char buf[static PCR_TRACE_LINE], const struct pcr_event *event, u64 at);
size_t pcr_trace_head(char buf[static PCR_TRACE_LINE], const struct pcr_trace *head,
		      const char *settings);

/*
 * Changes text, which has to outlive the trace. A last line without its end is left out.
 * 0, -EINVAL with the fault, -ENOMEM.
 */
int pcr_trace_parse(char *text, size_t n, struct pcr_trace *ret_trace,
		    struct pcr_trace_fault *ret_fault);
/* Where in the text event i stands. */
u32 pcr_trace_event_line(const struct pcr_trace *trace, u32 i);
void pcr_trace_free(struct pcr_trace *trace);

#endif
