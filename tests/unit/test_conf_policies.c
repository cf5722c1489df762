// SPDX-License-Identifier: GPL-2.0-or-later
/* [Policy NAME]: names, what is inherited, what is out of reach. */
#include "unit/test_conf.h"

START_TEST(what_is_not_overridden_is_percpus)
{
	/* also where [Percpu] comes later */
	struct loaded l = load_text("[Policy a]\nMatch=/a /b\nMatch=/c\nReapAbove=20\nDryRun=yes\n"
				    "[Percpu]\nReapAbove=50\nReapBudget=1G/1h\nReap=no\n"
				    "[Policy b]\nMatch=/d\nReap=yes\nReapBudget=2G/2h\n");

	ck_assert_str_eq(l.text, "0 errors");
	ck_assert_uint_eq(l.s->n_policies, 2);
	VALUE_IS(l.s, 0, "Policy", "Match", "/a /b /c");
	VALUE_IS(l.s, 0, "Policy", "ReapAbove", "20");
	VALUE_IS(l.s, 0, "Policy", "DryRun", "yes");
	VALUE_IS(l.s, 0, "Policy", "Reap", "no");
	VALUE_IS(l.s, 0, "Policy", "ReapBudget", "1G/1h");
	VALUE_IS(l.s, 0, "Policy", "Cooldown", "10s");
	VALUE_IS(l.s, 1, "Policy", "ReapAbove", "50");
	VALUE_IS(l.s, 1, "Policy", "Reap", "yes");
	VALUE_IS(l.s, 1, "Policy", "ReapBudget", "2G/2h");
	VALUE_IS(l.s, -1, "Percpu", "DryRun", "no");
	ck_assert_uint_eq(l.s->policies[0].where.line, 1);
	ck_assert_uint_eq(l.s->policies[0].origin[pcr_key_index("Policy", "ReapAbove")].line, 4);
	ck_assert_uint_eq(l.s->policies[0].origin[pcr_key_index("Policy", "Reap")].line, 0);
	unload(&l);
}
END_TEST

START_TEST(a_later_section_adds_to_an_earlier_one)
{
	struct loaded l = load_text("[Policy a]\nMatch=/a\nReapAbove=20\nCooldown=1s\n[Policy b]\n"
				    "Match=/b\n[Policy a]\nMatch=/c\nReapAbove=\n");

	ck_assert_str_eq(l.text, "0 errors");
	ck_assert_uint_eq(l.s->n_policies, 2);
	VALUE_IS(l.s, 0, "Policy", "Match", "/a /c");
	VALUE_IS(l.s, 0, "Policy", "ReapAbove", "100");
	VALUE_IS(l.s, 0, "Policy", "Cooldown", "1s");
	unload(&l);
	l = load_text("[Policy a]\nMatch=/a /b\nMatch=\nMatch=/c\n");
	VALUE_IS(l.s, 0, "Policy", "Match", "/c");
	unload(&l);
}
END_TEST

START_TEST(names)
{
	taken("[Policy a.B_9:@-]\nMatch=/a\n[Policy \t x]\nMatch=/b\n");
	refused("[Policy /system.slice]\nMatch=/a\n",
		"f:1:1: [Policy /system.slice]: a policy needs a name: cgroups stand in its Match=");
	refused("[Policy a b]\nMatch=/a\n",
		"f:1:1: [Policy a b]: policy names are made of A-Z a-z 0-9 _ . : @ -");
	refused("[Policy \xc3\xa4]\nMatch=/a\n",
		"f:1:1: [Policy \xc3\xa4]: policy names are made of A-Z a-z 0-9 _ . : @ -");
}
END_TEST

START_TEST(a_policy_needs_a_match)
{
	refused("[Policy a]\nReap=no\n", "f:1:1: [Policy a]: no Match=: which cgroups is it for?");
	refused("[Policy a]\nMatch=/a\nMatch=\n",
		"f:1:1: [Policy a]: no Match=: which cgroups is it for?");
	/* one mistake, one message */
	refused("[Policy a]\nMatch=a\n",
		"f:2:7: Match=a: \"a\" does not begin with /; did you mean /a?");
}
END_TEST

