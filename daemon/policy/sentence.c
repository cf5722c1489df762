// SPDX-License-Identifier: GPL-2.0-or-later
/* Sentences for people: why, and what was done. What they are about is in sentence_*.c. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "policy/sentence.h"

/* The sentence up to its time. */
static int sentence(char *buf, size_t size, const struct pcr_decision *d)
{
	switch (d->action) {
	case PCR_ACT_SET:
		return pcr_setting_sentence(buf, size, d);
	case PCR_ACT_COLLAPSE:
		return pcr_collapse_sentence(buf, size, d);
	default:
		return pcr_percpu_sentence(buf, size, d);
	}
}

const char *pcr_decision_text(char *buf, size_t size, const struct pcr_decision *d, u64 now)
{
	int n = sentence(buf, size, d);
	char a[PCR_TEXT];

	if (n > 0 && (size_t)n < size && !d->act && d->evidence.until_usec != PCR_NEVER &&
	    d->evidence.until_usec > now)
		snprintf(buf + n, size - (size_t)n, ", %s left",
			 pcr_text_span(a, d->evidence.until_usec - now));
	return buf;
}

void pcr_line_add(struct pcr_line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->buf + l->n, l->size - l->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->n = pcr_min_u64(l->n + (size_t)n, l->size - 1);
}

const char *pcr_record_text(char *buf, size_t size, const struct pcr_record *r)
{
	struct pcr_line l = { .buf = buf, .size = size };

	if (r->action == PCR_ACT_REAP)
		pcr_reap_line(&l, r);
	else if (r->action == PCR_ACT_TRIM)
		pcr_trim_line(&l, r);
	else if (r->action == PCR_ACT_COLLAPSE)
		pcr_collapse_line(&l, r);
	else
		pcr_setting_line(&l, r);
	if (r->policy[0])
		pcr_line_add(&l, " (policy %s)", r->policy);
	if (r->action == PCR_ACT_REAP)
		pcr_reap_tail(&l, r);
	else if (r->action == PCR_ACT_COLLAPSE)
		pcr_collapse_tail(&l, r);
	if (r->err)
		pcr_line_add(&l, ": %s",
			     strerrorname_np(r->err) ? strerrorname_np(r->err) : "unknown error");
	return buf;
}

const char *pcr_forecast_text(char *buf, size_t size, const struct pcr_settings *set,
			      const struct pcr_forecast *f, u64 now)
{
	char a[PCR_TEXT], b[PCR_TEXT], c[PCR_TEXT], d[PCR_TEXT];
	u64 left = pcr_sub_u64(f->reached_usec, now);

	snprintf(buf, size, "percpu memory is %s and rises by %s an hour: %s of memory %s%s",
		 pcr_text_bytes(a, f->bytes), pcr_text_bytes(b, f->slope_bytes_hour),
		 pcr_text_bp(c, set->forecast.share_bp), left ? "in " : "reached",
		 left ? pcr_text_span(d, left) : "");
	return buf;
}
