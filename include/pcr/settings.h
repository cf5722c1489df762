/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings: what the files below /usr/lib, /run and /etc said, as plain values.
 *
 * Made by conf/ as a whole and never changed afterwards; a reload makes a new one
 * and the owner swaps the pointer. Everything here is owned by the struct and
 * freed with it (pcr_settings_free() in conf/).
 *
 * The one table of keys is daemon/conf/table.c: section, key, parser, range,
 * default, and the text that the manual page is held against.
 */
#ifndef PCR_SETTINGS_H
#define PCR_SETTINGS_H

#include "pcr/knobs.h"
#include "pcr/types.h"

/* Keys known to the table at most; a compile-time check in table.c holds it. */
#define PCR_KEYS_MAX 64
/* [Policy] sections at most: each one costs a glob match per new cgroup. */
#define PCR_POLICIES_MAX 1024
/* Long-lived slices that may carry a pressure trigger. */
#define PCR_SLICES_MAX 16

enum pcr_source {
	PCR_SOURCE_AUTO,	/* the best that this kernel has */
	PCR_SOURCE_TRACEFS,
	PCR_SOURCE_FANOTIFY,
	PCR_SOURCE_INOTIFY,
	PCR_SOURCE_WALK,
	_PCR_SOURCE_MAX,
};

/* Log levels are syslog's numbers: 3 err, 4 warning, 5 notice, 6 info, 7 debug. */

/* Where a value was set: 1-based line of files[file]; line 0 means the default. */
struct pcr_origin {
	u16 file;
	u16 column;
	u32 line;
};

/*
 * What a [Policy] may override; [Percpu] holds the values for everything else.
 */
struct pcr_rule {
	bool reap;			/* Reap= */
	bool force_empty;		/* ForceEmpty=: on cgroup v1 only, takes living pages too */
	bool dry_run;			/* DryRun= */
	bool batch_free;		/* BatchFree=: of a [Policy] alone; exits there may be helped */
	u64 reap_above;			/* ReapAbove=: dying cgroups below one living parent */
	u64 reap_after_usec;		/* ReapAfter=: reap fewer than that once they have been dying for so long; PCR_NEVER: do not */
	u64 reap_step_bytes;		/* ReapStep=: the largest single request */
	u64 reap_budget_bytes;		/* ReapBudget=BYTES/SPAN: bytes asked for ... */
	u64 reap_budget_usec;		/* ... in any such span */
	u64 reap_refault_bp;		/* ReapMaxRefault=: refaulted pages per reclaimed page that stop it, basis points */
	u64 reap_pressure_bp;		/* ReapMaxPressure=: stall share of living siblings that stops it, basis points */
	u64 cooldown_usec;		/* Cooldown=: between two actions on the same target */
	u64 collapse_bytes;		/* Collapse=BYTES/SPAN: scanned of all its tasks together; 0: off ... */
	u64 collapse_usec;		/* ... in any such span */
};

/* A value for a kernel setting; 0: as it was found. */
struct pcr_pair {
	u64 calm;
	u64 pressed;			/* while tasks wait for memory, and for some time after */
};

struct pcr_trim_rule {
	bool trim;			/* Trim= */
	u64 above_bytes;		/* TrimAbove=: empty percpu memory above the float */
	u64 after_deaths;		/* TrimAfterDeaths=: removed cgroups after which any surplus is trimmed */
	u64 cooldown_usec;		/* TrimCooldown= */
	struct pcr_pair kernel[_PCR_SETTING_PAIRS];	/* EmptyPagesLow= to KhugepagedPages= */
};

struct pcr_collapse_rule {
	u64 budget_bytes;		/* Budget=BYTES/SPAN: scanned on the whole machine ... */
	u64 budget_usec;		/* ... in any such span */
	u64 pressure_bp;		/* PauseAboveMemoryPressure=: some avg10, basis points */
};