START_TEST(machine_wide_keys_are_not_a_policys)
{
	refused("[Policy a]\nMatch=/a\nTrim=no\n",
		"f:3:1: Trim=no: not a key of [Policy a]: it belongs in [Percpu]");
	for (size_t i = 0; i < pcr_key_count(); i++) {
		bool here = pcr_key_index("Policy", pcr_key_name(i)) == (int)i;

		ck_assert_int_eq(here, pcr_key_in_policy(i) || strcmp(pcr_key_name(i), "Match") == 0);
	}
}
END_TEST

START_TEST(globs_that_never_match_are_refused)
{
	taken("[Policy a]\nMatch=/ ** **/x /a\\x2db* /*/?\n");
	refused("[Policy a]\nMatch=/b a/c\n",
		"f:2:10: Match=/b a/c: \"a/c\" does not begin with /; did you mean /a/c?");
	refused("[Policy a]\nMatch=/a/\n",
		"f:2:9: Match=/a/: no cgroup's path ends with /; did you mean /a?");
	refused("[Policy a]\nMatch=/a//b\n",
		"f:2:7: Match=/a//b: no cgroup's path has //, /./ or /../ in it");
	refused("[Policy a]\nMatch=/a/./b\n",
		"f:2:7: Match=/a/./b: no cgroup's path has //, /./ or /../ in it");
}
END_TEST

/* Taken with a warning: a cgroup may be called anything, but hardly this. */
static void doubted(const char *text, const char *message)
{
	char all[1024];

	snprintf(all, sizeof(all), "f:2:%s\n0 errors, 1 warning", message);
	says_bytes(text, strlen(text), 0, all);
}

START_TEST(components_behind_two_stars_are_checked_too)
{
	refused("[Policy a]\nMatch=**/../x\n",
		"f:2:7: Match=**/../x: no cgroup's path has //, /./ or /../ in it");
	refused("[Policy a]\nMatch=/x **//y\n",
		"f:2:10: Match=/x **//y: no cgroup's path has //, /./ or /../ in it");
	refused("[Policy a]\nMatch=**/\n",
		"f:2:9: Match=**/: no cgroup's path ends with /; did you mean **?");
	taken("[Policy a]\nMatch=**x **.. /..x **/... /a**\n");
}
END_TEST

START_TEST(globs_of_other_programs_are_doubted)
{
	doubted("[Policy a]\nMatch=/a.slice/{b,c*}.scope\n",
		"16: warning: Match=/a.slice/{b,c*}.scope: { } have no meaning here: write each out; "
		"did you mean /a.slice/b.scope /a.slice/c*.scope?");
	doubted("[Policy a]\nMatch=/x /y/{,z}\n",
		"13: warning: Match=/x /y/{,z}: { } have no meaning here: write each out; "
		"did you mean /y/ /y/z?");
	doubted("[Policy a]\nMatch=/a/job-[0-9]*\n",
		"14: warning: Match=/a/job-[0-9]*: [ ] have no meaning here: ? stands for one byte, "
		"* for any");
	/* one is enough for a line */
	doubted("[Policy a]\nMatch=/[a] /{b,c}\n",
		"8: warning: Match=/[a] /{b,c}: [ ] have no meaning here: ? stands for one byte, "
		"* for any");
	taken("[Policy a]\nMatch=/{a} /a,b /[a /a] /} /{,\n");
}
END_TEST

START_TEST(the_mount_point_is_no_part_of_a_path)
{
	doubted("[Policy a]\nMatch=/sys/fs/cgroup/system.slice/*\n",
		"7: warning: Match=/sys/fs/cgroup/system.slice/*: the mount point is no part of a "
		"cgroup's path; did you mean /system.slice/*?");
	doubted("[Policy a]\nMatch=/x /sys/fs/cgroup\n",
		"10: warning: Match=/x /sys/fs/cgroup: the mount point is no part of a cgroup's path; "
		"did you mean /?");
	doubted("[Policy a]\nMatch=/sys/fs/cgroup/memory/docker/**\n",
		"7: warning: Match=/sys/fs/cgroup/memory/docker/**: the mount point is no part of a "
		"cgroup's path; did you mean /docker/**?");
	taken("[Policy a]\nMatch=/sys/fs/cgroups /sys/fs\n");
	says_bytes("[Pressure]\nSlices=/sys/fs/cgroup/a.slice\n", 41, 0,
		   "f:2:8: warning: Slices=/sys/fs/cgroup/a.slice: the mount point is no part of a "
		   "cgroup's path; did you mean /a.slice?\n0 errors, 1 warning");
}
END_TEST

