// SPDX-License-Identifier: GPL-2.0-or-later
/* Where values lie, what they are, and how they become the default again. */
#include "conf/table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *pcr_key_slot(const struct pcr_key *key, struct pcr_settings *settings,
		   struct pcr_policy *policy, struct pcr_node_rule *node)
{
	if (node)
		return (char *)&node->workers +
		       (key->offset - offsetof(struct pcr_settings, batch.workers));
	if (key->form == &pcr_form_globs)
		return (char *)policy + key->offset;
	if (policy)
		return (char *)&policy->rule + (key->offset - offsetof(struct pcr_settings, rule));
	return (char *)settings + key->offset;
}

static void clear_slices(struct pcr_pressure_rule *pressure)
{
	for (u32 i = 0; i < pressure->n_slices; i++)
		free(pressure->slices[i]);
	pressure->n_slices = 0;
}

int pcr_key_reset(const struct pcr_key *key, struct pcr_settings *settings,
		  struct pcr_policy *policy, struct pcr_node_rule *node)
{
	struct pcr_complaint c = {};
	int r;

	if (key->form == &pcr_form_globs) {
		pcr_strv_clear(&policy->match, &policy->n_match);
	} else if (key->form == &pcr_form_slices) {
		clear_slices(&settings->pressure);
	} else if (key->form == &pcr_form_group) {
		free(settings->daemon.socket_group);
		settings->daemon.socket_group = NULL;
	} else {
		r = key->form->parse(key, key->def, strlen(key->def),
				     pcr_key_slot(key, settings, policy, node), &c);
		return r;
	}
	return 0;
}

struct pcr_settings *pcr_settings_default(void)
{
	struct pcr_settings *settings = calloc(1, sizeof(*settings));

	if (!settings)
		return NULL;
	for (size_t i = 0; i < pcr_n_keys; i++) {
		/* Match= alone has no place outside a policy. */
		if (pcr_keys[i].form == &pcr_form_globs)
			continue;
		if (pcr_key_reset(&pcr_keys[i], settings, NULL, NULL) < 0) {
			pcr_settings_free(settings);
			return NULL;
		}
	}
	return settings;
}

void pcr_settings_free(struct pcr_settings *settings)
{
	if (!settings)
		return;
	for (u32 i = 0; i < settings->n_policies; i++) {
		struct pcr_policy *p = &settings->policies[i];

		free(p->name);
		pcr_strv_clear(&p->match, &p->n_match);
		free(p->globs);
	}
	free(settings->policies);
	free(settings->nodes);
	clear_slices(&settings->pressure);
	free(settings->daemon.socket_group);
	pcr_strv_clear(&settings->files, &settings->n_files);
	free(settings);
}

const char *pcr_key_range(size_t i, char buf[static PCR_KEY_TEXT])
{
	const struct pcr_key *key = &pcr_keys[i];
	char low[PCR_KEY_TEXT], high[PCR_KEY_TEXT];

	if (key->range) {
		snprintf(buf, PCR_KEY_TEXT, "%s", key->range);
	} else if (key->form->bound) {
		key->form->bound(key->min, low);
		key->form->bound(key->max, high);
		snprintf(buf, PCR_KEY_TEXT, "%.50s to %.50s", low, high);
	} else {
		snprintf(buf, PCR_KEY_TEXT, "yes or no");
	}
	return buf;
}

const char *pcr_key_value(size_t i, const struct pcr_settings *settings, s32 policy,
			  char buf[static PCR_KEY_TEXT])
{
	const struct pcr_key *key = &pcr_keys[i];
	struct pcr_settings *s = (struct pcr_settings *)settings;
	struct pcr_policy *p = NULL;

	buf[0] = '\0';
	if (policy >= 0 && (u32)policy < s->n_policies &&
	    (key->in_policy || key->form == &pcr_form_globs))
		p = &s->policies[policy];
	if (p || key->form != &pcr_form_globs)
		key->form->show(key, pcr_key_slot(key, s, p, NULL), buf);
	return buf;
}

static struct pcr_node_rule *find_node(const struct pcr_settings *s, u32 node)
{
	for (u32 i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].node == node)
			return &s->nodes[i];
	return NULL;
}

bool pcr_key_in_node(size_t i)
{
	return pcr_keys[i].in_node;
}

const char *pcr_key_node_value(size_t i, const struct pcr_settings *settings, u32 node,
			       char buf[static PCR_KEY_TEXT])
{
	struct pcr_node_rule *own = find_node(settings, node);
	const struct pcr_key *key = &pcr_keys[i];

	if (!own || !key->in_node)
		return pcr_key_value(i, settings, -1, buf);
	buf[0] = '\0';
	key->form->show(key, pcr_key_slot(key, (struct pcr_settings *)settings, NULL, own), buf);
	return buf;
}

const struct pcr_origin *pcr_key_node_origin(size_t i, const struct pcr_settings *settings, u32 node)
{
	const struct pcr_node_rule *own = find_node(settings, node);

	return own && own->origin[i].line ? &own->origin[i] : &settings->origin[i];
}

int pcr_strv_push(char ***array, u32 *n, const char *text, size_t len)
{
	char **more = realloc(*array, (*n + 1) * sizeof(**array));
	char *copy;

	if (!more)
		return -ENOMEM;
	*array = more;
	copy = strndup(text, len);
	if (!copy)
		return -ENOMEM;
	more[(*n)++] = copy;
	return 0;
}

void pcr_strv_clear(char ***array, u32 *n)
{
	for (u32 i = 0; i < *n; i++)
		free((*array)[i]);
	free(*array);
	*array = NULL;
	*n = 0;
}
