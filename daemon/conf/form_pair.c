// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values in two parts with a slash between: an amount per time, a stall per window, a
 * kernel setting while all is calm and while it is not.
 */
#include "conf/form.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

/* Makes what a complaint suggests for one part into a suggestion for the whole. */
static void complete(struct pcr_complaint *c, const char *before, size_t n_before,
		     const char *after, size_t n_after)
{
	size_t len = strlen(c->mean);

	if (len == 0)
		return;
	if (n_before + len + n_after >= sizeof(c->mean)) {
		c->mean[0] = '\0';
		return;
	}
	memmove(c->mean + n_before, c->mean, len);
	memcpy(c->mean, before, n_before);
	memcpy(c->mean + n_before + len, after, n_after);
	c->mean[n_before + len + n_after] = '\0';
}

/* The part behind the slash; "per min" is a usual way to say "per 1min". */
static int read_per(const char *text, size_t n, size_t at, u64 *ret_usec, struct pcr_complaint *c)
{
	char one[40];
	u64 unused;
	int r = pcr_read_span(text + at, n - at, at, ret_usec, c);

	if (r < 0) {
		snprintf(one, sizeof(one), "1%.*s", (int)(n - at < 30 ? n - at : 30), text + at);
		if (pcr_parse_span(one, strlen(one), &unused) == 0) {
			pcr_complain(c, at, "no number before the unit");
			strcpy(c->mean, one);
		}
		complete(c, text, at, "", 0);
		return r;
	}
	if (*ret_usec == 0 || *ret_usec == PCR_NEVER)
		return pcr_complain(c, at, "no time to count it by");
	return 0;
}

/* rate */

static int parse_rate(const struct pcr_key *key, const char *text, size_t n, void *dst,
		      struct pcr_complaint *c)
{
	const char *slash = memchr(text, '/', n);
	size_t left = slash ? (size_t)(slash - text) : n;
	u64 bytes, usec;
	int r = pcr_read_size(text, left, 0, &bytes, c);

	if (r < 0) {
		complete(c, "", 0, text + left, n - left);
		return r;
	}
	if (!slash) {
		pcr_complain(c, n, "no time to count it by");
		if (n < 40)
			snprintf(c->mean, sizeof(c->mean), "%.*s/1min", (int)n, text);
		return -EINVAL;
	}
	r = read_per(text, n, left + 1, &usec, c);
	if (r == 0)
		r = pcr_within(key, bytes, c);
	if (r == 0 && dst) {
		((u64 *)dst)[0] = bytes;
		((u64 *)dst)[1] = usec;
	}
	return r;
}

static void show_rate(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	char size[PCR_KEY_TEXT], span[PCR_KEY_TEXT];

	pcr_write_size(((const u64 *)src)[0], size);
	pcr_write_span(((const u64 *)src)[1], span);
	snprintf(buf, PCR_KEY_TEXT, "%.30s/%.90s", size, span);
}

/* Bounds are of the amount; any span will do. */
static void bound_rate(u64 value, char buf[static PCR_KEY_TEXT])
{
	pcr_write_size(value, buf);
}

const struct pcr_form pcr_form_rate = { "size/span", parse_rate, show_rate, bound_rate };

/* the same, or none of it: 0 bytes */

static int parse_rate_off(const struct pcr_key *key, const char *text, size_t n, void *dst,
			  struct pcr_complaint *c)
{
	bool on = true;

	/* Whoever writes "no" means it. */
	if (memchr(text, '/', n) || pcr_parse_bool(text, n, &on) < 0 || on)
		return parse_rate(key, text, n, dst, c);
	if (dst)
		((u64 *)dst)[0] = ((u64 *)dst)[1] = 0;
	return 0;
}

static void show_rate_off(const struct pcr_key *key, const void *src,
			  char buf[static PCR_KEY_TEXT])
{
	if (*(const u64 *)src == 0)
		strcpy(buf, "off");
	else
		show_rate(key, src, buf);
}

const struct pcr_form pcr_form_rate_off = { "size/span", parse_rate_off, show_rate_off,
					    bound_rate };

/* trigger */

/* The kernel's own limits for pressure triggers. */
#define WINDOW_MIN (500 * PCR_MSEC)
#define WINDOW_MAX (10 * PCR_SEC)

