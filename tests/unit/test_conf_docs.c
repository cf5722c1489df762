// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table against what people read: the shipped file and the manual page have every
 * key, in its section, with the form, range and default that the table has, and no
 * other. Run from the top of the tree.
 */
#include "unit/test_conf.h"

#include "base/cleanup.h"

#define SHIPPED "conf/pcpu-reclaimd.conf"
#define MANUAL "man/pcpu-reclaimd.conf.5"

struct seen {
	bool key[PCR_KEYS_MAX];
};

static FILE *open_text(const char *path)
{
	FILE *f = fopen(path, "re");

	ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
	return f;
}

static void see(struct seen *seen, const char *path, const char *section, const char *key, int i)
{
	ck_assert_msg(i >= 0, "%s: [%s] %s= is not in the table", path, section, key);
	ck_assert_msg(!seen->key[i], "%s: [%s] %s= is there twice", path, section, key);
	seen->key[i] = true;
}

static void saw_all(const struct seen *seen, const char *path, bool policies)
{
	for (size_t i = 0; i < pcr_key_count(); i++)
		ck_assert_msg(seen->key[i] || (!policies && strcmp(pcr_key_section(i), "Policy") == 0),
			      "%s: [%s] %s= is missing", path, pcr_key_section(i), pcr_key_name(i));
}

START_TEST(table_is_sound)
{
	char buf[PCR_KEY_TEXT];

	for (size_t i = 0; i < pcr_key_count(); i++) {
		ck_assert_int_eq(pcr_key_index(pcr_key_section(i), pcr_key_name(i)), (int)i);
		ck_assert_uint_gt(strlen(pcr_key_doc(i)), 10);
		ck_assert_int_ne(pcr_key_doc(i)[strlen(pcr_key_doc(i)) - 1], '.');
		ck_assert_uint_gt(strlen(pcr_key_range(i, buf)), 0);
		/* Of [Percpu] or [Collapse], or of a policy alone. */
		ck_assert(!pcr_key_in_policy(i) || strcmp(pcr_key_section(i), "Percpu") == 0 ||
			  strcmp(pcr_key_section(i), "Collapse") == 0 ||
			  strcmp(pcr_key_section(i), "Policy") == 0);
	}
	ck_assert_int_eq(pcr_key_index("Percpu", "Fish"), -1);
	ck_assert_int_eq(pcr_key_index("Fish", "Reap"), -1);
}
END_TEST

/* The default's text, read and shown again, is the same text. */
START_TEST(defaults_read_back)
{
	struct pcr_settings *s = pcr_settings_default();
	char buf[PCR_KEY_TEXT];

	for (size_t i = 0; i < pcr_key_count(); i++)
		ck_assert_str_eq(pcr_key_value(i, s, -1, buf), pcr_key_default(i));
	pcr_settings_free(s);
}
END_TEST

START_TEST(shipped_file_has_every_key_with_its_default)
{
	PCR_AUTOFCLOSE FILE *f = open_text(SHIPPED);
	char line[256], section[32] = "", before[256] = "";
	struct seen seen = {};

	while (fgets(line, sizeof(line), f)) {
		char key[64], value[128] = "";

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "[%31[^]]]", section) != 1 && strncmp(line, "#[Policy", 8) == 0)
			break;
		if (sscanf(line, "#%63[A-Za-z]=%127[^\n]", key, value) >= 1 && strchr(line, '=')) {
			int i = pcr_key_index(section, key);

			see(&seen, SHIPPED, section, key, i);
			ck_assert_str_eq(value, pcr_key_default((size_t)i));
			ck_assert_msg(strncmp(before, "# ", 2) == 0, "%s= has no reason above", key);
		}
		strcpy(before, line);
	}
	saw_all(&seen, SHIPPED, false);
}
END_TEST

