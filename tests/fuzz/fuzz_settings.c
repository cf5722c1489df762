// SPDX-License-Identifier: GPL-2.0-or-later
/* A settings file: taken or refused as a whole, with reasons fit for a terminal. */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "conf/conf.h"

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static void check_line(const struct pcr_conf_line *line)
{
	MUST(strncmp(line->text, "x.conf:", 7) == 0);
	MUST(line->line > 0 && line->column > 0);
	for (const char *c = line->text; *c; c++)
		MUST((unsigned char)*c >= 0x20 && *c != 0x7f);
	/* These would be our fault, not the file's. A quoted value never is all that is said. */
	MUST(!ends_with(line->text, ": inih has lost count of the lines"));
	MUST(!ends_with(line->text, ": inih can't read this line"));
}

/* In force means within bounds: written to a file, every value is taken again. */
static void check_value(size_t i, const struct pcr_settings *s, s32 policy)
{
	char value[PCR_KEY_TEXT], again[PCR_KEY_TEXT], text[3 * PCR_KEY_TEXT];
	struct pcr_conf_report report = {};
	struct pcr_settings *back = NULL;
	int n;

	pcr_key_value(i, s, policy, value);
	if (strstr(value, "..."))
		return;
	n = snprintf(text, sizeof(text), "[%s]\n%s=%s\n%s",
		     policy >= 0 ? "Policy p" : pcr_key_section(i), pcr_key_name(i), value,
		     policy >= 0 && strcmp(pcr_key_name(i), "Match") != 0 ? "Match=/a\n" : "");
	if (pcr_conf_parse_text("again", text, (size_t)n, &back, &report) == 0) {
		pcr_key_value(i, back, policy >= 0 ? 0 : -1, again);
		MUST(strcmp(value, again) == 0);
	} else {
		/* Only together with another key can a value be refused that was taken. */
		MUST(strstr(pcr_key_name(i), "ReapStep") || strstr(pcr_key_name(i), "ReapBudget"));
	}
	pcr_settings_free(back);
	pcr_conf_report_done(&report);
}

/* The text of all that was set says the same again. */
static void check_text(const struct pcr_settings *s)
{
	struct pcr_conf_report report = {};
	struct pcr_settings *back = NULL;
	char *text = pcr_settings_text(s), *again;

	MUST(text);
	MUST(pcr_conf_parse_text("again", text, strlen(text), &back, &report) == 0);
	again = pcr_settings_text(back);
	MUST(again && strcmp(text, again) == 0);
	MUST(back->n_policies == s->n_policies);
	for (u32 p = 0; p < s->n_policies; p++)
		MUST(back->policies[p].n_match == s->policies[p].n_match);
	free(again);
	free(text);
	pcr_settings_free(back);
	pcr_conf_report_done(&report);
}

static void check_settings(const struct pcr_settings *s)
{
	check_text(s);
	for (size_t i = 0; i < pcr_key_count(); i++) {
		if (strcmp(pcr_key_section(i), "Policy") != 0)
			check_value(i, s, -1);
		for (u32 p = 0; p < s->n_policies && p < 2; p++) {
			if (pcr_key_in_policy(i) || strcmp(pcr_key_section(i), "Policy") == 0)
				check_value(i, s, (s32)p);
		}
	}
	for (u32 p = 0; p < s->n_policies; p++)
		MUST(s->policies[p].n_match > 0 && strlen(s->policies[p].name) <= 31);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pcr_conf_report report = {};
	struct pcr_settings *s = NULL;
	int r = pcr_conf_parse_text("x.conf", (const char *)data, size, &s, &report);
	char *text = pcr_conf_report_text(&report);

	MUST(r == 0 || r == -EINVAL);
	MUST((r == 0) == (report.n_errors == 0) && (r == 0) == (s != NULL));
	MUST(text);
	for (size_t i = 0; i < report.n; i++)
		check_line(&report.lines[i]);
	if (s)
		check_settings(s);
	free(text);
	pcr_settings_free(s);
	pcr_conf_report_done(&report);
	return 0;
}