static int check_trigger(const struct pcr_key *key, u64 stall, u64 window, size_t at,
			 struct pcr_complaint *c)
{
	if (window < WINDOW_MIN || window > WINDOW_MAX)
		return pcr_complain(c, at, "the window must be 500ms to 10s");
	if (stall < key->min)
		return pcr_complain(c, 0, "the stall must be at least 1ms");
	if (stall > window)
		return pcr_complain(c, 0, "the stall can't be longer than its window");
	return 0;
}

static int parse_trigger(const struct pcr_key *key, const char *text, size_t n, void *dst,
			 struct pcr_complaint *c)
{
	const char *slash = memchr(text, '/', n);
	size_t left = slash ? (size_t)(slash - text) : n;
	u64 stall, window;
	int r = pcr_read_span(text, left, 0, &stall, c);

	if (r < 0) {
		complete(c, "", 0, text + left, n - left);
		return r;
	}
	if (!slash) {
		pcr_complain(c, n, "no window to count it by");
		if (n < 40 && stall <= 2 * PCR_SEC)
			snprintf(c->mean, sizeof(c->mean), "%.*s/2s", (int)n, text);
		return -EINVAL;
	}
	r = read_per(text, n, left + 1, &window, c);
	if (r == 0)
		r = check_trigger(key, stall, window, left + 1, c);
	if (r == 0 && dst) {
		((u64 *)dst)[0] = stall;
		((u64 *)dst)[1] = window;
	}
	return r;
}

static void show_trigger(const struct pcr_key *key, const void *src,
			 char buf[static PCR_KEY_TEXT])
{
	char stall[PCR_KEY_TEXT], window[PCR_KEY_TEXT];

	pcr_write_span(((const u64 *)src)[0], stall);
	pcr_write_span(((const u64 *)src)[1], window);
	snprintf(buf, PCR_KEY_TEXT, "%.60s/%.60s", stall, window);
}

const struct pcr_form pcr_form_trigger = { "span/span", parse_trigger, show_trigger, NULL };

/* setting: "8", "8/4", "keep/4": calm and under pressure; one value is for both */

static int read_setting(const struct pcr_key *key, const char *text, size_t n, u64 *ret,
			struct pcr_complaint *c)
{
	static const char *const keep[] = { "keep" };
	u64 value = 0;

	pcr_complain_range(key, c);
	if (pcr_read_word(text, n, keep, 1, c) < 0 &&
	    (pcr_parse_u64(text, n, &value) < 0 || pcr_within(key, value, c) < 0))
		return -EINVAL;
	*ret = value;
	return 0;
}

static int parse_setting(const struct pcr_key *key, const char *text, size_t n, void *dst,
			 struct pcr_complaint *c)
{
	const char *slash = memchr(text, '/', n);
	size_t left = slash ? (size_t)(slash - text) : n;
	struct pcr_pair pair;
	int r = read_setting(key, text, left, &pair.calm, c);

	if (r < 0) {
		complete(c, "", 0, text + left, n - left);
		return r;
	}
	pair.pressed = pair.calm;
	if (slash) {
		r = read_setting(key, slash + 1, n - left - 1, &pair.pressed, c);
		if (r < 0) {
			c->at = left + 1;
			complete(c, text, left + 1, "", 0);
			return r;
		}
	}
	if (dst)
		*(struct pcr_pair *)dst = pair;
	return 0;
}

static void write_setting(u64 value, char buf[static PCR_KEY_TEXT])
{
	pcr_write_count(value, buf);
	if (value == 0)
		strcpy(buf, "keep");
}

static void show_setting(const struct pcr_key *key, const void *src, char buf[static PCR_KEY_TEXT])
{
	const struct pcr_pair *pair = src;
	char calm[PCR_KEY_TEXT], pressed[PCR_KEY_TEXT];

	write_setting(pair->calm, calm);
	write_setting(pair->pressed, pressed);
	if (pair->calm == pair->pressed)
		strcpy(buf, calm);
	else
		snprintf(buf, PCR_KEY_TEXT, "%.60s/%.60s", calm, pressed);
}

const struct pcr_form pcr_form_setting = { "setting", parse_setting, show_setting, NULL };
