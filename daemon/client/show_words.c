// SPDX-License-Identifier: GPL-2.0-or-later
/* Words that several screens use. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "client/get.h"
#include "client/show.h"

const char *pcr_words_time(char buf[static PCR_WORDS], const json_t *o, const char *key)
{
	char name[64], span[PCR_TEXT];
	u64 usec;

	snprintf(name, sizeof(name), "%s_ago_usec", key);
	usec = pcr_get_u64(o, name);
	if (pcr_has(usec)) {
		snprintf(buf, PCR_WORDS, "%s ago", pcr_text_span(span, usec));
		return buf;
	}
	snprintf(name, sizeof(name), "%s_in_usec", key);
	usec = pcr_get_u64(o, name);
	if (pcr_has(usec))
		snprintf(buf, PCR_WORDS, "in %s", pcr_text_span(span, usec));
	else
		strcpy(buf, "–");
	return buf;
}

const char *pcr_words_count(char buf[static PCR_WORDS], u64 n, const char *one, const char *many)
{
	char count[PCR_TEXT];

	snprintf(buf, PCR_WORDS, "%s %s", pcr_text_count(count, n), n == 1 ? one : many);
	return buf;
}

const char *pcr_words_target(const json_t *o)
{
	const char *cgroup = pcr_get_text(o, "cgroup"), *knob = pcr_get_text(o, "knob");

	if (*pcr_get_text(o, "task"))
		return pcr_get_text(o, "task");
	return *cgroup ? cgroup : *knob ? knob : "machine-wide";
}

const char *pcr_words_record(char buf[static PCR_WORDS], const json_t *record)
{
	u64 freed = pcr_get_u64(record, "freed_bytes");
	u64 before = pcr_get_u64(record, "dying_before");
	u64 after = pcr_get_u64(record, "dying_after");
	char ago[PCR_WORDS], a[PCR_TEXT];
	int n = snprintf(buf, PCR_WORDS, "%.24s %.40s", pcr_get_text(record, "action"),
			 pcr_words_time(ago, record, "end"));

	if (pcr_get_bool(record, "dry_run")) {
		snprintf(buf + n, (size_t)(PCR_WORDS - n), " (dry run)");
		return buf;
	}
	if (pcr_has(freed))
		n += snprintf(buf + n, (size_t)(PCR_WORDS - n), ": %s", pcr_text_bytes(a, freed));
	if (pcr_has(before) && pcr_has(after))
		snprintf(buf + n, (size_t)(PCR_WORDS - n), "%s %s gone", pcr_has(freed) ? "," : ":",
			 pcr_text_count(a, pcr_sub_u64(before, after)));
	return buf;
}
