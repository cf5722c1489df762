// SPDX-License-Identifier: GPL-2.0-or-later
#include "conf/section.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/suggest.h"
#include "conf/lines.h"

static const char *const sections[] = { "Percpu", "BatchFree", "Collapse", "Pressure", "Daemon",
					"Policy" };

static bool name_byte(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("_.:@-", c));
}

/* NULL, or what is wrong with it. */
static const char *policy_name_fault(const char *name)
{
	if (strlen(name) > PCR_POLICY_NAME_MAX)
		return "policy name longer than 31 characters";
	for (const char *c = name; *c; c++) {
		if (*c == '/' || *c == '*')
			return "a policy needs a name: cgroups stand in its Match=";
		if (!name_byte(*c))
			return "policy names are made of A-Z a-z 0-9 _ . : @ -";
	}
	return NULL;
}

/* The policy of that name, made if need be; its index, -ENOMEM or -ENOSPC. */
static s32 find_policy(struct pcr_settings *s, const char *name, struct pcr_origin where)
{
	struct pcr_policy *more;
	u32 n = s->n_policies;

	for (u32 i = 0; i < n; i++) {
		if (strcmp(s->policies[i].name, name) == 0)
			return (s32)i;
	}
	if (n >= PCR_POLICIES_MAX)
		return -ENOSPC;
	/* Room doubles: the array is full when n is a power of two. */
	if ((n & (n - 1)) == 0) {
		more = realloc(s->policies, (n ? 2 * (size_t)n : 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		s->policies = more;
	}
	s->policies[n] = (struct pcr_policy){ .name = strdup(name), .where = where };
	if (!s->policies[n].name)
		return -ENOMEM;
	s->n_policies++;
	return (s32)n;
}

static bool enter_policy(struct pcr_draft *d, const struct pcr_conf_place *place, const char *name)
{
	struct pcr_origin where = { .file = (u16)place->file,
				    .line = place->line,
				    .column = (u16)place->column };
	const char *fault = policy_name_fault(name);
	char quoted[PCR_CONF_QUOTE];
	s32 i;

	if (fault) {
		pcr_conf_error(d->report, place, "[Policy %s]: %s",
			       pcr_conf_quote(quoted, name, strlen(name)), fault);
		return false;
	}
	i = find_policy(d->settings, name, where);
	if (i == -ENOSPC)
		pcr_conf_error(d->report, place, "[Policy %s]: more than %d policies", name,
			       PCR_POLICIES_MAX);
	else if (i < 0)
		d->err = i;
	if (i < 0)
		return false;
	d->section = "Policy";
	d->policy = i;
	d->node = -1;
	return true;
}

/* The section of that node, made if need be; its index, -ENOMEM. */
static s32 find_node(struct pcr_settings *s, u32 node, struct pcr_origin where)
{
	struct pcr_node_rule *more;
	u32 n = s->n_nodes;

	for (u32 i = 0; i < n; i++)
		if (s->nodes[i].node == node)
			return (s32)i;
	more = realloc(s->nodes, (n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->nodes = more;
	s->nodes[s->n_nodes++] = (struct pcr_node_rule){ .node = node, .where = where };
	return (s32)n;
}

static bool enter_node(struct pcr_draft *d, const struct pcr_conf_place *place, const char *name)
{
	struct pcr_origin where = { .file = (u16)place->file, .line = place->line,
				    .column = (u16)place->column };
	char quoted[PCR_CONF_QUOTE];
	u64 number;
	s32 i;

	if (strncmp(name, "node", 4) != 0 || pcr_parse_u64(name + 4, strlen(name + 4), &number)) {
		pcr_conf_error(d->report, place, "[BatchFree %s]: which node? [BatchFree node1]",
			       pcr_conf_quote(quoted, name, strlen(name)));
		return false;
	}
	if (number >= PCR_NODES_MAX) {
		pcr_conf_error(d->report, place, "[BatchFree %s]: nodes 0 to %d are managed",
			       pcr_conf_quote(quoted, name, strlen(name)), PCR_NODES_MAX - 1);
		return false;
	}
	i = find_node(d->settings, (u32)number, where);
	if (i < 0) {
		d->err = i;
		return false;
	}
	d->section = "BatchFree";
	d->policy = -1;
	d->node = i;
	return true;
}

static bool refuse(struct pcr_draft *d, const struct pcr_conf_place *place, const char *name)
{
	char quoted[PCR_CONF_QUOTE], rest[PCR_CONF_QUOTE], first[PCR_SECTION_MAX + 1];
	size_t len = strcspn(name, " \t"), start = strspn(name, " \t");
	const char *near, *tail;

	/* "[ Percpu ]" and "[polcy db]": what stands first decides, what follows is kept. */
	len = strcspn(name + start, " \t");
	snprintf(first, sizeof(first), "%.*s", (int)len, name + start);
	tail = name + start + len;
	tail += strspn(tail, " \t");
	near = pcr_suggest(first, sections, PCR_ARRAY_SIZE(sections));
	pcr_conf_quote(quoted, name, strlen(name));
	if (!near)
		pcr_conf_error(d->report, place, "[%s]: unknown section", quoted);
	else if (strcmp(near, "Policy") != 0)
		pcr_conf_error(d->report, place, "[%s]: unknown section; did you mean [%s]?", quoted,
			       near);
	else
		pcr_conf_error(d->report, place, "[%s]: unknown section; did you mean [Policy %s]?",
			       quoted, *tail ? pcr_conf_quote(rest, tail, strlen(tail)) : "NAME");
	return false;
}

bool pcr_section_enter(struct pcr_draft *d, const struct pcr_conf_place *place, const char *name,
		       size_t n)
{
	char copy[PCR_SECTION_MAX + 1];

	if (n > PCR_SECTION_MAX)
		return false;
	memcpy(copy, name, n);
	copy[n] = '\0';
	/* The last one is for policies, and only with a name. */
	for (size_t i = 0; i + 1 < PCR_ARRAY_SIZE(sections); i++) {
		if (strcmp(copy, sections[i]) == 0) {
			d->section = sections[i];
			d->policy = d->node = -1;
			return true;
		}
	}
	if (strncmp(copy, "Policy ", 7) == 0 && copy[7 + strspn(copy + 7, " \t")] != '\0')
		return enter_policy(d, place, copy + 7 + strspn(copy + 7, " \t"));
	if (strncmp(copy, "BatchFree ", 10) == 0 && copy[10 + strspn(copy + 10, " \t")] != '\0')
		return enter_node(d, place, copy + 10 + strspn(copy + 10, " \t"));
	return refuse(d, place, copy);
}

static size_t width(const struct pcr_key *key)
{
	return key->form == &pcr_form_bool ? sizeof(bool) :
	       key->form == &pcr_form_rate || key->form == &pcr_form_rate_off ? 2 * sizeof(u64) :
										sizeof(u64);
}

void pcr_policy_inherit(struct pcr_policy *p, const struct pcr_rule *rule)
{
	struct pcr_rule own = p->rule;

	p->rule = *rule;
	for (size_t i = 0; i < pcr_n_keys; i++) {
		size_t offset = pcr_keys[i].offset - offsetof(struct pcr_settings, rule);

		if (pcr_keys[i].in_policy && p->origin[i].line > 0)
			memcpy((char *)&p->rule + offset, (char *)&own + offset, width(&pcr_keys[i]));
	}
}

void pcr_node_inherit(struct pcr_node_rule *n, const struct pcr_workers *workers)
{
	for (size_t i = 0; i < pcr_n_keys; i++) {
		size_t offset = pcr_keys[i].offset - offsetof(struct pcr_settings, batch.workers);
		size_t size = pcr_keys[i].form == &pcr_form_cpus ? sizeof(struct pcr_cpus) :
								   sizeof(u64);

		if (pcr_keys[i].in_node && !n->origin[i].line)
			memcpy((char *)&n->workers + offset, (const char *)workers + offset, size);
	}
}
