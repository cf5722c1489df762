// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What inih takes in silence, one test each (measured with its release 55), and
 * the reports of other projects that come from it:
 *   bluechi 425, 431: a positive return, which is a line number, taken for success
 *   imv 270: a long line is cut, and its tail read as another
 */
#include "unit/test_conf.h"

#include "conf/ini.h"
#include "conf/lines.h"

#define WITH_NUL(text) text, sizeof(text) - 1

/* bluechi 425, 431: whatever is wrong in any line, the load fails and names the line. */
START_TEST(bluechi_425_431_every_bad_line_is_an_error)
{
	struct loaded l = load_text("[Percpu]\nReap\n\n=yes\nTrim=no\nReap:yes\n[Percpu\nReap=no\n");

	ck_assert_int_eq(l.r, -EINVAL);
	ck_assert_str_eq(l.text, "f:2:1: neither [Section] nor Key=value\n"
				 "f:4:1: no key before the =\n"
				 "f:6:5: a : before the first =: write Key=value\n"
				 "f:7:8: no ] behind the section's name\n"
				 "4 errors");
	unload(&l);
}
END_TEST

/* "[Policy p]", a Match= of one glob that fills up the line, and a key behind it. */
static struct loaded load_long(size_t line_len)
{
	char *text = malloc(line_len + 100);
	size_t n = (size_t)sprintf(text, "[Policy p]\nMatch=/a"), start = 11;
	struct loaded l;

	/* several globs, for each has a bound of its own */
	while (n - start < line_len) {
		text[n] = (n - start) % 100 == 50 ? ' ' : (n - start) % 100 == 51 ? '/' : 'x';
		n++;
	}
	n += (size_t)sprintf(text + n, "\nReapAbove=7\nFish=1\n");
	l = load_bytes(text, n);
	free(text);
	return l;
}

/* imv 270: the longest line is taken whole, a longer one refused, and lines stay counted. */
START_TEST(imv_270_long_lines_are_whole_or_refused)
{
	struct loaded l = load_long(PCR_LINE_MAX);

	ck_assert_str_eq(l.text, "f:4:1: Fish=1: unknown key in [Policy p]\n1 error");
	unload(&l);
	l = load_long(PCR_LINE_MAX + 1);
	ck_assert_str_eq(l.text, "f:1:1: [Policy p]: no Match=: which cgroups is it for?\n"
				 "f:2:4001: line longer than 4000 bytes\n"
				 "f:4:1: Fish=1: unknown key in [Policy p]\n3 errors");
	unload(&l);
}
END_TEST

START_TEST(a_300_byte_value_is_whole)
{
	char text[400] = "[Policy p]\nMatch=/";
	struct loaded l;

	memset(text + strlen(text), 'x', 300);
	l = load_text(text);
	ck_assert_int_eq(l.r, 0);
	ck_assert_uint_eq(strlen(l.s->policies[0].match[0]), 301);
	unload(&l);
}
END_TEST

/* inih cuts at 49 characters: two long names become one. */
START_TEST(section_names_are_not_cut)
{
	refused("[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]\nReap=no\n",
		"f:1:1: section name longer than 49 bytes");
	refused("[Policy 12345678901234567890123456789012]\nMatch=/a\n",
		"f:1:1: [Policy 12345678901234567890123456789012]: policy name longer than 31 characters");
	taken("[Policy 1234567890123456789012345678901]\nMatch=/a\n"
	      "[Policy 123456789012345678901234567890_]\nMatch=/b\n");
}
END_TEST

START_TEST(nul_bytes_are_refused)
{
	says_bytes(WITH_NUL("[Percpu]\nReap=no\0yes\n"), -EINVAL,
		   "f:2:8: NUL byte in the line\n1 error");
	says_bytes(WITH_NUL("# \0\n"), -EINVAL, "f:1:3: NUL byte in the line\n1 error");
	says_bytes(WITH_NUL("\xff\xfe[\0P\0"), -EINVAL, "f:1:4: NUL byte in the line\n1 error");
}
END_TEST

START_TEST(cr_only_files_are_refused)
{
	refused("# old\r[Percpu]\rReap=no\r",
		"f:1:6: carriage return inside the line: lines end with LF or CR LF");
}
END_TEST

START_TEST(other_control_characters_are_refused)
{
	refused("[Percpu]\nReap=no\033[31m\n", "f:2:8: control character \\x1b in the line");
	refused("[Percpu]\fReap=no\n", "f:1:9: control character \\x0c in the line");
}
END_TEST

START_TEST(crlf_bom_tabs_and_no_last_newline_are_fine)
{
	struct loaded l = load_text("\xef\xbb\xbf[Percpu]\r\n\tReapAbove\t=\t7\t\r\n\r\n; x\r\nReap=no");

	ck_assert_str_eq(l.text, "0 errors");
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "7");
	VALUE_IS(l.s, -1, "Percpu", "Reap", "no");
	unload(&l);
	taken("");
	taken("\n\n# nothing\n");
	taken("[Percpu]");
}
END_TEST

START_TEST(text_behind_the_bracket_is_refused)
{
	refused("[Percpu] Reap=no\n", "f:1:10: text behind the section's ]");
	taken("[Percpu] ; why\nReap=no\n[Daemon]#x\n");
}
END_TEST

