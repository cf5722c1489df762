// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings back to the text of a file; a list of CPUs that is too long to show is left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

static void print_list(FILE *out, const char *key, char *const *words, u32 n)
{
	for (u32 i = 0; i < n; i++)
		fprintf(out, "%s=%s\n", key, words[i]);
}

static void print_key(FILE *out, const struct pcr_settings *s, size_t i, s32 policy)
{
	char value[PCR_KEY_TEXT];

	/* Those are cut where they are long. */
	if (!strcmp(pcr_key_name(i), "Match"))
		print_list(out, "Match", s->policies[policy].match, s->policies[policy].n_match);
	else if (!strcmp(pcr_key_name(i), "Slices"))
		print_list(out, "Slices", s->pressure.slices, s->pressure.n_slices);
	else if (!strstr(pcr_key_value(i, s, policy, value), "..."))
		fprintf(out, "%s=%s\n", pcr_key_name(i), value);
}

static void print_sections(FILE *out, const struct pcr_settings *s)
{
	const char *section = "";

	for (size_t i = 0; i < pcr_key_count(); i++) {
		if (!s->origin[i].line || !strcmp(pcr_key_section(i), "Policy"))
			continue;
		if (strcmp(section, pcr_key_section(i)))
			fprintf(out, "[%s]\n", pcr_key_section(i));
		section = pcr_key_section(i);
		print_key(out, s, i, -1);
	}
}

static void print_policy(FILE *out, const struct pcr_settings *s, u32 p)
{
	fprintf(out, "[Policy %s]\n", s->policies[p].name);
	for (size_t i = 0; i < pcr_key_count(); i++)
		if (s->policies[p].origin[i].line)
			print_key(out, s, i, (s32)p);
}

static void print_node(FILE *out, const struct pcr_settings *s, const struct pcr_node_rule *node)
{
	char value[PCR_KEY_TEXT];

	fprintf(out, "[BatchFree node%u]\n", node->node);
	for (size_t i = 0; i < pcr_key_count(); i++)
		if (node->origin[i].line &&
		    !strstr(pcr_key_node_value(i, s, node->node, value), "..."))
			fprintf(out, "%s=%s\n", pcr_key_name(i), value);
}

char *pcr_settings_text(const struct pcr_settings *s)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	bool bad;

	if (!out)
		return NULL;
	print_sections(out, s);
	for (u32 i = 0; i < s->n_nodes; i++)
		print_node(out, s, &s->nodes[i]);
	for (u32 p = 0; p < s->n_policies; p++)
		print_policy(out, s, p);
	bad = ferror(out) != 0;
	if (fclose(out) == 0 && !bad)
		return text;
	free(text);
	return NULL;
}
