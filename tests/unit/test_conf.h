/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of daemon/conf/ share: load a text, look at settings or messages. */
#ifndef PCR_TEST_CONF_H
#define PCR_TEST_CONF_H

#include "unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conf/conf.h"

struct loaded {
	int r;
	struct pcr_settings *s;
	char *text;		/* messages and counts */
};

static inline struct loaded loaded_from(int r, struct pcr_settings *s,
					struct pcr_conf_report *report)
{
	struct loaded l = { .r = r, .s = s, .text = pcr_conf_report_text(report) };

	ck_assert_ptr_nonnull(l.text);
	ck_assert_int_eq(r == 0, s != NULL);
	pcr_conf_report_done(report);
	return l;
}

static inline struct loaded load_bytes(const char *text, size_t n)
{
	struct pcr_conf_report report = {};
	struct pcr_settings *s = NULL;
	int r = pcr_conf_parse_text("f", text, n, &s, &report);

	return loaded_from(r, s, &report);
}

static inline struct loaded load_text(const char *text)
{
	return load_bytes(text, strlen(text));
}

static inline void unload(struct loaded *l)
{
	pcr_settings_free(l->s);
	free(l->text);
}

/* The text is taken, without a word. */
static inline void taken(const char *text)
{
	struct loaded l = load_text(text);

	ck_assert_msg(l.r == 0 && strcmp(l.text, "0 errors") == 0, "%s\nsaid: %s", text, l.text);
	unload(&l);
}

/* The text gives exactly these messages; r is 0 or -EINVAL. */
static inline void says_bytes(const char *text, size_t n, int r, const char *messages)
{
	struct loaded l = load_bytes(text, n);

	ck_assert_msg(strcmp(l.text, messages) == 0, "%s\nsaid:\n%s\nnot:\n%s", text, l.text,
		      messages);
	ck_assert_int_eq(l.r, r);
	unload(&l);
}

/* One error and nothing else. */
static inline void refused(const char *text, const char *message)
{
	char all[1024];

	snprintf(all, sizeof(all), "%s\n1 error", message);
	says_bytes(text, strlen(text), -EINVAL, all);
}

#define VALUE_IS(settings, policy, section, key, want)                                             \
	do {                                                                                       \
		char _buf[PCR_KEY_TEXT];                                                           \
		int _key = pcr_key_index(section, key);                                              \
                                                                                                   \
		ck_assert_int_ge(_key, 0);                                                           \
		ck_assert_str_eq(pcr_key_value((size_t)_key, settings, policy, _buf), want);         \
	} while (0)

#endif
