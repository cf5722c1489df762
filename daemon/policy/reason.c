// SPDX-License-Identifier: GPL-2.0-or-later
/* Names for machines and sentences for people, of everything a decision can say. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "policy/policy.h"

static const char *const action_names[_PCR_ACT_MAX] = {
	[PCR_ACT_NONE] = "none",
	[PCR_ACT_REAP] = "reap",
	[PCR_ACT_TRIM] = "trim",
	[PCR_ACT_COLLAPSE] = "collapse",
	[PCR_ACT_SET] = "set",
};

static const char *const reason_names[_PCR_WHY_MAX] = {
	[PCR_WHY_NOTHING] = "nothing-to-do",
	[PCR_WHY_ABOVE] = "above-threshold",
	[PCR_WHY_AGE] = "dying-too-long",
	[PCR_WHY_PRESSURE] = "memory-pressure",
	[PCR_WHY_CONTINUE] = "continues",
	[PCR_WHY_AFTER_REAP] = "after-reap",
	[PCR_WHY_AFTER_DEATHS] = "after-removals",
	[PCR_WHY_LATE] = "late-frees",
	[PCR_WHY_ASKED] = "asked",
	[PCR_WHY_SETTING] = "setting",
	[PCR_WHY_RESTORE] = "restore",
	[PCR_WHY_TRYING] = "trying",
	[PCR_WHY_SETTLED] = "settled",
	[PCR_WHY_NO_GAIN] = "no-gain",
	[PCR_WHY_CPU_PRESSURE] = "cpu-pressure",
	[PCR_WHY_ELIGIBLE] = "eligible",
	[PCR_WHY_OFF] = "off",
	[PCR_WHY_NO_KNOB] = "no-knob",
	[PCR_WHY_BELOW] = "below-threshold",
	[PCR_WHY_BUSY] = "busy",
	[PCR_WHY_COOLDOWN] = "cooldown",
	[PCR_WHY_BUDGET] = "budget",
	[PCR_WHY_BACKOFF] = "backoff",
	[PCR_WHY_SUSPENDED] = "suspended",
	[PCR_WHY_FOREIGN] = "foreign-value",
	[PCR_WHY_REFUSED] = "refused",
	[PCR_WHY_ORDER] = "other-first",
	[PCR_WHY_GUARDED] = "guarded",
	[PCR_WHY_SAID] = "dry-run-said",
	[PCR_WHY_FEW_DEATHS] = "few-removals",
	[PCR_WHY_NOT_YET] = "not-yet",
	[PCR_WHY_UNSEEN] = "not-looked-at",
	[PCR_WHY_PAUSED] = "paused",
	[PCR_WHY_NO_HUGE] = "no-free-huge-pages",
	[PCR_WHY_THP_NEVER] = "thp-never",
	[PCR_WHY_ALL_HUGE] = "all-huge",
};

static const struct {
	const char *name, *text;
} stops[_PCR_STOP_MAX] = {
	[PCR_STOP_NONE] = { "none", "under way" },
	[PCR_STOP_DONE] = { "done", "done" },
	[PCR_STOP_NO_PROGRESS] = { "no-progress", "the last steps freed nothing" },
	[PCR_STOP_NO_SWAP] = { "no-swap", "held by tmpfs files and there is no swap" },
	[PCR_STOP_BUDGET] = { "budget", "the budget is used up, it goes on later" },
	[PCR_STOP_REFAULT] = { "refault", "living cgroups read back what was reclaimed" },
	[PCR_STOP_STALL] = { "stall", "living cgroups stalled on memory" },
	[PCR_STOP_ERROR] = { "error", "the kernel refused" },
	[PCR_STOP_GONE] = { "gone", "the cgroup vanished" },
	[PCR_STOP_DRY_RUN] = { "dry-run", "dry run" },
	[PCR_STOP_OFF] = { "off", "switched off under way" },
	[PCR_STOP_REFUSED] = { "refused", "the kernel took the value and shows another" },
};

const char *pcr_action_name(enum pcr_action action)
{
	return action < _PCR_ACT_MAX ? action_names[action] : "?";
}

const char *pcr_reason_name(enum pcr_reason why)
{
	return why < _PCR_WHY_MAX ? reason_names[why] : "?";
}

const char *pcr_stop_name(enum pcr_stop stop)
{
	return stop < _PCR_STOP_MAX ? stops[stop].name : "?";
}

const char *pcr_stop_text(enum pcr_stop stop)
{
	return stop < _PCR_STOP_MAX ? stops[stop].text : "?";
}

static bool of_deaths(enum pcr_reason why)
{
	return why == PCR_WHY_AFTER_DEATHS || why == PCR_WHY_FEW_DEATHS;
}

/* "dying 37" or "surplus 1.3 MiB": a figure in the unit of what it is about. */
static const char *figure(char buf[static PCR_TEXT], enum pcr_action action,
			  enum pcr_reason why, u64 v)
{
	if (why == PCR_WHY_AGE)
		return pcr_text_span(buf, v);
	if (why == PCR_WHY_BUDGET || (action == PCR_ACT_TRIM && !of_deaths(why)))
		return pcr_text_bytes(buf, v);
	return pcr_text_count(buf, v);
}

