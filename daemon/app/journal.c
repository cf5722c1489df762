// SPDX-License-Identifier: GPL-2.0-or-later
/* The sink. Sending returns 0 in silence when there is no journal, so look first. */
#include "app/journal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "app/postbox.h"
#include "base/log.h"
#include "policy/policy.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* Lines about actions: this many at once, and one more every RATE afterwards. */
#define BURST 20
#define RATE (10 * PCR_SEC)

/* The last message, to count its repeats: no memory grows, no timer runs. */
static struct {
	u32 level;
	char last[256];
	u32 repeats;
	u32 tokens;
	u64 refill_usec;
	u32 left_out;
	bool aside;			/* a recorded machine: this one's journal is not its */
} sink = { .level = LOG_INFO, .tokens = BURST };

static bool have_journal(void)
{
	return !sink.aside && access(JOURNAL_SOCKET, W_OK) == 0;
}

/* MESSAGE_ID or NULL. */
static void put(int priority, const char *id, const char *text)
{
	struct pcr_fields f = { .plain = !have_journal() };

	pcr_field(&f, "PRIORITY=%i", priority);
	pcr_field(&f, "SYSLOG_IDENTIFIER=pcpu-reclaimd");
	if (id)
		pcr_field(&f, "MESSAGE_ID=%s", id);
	pcr_field(&f, "MESSAGE=%s", text);
	pcr_postbox_put(&f);
}

/* True when the text is the last one again. */
static bool repeated(const char *text)
{
	char line[320];

	if (!strncmp(text, sink.last, sizeof(sink.last) - 1)) {
		sink.repeats++;
		return true;
	}
	if (sink.repeats) {
		snprintf(line, sizeof(line), "last message repeated %u times", sink.repeats);
		put(LOG_INFO, NULL, line);
	}
	sink.repeats = 0;
	snprintf(sink.last, sizeof(sink.last), "%.255s", text);
	return false;
}

static void log_line(int level, const char *fmt, va_list ap)
{
	char text[1024];

	if ((u32)level > sink.level)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	if (!repeated(text))
		put(level, NULL, text);
}

void pcr_journal_open(u32 level, bool live)
{
	sink.aside = !live;
	sink.level = level;
	pcr_log_set_sink(log_line);
}

void pcr_journal_level(u32 level)
{
	sink.level = level;
}

void pcr_journal_message(int priority, const char *message_id, const char *text)
{
	if ((u32)priority <= sink.level)
		put(priority, message_id, text);
}

/* --- actions --- */

static bool allowed(u64 now)
{
	u64 gained = (now - sink.refill_usec) / RATE;

	if (gained) {
		sink.tokens = (u32)pcr_min_u64(BURST, sink.tokens + gained);
		sink.refill_usec = now;
	}
	if (!sink.tokens) {
		sink.left_out++;
		return false;
	}
	sink.tokens--;
	return true;
}

static const char *message_id(const struct pcr_record *r, int *ret_priority)
{
	*ret_priority = LOG_INFO;
	switch (r->stop) {
	case PCR_STOP_DONE:
		return PCR_MSG_ACTED;
	case PCR_STOP_DRY_RUN:
		return PCR_MSG_DRY_RUN;
	case PCR_STOP_ERROR:
	case PCR_STOP_REFUSED:
		*ret_priority = LOG_WARNING;
		return PCR_MSG_FAILED;
	default:
		return PCR_MSG_STOPPED;
	}
}

/* What does not apply is absent, not 0. */
static void send_record(const struct pcr_record *r, int priority, const char *id,
			const char *message)
{
	struct pcr_fields f = { .plain = !have_journal() };

	pcr_field(&f, "PRIORITY=%i", priority);
	pcr_field(&f, "MESSAGE_ID=%s", id);
	pcr_field(&f, "SYSLOG_IDENTIFIER=pcpu-reclaimd");
	pcr_field(&f, "PCR_ACTION=%s", pcr_action_name(r->action));
	pcr_field(&f, "PCR_REASON=%s", pcr_reason_name(r->why));
	pcr_field(&f, "PCR_OUTCOME=%s", pcr_stop_name(r->stop));
	pcr_field(&f, "PCR_POLICY=%s", r->policy[0] ? r->policy : "default");
	if (r->action == PCR_ACT_REAP) {
		pcr_field(&f, "PCR_CGROUP=/%s", r->path);
		pcr_field_u64(&f, "PCR_CGROUP_ID", r->target);
	} else if (r->action == PCR_ACT_COLLAPSE) {
		pcr_field(&f, "PCR_TASK=%s", r->path);
		pcr_field_u64(&f, "PCR_CGROUP_ID", r->target);
	} else {
		pcr_field(&f, "PCR_KNOB=%s", r->path);
	}
	pcr_field_u64(&f, "PCR_ASKED", r->asked);
	pcr_field_u64(&f, "PCR_FREED_BYTES", r->freed_bytes);
	pcr_field_u64(&f, "PCR_BEFORE", r->before);
	pcr_field_u64(&f, "PCR_AFTER", r->after);
	pcr_field_u64(&f, "PCR_REFAULT_PAGES", r->refault_pages);
	pcr_field_u64(&f, "PCR_STEPS", r->steps);
	pcr_field_u64(&f, "PCR_USEC", r->took_usec);
	pcr_field_u64(&f, "PCR_SEQ", r->seq);
	if (r->err)
		pcr_field(&f, "PCR_ERRNO=%i", r->err);
	pcr_field(&f, "MESSAGE=%s", message);
	pcr_postbox_put(&f);
}

void pcr_journal_record(const struct pcr_record *r, u64 now)
{
	char message[PCR_SHOWN + 384];
	int priority;
	const char *id = message_id(r, &priority);

	if ((u32)priority > sink.level || !allowed(now))
		return;
	if (sink.left_out) {
		pcr_log_notice("%u actions were not logged one by one: pcpu-reclaimctl history",
			       sink.left_out);
		sink.left_out = 0;
	}
	pcr_record_text(message, sizeof(message), r);
	sink.last[0] = '\0';
	send_record(r, priority, id, message);
}

void pcr_journal_forecast(const struct pcr_forecast *forecast, const struct pcr_settings *set,
			  u64 now)
{
	struct pcr_fields f = { .plain = !have_journal() };
	char message[256];

	if (sink.level < LOG_NOTICE)
		return;
	pcr_field(&f, "PRIORITY=%i", LOG_NOTICE);
	pcr_field(&f, "MESSAGE_ID=" PCR_MSG_FORECAST);
	pcr_field(&f, "SYSLOG_IDENTIFIER=pcpu-reclaimd");
	pcr_field_u64(&f, "PCR_FOOTPRINT_BYTES", forecast->bytes);
	pcr_field_u64(&f, "PCR_SLOPE_BYTES_HOUR", forecast->slope_bytes_hour);
	pcr_field_u64(&f, "PCR_LIMIT_BYTES", forecast->limit_bytes);
	pcr_field_u64(&f, "PCR_LEFT_USEC", pcr_sub_u64(forecast->reached_usec, now));
	pcr_field(&f, "MESSAGE=%s", pcr_forecast_text(message, sizeof(message), set, forecast, now));
	pcr_postbox_put(&f);
}
