/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replies as OpenMetrics text: JSON in, text out, no daemon needed. */
#ifndef PCR_METRICS_H
#define PCR_METRICS_H

#include <jansson.h>
#include <stdio.h>

#include "pcr/types.h"

#define PCR_METRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

/* How a value is written, and what its key names. */
enum pcr_metric_form {
	PCR_METRIC_COUNT,	/* as it is */
	PCR_METRIC_USEC,	/* microseconds, as seconds */
	PCR_METRIC_BP,		/* basis points, as a ratio */
	PCR_METRIC_FLAG,	/* a bool, as 0 or 1 */
	PCR_METRIC_THERE,	/* 1 where the key is there, else 0 */
	PCR_METRIC_LENGTH,	/* of a list */
	PCR_METRIC_UNITS,	/* unit pages of percpu memory, as bytes */
	PCR_METRIC_RATE,	/* KEY_bytes in any KEY_usec, as bytes a second */
	PCR_METRIC_AHEAD,	/* KEY_in_usec, as seconds; 0 with KEY_ago_usec */
	PCR_METRIC_INFO,	/* 1, with the keys that `label` names as labels */
};

struct pcr_metric {
	const char *name;	/* behind pcpu_reclaimd_ and before _total */
	const char *unit;	/* NULL: none; the name ends in it */
	bool counter;
	enum pcr_metric_form form;
	const char *of;		/* where the key is: "totals", "batch_free.nodes"; "": at the top */
	const char *key;
	const char *label;	/* `of` is a list, and these keys of each its labels; NULL: one */
	const char *help;
};

/* In the order in which they are written (metrics_table.c). */
extern const struct pcr_metric pcr_metrics[];
extern const size_t pcr_n_metrics;

/*
 * All that is known, of a reply of GetStatus and one of ListPolicies. A sample without a
 * value is left out, and a metric without a sample. The status is added to.
 */
void pcr_metrics_print(FILE *out, json_t *status, const json_t *policies);

#endif