static const char *subject(enum pcr_action action, enum pcr_reason why)
{
	if (why == PCR_WHY_BUDGET)
		return "budget";
	if (of_deaths(why))
		return "removals";
	return action == PCR_ACT_REAP ? "dying" : "surplus";
}

static int compared(char *buf, size_t size, enum pcr_action action, enum pcr_reason why,
		    const struct pcr_evidence *e, const char *sign)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	return snprintf(buf, size, "%s %s %s %s", subject(action, why),
			figure(a, action, why, e->value), sign,
			figure(b, action, why, e->threshold));
}

/* The file without its directory; of a node, with its number. */
static void name_setting(char name[static 48], u32 which)
{
	const char *file = strrchr(pcr_setting_knob(which), '/') + 1;

	if (pcr_setting_of_node(which))
		snprintf(name, 48, "%.20s of node%u", file, which - PCR_SETTING_NODE);
	else
		snprintf(name, 48, "%s%.24s", which == PCR_SETTING_TASK_COLLAPSE ? "task_collapse/" : "",
			 file);
}

/* Of a kernel setting: which one, and why its value is or is not changed. */
static int setting_sentence(char *buf, size_t size, const struct pcr_decision *d)
{
	char name[48];
	bool passing = d->why == PCR_WHY_PRESSURE || d->evidence.until_usec != PCR_NEVER;
	const char *when = d->pressed && passing ? " under memory pressure" : "";
	char a[PCR_TEXT], b[PCR_TEXT];

	name_setting(name, d->setting);
	pcr_text_count(a, d->wanted.threshold);
	pcr_text_count(b, d->wanted.value);
	switch (d->why) {
	case PCR_WHY_SETTING:
	case PCR_WHY_PRESSURE:
		return snprintf(buf, size, "the settings want %s %s%s", name, a, when);
	case PCR_WHY_TRYING:
		return snprintf(buf, size, "tries %s %s", name, a);
	case PCR_WHY_SETTLED:
		return snprintf(buf, size, "%s %s, the best of those tried", name, a);
	case PCR_WHY_NO_GAIN:
		return snprintf(buf, size, "%s %s, since workers make no exit faster", name, a);
	case PCR_WHY_CPU_PRESSURE:
		return snprintf(buf, size, "%s %s, while tasks wait for CPUs", name, a);
	case PCR_WHY_RESTORE:
		return snprintf(buf, size, "%s %s again, as it was found", name, a);
	case PCR_WHY_OFF:
		return snprintf(buf, size, "the settings name no value for %s", name);
	case PCR_WHY_NO_KNOB:
		return snprintf(buf, size, "kernel has no %s",
				pcr_setting_knob(d->setting));
	case PCR_WHY_BUSY:
		return snprintf(buf, size, "under way");
	case PCR_WHY_FOREIGN:
		return snprintf(buf, size, "another program set %s to %s: left alone", name, b);
	case PCR_WHY_REFUSED:
		return snprintf(buf, size, "%s %s was refused by the kernel, or tried dry already",
				name, a);
	case PCR_WHY_ORDER:
		return snprintf(buf, size, "the other end of the float moves before %s", name);
	default:
		return snprintf(buf, size, "%s is %s, as the settings want it%s", name, b, when);
	}
}