/* A broken header never lets the keys below it fall to the section above. */
START_TEST(keys_below_a_broken_header_are_nobodys)
{
	refused("[Percpu]\n[Daemon\nDryRun=yes\nFish=1\n", "f:2:8: no ] behind the section's name");
	refused("[Fish]\nReap=no\nChips=1\n", "f:1:1: [Fish]: unknown section");
	says_bytes("[Fish]\nReap\n", 12, -EINVAL,
		   "f:1:1: [Fish]: unknown section\nf:2:1: neither [Section] nor Key=value\n2 errors");
}
END_TEST

START_TEST(empty_names_are_refused)
{
	refused("[]\nReap=no\n", "f:1:1: no name in the section's brackets");
	refused("[Percpu]\n = 1\n", "f:2:2: no key before the =");
	refused("[Percpu]\n;x\n ;y\nx ; = 1\n", "f:4:1: neither [Section] nor Key=value");
}
END_TEST

START_TEST(keys_need_a_section)
{
	refused("Reap=no\n", "f:1:1: Reap=no: stands before the first [Section]");
}
END_TEST

/* inih would take the second for the first one's next line. */
START_TEST(indented_lines_are_keys)
{
	struct loaded l = load_text("[Percpu]\n  ReapAbove = 1\n  TrimAfterDeaths = 2\n");

	ck_assert_str_eq(l.text, "0 errors");
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "1");
	VALUE_IS(l.s, -1, "Percpu", "TrimAfterDeaths", "2");
	unload(&l);
}
END_TEST

/* systemd would. Half a list must not pass for a whole one. */
START_TEST(a_backslash_does_not_continue)
{
	refused("[Policy p]\nMatch=/a\nMatch=/b \\\n",
		"f:3:10: a \\ does not continue the line: lists may be given again instead");
}
END_TEST

START_TEST(comments_behind_values)
{
	struct loaded l = load_text("[Policy p]\nMatch=/a;b /c\t; more\nReapAbove= ; default\n");

	ck_assert_str_eq(l.text, "0 errors");
	ck_assert_uint_eq(l.s->policies[0].n_match, 2);
	ck_assert_str_eq(l.s->policies[0].match[0], "/a;b");
	ck_assert_str_eq(l.s->policies[0].match[1], "/c");
	unload(&l);
}
END_TEST

START_TEST(names_are_case_sensitive_and_near_ones_are_named)
{
	refused("[percpu]\nReap=no\n", "f:1:1: [percpu]: unknown section; did you mean [Percpu]?");
	refused("[ Percpu ]\n", "f:1:1: [ Percpu ]: unknown section; did you mean [Percpu]?");
	refused("[Polcy db]\n", "f:1:1: [Polcy db]: unknown section; did you mean [Policy db]?");
	refused("[Policy]\n", "f:1:1: [Policy]: unknown section; did you mean [Policy NAME]?");
	refused("[Policy ]\n", "f:1:1: [Policy ]: unknown section; did you mean [Policy NAME]?");
	refused("[BatchFed]\n", "f:1:1: [BatchFed]: unknown section; did you mean [BatchFree]?");
}
END_TEST

/* What ends up on a terminal is text. */
START_TEST(messages_print)
{
	refused("[Percpu]\nReap=\xff\xc2\x9bm\n", "f:2:6: Reap=\\xff\\xc2\\x9bm: neither yes nor no");
	refused("[\xc3\xa4]\n", "f:1:1: [\xc3\xa4]: unknown section");
}
END_TEST

START_TEST(a_flood_of_errors_is_counted)
{
	char text[4000] = "[Percpu]\n";
	struct loaded l;

	for (int i = 0; i < 300; i++)
		strcat(text, "Fish=1\n");
	l = load_text(text);
	ck_assert_ptr_nonnull(strstr(l.text, "f:201:1: Fish"));
	ck_assert_ptr_null(strstr(l.text, "f:202:1: Fish"));
	ck_assert_ptr_nonnull(strstr(l.text, "\nand 100 more\n300 errors"));
	unload(&l);
}
END_TEST

/* The library tells us its line numbers, or not; ours come from the reader. */
static void count_key(void *data, const struct pcr_ini_key *key)
{
	u32 *sum = data;

	*sum = *sum * 10 + key->line;
}

static bool yes_section(void *data, u32 line, u32 column, const char *name, size_t n)
{
	return true;
}

static void no_error(void *data, u32 line, u32 column, const char *what)
{
	ck_abort_msg("%u:%u: %s", line, column, what);
}

START_TEST(lines_are_counted_by_us)
{
	static const char text[] = "[a]\nb=1\n\n\nc=2\n;\nd=3";
	u32 sum = 0;
	struct pcr_ini_sink sink = { .data = &sum, .section = yes_section, .key = count_key,
				     .error = no_error };

	ck_assert_int_eq(pcr_ini_parse(text, sizeof(text) - 1, &sink), 0);
	ck_assert_uint_eq(sum, 257);
}
END_TEST

PCR_UNIT("conf lines", bluechi_425_431_every_bad_line_is_an_error,
	 imv_270_long_lines_are_whole_or_refused, a_300_byte_value_is_whole,
	 section_names_are_not_cut, nul_bytes_are_refused, cr_only_files_are_refused,
	 other_control_characters_are_refused, crlf_bom_tabs_and_no_last_newline_are_fine,
	 text_behind_the_bracket_is_refused, keys_below_a_broken_header_are_nobodys,
	 empty_names_are_refused, keys_need_a_section, indented_lines_are_keys,
	 a_backslash_does_not_continue, comments_behind_values,
	 names_are_case_sensitive_and_near_ones_are_named, messages_print,
	 a_flood_of_errors_is_counted, lines_are_counted_by_us)
