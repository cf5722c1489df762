/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the doctor finds, line by line; between doctor.c and doctor_knobs.c. */
#ifndef PCR_APP_DOCTOR_H
#define PCR_APP_DOCTOR_H

#include "app/app.h"

struct pcr_sheet {
	struct pcr_finding *f;		/* PCR_FINDINGS_MAX; no more are taken */
	size_t n;
};

__attribute__((format(printf, 4, 5)))
void pcr_say(struct pcr_sheet *s, enum pcr_finding_kind kind, const char *subject,
	     const char *fmt, ...);

/* Knobs of cgroups, percpu memory and khugepaged; of collapse; of batch free. */
void pcr_say_knobs(const struct pcr_app *app, struct pcr_sheet *s);
void pcr_say_collapse(const struct pcr_app *app, struct pcr_sheet *s);
void pcr_say_batch_free(const struct pcr_app *app, struct pcr_sheet *s);

#endif