/* Of a task's memory. */
static int collapse_sentence(char *buf, size_t size, const struct pcr_decision *d)
{
	const struct pcr_evidence *e = &d->evidence;
	char a[PCR_TEXT], b[PCR_TEXT];

	switch (d->why) {
	case PCR_WHY_ELIGIBLE:
		if (!d->amount || !d->act)
			return snprintf(buf, size, "%s could be huge pages",
					pcr_text_bytes(a, e->value));
		return snprintf(buf, size, "%s could be huge pages, %s a second are looked at",
				pcr_text_bytes(a, e->value), pcr_text_bytes(b, d->amount));
	case PCR_WHY_OFF:
		return snprintf(buf, size, "no policy asks for it");
	case PCR_WHY_NO_KNOB:
		return snprintf(buf, size, "this kernel can do it neither way");
	case PCR_WHY_UNSEEN:
		return snprintf(buf, size, "not looked at yet");
	case PCR_WHY_PAUSED:
		return snprintf(buf, size, "tasks wait for memory %s of the time",
				pcr_text_bp(a, e->value));
	case PCR_WHY_NO_HUGE:
		return snprintf(buf, size, "only %s huge pages are free", pcr_text_count(a, e->value));
	case PCR_WHY_THP_NEVER:
		return snprintf(buf, size, "transparent_hugepage/enabled is never");
	case PCR_WHY_ALL_HUGE:
		return snprintf(buf, size, "all was looked at, and what can be huge is");
	case PCR_WHY_BACKOFF:
		return snprintf(buf, size, "what is left could not be made huge");
	case PCR_WHY_SAID:
		return snprintf(buf, size, "a dry run has said it already");
	default:
		return snprintf(buf, size, "nothing to gain");
	}
}

/* The sentence up to its time; returns its length. */
static int sentence(char *buf, size_t size, const struct pcr_decision *d)
{
	const struct pcr_evidence *e = &d->evidence;
	char a[PCR_TEXT], b[PCR_TEXT];

	if (d->action == PCR_ACT_SET)
		return setting_sentence(buf, size, d);
	if (d->action == PCR_ACT_COLLAPSE)
		return collapse_sentence(buf, size, d);
	switch (d->why) {
	case PCR_WHY_ABOVE:
	case PCR_WHY_AFTER_DEATHS:
		return compared(buf, size, d->action, d->why, e, "≥");
	case PCR_WHY_BELOW:
	case PCR_WHY_BUDGET:
	case PCR_WHY_FEW_DEATHS:
		return compared(buf, size, d->action, d->why, e, "<");
	case PCR_WHY_AGE:
		return snprintf(buf, size, "dying for %s ≥ %s", pcr_text_span(a, e->value),
				pcr_text_span(b, e->threshold));
	case PCR_WHY_PRESSURE:
		return snprintf(buf, size, "memory pressure, %s %s", subject(d->action, d->why),
				figure(a, d->action, d->why, e->value));
	case PCR_WHY_CONTINUE:
		return snprintf(buf, size, "the last step helped, dying %s",
				pcr_text_count(a, e->value));
	case PCR_WHY_AFTER_REAP:
		return snprintf(buf, size, "a reap ended, surplus %s", pcr_text_bytes(a, e->value));
	case PCR_WHY_LATE:
		return snprintf(buf, size, "freed after the last trim, surplus %s",
				pcr_text_bytes(a, e->value));
	case PCR_WHY_ASKED:
		return snprintf(buf, size, "asked for through the socket");
	case PCR_WHY_OFF:
		return snprintf(buf, size, "switched off by the settings");
	case PCR_WHY_NO_KNOB:
		return snprintf(buf, size, "this kernel has no such knob, or it can't be written");
	case PCR_WHY_BUSY:
		return snprintf(buf, size, "under way");
	case PCR_WHY_COOLDOWN:
		return snprintf(buf, size, "cooldown");
	case PCR_WHY_BACKOFF:
		return snprintf(buf, size, "backing off after the last attempt");
	case PCR_WHY_SUSPENDED:
		return snprintf(buf, size, "suspended: actions in a row had no effect");
	case PCR_WHY_GUARDED:
		return snprintf(buf, size, "a policy says Reap=no for a cgroup below");
	case PCR_WHY_SAID:
		return snprintf(buf, size, "a dry run has said it already");
	case PCR_WHY_NOT_YET:
		return snprintf(buf, size, "waits for the end of a reap, with nothing left dying and no memory pressure");
	default:
		return snprintf(buf, size, "nothing to do");
	}
}

const char *pcr_decision_text(char *buf, size_t size, const struct pcr_decision *d, u64 now)
{
	int n = sentence(buf, size, d);
	char a[PCR_TEXT];

	if (n > 0 && (size_t)n < size && !d->act && d->evidence.until_usec != PCR_NEVER &&
	    d->evidence.until_usec > now)
		snprintf(buf + n, size - (size_t)n, ", %s left",
			 pcr_text_span(a, d->evidence.until_usec - now));
	return buf;
}

/* --- the journal's line --- */

struct line {
	char *buf;
	size_t size, n;
};

__attribute__((format(printf, 2, 3)))
static void add(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->buf + l->n, l->size - l->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->n = pcr_min_u64(l->n + (size_t)n, l->size - 1);
}

static void add_freed(struct line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	if (pcr_has(r->freed_bytes))
		add(l, "%s freed in %s", pcr_text_bytes(a, r->freed_bytes),
		    pcr_text_span(b, r->took_usec));
	else
		add(l, "took %s", pcr_text_span(b, r->took_usec));
}

