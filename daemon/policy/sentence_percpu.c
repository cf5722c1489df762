// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of reaping removed cgroups, and of trimming percpu memory. */
#include <stdio.h>

#include "base/text.h"
#include "policy/sentence.h"

static bool of_deaths(enum pcr_reason why)
{
	return why == PCR_WHY_AFTER_DEATHS || why == PCR_WHY_FEW_DEATHS;
}

/* "dying 37" or "surplus 1.3 MiB": a figure in the unit of what it is about. */
static const char *figure(char buf[static PCR_TEXT], enum pcr_action action,
			  enum pcr_reason why, u64 v)
{
	if (why == PCR_WHY_AGE)
		return pcr_text_span(buf, v);
	if (why == PCR_WHY_BUDGET || (action == PCR_ACT_TRIM && !of_deaths(why)))
		return pcr_text_bytes(buf, v);
	return pcr_text_count(buf, v);
}

static const char *subject(enum pcr_action action, enum pcr_reason why)
{
	if (why == PCR_WHY_BUDGET)
		return "budget";
	if (of_deaths(why))
		return "removals";
	return action == PCR_ACT_REAP ? "dying" : "surplus";
}

static int compared(char *buf, size_t size, enum pcr_action action, enum pcr_reason why,
		    const struct pcr_evidence *e, const char *sign)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	return snprintf(buf, size, "%s %s %s %s", subject(action, why),
			figure(a, action, why, e->value), sign,
			figure(b, action, why, e->threshold));
}

int pcr_percpu_sentence(char *buf, size_t size, const struct pcr_decision *d)
{
	const struct pcr_evidence *e = &d->evidence;
	char a[PCR_TEXT], b[PCR_TEXT];

	switch (d->why) {
	case PCR_WHY_ABOVE:
	case PCR_WHY_AFTER_DEATHS:
		return compared(buf, size, d->action, d->why, e, "≥");
	case PCR_WHY_BELOW:
	case PCR_WHY_BUDGET:
	case PCR_WHY_FEW_DEATHS:
		return compared(buf, size, d->action, d->why, e, "<");
	case PCR_WHY_AGE:
		return snprintf(buf, size, "dying for %s ≥ %s", pcr_text_span(a, e->value),
				pcr_text_span(b, e->threshold));
	case PCR_WHY_PRESSURE:
		return snprintf(buf, size, "memory pressure, %s %s", subject(d->action, d->why),
				figure(a, d->action, d->why, e->value));
	case PCR_WHY_CONTINUE:
		return snprintf(buf, size, "the last step helped, dying %s",
				pcr_text_count(a, e->value));
	case PCR_WHY_AFTER_REAP:
		return snprintf(buf, size, "a reap ended, surplus %s", pcr_text_bytes(a, e->value));
	case PCR_WHY_LATE:
		return snprintf(buf, size, "freed after the last trim, surplus %s",
				pcr_text_bytes(a, e->value));
	case PCR_WHY_ASKED:
		return snprintf(buf, size, "asked for through the socket");
	case PCR_WHY_OFF:
		return snprintf(buf, size, "switched off by the settings");
	case PCR_WHY_NO_KNOB:
		return snprintf(buf, size, "this kernel has no such knob, or it can't be written");
	case PCR_WHY_BUSY:
		return snprintf(buf, size, "under way");
	case PCR_WHY_COOLDOWN:
		return snprintf(buf, size, "cooldown");
	case PCR_WHY_BACKOFF:
		return snprintf(buf, size, "backing off after the last attempt");
	case PCR_WHY_SUSPENDED:
		return snprintf(buf, size, "suspended: actions in a row had no effect");
	case PCR_WHY_GUARDED:
		return snprintf(buf, size, "a policy says Reap=no for a cgroup below");
	case PCR_WHY_SAID:
		return snprintf(buf, size, "a dry run has said it already");
	case PCR_WHY_NOT_YET:
		return snprintf(buf, size, "waits for the end of a reap, with nothing left dying and no memory pressure");
	default:
		return snprintf(buf, size, "nothing to do");
	}
}

static void add_freed(struct pcr_line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	if (pcr_has(r->freed_bytes))
		pcr_line_add(l, "%s freed in %s", pcr_text_bytes(a, r->freed_bytes),
			     pcr_text_span(b, r->took_usec));
	else
		pcr_line_add(l, "took %s", pcr_text_span(b, r->took_usec));
}

void pcr_reap_line(struct pcr_line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	pcr_line_add(l, "reap /%s: ", r->path);
	if (r->dry_run) {
		pcr_line_add(l, "would reclaim for %s removed cgroups, %s first",
			     pcr_text_count(b, r->before), pcr_text_bytes(a, r->asked));
		return;
	}
	if (pcr_has(r->before))
		pcr_line_add(l, "%s of %s removed cgroups gone, ",
			     pcr_text_count(a, pcr_sub_u64(r->before, r->after)),
			     pcr_text_count(b, r->before));
	add_freed(l, r);
}

void pcr_reap_tail(struct pcr_line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT];

	if (r->stop == PCR_STOP_DONE || r->stop == PCR_STOP_DRY_RUN)
		return;
	if (pcr_has(r->after) && r->after)
		pcr_line_add(l, "; %s stay: %s", pcr_text_count(a, r->after),
			     pcr_stop_text(r->stop));
	else
		pcr_line_add(l, "; %s", pcr_stop_text(r->stop));
}

void pcr_trim_line(struct pcr_line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT];

	pcr_line_add(l, "trim percpu: ");
	if (r->dry_run) {
		pcr_line_add(l, "would give back %s of empty pages", pcr_text_bytes(a, r->value));
		return;
	}
	add_freed(l, r);
	if (r->stop != PCR_STOP_DONE)
		pcr_line_add(l, "; %s", pcr_stop_text(r->stop));
}
