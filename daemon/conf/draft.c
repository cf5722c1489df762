// SPDX-License-Identifier: GPL-2.0-or-later
/* From sections and keys to settings; each refusal names what was probably meant. */
#include "conf/draft.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/suggest.h"
#include "conf/ini.h"
#include "conf/section.h"

static struct pcr_conf_place at(const struct pcr_draft *d, u32 line, u32 column)
{
	struct pcr_conf_place place = d->place;

	place.line = line;
	place.column = column;
	return place;
}

static void on_error(void *data, u32 line, u32 column, const char *what)
{
	struct pcr_draft *d = data;
	struct pcr_conf_place place = at(d, line, column);

	pcr_conf_error(d->report, &place, "%s", what);
}

static bool on_section(void *data, u32 line, u32 column, const char *name, size_t n)
{
	struct pcr_draft *d = data;
	struct pcr_conf_place place = at(d, line, column);

	return pcr_section_enter(d, &place, name, n);
}

/* Index of a key that may stand in the present section; -1. */
static int key_here(const struct pcr_draft *d, const char *name)
{
	int i = pcr_key_index(d->section, name);

	return i >= 0 && d->node >= 0 && !pcr_keys[i].in_node ? -1 : i;
}

static size_t keys_here(const struct pcr_draft *d, const char *names[static PCR_KEYS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < pcr_n_keys; i++) {
		if (key_here(d, pcr_keys[i].name) == (int)i)
			names[n++] = pcr_keys[i].name;
	}
	return n;
}

/* "Percpu", "Policy ci", "BatchFree node1" */
static const char *section_text(const struct pcr_draft *d, char buf[static PCR_CONF_QUOTE])
{
	if (d->policy >= 0)
		snprintf(buf, PCR_CONF_QUOTE, "Policy %s", d->settings->policies[d->policy].name);
	else if (d->node >= 0)
		snprintf(buf, PCR_CONF_QUOTE, "BatchFree node%u", d->settings->nodes[d->node].node);
	else
		snprintf(buf, PCR_CONF_QUOTE, "%s", d->section);
	return buf;
}

