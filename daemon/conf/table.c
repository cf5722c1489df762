// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every key there is, once. What is read from files, shown by the client, shipped
 * in conf/pcpu-reclaimd.conf and described in pcpu-reclaimd.conf(5) is held against
 * this table by tests; a key is added by adding a line here.
 */
#include "conf/table.h"

#include <string.h>

#define AT(member) offsetof(struct pcr_settings, member)

#define WEEK (7 * 24 * PCR_HOUR)
#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define TIB (1ULL << 40)
#define MANY 1000000000ULL

/* A rate and a trigger fill two neighbours. */
_Static_assert(AT(rule.reap_budget_usec) == AT(rule.reap_budget_bytes) + sizeof(u64), "rate");
_Static_assert(AT(rule.collapse_usec) == AT(rule.collapse_bytes) + sizeof(u64), "rate");
_Static_assert(AT(collapse.budget_usec) == AT(collapse.budget_bytes) + sizeof(u64), "rate");
_Static_assert(AT(pressure.window_usec) == AT(pressure.stall_usec) + sizeof(u64), "trigger");

const struct pcr_key pcr_keys[] = {
	/* what a policy may override */
	{ "Percpu", "Reap", &pcr_form_bool, AT(rule.reap), .def = "yes", .in_policy = true,
	  .doc = "Reclaim what keeps removed cgroups from going away" },
	{ "Percpu", "ReapAbove", &pcr_form_count, AT(rule.reap_above), 1, MANY, .def = "100",
	  .in_policy = true, .doc = "Removed cgroups below one living parent that are worth a reap" },
	{ "Percpu", "ReapAfter", &pcr_form_span, AT(rule.reap_after_usec), 0, PCR_NEVER,
	  .def = "10s", .in_policy = true,
	  .doc = "Reap fewer than that as well once they have lasted so long" },
	{ "Percpu", "ReapStep", &pcr_form_size, AT(rule.reap_step_bytes), 64 * KIB, TIB,
	  .def = "16M", .in_policy = true, .doc = "The largest single request for reclaim" },
	{ "Percpu", "ReapBudget", &pcr_form_rate, AT(rule.reap_budget_bytes), 64 * KIB, TIB,
	  .def = "256M/1min", .in_policy = true,
	  .doc = "What all requests below one parent may add up to, in any such span" },
	{ "Percpu", "ReapMaxRefault", &pcr_form_percent, AT(rule.reap_refault_bp), 0, 100000,
	  .def = "10%", .in_policy = true,
	  .doc = "Stop when living siblings read back this share of what was reclaimed" },
	{ "Percpu", "ReapMaxPressure", &pcr_form_percent, AT(rule.reap_pressure_bp), 0, 10000,
	  .def = "10%", .in_policy = true,
	  .doc = "Stop when living siblings wait for memory this share of the time" },
	{ "Percpu", "Cooldown", &pcr_form_span, AT(rule.cooldown_usec), 0, WEEK, .def = "10s",
	  .in_policy = true, .doc = "Rest between two reaps below the same parent" },
	{ "Percpu", "ForceEmpty", &pcr_form_bool, AT(rule.force_empty), .def = "no",
	  .in_policy = true,
	  .doc = "On cgroup v1, empty a parent with memory.force_empty, living pages and all" },
	{ "Percpu", "DryRun", &pcr_form_bool, AT(rule.dry_run), .def = "no", .in_policy = true,
	  .doc = "Decide and say so, but do not act" },
	/* machine-wide */
	{ "Percpu", "Trim", &pcr_form_bool, AT(trim.trim), .def = "yes",
	  .doc = "Give empty percpu memory back; without the knob, one free chunk" },
	{ "Percpu", "TrimAbove", &pcr_form_size, AT(trim.above_bytes), 0, TIB, .def = "1M",
	  .doc = "Empty percpu memory beyond the kernel's float that is worth a trim" },
	{ "Percpu", "TrimAfterDeaths", &pcr_form_count, AT(trim.after_deaths), 1, MANY,
	  .def = "1000", .doc = "Removed cgroups after which any surplus is trimmed" },
	{ "Percpu", "TrimCooldown", &pcr_form_span, AT(trim.cooldown_usec), 0, WEEK,
	  .def = "10s", .doc = "Rest between two trims" },
	{ "Percpu", "EmptyPagesLow", &pcr_form_setting, AT(trim.kernel[PCR_SETTING_LOW]), 1, 63,
	  .range = "keep, or 1 to 63", .def = "keep",
	  .knob = PCR_PERCPU_LOW,
	  .doc = "Empty percpu pages that the kernel sees to having at least" },
	{ "Percpu", "EmptyPagesHigh", &pcr_form_setting, AT(trim.kernel[PCR_SETTING_HIGH]), 2, 64,
	  .range = "keep, or 2 to 64", .def = "keep",
	  .knob = PCR_PERCPU_HIGH, .doc = "Empty percpu pages that the kernel holds ready" },
	{ "Percpu", "ReclaimMinPercent", &pcr_form_setting,
	  AT(trim.kernel[PCR_SETTING_PERCENT]), 1, 100,
	  .range = "keep, or 1 to 100", .def = "keep", .knob = PCR_PERCPU_PERCENT,
	  .doc = "Share of a chunk that has to be empty for the kernel to empty it by itself" },

	{ "Percpu", "ForecastShare", &pcr_form_percent, AT(forecast.share_bp), 1, 10000,
	  .def = "10%", .doc = "Share of memory that percpu memory is forecast to reach" },
	{ "Percpu", "ForecastWithin", &pcr_form_span, AT(forecast.within_usec), 0, 52 * WEEK,
	  .def = "1d", .doc = "Say so when it will be reached so soon" },

	{ "BatchFree", "Enabled", &pcr_form_bool, AT(batch.enabled), .def = "no",
	  .knob = PCR_BATCH_ENABLED,
	  .doc = "Have kernel workers help to free the memory of a large process that exits" },
	{ "BatchFree", "MaxActive", &pcr_form_limit, AT(batch.workers.max_active), 1, 512,
	  .range = "auto, or 1 to 512", .def = "auto", .in_node = true,
	  .doc = "Workers of one node at a time, or the number that proves best" },
	{ "BatchFree", "MinRSS", &pcr_form_size, AT(batch.min_rss_bytes), MIB, TIB, .def = "1G",
	  .doc = "The least memory of a process whose exit is helped" },
	{ "BatchFree", "MaxPending", &pcr_form_size, AT(batch.max_pending_bytes), MIB, TIB,
	  .def = "64M", .doc = "Memory handed to workers and not freed yet, at most" },
	{ "BatchFree", "WorkerNice", &pcr_form_nice, AT(batch.workers.nice),
	  .range = "keep, or -20 to 19", .def = "keep", .in_node = true,
	  .doc = "Nice value of the workers" },
	{ "BatchFree", "WorkerCPUs", &pcr_form_cpus, AT(batch.workers.cpus),
	  .range = "keep, or a list of CPUs up to 1023", .def = "keep", .in_node = true,
	  .doc = "CPUs that workers may use, beside being those of their node" },
	{ "BatchFree", "PauseAboveCpuPressure", &pcr_form_percent, AT(batch.pause_bp), 0, 10000,
	  .def = "60%", .doc = "Pause while tasks wait for a CPU more of the time than that" },
	{ "Collapse", "Collapse", &pcr_form_rate_off, AT(rule.collapse_bytes), 64 * KIB, TIB,
	  .range = "off, or 64K to 1T", .def = "off", .in_policy = true,
	  .doc = "Have the memory of tasks made huge pages, looking at so much of it" },
	{ "Collapse", "Budget", &pcr_form_rate, AT(collapse.budget_bytes), 1024 * KIB, TIB,
	  .def = "64M/1s", .doc = "What is looked at for that on the whole machine" },
	{ "Collapse", "PauseAboveMemoryPressure", &pcr_form_percent, AT(collapse.pressure_bp), 0,
	  10000, .def = "10%",
	  .doc = "Rest while tasks wait for memory a larger share of the time" },
	{ "Collapse", "KhugepagedScanSleep", &pcr_form_setting,
	  AT(trim.kernel[PCR_SETTING_SCAN_SLEEP]), 1, 3600000,
	  .range = "keep, or 1 to 3600000", .def = "keep", .knob = PCR_KHUGEPAGED_SLEEP,
	  .doc = "Milliseconds that the kernel's own khugepaged sleeps between two scans" },
	{ "Collapse", "KhugepagedPages", &pcr_form_setting,
	  AT(trim.kernel[PCR_SETTING_SCAN_PAGES]), 1, 16777216,
	  .range = "keep, or 1 to 16777216", .def = "keep", .knob = PCR_KHUGEPAGED_PAGES,
	  .doc = "Pages that it looks at in one of them" },

	{ "Pressure", "Pressure", &pcr_form_bool, AT(pressure.enabled), .def = "yes",
	  .doc = "Act sooner while tasks wait for memory" },
	{ "Pressure", "Trigger", &pcr_form_trigger, AT(pressure.stall_usec), PCR_MSEC,
	  10 * PCR_SEC, .range = "1ms to the window, within 500ms to 10s", .def = "200ms/2s",
	  .doc = "Waiting for memory within a window that counts as pressure" },
	{ "Pressure", "Hold", &pcr_form_span, AT(pressure.hold_usec), PCR_SEC, PCR_HOUR,
	  .def = "10s", .doc = "How long pressure counts as present after an event" },
	{ "Pressure", "PollPeriod", &pcr_form_span, AT(pressure.poll_usec), PCR_SEC, PCR_HOUR,
	  .def = "10s", .doc = "How often to look where the kernel tells nothing by itself" },
	{ "Pressure", "Slices", &pcr_form_slices, AT(pressure.n_slices), .list = true,
	  .range = "up to 16 paths", .def = "",
	  .doc = "Long-lived cgroups whose pressure is watched beside the machine's" },

	{ "Daemon", "Lifecycle", &pcr_form_source, AT(daemon.source),
	  .range = "auto, tracefs, fanotify, inotify or walk", .def = "auto",
	  .doc = "How cgroups are seen to come and go" },
	{ "Daemon", "WalkPeriod", &pcr_form_span, AT(daemon.walk_usec), PCR_SEC, 24 * PCR_HOUR,
	  .def = "10s", .doc = "How often to walk the tree where nothing better is there" },
	{ "Daemon", "AuditPeriod", &pcr_form_span, AT(daemon.audit_usec), PCR_SEC, PCR_NEVER,
	  .def = "10min", .doc = "How often to hold what is known against the tree" },
	{ "Daemon", "SuspendAfter", &pcr_form_count, AT(daemon.suspend_after), 1, 1000,
	  .def = "5", .doc = "Actions in a row without effect that suspend a policy" },
	{ "Daemon", "SuspendFor", &pcr_form_span, AT(daemon.suspend_usec), PCR_SEC, WEEK,
	  .def = "10min",
	  .doc = "How long it is suspended; twice as long each time after, up to a day" },
	{ "Daemon", "LogLevel", &pcr_form_level, AT(daemon.log_level), 3, 7,
	  .range = "err, warning, notice, info or debug, or 3 to 7", .def = "info",
	  .doc = "The least important messages that are logged" },
	{ "Daemon", "TraceMarker", &pcr_form_bool, AT(daemon.trace_marker), .def = "no",
	  .knob = PCR_TRACE_MARKER,
	  .doc = "Write a line into the kernel's trace before each change" },
	{ "Daemon", "DryRun", &pcr_form_bool, AT(daemon.dry_run), .def = "no",
	  .doc = "Change nothing anywhere, whatever the policies say" },
	{ "Daemon", "SocketGroup", &pcr_form_group, AT(daemon.socket_group),
	  .range = "a group's name or number", .def = "",
	  .doc = "Who may ask, beside root; changing is for root alone" },

	{ "Policy", "BatchFree", &pcr_form_bool, AT(rule.batch_free), .def = "yes",
	  .in_policy = true, .doc = "Exits in these cgroups may be helped by kernel workers" },
	{ "Policy", "Match", &pcr_form_globs, offsetof(struct pcr_policy, n_match),
	  .list = true, .range = "up to 64 globs", .def = "",
	  .doc = "The cgroups that the policy is for" },
};

