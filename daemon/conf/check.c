// SPDX-License-Identifier: GPL-2.0-or-later
/* What no single line shows: keys that contradict each other, policies out of reach. */
#include "conf/draft.h"

#include <stdio.h>
#include <string.h>

#include "base/glob.h"

static struct pcr_conf_place place_of(const struct pcr_settings *s, struct pcr_origin origin)
{
	return (struct pcr_conf_place){ .path = s->files[origin.file],
					.file = origin.file,
					.line = origin.line,
					.column = origin.column };
}

static const char *basename_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The earlier policy that takes every cgroup the glob could match; NULL. */
static const struct pcr_policy *taken_by(const struct pcr_settings *s, u32 before,
					 const struct pcr_glob *glob)
{
	for (u32 i = 0; i < before; i++) {
		for (u32 j = 0; j < s->policies[i].n_match; j++) {
			if (pcr_glob_covers(&s->policies[i].globs[j], glob))
				return &s->policies[i];
		}
	}
	return NULL;
}

static void warn_taken(const struct pcr_settings *s, const struct pcr_policy *p,
		       const struct pcr_policy *by, const char *glob, bool whole,
		       struct pcr_conf_report *report)
{
	struct pcr_origin match = by->origin[pcr_key_index("Policy", "Match")];
	struct pcr_conf_place place = place_of(s, p->where);
	char quoted[PCR_CONF_QUOTE];

	pcr_conf_quote(quoted, glob, strlen(glob));
	pcr_conf_warn(report, &place, "[Policy %s] never applies%s%s%s matched earlier by \"%s\" (%s:%u)",
		      p->name, whole ? ": " : " to ", quoted, whole ? " is" : ":", by->name,
		      basename_of(s->files[match.file]), match.line);
}

/* The first match applies, so what an earlier policy covers never comes here. */
static void check_shadow(const struct pcr_settings *s, u32 i, struct pcr_conf_report *report)
{
	const struct pcr_policy *p = &s->policies[i], *by = NULL;
	u32 taken = 0;

	for (u32 j = 0; j < p->n_match; j++)
		taken += taken_by(s, i, &p->globs[j]) != NULL;
	for (u32 j = 0; taken > 0 && j < p->n_match; j++) {
		by = taken_by(s, i, &p->globs[j]);
		if (by)
			warn_taken(s, p, by, p->match[j], taken == p->n_match, report);
		/* All gone is one finding, however many globs it had. */
		if (taken == p->n_match)
			break;
	}
}

/* Two keys of a rule; policy as in pcr_key_value(), origins are its own. */
static void check_rule(const struct pcr_settings *s, s32 policy, struct pcr_conf_report *report)
{
	const struct pcr_rule *rule = policy < 0 ? &s->rule : &s->policies[policy].rule;
	const struct pcr_origin *origin = policy < 0 ? s->origin : s->policies[policy].origin;
	size_t step = (size_t)pcr_key_index("Percpu", "ReapStep");
	size_t budget = (size_t)pcr_key_index("Percpu", "ReapBudget");
	char step_text[PCR_KEY_TEXT], budget_text[PCR_KEY_TEXT];
	struct pcr_conf_place place;

	/* Neither set here: it is [Percpu]'s or the default's affair. */
	if ((origin[step].line == 0 && origin[budget].line == 0) ||
	    rule->reap_step_bytes <= rule->reap_budget_bytes)
		return;
	place = place_of(s, origin[step].line ? origin[step] : origin[budget]);
	pcr_conf_error(report, &place, "ReapStep=%s is more than ReapBudget=%s ever allows",
		       pcr_key_value(step, s, policy, step_text),
		       pcr_key_value(budget, s, policy, budget_text));
}

/* A rate that the machine's budget cuts short; policy as above. */
static void check_collapse(const struct pcr_settings *s, s32 policy, struct pcr_conf_report *report)
{
	const struct pcr_rule *rule = policy < 0 ? &s->rule : &s->policies[policy].rule;
	const struct pcr_origin *origin = policy < 0 ? s->origin : s->policies[policy].origin;
	size_t rate = (size_t)pcr_key_index("Collapse", "Collapse");
	size_t budget = (size_t)pcr_key_index("Collapse", "Budget");
	char rate_text[PCR_KEY_TEXT], budget_text[PCR_KEY_TEXT];
	struct pcr_conf_place place;

	if (origin[rate].line == 0 || rule->collapse_bytes == 0 ||
	    (unsigned __int128)rule->collapse_bytes * s->collapse.budget_usec <=
		    (unsigned __int128)s->collapse.budget_bytes * rule->collapse_usec)
		return;
	place = place_of(s, origin[rate]);
	pcr_conf_warn(report, &place, "Collapse=%s is more than [Collapse] Budget=%s ever allows",
		      pcr_key_value(rate, s, policy, rate_text),
		      pcr_key_value(budget, s, -1, budget_text));
}

