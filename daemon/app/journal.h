/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where messages go: the journal with structured fields, or stderr where there is
 * none. A repeated message is counted, not repeated; lines about actions are rate
 * limited, and those left out are counted.
 *
 * Fields and MESSAGE_IDs: pcpu-reclaimd(8), JOURNAL, and systemd/pcpu-reclaimd.catalog.
 */
#ifndef PCR_JOURNAL_H
#define PCR_JOURNAL_H

#include "pcr/decision.h"
#include "policy/policy.h"

#define PCR_MSG_ACTED "b3e3d8c035e5482f92c77c3eb019bf6e"	/* an action reached what it wanted */
#define PCR_MSG_STOPPED "bec84eb3575f4cbba3b7a5e5ad5165ff"	/* it ended short of that */
#define PCR_MSG_FAILED "14b36788214e4ee8812cb81cf15d5892"	/* the kernel refused */
#define PCR_MSG_DRY_RUN "f5b812d81d3441248e06a3040c2c367d"	/* it would have been done */
#define PCR_MSG_SUSPENDED "d0d4bb82721a413ead984428d4da1710"	/* too often without effect */
#define PCR_MSG_FORECAST "ab2945c02127402281e0c2cb2b3e1822"	/* ForecastShare= comes near */
#define PCR_MSG_SETTINGS "3229c77e12a44fb794dca05159a760b4"	/* settings refused, old ones in force */

/* Makes it the sink of base/log.h. What is said of a recorded machine goes to stderr. */
void pcr_journal_open(u32 level, bool live);
void pcr_journal_level(u32 level);
/* One finished action. */
void pcr_journal_record(const struct pcr_record *record, u64 now);
/* Percpu memory will have reached ForecastShare= within ForecastWithin=. */
void pcr_journal_forecast(const struct pcr_forecast *forecast, const struct pcr_settings *set,
			  u64 now);
/* A message of any other kind that has a MESSAGE_ID of its own. */
void pcr_journal_message(int priority, const char *message_id, const char *text);

#endif