const size_t pcr_n_keys = PCR_ARRAY_SIZE(pcr_keys);

_Static_assert(PCR_ARRAY_SIZE(pcr_keys) <= PCR_KEYS_MAX, "origin[] has a place for every key");

size_t pcr_key_count(void)
{
	return pcr_n_keys;
}

int pcr_key_index(const char *section, const char *key)
{
	bool policy = strcmp(section, "Policy") == 0;

	for (size_t i = 0; i < pcr_n_keys; i++) {
		const struct pcr_key *k = &pcr_keys[i];

		if (strcmp(k->name, key) == 0 &&
		    (strcmp(k->section, section) == 0 || (policy && k->in_policy)))
			return (int)i;
	}
	return -1;
}

const char *pcr_key_section(size_t i)
{
	return pcr_keys[i].section;
}

const char *pcr_key_name(size_t i)
{
	return pcr_keys[i].name;
}

const char *pcr_key_form(size_t i)
{
	return pcr_keys[i].form->name;
}

const char *pcr_key_doc(size_t i)
{
	return pcr_keys[i].doc;
}

const char *pcr_key_default(size_t i)
{
	return pcr_keys[i].def;
}

const char *pcr_key_knob(size_t i)
{
	return pcr_keys[i].knob;
}

bool pcr_key_in_policy(size_t i)
{
	return pcr_keys[i].in_policy;
}