/* With every "#" before a key or section gone, it is a file that changes nothing. */
START_TEST(shipped_file_can_be_uncommented)
{
	PCR_AUTOFCLOSE FILE *f = open_text(SHIPPED);
	char line[256], buf[PCR_KEY_TEXT], *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	struct loaded l;

	while (fgets(line, sizeof(line), f))
		fputs(line + (line[0] == '#' && line[1] != ' ' && line[1] != '\n'), out);
	fclose(out);
	l = load_bytes(text, n);
	ck_assert_str_eq(l.text, "0 errors");
	ck_assert_uint_eq(l.s->n_policies, 2);
	for (size_t i = 0; i < pcr_key_count(); i++)
		ck_assert_str_eq(pcr_key_value(i, l.s, -1, buf), pcr_key_default(i));
	unload(&l);
	free(text);
}
END_TEST

/* The two lines that end a key's entry. */
static void check_entry(const char *text, size_t i)
{
	char want[2 * PCR_KEY_TEXT], range[PCR_KEY_TEXT];
	const char *def = pcr_key_default(i);

	snprintf(want, sizeof(want), "\n.Pp\nRange: %s.\nDefault: %s.\n", pcr_key_range(i, range),
		 *def ? def : "none");
	ck_assert_msg(strstr(text, want) != NULL, MANUAL ": %s= should end in:%s", pcr_key_name(i), want);
}

START_TEST(manual_has_every_key_with_form_range_and_default)
{
	PCR_AUTOFCLOSE FILE *f = open_text(MANUAL);
	char line[256], entry[8192] = "", section[32] = "";
	struct seen seen = {};
	int i = -1;

	while (fgets(line, sizeof(line), f)) {
		char key[64], form[64];

		/* An entry goes to the next, or to the end of its list. */
		if (i >= 0 && (strncmp(line, ".It Cm ", 7) == 0 || strncmp(line, ".El", 3) == 0)) {
			check_entry(entry, (size_t)i);
			i = -1;
		}
		/* "[Policy NAME]" is "Policy". */
		if (sscanf(line, ".Ss [%31[A-Za-z]", section) == 1)
			continue;
		if (sscanf(line, ".It Cm %63s Ns = Ns Ar %63s", key, form) == 2) {
			i = pcr_key_index(section, key);
			see(&seen, MANUAL, section, key, i);
			ck_assert_str_eq(form, pcr_key_form((size_t)i));
			entry[0] = '\0';
		}
		if (strlen(entry) + strlen(line) < sizeof(entry))
			strcat(entry, line);
	}
	saw_all(&seen, MANUAL, true);
}
END_TEST

/* The list of what a policy may override stands in the page's text. */
START_TEST(manual_names_what_a_policy_may_override)
{
	PCR_AUTOFCLOSE FILE *f = open_text(MANUAL);
	char *text = calloc(1, 1 << 16), *from, *to;

	ck_assert_uint_gt(fread(text, 1, (1 << 16) - 1, f), 0);
	from = strstr(text, "A policy may have the keys");
	ck_assert_ptr_nonnull(from);
	to = strstr(from, "whose values hold");
	ck_assert_ptr_nonnull(to);
	*to = '\0';
	for (size_t i = 0; i < pcr_key_count(); i++) {
		char name[64];

		snprintf(name, sizeof(name), " %s%s", pcr_key_name(i),
			 strcmp(pcr_key_name(i), "DryRun") == 0 ||
			 strcmp(pcr_key_name(i), "ForceEmpty") == 0 ||
			 strcmp(pcr_key_name(i), "Collapse") == 0 ? "\n" : " ,");
		if (strcmp(pcr_key_section(i), "Percpu") == 0 ||
		    strcmp(pcr_key_section(i), "Collapse") == 0)
			ck_assert_msg((strstr(from, name) != NULL) == pcr_key_in_policy(i), "%s", name);
	}
	free(text);
}
END_TEST

START_TEST(manual_lints)
{
	if (system("command -v mandoc >/dev/null 2>&1") == 0)
		ck_assert_int_eq(system("mandoc -Tlint -W warning " MANUAL), 0);
	if (system("command -v groff >/dev/null 2>&1") == 0)
		ck_assert_int_eq(system("test -z \"$(groff -mdoc -ww -z " MANUAL " 2>&1)\""), 0);
}
END_TEST

PCR_UNIT("conf docs", manual_lints, table_is_sound, defaults_read_back,
	 shipped_file_has_every_key_with_its_default, shipped_file_can_be_uncommented,
	 manual_has_every_key_with_form_range_and_default, manual_names_what_a_policy_may_override)
