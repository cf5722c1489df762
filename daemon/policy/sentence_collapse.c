// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of making a task's memory huge pages. */
#include <stdio.h>

#include "base/text.h"
#include "policy/sentence.h"

int pcr_collapse_sentence(char *buf, size_t size, const struct pcr_decision *d)
{
	const struct pcr_evidence *e = &d->evidence;
	char a[PCR_TEXT], b[PCR_TEXT];

	switch (d->why) {
	case PCR_WHY_ELIGIBLE:
		if (!d->amount || !d->act)
			return snprintf(buf, size, "%s could be huge pages",
					pcr_text_bytes(a, e->value));
		return snprintf(buf, size, "%s could be huge pages, %s a second are looked at",
				pcr_text_bytes(a, e->value), pcr_text_bytes(b, d->amount));
	case PCR_WHY_OFF:
		return snprintf(buf, size, "no policy asks for it");
	case PCR_WHY_NO_KNOB:
		return snprintf(buf, size, "this kernel can do it neither way");
	case PCR_WHY_UNSEEN:
		return snprintf(buf, size, "not looked at yet");
	case PCR_WHY_PAUSED:
		return snprintf(buf, size, "tasks wait for memory %s of the time",
				pcr_text_bp(a, e->value));
	case PCR_WHY_NO_HUGE:
		return snprintf(buf, size, "only %s huge pages are free", pcr_text_count(a, e->value));
	case PCR_WHY_THP_NEVER:
		return snprintf(buf, size, "transparent_hugepage/enabled is never");
	case PCR_WHY_ALL_HUGE:
		return snprintf(buf, size, "all was looked at, and what can be huge is");
	case PCR_WHY_BACKOFF:
		return snprintf(buf, size, "what is left could not be made huge");
	case PCR_WHY_SAID:
		return snprintf(buf, size, "a dry run has said it already");
	default:
		return snprintf(buf, size, "nothing to gain");
	}
}

void pcr_collapse_line(struct pcr_line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	pcr_line_add(l, "collapse %s: ", r->path);
	if (r->dry_run)
		pcr_line_add(l, "up to %s would be made huge", pcr_text_bytes(a, r->value));
	else
		pcr_line_add(l, "%s huge in %s",
			     pcr_text_bytes(a, pcr_sub_u64(r->after, r->before)),
			     pcr_text_span(b, r->took_usec));
}

void pcr_collapse_tail(struct pcr_line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT];

	if (r->stop == PCR_STOP_NO_PROGRESS)
		pcr_line_add(l, "; some of the %s left could not be", pcr_text_bytes(a, r->value));
	else if (r->stop == PCR_STOP_GONE)
		pcr_line_add(l, "; the process ended, or left its cgroup");
	else if (r->stop != PCR_STOP_DONE && r->stop != PCR_STOP_DRY_RUN)
		pcr_line_add(l, "; %s", pcr_stop_text(r->stop));
}
