// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every metric. Names are stable. No label has a value for each cgroup or task: labels are
 * actions, nodes, settings and policies. Gauges and counters alone, which the older
 * text format of Prometheus has as well, so that its textfile collector takes them.
 * pcpu-reclaimd-metrics(5) lists them for people; a test holds it against this.
 */
#include "client/metrics.h"

#define GAUGE false
#define COUNTER true
#define COUNT PCR_METRIC_COUNT
#define USEC PCR_METRIC_USEC
#define BP PCR_METRIC_BP
#define FLAG PCR_METRIC_FLAG
#define THERE PCR_METRIC_THERE
#define LENGTH PCR_METRIC_LENGTH
#define UNITS PCR_METRIC_UNITS
#define RATE PCR_METRIC_RATE
#define AHEAD PCR_METRIC_AHEAD
#define INFO PCR_METRIC_INFO
#define PER_SECOND "bytes_per_second"

const struct pcr_metric pcr_metrics[] = {
	/* the daemon itself */
	{ "build_info", NULL, GAUGE, INFO, "", NULL, "version,kernel,backend",
	  "Always 1: what runs, on which kernel, and how it writes" },
	{ "uptime_seconds", "seconds", GAUGE, USEC, "", "start_ago_usec", NULL,
	  "Since the daemon started" },
	{ "cpu_seconds", "seconds", COUNTER, USEC, "", "cpu_usec", NULL,
	  "CPU time the daemon has taken" },
	{ "resident_memory_bytes", "bytes", GAUGE, COUNT, "", "rss_bytes", NULL,
	  "Memory the daemon takes" },
	{ "wakeups", NULL, COUNTER, COUNT, "", "wakeups", NULL, "Turns of the daemon's loop" },
	{ "loop_lag_max_seconds", "seconds", GAUGE, USEC, "", "loop_lag_max_usec", NULL,
	  "The longest turn of its loop so far" },
	{ "queued_jobs", NULL, GAUGE, COUNT, "", "queue", NULL,
	  "Writes to the kernel that wait for their turn" },
	{ "dry_run", NULL, GAUGE, FLAG, "", "dry_run", NULL, "1: nothing is ever written" },

	/* settings */
	{ "settings_age_seconds", "seconds", GAUGE, USEC, "settings", "since_ago_usec", NULL,
	  "Since the settings in force were read" },
	{ "settings_refused", NULL, GAUGE, THERE, "settings", "error", NULL,
	  "1: newer settings were refused, those before are in force" },
	{ "policies", NULL, GAUGE, COUNT, "settings", "policies", NULL, "Policies in force" },
	{ "dry_run_policies", NULL, GAUGE, COUNT, "settings", "dry_run_policies", NULL,
	  "Policies with DryRun=yes" },
	{ "policy_cgroups", NULL, GAUGE, COUNT, "policies", "cgroups", "policy",
	  "Living cgroups a policy applies to" },
	{ "policy_reap", NULL, GAUGE, FLAG, "policies", "reap", "policy", "1: a policy reaps" },
	{ "policy_dry_run", NULL, GAUGE, FLAG, "policies", "dry_run", "policy",
	  "1: a policy only tells what it would do" },
	{ "policy_collapse_bytes_per_second", PER_SECOND, GAUGE, RATE, "policies", "collapse",
	  "policy", "Rate at which a policy wants memory in huge pages" },

	/* what it can do, and has done */
	{ "action_ready", NULL, GAUGE, FLAG, "actions", "ready", "action",
	  "1: the kernel lets it be done" },
	{ "action_enabled", NULL, GAUGE, FLAG, "actions", "enabled", "action",
	  "1: the settings want it" },
	{ "actions", NULL, COUNTER, COUNT, "totals", "actions", NULL, "Finished actions" },
	{ "action_outcomes", NULL, COUNTER, COUNT, "totals.outcomes", "count", "action,outcome",
	  "Finished actions, dry runs included, by kind and how they ended" },
	{ "actions_failed", NULL, COUNTER, COUNT, "totals", "failed", NULL,
	  "Actions that the kernel refused" },
	{ "actions_dry_run", NULL, COUNTER, COUNT, "totals", "dry_runs", NULL,
	  "Actions that a dry run only told of" },
	{ "reap_freed_bytes", "bytes", COUNTER, COUNT, "totals", "reap_freed_bytes", NULL,
	  "Memory given back by reaping removed cgroups" },
	{ "reaped_cgroups", NULL, COUNTER, COUNT, "totals", "reap_cgroups", NULL,
	  "Removed cgroups gone by reaping" },
	{ "trim_freed_bytes", "bytes", COUNTER, COUNT, "totals", "trim_freed_bytes", NULL,
	  "Percpu memory given back by trimming" },

	/* cgroups */
	{ "cgroups", NULL, GAUGE, COUNT, "watching", "cgroups", NULL, "Living cgroups" },
	{ "dying_cgroups", NULL, GAUGE, COUNT, "", "dying", NULL,
	  "Removed cgroups that are not gone" },
	{ "dying_parents", NULL, GAUGE, COUNT, "", "reaps", NULL,
	  "Living cgroups below which removed ones are not gone" },
	{ "made_cgroups", NULL, COUNTER, COUNT, "totals", "created", NULL, "Cgroups made" },
	{ "removed_cgroups", NULL, COUNTER, COUNT, "totals", "removed", NULL, "Cgroups removed" },
	{ "released_cgroups", NULL, COUNTER, COUNT, "totals", "released", NULL,
	  "Removed cgroups seen to be gone, with trace events" },
	{ "lifecycle_info", NULL, GAUGE, INFO, "watching", NULL, "source",
	  "Always 1: how cgroups are seen to come and go" },
	{ "lifecycle_events", NULL, COUNTER, COUNT, "watching", "events", NULL,
	  "Events about cgroups" },
	{ "lifecycle_stale", NULL, COUNTER, COUNT, "watching", "stale", NULL,
	  "Events about cgroups that were known, or gone already" },
	{ "lifecycle_overflows", NULL, COUNTER, COUNT, "watching", "overflows", NULL,
	  "Times that events were lost" },
	{ "lifecycle_resyncs", NULL, COUNTER, COUNT, "watching", "resyncs", NULL,
	  "Walks of the whole tree after events were lost" },
	{ "lifecycle_audits", NULL, COUNTER, COUNT, "watching", "audits", NULL,
	  "Walks of the whole tree to look for what was missed" },
	{ "lifecycle_repaired", NULL, COUNTER, COUNT, "watching", "repaired", NULL,
	  "Cgroups that a walk found missed" },
	{ "lifecycle_malformed", NULL, COUNTER, COUNT, "watching", "malformed", NULL,
	  "Events that could not be read" },
	{ "lifecycle_watches", NULL, GAUGE, COUNT, "watching", "watches", NULL,
	  "Watches held in the kernel" },

	/* memory pressure, of the machine */
	{ "pressure_triggers", NULL, GAUGE, COUNT, "pressure", "triggers", NULL,
	  "Pressure triggers armed, of the machine and of slices" },
	{ "pressure_some_ratio", "ratio", GAUGE, BP, "machine", "some_avg10_bp", NULL,
	  "Share of the last ten seconds in which tasks waited for memory, as last read" },
	{ "pressure_stalled_seconds", "seconds", COUNTER, USEC, "machine", "stall_usec", NULL,
	  "Time in which tasks waited for memory, as last read" },
	{ "pressure_events", NULL, COUNTER, COUNT, "machine", "events", NULL,
	  "Times that memory pressure was told of" },

	/* percpu memory */
	{ "percpu_bytes", "bytes", GAUGE, COUNT, "percpu", "percpu_bytes", NULL,
	  "Percpu memory" },
	{ "percpu_metadata_bytes", "bytes", GAUGE, COUNT, "percpu", "metadata_bytes", NULL,
	  "What the kernel takes to keep book on percpu memory" },
	{ "percpu_charged_bytes", "bytes", GAUGE, COUNT, "footprint", "charged_bytes", NULL,
	  "What cgroups are charged for percpu memory" },
	{ "percpu_populated_bytes", "bytes", GAUGE, UNITS, "percpu", "populated_pages", NULL,
	  "Percpu memory with pages behind it" },
	{ "percpu_empty_bytes", "bytes", GAUGE, UNITS, "percpu", "empty_pages", NULL,
	  "Percpu memory that is empty and ready for use" },
	{ "percpu_isolated_empty_bytes", "bytes", GAUGE, UNITS, "percpu", "isolated_empty_pages",
	  NULL, "Percpu memory that is empty and set aside to be given back" },
	{ "percpu_surplus_bytes", "bytes", GAUGE, COUNT, "percpu", "surplus_bytes", NULL,
	  "Percpu memory that a trim would give back" },
	{ "percpu_depopulated_bytes", "bytes", COUNTER, UNITS, "percpu", "depopulated_pages",
	  NULL, "Percpu memory the kernel gave back since its start" },
	{ "percpu_repopulated_bytes", "bytes", COUNTER, UNITS, "percpu", "repopulated_pages",
	  NULL, "Percpu memory it had to take again in a place it gave back" },
	{ "percpu_trim_runs", NULL, COUNTER, COUNT, "percpu", "trim_runs", NULL,
	  "Trims the kernel counted" },
	{ "percpu_sample_age_seconds", "seconds", GAUGE, USEC, "percpu", "sampled_ago_usec", NULL,
	  "Since percpu memory was sampled" },
	{ "percpu_forecast_seconds", "seconds", GAUGE, AHEAD, "forecast", "reached", NULL,
	  "Until ForecastShare= of memory is reached; only while percpu memory rises steadily" },
	{ "slab_lost_bytes", "bytes", GAUGE, COUNT, "footprint", "slab_lost_bytes", NULL,
	  "About what is empty in half-used slabs of the caches cgroups are made from" },

	/* kernel settings */
	{ "kernel_setting", NULL, GAUGE, COUNT, "kernel_settings", "value", "setting",
	  "Value of a kernel setting that policies can set" },
	{ "kernel_setting_foreign", NULL, GAUGE, FLAG, "kernel_settings", "foreign", "setting",
	  "1: another program changed it after the daemon, and it is left alone" },

	/* help for exits */
	{ "batch_free_paused", NULL, GAUGE, THERE, "batch_free", "paused_ago_usec", NULL,
	  "1: exits get no help while tasks wait for CPUs" },
	{ "batch_free_cpu_pressure_ratio", "ratio", GAUGE, BP, "batch_free", "cpu_some_avg10_bp",
	  NULL, "CPU pressure that pauses help for exits, when last looked at" },
	{ "batch_free_cgroups_off", NULL, GAUGE, COUNT, "batch_free", "cgroups_off", NULL,
	  "Cgroups whose exits are left to themselves" },
	{ "batch_free_foreign_files", NULL, GAUGE, LENGTH, "batch_free", "foreign", NULL,
	  "Kernel settings of help for exits that another program changed" },
	{ "batch_free_max_active", NULL, GAUGE, COUNT, "batch_free.nodes", "max_active", "node",
	  "Worker limit of a NUMA node" },
	{ "batch_free_cpus", NULL, GAUGE, COUNT, "batch_free.nodes", "cpus", "node",
	  "CPUs of a node that its workers may use" },
	{ "batch_free_workers_running", NULL, GAUGE, COUNT, "batch_free.nodes",
	  "workers_running", "node", "Workers of a node that are freeing pages" },
	{ "batch_free_pending_pages", "pages", GAUGE, COUNT, "batch_free.nodes", "pending_pages",
	  "node", "Pages handed to workers and not free yet" },
	{ "batch_free_exits", NULL, COUNTER, COUNT, "batch_free.nodes", "exits", "node",
	  "Exits that were helped, most of whose pages lay on the node" },
	{ "batch_free_exit_pages", "pages", COUNTER, COUNT, "batch_free.nodes", "exit_pages",
	  "node", "Pages of helped exits" },
	{ "batch_free_exit_seconds", "seconds", COUNTER, USEC, "batch_free.nodes", "exit_usec",
	  "node", "Time the processes took for these exits" },
	{ "batch_free_worker_seconds", "seconds", COUNTER, USEC, "batch_free.nodes",
	  "worker_usec", "node", "Time workers took for what they freed" },
	{ "batch_free_offloaded_pages", "pages", COUNTER, COUNT, "batch_free.nodes",
	  "offloaded_pages", "node", "Pages handed to workers" },
	{ "batch_free_inline_pages", "pages", COUNTER, COUNT, "batch_free.nodes", "inline_pages",
	  "node", "Pages freed by the exiting process" },
	{ "batch_free_helped_pages", "pages", COUNTER, COUNT, "batch_free.nodes", "helped_pages",
	  "node", "Pages handed out, and taken back by the exiting process" },
	{ "batch_free_local_pages", "pages", COUNTER, COUNT, "batch_free.nodes", "local_pages",
	  "node", "Pages freed by workers on a CPU of their node" },

	/* huge pages */
	{ "collapse_tasks", NULL, GAUGE, COUNT, "collapse", "tasks", NULL,
	  "Tasks whose memory a policy wants in huge pages" },
	{ "collapse_tasks_working", NULL, GAUGE, COUNT, "collapse", "working", NULL,
	  "Tasks whose memory is being looked at" },
	{ "collapse_tasks_left_out", NULL, GAUGE, COUNT, "collapse", "left_out", NULL,
	  "Tasks that a policy is for and that are left out, as there are too many" },
	{ "collapse_scanned_bytes", "bytes", COUNTER, COUNT, "collapse", "scanned_bytes", NULL,
	  "Memory that was looked at for huge pages" },
	{ "collapse_made_bytes", "bytes", COUNTER, COUNT, "collapse", "made_bytes", NULL,
	  "Memory that became huge pages" },
	{ "collapse_budget_bytes_per_second", PER_SECOND, GAUGE, RATE, "collapse", "budget", NULL,
	  "Rate at which memory may be looked at on the whole machine" },
	{ "collapse_free_huge_pages", NULL, GAUGE, COUNT, "collapse", "free_huge_pages", NULL,
	  "Huge pages that could be had at once" },
	{ "collapse_paused", NULL, GAUGE, THERE, "collapse", "paused", NULL,
	  "1: no huge pages are made, for memory pressure or want of free ones" },
};
const size_t pcr_n_metrics = PCR_ARRAY_SIZE(pcr_metrics);