START_TEST(bounds_of_lists)
{
	char text[16384] = "[Policy a]\n", *at = text + strlen(text);
	struct loaded l;

	for (int i = 0; i < 64; i++)
		at += sprintf(at, "Match=/%d\n", i);
	taken(text);
	strcpy(at, "Match=/x\n");
	refused(text, "f:66:7: Match=/x: more than 64 globs");

	at = text;
	for (int i = 0; i < 65; i++) {
		at += sprintf(at, "[Policy p%d]\n", i);
		for (int j = 0; j < 8; j++)
			at += sprintf(at, "Match=/%d/%d\n", i, j);
	}
	taken(text);
	l = load_text(text);
	ck_assert_uint_eq(l.s->n_policies, 65);
	ck_assert_str_eq(l.s->policies[64].name, "p64");
	unload(&l);
}
END_TEST

START_TEST(too_many_policies)
{
	char *text = malloc(PCR_POLICIES_MAX * 40), *at = text;
	struct loaded l;

	for (int i = 0; i <= PCR_POLICIES_MAX; i++)
		at += sprintf(at, "[Policy p%d]\nMatch=/%d\n", i, i);
	l = load_text(text);
	ck_assert_str_eq(l.text, "f:2049:1: [Policy p1024]: more than 1024 policies\n1 error");
	unload(&l);
	free(text);
}
END_TEST

START_TEST(too_many_globs)
{
	char *text = malloc(1 << 20), *at = text;
	struct loaded l;

	for (int i = 0; i < 65; i++) {
		at += sprintf(at, "[Policy p%d]\nMatch=", i);
		for (int j = 0; j < 63 + (i == 64); j++)
			at += sprintf(at, " /%d/%d", i, j);
		at += sprintf(at, "\n");
	}
	l = load_text(text);
	ck_assert_str_eq(l.text, "0 errors");
	unload(&l);
	sprintf(at, "[Policy q]\nMatch=/q\n");
	l = load_text(text);
	ck_assert_str_eq(l.text, "f:132:7: Match=: more than 4096 globs in all policies\n1 error");
	unload(&l);
	free(text);
}
END_TEST

START_TEST(out_of_reach)
{
	static const char text[] = "[Policy a]\nMatch=/a/**\n\n[Policy b]\nMatch=/a/b /a/c\n"
				   "[Policy c]\nMatch=/c /a/x*\n[Policy d]\nMatch=/a\n";

	says_bytes(text, sizeof(text) - 1, 0,
		   "f:4:1: warning: [Policy b] never applies: /a/b is matched earlier by \"a\" (f:2)\n"
		   "f:6:1: warning: [Policy c] never applies to /a/x*: matched earlier by \"a\" (f:2)\n"
		   "0 errors, 2 warnings");
}
END_TEST

/* As rates: 64M/1s, the default budget, is 1G/16s. */
START_TEST(rates_above_the_budget_are_doubted)
{
	doubted("[Policy a]\nCollapse=65M/1s\nMatch=/a\n",
		"1: warning: Collapse=65M/1s is more than [Collapse] Budget=64M/1s ever allows");
	doubted("[Collapse]\nCollapse=8M/1s\nBudget=4M/1s\n[Policy a]\nMatch=/a\nCollapse=no\n",
		"1: warning: Collapse=8M/1s is more than [Collapse] Budget=4M/1s ever allows");
	taken("[Policy a]\nMatch=/a\nCollapse=1G/16s\n[Policy b]\nMatch=/b\nCollapse=64M/1s\n");
	taken("[Policy a]\nMatch=/a\nCollapse=1T/1d\n[Collapse]\nBudget=1T/1d\n");
}
END_TEST

PCR_UNIT("conf policies", what_is_not_overridden_is_percpus, a_later_section_adds_to_an_earlier_one,
	 names, a_policy_needs_a_match, machine_wide_keys_are_not_a_policys,
	 globs_that_never_match_are_refused, components_behind_two_stars_are_checked_too,
	 globs_of_other_programs_are_doubted, the_mount_point_is_no_part_of_a_path, bounds_of_lists,
	 too_many_policies, too_many_globs, out_of_reach, rates_above_the_budget_are_doubted)
