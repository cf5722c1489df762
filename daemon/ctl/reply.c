// SPDX-License-Identifier: GPL-2.0-or-later
/* Values to JSON. */
#include "ctl/reply.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "ctl/name.h"
#include "model/tree.h"

#define DATE 32

bool pcr_put_new(json_t *o, const char *key, json_t *value)
{
	return json_object_set_new(o, key, value) < 0;
}

bool pcr_put_u64(json_t *o, const char *key, u64 value)
{
	if (!pcr_has(value))
		return false;
	return pcr_put_new(o, key, json_integer((json_int_t)pcr_min_u64(value, INT64_MAX)));
}

bool pcr_put_bool(json_t *o, const char *key, bool value)
{
	return pcr_put_new(o, key, json_boolean(value));
}

static json_t *written(const char *text, size_t (*write_text)(const char *, size_t, char *))
{
	size_t n = strlen(text);
	PCR_AUTOFREE char *out = malloc(PCR_NAME_SIZE(n));

	if (!out)
		return NULL;
	n = write_text(text, n, out);
	return json_stringn(out, n);
}

json_t *pcr_text_json(const char *text)
{
	return written(text, pcr_text_write);
}

bool pcr_put_text(json_t *o, const char *key, const char *text)
{
	if (!text || !*text)
		return false;
	return pcr_put_new(o, key, pcr_text_json(text));
}

bool pcr_put_path(json_t *o, const char *key, const char *path)
{
	char name[PCR_PATH_MAX + 2] = "/";

	strncat(name, path, sizeof(name) - 2);
	return pcr_put_new(o, key, written(name, pcr_name_write));
}

/* "2024-05-01T12:00:00.250Z" */
static const char *write_date(char buf[static DATE], u64 real_usec)
{
	time_t seconds = (time_t)(real_usec / PCR_SEC);
	struct tm tm;
	size_t n;

	buf[0] = '\0';
	if (!gmtime_r(&seconds, &tm))
		return buf;
	n = strftime(buf, DATE, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, DATE - n, ".%03uZ", (unsigned int)(real_usec % PCR_SEC / PCR_MSEC));
	return buf;
}

bool pcr_put_time(json_t *o, const struct pcr_clock *clock, const char *key, u64 when)
{
	bool past = when <= clock->now;
	u64 span = past ? clock->now - when : when - clock->now;
	char name[64], date[DATE];
	bool bad;

	if (when == 0 || when == PCR_NEVER)
		return false;
	snprintf(name, sizeof(name), "%s_%s_usec", key, past ? "ago" : "in");
	bad = pcr_put_u64(o, name, span);
	snprintf(name, sizeof(name), "%s_at", key);
	write_date(date, past ? pcr_sub_u64(clock->real, span) : pcr_add_u64(clock->real, span));
	return bad | pcr_put_text(o, name, date);
}

bool pcr_put_past(json_t *o, const struct pcr_clock *clock, const char *key, u64 when)
{
	return pcr_put_time(o, clock, key,
			    when == PCR_NEVER ? when : pcr_min_u64(when, clock->now));
}

bool pcr_put_date(json_t *o, const struct pcr_clock *clock, const char *key, u64 real_usec)
{
	char name[64], date[DATE];
	bool bad;

	snprintf(name, sizeof(name), "%s_ago_usec", key);
	bad = pcr_put_u64(o, name, pcr_sub_u64(clock->real, real_usec));
	snprintf(name, sizeof(name), "%s_at", key);
	return bad | pcr_put_text(o, name, write_date(date, real_usec));
}

bool pcr_origin_text(const struct pcr_settings *set, const struct pcr_origin *origin, char *buf,
		     size_t size)
{
	if (origin->line == 0 || origin->file >= set->n_files)
		return false;
	snprintf(buf, size, "%s:%u", set->files[origin->file], origin->line);
	return true;
}

const char *pcr_policy_label(const struct pcr_settings *set, s32 policy)
{
	return policy >= 0 && (u32)policy < set->n_policies ? set->policies[policy].name : "";
}
