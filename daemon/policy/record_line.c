// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/record_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/parse.h"
#include "pcr/knobs.h"
#include "policy/policy.h"

/* The plain numbers of a line, in its order. */
static const size_t numbers[] = {
	offsetof(struct pcr_record, target),	 offsetof(struct pcr_record, start_usec),
	offsetof(struct pcr_record, end_usec),	 offsetof(struct pcr_record, took_usec),
	offsetof(struct pcr_record, asked),	 offsetof(struct pcr_record, freed_bytes),
	offsetof(struct pcr_record, before),	 offsetof(struct pcr_record, after),
	offsetof(struct pcr_record, value),	 offsetof(struct pcr_record, threshold),
	offsetof(struct pcr_record, refault_pages),
};

/* --- writing --- */

static size_t put(char *buf, size_t at, const char *text)
{
	return at + (size_t)snprintf(buf + at, PCR_RECORD_LINE - at, "%s\t", text);
}

static size_t put_u64(char *buf, size_t at, u64 value)
{
	char text[24] = "-";

	if (pcr_has(value))
		snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return put(buf, at, text);
}

static size_t put_text(char *buf, size_t at, const char *text)
{
	at += pcr_escape(buf + at, text);
	buf[at++] = '\t';
	return at;
}

size_t pcr_record_write(char buf[static PCR_RECORD_LINE], const struct pcr_record *r,
			const char *boot, u64 real)
{
	size_t at = put_u64(buf, 0, r->seq);

	at = put(buf, at, r->past == PCR_PAST_BOOT ? "-" : boot);
	at = put_u64(buf, at, real);
	at = put(buf, at, pcr_action_name(r->action));
	at = put(buf, at, pcr_reason_name(r->why));
	at = put(buf, at, pcr_stop_name(r->stop));
	at = put(buf, at, r->dry_run ? "dry-run" : "live");
	at = put(buf, at, r->action == PCR_ACT_SET ? pcr_setting_knob(r->setting) : "-");
	at = put_u64(buf, at, (u64)r->err);
	at = put_u64(buf, at, r->steps);
	for (size_t i = 0; i < PCR_ARRAY_SIZE(numbers); i++)
		at = put_u64(buf, at, *(const u64 *)((const char *)r + numbers[i]));
	at = put_text(buf, at, r->policy);
	at = put_text(buf, at, r->path);
	buf[at - 1] = '\n';
	buf[at] = '\0';
	return at;
}

/* --- reading --- */

struct line {
	const char *at;
	size_t left;
	bool end;		/* the last field was cut off */
	const char *field;
	size_t n;
};

static bool cut(struct line *l)
{
	const char *tab;

	l->field = l->at;
	l->n = 0;
	if (l->end)
		return false;
	tab = memchr(l->at, '\t', l->left);
	l->n = tab ? (size_t)(tab - l->at) : l->left;
	l->end = !tab;
	l->at += l->n + (tab ? 1 : 0);
	l->left -= l->n + (tab ? 1 : 0);
	return true;
}

static bool is(const struct line *l, const char *word)
{
	return l->n == strlen(word) && !memcmp(l->field, word, l->n);
}

static bool get_u64(struct line *l, u64 *ret)
{
	if (!cut(l))
		return false;
	if (is(l, "-")) {
		*ret = PCR_ABSENT;
		return true;
	}
	return pcr_parse_u64(l->field, l->n, ret) == 0;
}

static bool get_number(struct line *l, u64 max, u64 *ret)
{
	return get_u64(l, ret) && *ret <= max;
}

static bool get_text(struct line *l, char *to, size_t size)
{
	return cut(l) && !pcr_unescape(to, size, l->field, l->n);
}

/* The number of a name; end where it has none. */
static u32 number_of(struct line *l, u32 end, const char *(*name)(u32 number))
{
	u32 i = 0;

	if (!cut(l))
		return end;
	while (i < end && !is(l, name(i)))
		i++;
	return i;
}

static const char *action_name(u32 i)
{
	return pcr_action_name((enum pcr_action)i);
}

static const char *reason_name(u32 i)
{
	return pcr_reason_name((enum pcr_reason)i);
}

static const char *stop_name(u32 i)
{
	return pcr_stop_name((enum pcr_stop)i);
}

static bool get_what(struct line *l, struct pcr_record *r)
{
	r->action = (enum pcr_action)number_of(l, _PCR_ACT_MAX, action_name);
	if (r->action == PCR_ACT_NONE || r->action == _PCR_ACT_MAX)
		return false;
	r->why = (enum pcr_reason)number_of(l, _PCR_WHY_MAX, reason_name);
	if (r->why == _PCR_WHY_MAX)
		return false;
	r->stop = (enum pcr_stop)number_of(l, _PCR_STOP_MAX, stop_name);
	if (r->stop == _PCR_STOP_MAX || !cut(l))
		return false;
	r->dry_run = is(l, "dry-run");
	if (!r->dry_run && !is(l, "live"))
		return false;
	if (r->action != PCR_ACT_SET)
		return cut(l) && is(l, "-");
	r->setting = (enum pcr_setting)number_of(l, PCR_SETTINGS_ALL, pcr_setting_knob);
	return r->setting < PCR_SETTINGS_ALL;
}

static bool get_figures(struct line *l, struct pcr_record *r)
{
	u64 err, steps;

	/* As large as an errno gets. */
	if (!get_number(l, 4095, &err) || !get_number(l, UINT32_MAX, &steps))
		return false;
	r->err = (int)err;
	r->steps = (u32)steps;
	for (size_t i = 0; i < PCR_ARRAY_SIZE(numbers); i++)
		if (!get_u64(l, (u64 *)((char *)r + numbers[i])))
			return false;
	return get_text(l, r->policy, sizeof(r->policy)) && get_text(l, r->path, sizeof(r->path));
}

static bool get_run(struct line *l, const char *boot, struct pcr_record *r)
{
	if (!cut(l) || !l->n || l->n >= PCR_BOOT_ID)
		return false;
	r->past = is(l, boot) && !is(l, "-") ? PCR_PAST_RESTART : PCR_PAST_BOOT;
	return get_number(l, INT64_MAX, &r->end_real_usec);
}

int pcr_record_read(const char *line, size_t n, const char *boot, struct pcr_record *ret_record,
		    u32 *ret_column)
{
	struct line l = { .at = line, .left = n, .field = line };
	struct pcr_record r = { 0 };

	if (!get_number(&l, UINT64_MAX - 2, &r.seq) || !r.seq || !get_run(&l, boot, &r) ||
	    !get_what(&l, &r) || !get_figures(&l, &r) || !l.end) {
		*ret_column = (u32)(l.field - line) + 1;
		return -EINVAL;
	}
	if (r.past == PCR_PAST_RESTART)
		r.end_real_usec = 0;
	else if (r.target)
		r.target = PCR_ABSENT;
	*ret_record = r;
	return 0;
}