static void check_daemon(const struct pcr_settings *s, struct pcr_conf_report *report)
{
	size_t audit = (size_t)pcr_key_index("Daemon", "AuditPeriod");
	size_t walk = (size_t)pcr_key_index("Daemon", "WalkPeriod");
	struct pcr_origin slices = s->origin[pcr_key_index("Pressure", "Slices")];
	char audit_text[PCR_KEY_TEXT], walk_text[PCR_KEY_TEXT];
	struct pcr_conf_place place;

	if (s->origin[audit].line > 0 && s->daemon.audit_usec < s->daemon.walk_usec) {
		place = place_of(s, s->origin[audit]);
		pcr_conf_warn(report, &place,
			      "AuditPeriod=%s is shorter than WalkPeriod=%s, which is as often as it gets",
			      pcr_key_value(audit, s, -1, audit_text),
			      pcr_key_value(walk, s, -1, walk_text));
	}
	if (slices.line > 0 && s->pressure.n_slices > 0 && !s->pressure.enabled) {
		place = place_of(s, slices);
		pcr_conf_warn(report, &place, "Slices= is of no use with Pressure=no");
	}
}

/* The kernel holds low below high at any time. Where one is kept, only it can tell. */
static bool crossed(u64 low, u64 high)
{
	return low > 0 && high > 0 && low >= high;
}

static void check_float(const struct pcr_settings *s, struct pcr_conf_report *report)
{
	const struct pcr_pair *low = &s->trim.kernel[PCR_SETTING_LOW];
	const struct pcr_pair *high = &s->trim.kernel[PCR_SETTING_HIGH];
	size_t low_key = (size_t)pcr_key_index("Percpu", "EmptyPagesLow");
	size_t high_key = (size_t)pcr_key_index("Percpu", "EmptyPagesHigh");
	char low_text[PCR_KEY_TEXT], high_text[PCR_KEY_TEXT];
	struct pcr_conf_place place;

	if (!crossed(low->calm, high->calm) && !crossed(low->pressed, high->pressed))
		return;
	place = place_of(s, s->origin[low_key]);
	pcr_conf_error(report, &place, "EmptyPagesLow=%s is not below EmptyPagesHigh=%s",
		       pcr_key_value(low_key, s, -1, low_text),
		       pcr_key_value(high_key, s, -1, high_text));
}

static void check_nodes(const struct pcr_settings *s, struct pcr_conf_report *report)
{
	for (u32 i = 0; i < s->n_nodes && !s->batch.enabled; i++) {
		struct pcr_conf_place place = place_of(s, s->nodes[i].where);

		pcr_conf_warn(report, &place, "[BatchFree node%u] is of no use with Enabled=no",
			      s->nodes[i].node);
	}
}

/* What is for memory pressure alone, where that is never looked at. */
static void check_pressed(const struct pcr_settings *s, struct pcr_conf_report *report)
{
	char text[PCR_KEY_TEXT];

	for (u32 i = 0; i < _PCR_SETTING_PAIRS && !s->pressure.enabled; i++) {
		const struct pcr_pair *pair = &s->trim.kernel[i];
		size_t key = (size_t)pcr_key_index(i < _PCR_SETTING_PERCPU ? "Percpu" : "Collapse",
						     pcr_setting_key(i));
		struct pcr_conf_place place;

		if (pair->calm == pair->pressed)
			continue;
		place = place_of(s, s->origin[key]);
		pcr_conf_warn(report, &place, "%s=%s: the second value is of no use with Pressure=no",
			      pcr_setting_key(i), pcr_key_value(key, s, -1, text));
	}
}

void pcr_conf_check(const struct pcr_settings *s, struct pcr_conf_report *report)
{
	check_rule(s, -1, report);
	check_collapse(s, -1, report);
	check_float(s, report);
	check_pressed(s, report);
	check_nodes(s, report);
	check_daemon(s, report);
	for (u32 i = 0; i < s->n_policies; i++) {
		const struct pcr_policy *p = &s->policies[i];
		struct pcr_conf_place place = place_of(s, p->where);

		if (p->origin[pcr_key_index("Policy", "Match")].line == 0)
			pcr_conf_error(report, &place, "[Policy %s]: no Match=: which cgroups is it for?",
				       p->name);
		check_rule(s, (s32)i, report);
		check_collapse(s, (s32)i, report);
		check_shadow(s, i, report);
	}
}
