// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of a scenario line, and what to say when they are wrong. */
#include "scn/scn.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"
#include "model/tree.h"

bool scn_fail(struct scn *s, const char *fmt, ...)
{
	va_list ap;

	/* The first one is what went wrong; the rest would follow from it. */
	if (!s->failed) {
		printf("%s:%u: ", s->file, s->line);
		va_start(ap, fmt);
		vprintf(fmt, ap);
		va_end(ap);
		printf("\n");
	}
	s->failed = true;
	return false;
}

static int parse(enum scn_unit unit, const char *text, u64 *ret)
{
	size_t n = strlen(text);
	bool yes;
	int r;

	if (!strcmp(text, "absent") || !strcmp(text, "never")) {
		*ret = PCR_ABSENT;
		return 0;
	}
	switch (unit) {
	case SCN_NUMBER:
		return pcr_parse_u64(text, n, ret);
	case SCN_SIZE:
		return pcr_parse_size(text, n, ret);
	case SCN_YES:
		r = pcr_parse_bool(text, n, &yes);
		if (r == 0)
			*ret = yes;
		return r;
	default:
		r = pcr_parse_span(text, n, ret);
		if (r == 0 && unit == SCN_TIME)
			*ret = pcr_add_u64(*ret, SCN_START);
		return r;
	}
}

bool scn_value(struct scn *s, enum scn_unit unit, const char *text, u64 *ret_value)
{
	static const char *const what[] = { "a number", "a size", "a span", "a time", "yes or no" };

	if (parse(unit, text, ret_value) == 0)
		return true;
	return scn_fail(s, "\"%s\" is not %s", text, what[unit]);
}

const char *scn_after(const char *word, const char *key)
{
	size_t n = strlen(key);

	return !strncmp(word, key, n) && word[n] == '=' ? word + n + 1 : NULL;
}

/* '=', '<' for "<=", '>' for ">="; 0: no such key. */
static char operator_of(const char *word, const char *key, const char **ret_value)
{
	size_t n = strlen(key);

	if (strncmp(word, key, n))
		return 0;
	if (word[n] == '=') {
		*ret_value = word + n + 1;
		return '=';
	}
	if ((word[n] == '<' || word[n] == '>') && word[n + 1] == '=') {
		*ret_value = word + n + 2;
		return word[n];
	}
	return 0;
}

static const struct scn_key *find(struct scn *s, const char *word, const struct scn_key *keys,
				  u32 n, char *ret_operator, u64 *ret_value)
{
	const char *text = NULL;

	for (u32 i = 0; i < n; i++) {
		*ret_operator = operator_of(word, keys[i].key, &text);
		if (*ret_operator)
			return scn_value(s, keys[i].unit, text, ret_value) ? &keys[i] : NULL;
	}
	scn_fail(s, "\"%s\" is not understood here", word);
	return NULL;
}

bool scn_keys(struct scn *s, const struct scn_line *l, u32 from, const struct scn_key *keys, u32 n)
{
	for (u32 i = from; i < l->n; i++) {
		u64 value = 0;
		char op;
		const struct scn_key *key = find(s, l->word[i], keys, n, &op, &value);

		if (!key)
			return false;
		if (op != '=')
			return scn_fail(s, "\"%s\": only = can set a value", l->word[i]);
		*key->value = value;
	}
	return true;
}

static const char *show(char buf[static PCR_TEXT], enum scn_unit unit, u64 value)
{
	switch (unit) {
	case SCN_SIZE:
		return pcr_text_bytes(buf, value);
	case SCN_TIME:
		return pcr_text_span(buf,
				     value == PCR_NEVER ? value : pcr_sub_u64(value, SCN_START));
	case SCN_SPAN:
		return pcr_text_span(buf, value);
	default:
		return pcr_text_count(buf, value);
	}
}

bool scn_compare(struct scn *s, const struct scn_line *l, u32 from, const struct scn_key *keys,
		 u32 n)
{
	for (u32 i = from; i < l->n; i++) {
		char buf[PCR_TEXT], op;
		u64 value = 0;
		const struct scn_key *key = find(s, l->word[i], keys, n, &op, &value);

		if (!key)
			return false;
		if (op == '=' ? *key->value != value : op == '<' ? *key->value > value :
		    *key->value < value)
			return scn_fail(s, "expected %s, but %s is %s", l->word[i], key->key,
					show(buf, key->unit, *key->value));
	}
	return true;
}

struct pcr_node *scn_node(struct scn *s, const char *path)
{
	struct pcr_node *node =
		*path == '/' ? pcr_tree_lookup(&s->st.tree, path, strlen(path)) : NULL;

	if (!node)
		scn_fail(s, "there is no cgroup %s", path);
	return node;
}