static void unknown_key(struct pcr_draft *d, const struct pcr_ini_key *in)
{
	struct pcr_conf_place place = at(d, in->line, in->column);
	char key[PCR_CONF_QUOTE], value[PCR_CONF_QUOTE], section[PCR_CONF_QUOTE];
	const char *names[PCR_KEYS_MAX], *near;

	pcr_conf_quote(key, in->name, strlen(in->name));
	pcr_conf_quote(value, in->value, strlen(in->value));
	section_text(d, section);
	for (size_t i = 0; i < pcr_n_keys; i++) {
		if (strcmp(pcr_keys[i].name, in->name) != 0)
			continue;
		pcr_conf_error(d->report, &place, "%s=%s: not a key of [%s]: it belongs in [%s]",
			       key, value, section, strcmp(pcr_keys[i].section, "Policy") == 0 ? "Policy NAME" :
									     pcr_keys[i].section);
		return;
	}
	near = pcr_suggest(in->name, names, keys_here(d, names));
	pcr_conf_error(d->report, &place, "%s=%s: unknown key in [%s]%s%s%s", key, value, section,
		       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Quotes and comments that other formats have: told as such when that is all that is wrong. */
static void explain_habits(const struct pcr_key *key, const char *value, size_t n,
			   struct pcr_complaint *c)
{
	struct pcr_complaint other = {};
	const char *hash = strstr(value, " #");
	size_t keep = hash ? (size_t)(hash - value) : 0;

	while (keep > 0 && (value[keep - 1] == ' ' || value[keep - 1] == '\t'))
		keep--;
	if (keep > 0 && key->form->parse(key, value, keep, NULL, &other) == 0)
		pcr_complain(c, (size_t)(hash - value) + 1,
			     "a comment behind a value begins with ; instead of #");
	if (n > 2 && (value[0] == '"' || value[0] == '\'') && value[n - 1] == value[0] &&
	    key->form->parse(key, value + 1, n - 2, NULL, &other) == 0) {
		pcr_complain(c, 0, "values are written without quotes");
		if (n - 2 < sizeof(c->mean)) {
			memcpy(c->mean, value + 1, n - 2);
			c->mean[n - 2] = '\0';
		}
	}
}

static void tell_value(struct pcr_draft *d, const struct pcr_key *key, const struct pcr_ini_key *in,
		       const struct pcr_complaint *c,
		       void (*tell)(struct pcr_conf_report *, const struct pcr_conf_place *,
				    const char *, ...))
{
	struct pcr_conf_place place = at(d, in->line, in->value_column + (u32)c->at);
	char value[PCR_CONF_QUOTE], mean[PCR_CONF_QUOTE];

	pcr_conf_quote(value, in->value, strlen(in->value));
	pcr_conf_quote(mean, c->mean, strlen(c->mean));
	tell(d->report, &place, "%s=%s: %s%s%s%s", key->name, value, c->what,
	     *mean ? "; did you mean " : "", mean, *mean ? "?" : "");
}

static void refuse_value(struct pcr_draft *d, const struct pcr_key *key,
			 const struct pcr_ini_key *in, struct pcr_complaint *c)
{
	explain_habits(key, in->value, strlen(in->value), c);
	tell_value(d, key, in, c, pcr_conf_error);
}

/* systemd lets the later one win, and so do we; within one file it is hardly meant. */
static void warn_twice(struct pcr_draft *d, const struct pcr_key *key, const struct pcr_ini_key *in,
		       const struct pcr_origin *origin)
{
	struct pcr_conf_place place = at(d, in->line, in->column);
	char value[PCR_CONF_QUOTE];

	if (origin->line == 0 || origin->file != d->place.file || key->list)
		return;
	pcr_conf_warn(d->report, &place, "%s=%s: given before in line %u; this one counts", key->name,
		      pcr_conf_quote(value, in->value, strlen(in->value)), origin->line);
}

/* All policies together; `had` is what this one had before the line. */
static void count_globs(struct pcr_draft *d, const struct pcr_ini_key *in, u32 had, u32 has)
{
	struct pcr_conf_place place = at(d, in->line, in->value_column);
	u32 before = d->globs;

	d->globs += has - had;
	if (before <= PCR_GLOBS_MAX && d->globs > PCR_GLOBS_MAX)
		pcr_conf_error(d->report, &place, "Match=: more than %d globs in all policies",
			       PCR_GLOBS_MAX);
}

static void set_value(struct pcr_draft *d, size_t i, const struct pcr_ini_key *in)
{
	const struct pcr_key *key = &pcr_keys[i];
	struct pcr_policy *p = d->policy >= 0 ? &d->settings->policies[d->policy] : NULL;
	struct pcr_node_rule *node = d->node >= 0 ? &d->settings->nodes[d->node] : NULL;
	struct pcr_origin *origin = p ? &p->origin[i] : node ? &node->origin[i] :
							       &d->settings->origin[i];
	u32 had = p ? p->n_match : 0;
	struct pcr_complaint c = {};
	int r;

	if (*in->value == '\0') {
		r = pcr_key_reset(key, d->settings, p, node);
		*origin = (struct pcr_origin){};
	} else {
		r = key->form->parse(key, in->value, strlen(in->value),
				     pcr_key_slot(key, d->settings, p, node), &c);
	}
	if (r == -EINVAL)
		refuse_value(d, key, in, &c);
	else if (r < 0)
		d->err = r;
	else if (c.doubt)
		tell_value(d, key, in, &c, pcr_conf_warn);
	/* Refused or not, it was set here: a refused Match= is not a missing one. */
	if (*in->value) {
		warn_twice(d, key, in, origin);
		*origin = (struct pcr_origin){ .file = (u16)d->place.file,
					       .line = in->line,
					       .column = (u16)in->column };
	}
	if (p)
		count_globs(d, in, had, p->n_match);
}

static void on_key(void *data, const struct pcr_ini_key *in)
{
	struct pcr_draft *d = data;
	struct pcr_conf_place place = at(d, in->line, in->column);
	char key[PCR_CONF_QUOTE], value[PCR_CONF_QUOTE];
	int i;

	if (!d->section) {
		pcr_conf_error(d->report, &place, "%s=%s: stands before the first [Section]",
			       pcr_conf_quote(key, in->name, strlen(in->name)),
			       pcr_conf_quote(value, in->value, strlen(in->value)));
		return;
	}
	i = key_here(d, in->name);
	if (i < 0)
		unknown_key(d, in);
	else
		set_value(d, (size_t)i, in);
}

int pcr_draft_start(struct pcr_draft *draft, struct pcr_conf_report *report)
{
	*draft = (struct pcr_draft){ .report = report,
				      .policy = -1,
				      .node = -1,
				      .errors_before = report->n_errors };
	draft->settings = pcr_settings_default();
	return draft->settings ? 0 : -ENOMEM;
}

void pcr_draft_done(struct pcr_draft *draft)
{
	pcr_settings_free(draft->settings);
	draft->settings = NULL;
}

int pcr_draft_add(struct pcr_draft *draft, const char *path, const char *text, size_t n)
{
	const struct pcr_ini_sink sink = {
		.data = draft, .section = on_section, .key = on_key, .error = on_error
	};
	struct pcr_settings *s = draft->settings;
	int r = pcr_strv_push(&s->files, &s->n_files, path, strlen(path));

	if (r < 0)
		return r;
	draft->place = (struct pcr_conf_place){ .path = s->files[s->n_files - 1],
						.file = s->n_files - 1 };
	draft->section = NULL;
	draft->policy = draft->node = -1;
	r = pcr_ini_parse(text, n, &sink);
	if (r < 0)
		pcr_conf_error(draft->report, &draft->place,
			       "this system's inih library does not read settings as expected");
	return r < 0 ? r : draft->err;
}

/* Many cgroups are held against many globs: what can be found out once is. */
static int prepare_globs(struct pcr_policy *p)
{
	p->globs = calloc(p->n_match ? p->n_match : 1, sizeof(*p->globs));
	if (!p->globs)
		return -ENOMEM;
	for (u32 i = 0; i < p->n_match; i++)
		pcr_glob_prepare(p->match[i], &p->globs[i]);
	return 0;
}

int pcr_draft_finish(struct pcr_draft *draft, struct pcr_settings **ret_settings)
{
	struct pcr_settings *s = draft->settings;

	for (u32 i = 0; i < s->n_policies; i++) {
		pcr_policy_inherit(&s->policies[i], &s->rule);
		if (prepare_globs(&s->policies[i]) < 0)
			return -ENOMEM;
	}
	for (u32 i = 0; i < s->n_nodes; i++)
		pcr_node_inherit(&s->nodes[i], &s->batch.workers);
	pcr_conf_check(s, draft->report);
	pcr_conf_report_sort(draft->report);
	if (draft->report->nomem)
		return -ENOMEM;
	if (draft->report->n_errors > draft->errors_before)
		return -EINVAL;
	*ret_settings = s;
	draft->settings = NULL;
	return 0;
}
