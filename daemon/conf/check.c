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
static const struct pcr_policy *taken_by(const struct pcr_settings *s, u32 before, const char *glob)
{
	for (u32 i = 0; i < before; i++) {
		for (u32 j = 0; j < s->policies[i].n_match; j++) {
			if (pcr_glob_covers(s->policies[i].match[j], glob))
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
	if (whole)
		pcr_conf_warn(report, &place, "[Policy %s] never applies: %s is matched earlier by \"%s\" (%s:%u)",
			      p->name, quoted, by->name, basename_of(s->files[match.file]), match.line);
	else
		pcr_conf_warn(report, &place, "[Policy %s] never applies to %s: matched earlier by \"%s\" (%s:%u)",
			      p->name, quoted, by->name, basename_of(s->files[match.file]), match.line);
}

/* The first match applies, so what an earlier policy covers never comes here. */
static void check_shadow(const struct pcr_settings *s, u32 i, struct pcr_conf_report *report)
{
	const struct pcr_policy *p = &s->policies[i], *by = NULL;
	u32 taken = 0;

	for (u32 j = 0; j < p->n_match; j++)
		taken += taken_by(s, i, p->match[j]) != NULL;
	for (u32 j = 0; taken > 0 && j < p->n_match; j++) {
		by = taken_by(s, i, p->match[j]);
		if (by)
			warn_taken(s, p, by, p->match[j], taken == p->n_match, report);
		/* All gone is one finding, however many globs it had. */
		if (taken == p->n_match)
			break;
	}
}

/* Two keys of a rule; origins are the policy's own where it has them. */
static void check_rule(const struct pcr_settings *s, const struct pcr_rule *rule,
		       const struct pcr_origin *origin, struct pcr_conf_report *report)
{
	struct pcr_origin step = origin[pcr_key_index("Percpu", "ReapStep")];
	struct pcr_origin budget = origin[pcr_key_index("Percpu", "ReapBudget")];
	struct pcr_conf_place place;

	/* Neither set here: it is [Percpu]'s or the default's affair. */
	if ((step.line == 0 && budget.line == 0) || rule->reap_step_bytes <= rule->reap_budget_bytes)
		return;
	place = place_of(s, step.line ? step : budget);
	pcr_conf_error(report, &place, "a ReapStep= of %llu bytes never fits in a ReapBudget= of %llu",
		       (unsigned long long)rule->reap_step_bytes,
		       (unsigned long long)rule->reap_budget_bytes);
}

static void check_daemon(const struct pcr_settings *s, struct pcr_conf_report *report)
{
	struct pcr_origin audit = s->origin[pcr_key_index("Daemon", "AuditPeriod")];
	struct pcr_origin slices = s->origin[pcr_key_index("Pressure", "Slices")];
	struct pcr_conf_place place;

	if (audit.line > 0 && s->daemon.audit_usec < s->daemon.walk_usec) {
		place = place_of(s, audit);
		pcr_conf_warn(report, &place, "AuditPeriod= is shorter than WalkPeriod=, which is as often as it gets");
	}
	if (slices.line > 0 && s->pressure.n_slices > 0 && !s->pressure.enabled) {
		place = place_of(s, slices);
		pcr_conf_warn(report, &place, "Slices= is of no use with Pressure=no");
	}
}

void pcr_conf_check(const struct pcr_settings *s, struct pcr_conf_report *report)
{
	check_rule(s, &s->rule, s->origin, report);
	check_daemon(s, report);
	for (u32 i = 0; i < s->n_policies; i++) {
		const struct pcr_policy *p = &s->policies[i];
		struct pcr_conf_place place = place_of(s, p->where);

		if (p->origin[pcr_key_index("Policy", "Match")].line == 0)
			pcr_conf_error(report, &place, "[Policy %s]: no Match=: which cgroups is it for?",
				       p->name);
		check_rule(s, &p->rule, p->origin, report);
		check_shadow(s, i, report);
	}
}