struct pcr_forecast_rule {
	u64 share_bp;			/* ForecastShare=: of memory, basis points */
	u64 within_usec;		/* ForecastWithin=: said when it is reached so soon; 0: never */
};

/* CPUs by their numbers. */
#define PCR_CPUS_MAX 1024
struct pcr_cpus {
	bool any;			/* false: as found */
	u64 bit[PCR_CPUS_MAX / 64];
};

#define PCR_NICE_KEEP 100

/* Of the workers of one node: what a [BatchFree nodeN] may override. */
struct pcr_workers {
	u64 max_active;			/* MaxActive=: so many at a time; 0: auto */
	s64 nice;			/* WorkerNice=; PCR_NICE_KEEP: as found */
	struct pcr_cpus cpus;		/* WorkerCPUs= */
};

struct pcr_batch_rule {
	bool enabled;			/* Enabled= */
	u64 min_rss_bytes;		/* MinRSS=: exits of smaller processes are left alone */
	u64 max_pending_bytes;		/* MaxPending=: handed out and not freed yet */
	u64 pause_bp;			/* PauseAboveCpuPressure=: some avg10, basis points */
	struct pcr_workers workers;	/* of nodes without a section of their own */
};

struct pcr_pressure_rule {
	bool enabled;			/* Pressure= */
	u64 stall_usec;			/* Trigger=STALL/WINDOW: some-stall ... */
	u64 window_usec;		/* ... within this window, 500 ms to 10 s */
	u64 hold_usec;			/* Hold=: pressure counts as present so long after an event */
	u64 poll_usec;			/* PollPeriod=: where triggers can't be had */
	u32 n_slices;			/* Slices= */
	char *slices[PCR_SLICES_MAX];	/* cgroup paths, absolute, without trailing slash */
};

struct pcr_daemon_rule {
	enum pcr_source source;		/* Lifecycle= */
	u64 walk_usec;			/* WalkPeriod=: source walk, and audits at most so often */
	u64 audit_usec;			/* AuditPeriod=: PCR_NEVER: never */
	u64 suspend_after;		/* SuspendAfter=: actions without effect that suspend a policy */
	u64 suspend_usec;		/* SuspendFor= */
	u32 log_level;			/* LogLevel=: 3 to 7 */
	bool trace_marker;		/* TraceMarker=: a line in trace_marker before each knob write */
	bool dry_run;			/* DryRun= in [Daemon]: nothing is ever written */
	char *socket_group;		/* SocketGroup=: may ask; NULL: root only */
};

struct pcr_glob;

struct pcr_policy {
	char *name;
	u32 n_match;
	char **match;			/* Match=: cgroup globs, absolute */
	struct pcr_glob *globs;		/* the same, prepared (daemon/base/glob.h) */
	struct pcr_rule rule;		/* complete: what is not overridden is [Percpu]'s */
	struct pcr_origin where;	/* of the section header */
	struct pcr_origin origin[PCR_KEYS_MAX];	/* by key index; line 0: inherited */
};

/* [BatchFree nodeN] */
struct pcr_node_rule {
	u32 node;
	struct pcr_workers workers;	/* complete: what is not overridden is [BatchFree]'s */
	struct pcr_origin where;	/* of the section header */
	struct pcr_origin origin[PCR_KEYS_MAX];	/* by key index; line 0: inherited */
};

struct pcr_settings {
	struct pcr_rule rule;
	struct pcr_trim_rule trim;
	struct pcr_batch_rule batch;
	u32 n_nodes;
	struct pcr_node_rule *nodes;	/* in order of first appearance */
	struct pcr_collapse_rule collapse;
	struct pcr_forecast_rule forecast;
	struct pcr_pressure_rule pressure;
	struct pcr_daemon_rule daemon;
	u32 n_policies;
	struct pcr_policy *policies;	/* in order of first appearance; the first match applies */
	u32 n_files;
	char **files;			/* every file read, in order */
	struct pcr_origin origin[PCR_KEYS_MAX];
};

#endif