static void reap_line(struct line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	add(l, "reap /%s: ", r->path);
	if (r->dry_run) {
		add(l, "would reclaim for %s removed cgroups, %s first",
		    pcr_text_count(b, r->before), pcr_text_bytes(a, r->asked));
		return;
	}
	if (pcr_has(r->before))
		add(l, "%s of %s removed cgroups gone, ",
		    pcr_text_count(a, pcr_sub_u64(r->before, r->after)),
		    pcr_text_count(b, r->before));
	add_freed(l, r);
}

static void reap_tail(struct line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT];

	if (r->stop == PCR_STOP_DONE || r->stop == PCR_STOP_DRY_RUN)
		return;
	if (pcr_has(r->after) && r->after)
		add(l, "; %s stay: %s", pcr_text_count(a, r->after), pcr_stop_text(r->stop));
	else
		add(l, "; %s", pcr_stop_text(r->stop));
}

static void trim_line(struct line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT];

	add(l, "trim percpu: ");
	if (r->dry_run) {
		add(l, "would give back %s of empty pages", pcr_text_bytes(a, r->value));
		return;
	}
	add_freed(l, r);
	if (r->stop != PCR_STOP_DONE)
		add(l, "; %s", pcr_stop_text(r->stop));
}

static void collapse_line(struct line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	add(l, "collapse %s: ", r->path);
	if (r->dry_run)
		add(l, "up to %s would be made huge", pcr_text_bytes(a, r->value));
	else
		add(l, "%s huge in %s", pcr_text_bytes(a, pcr_sub_u64(r->after, r->before)),
		    pcr_text_span(b, r->took_usec));
}

static void collapse_tail(struct line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT];

	if (r->stop == PCR_STOP_NO_PROGRESS)
		add(l, "; some of the %s left could not be", pcr_text_bytes(a, r->value));
	else if (r->stop == PCR_STOP_GONE)
		add(l, "; the process ended, or left its cgroup");
	else if (r->stop != PCR_STOP_DONE && r->stop != PCR_STOP_DRY_RUN)
		add(l, "; %s", pcr_stop_text(r->stop));
}

static void set_line(struct line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	add(l, "set %s: %s%s instead of %s", r->path, r->dry_run ? "would be " : "",
	    pcr_text_count(a, r->asked), pcr_text_count(b, r->before));
	if (r->why == PCR_WHY_PRESSURE)
		add(l, ", for memory pressure");
	else if (r->why == PCR_WHY_RESTORE)
		add(l, ", as it was found");
	else if (r->why == PCR_WHY_NO_GAIN)
		add(l, ", since workers make no exit faster");
	else if (r->why == PCR_WHY_CPU_PRESSURE)
		add(l, ", while tasks wait for CPUs");
	else if (r->why == PCR_WHY_SETTLED && r->steps)
		add(l, ", the best after %s exits", pcr_text_count(a, r->steps));
	if (r->stop != PCR_STOP_DONE && !r->dry_run)
		add(l, "; %s", pcr_stop_text(r->stop));
}

const char *pcr_record_text(char *buf, size_t size, const struct pcr_record *r)
{
	struct line l = { .buf = buf, .size = size };

	if (r->action == PCR_ACT_REAP)
		reap_line(&l, r);
	else if (r->action == PCR_ACT_TRIM)
		trim_line(&l, r);
	else if (r->action == PCR_ACT_COLLAPSE)
		collapse_line(&l, r);
	else
		set_line(&l, r);
	if (r->policy[0])
		add(&l, " (policy %s)", r->policy);
	if (r->action == PCR_ACT_REAP)
		reap_tail(&l, r);
	else if (r->action == PCR_ACT_COLLAPSE)
		collapse_tail(&l, r);
	if (r->err)
		add(&l, ": %s",
		    strerrorname_np(r->err) ? strerrorname_np(r->err) : "unknown error");
	return buf;
}

const char *pcr_forecast_text(char *buf, size_t size, const struct pcr_settings *set,
			      const struct pcr_forecast *f, u64 now)
{
	char a[PCR_TEXT], b[PCR_TEXT], c[PCR_TEXT], d[PCR_TEXT];
	u64 left = pcr_sub_u64(f->reached_usec, now);

	snprintf(buf, size, "percpu memory is %s and rises by %s an hour: %s of memory %s%s",
		 pcr_text_bytes(a, f->bytes), pcr_text_bytes(b, f->slope_bytes_hour),
		 pcr_text_bp(c, set->forecast.share_bp), left ? "in " : "reached",
		 left ? pcr_text_span(d, left) : "");
	return buf;
}
