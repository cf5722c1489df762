/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the control socket may see and ask for.
 *
 * Asking is reading: the server renders replies straight from const pointers to
 * what the daemon holds, between two turns of the loop. The few requests that
 * change something go through struct pcr_view_ops, which the daemon implements.
 */
#ifndef PCR_VIEW_H
#define PCR_VIEW_H

#include "pcr/lifecycle.h"
#include "pcr/settings.h"
#include "pcr/state.h"

/* One line of doctor: a source or knob, and whether it can be used. */
enum pcr_finding_kind {
	PCR_FINDING_OK,
	PCR_FINDING_ABSENT,	/* this kernel or host has no such thing: no fault */
	PCR_FINDING_HINT,	/* works, could be better */
	PCR_FINDING_PROBLEM,	/* should work and does not */
};

struct pcr_finding {
	enum pcr_finding_kind kind;
	char subject[48];	/* "percpu trim", "lifecycle tracefs", ... */
	char text[320];		/* path, errno in words, consequence */
};

#define PCR_FINDINGS_MAX 48

/* How the daemon itself is doing. Filled by loop/ and app/. */
struct pcr_health {
	char version[24];
	char host[64];
	char kernel[96];		/* uname release */
	u64 start_usec;
	u64 settings_usec;		/* settings in force since */
	char settings_error[512];	/* of the last refused reload, "" */
	bool cgroup_v2;			/* the tree watched is cgroup2 */
	bool memory_v2;			/* and it has the memory controller */
	char cgroup_mount[256];
	enum pcr_source source;		/* in use */
	const struct pcr_lifecycle_stats *lifecycle;
	u64 last_resync_usec;		/* 0: never */
	bool psi;			/* pressure files exist */
	u32 triggers;			/* PSI triggers armed */
	bool psi_polled;		/* read by a timer instead: text in psi_why */
	char psi_why[160];
	bool trim_knob;			/* /sys/kernel/mm/percpu/reclaim is writable */
	char trim_why[160];		/* why not, "" */
	bool collapse_ready;		/* one of the two ways to make tasks' memory huge */
	char collapse_why[160];
	bool reap_knob;
	char reap_why[160];
	bool batch_knob;		/* /sys/kernel/mm/batch_free/enabled is writable */
	char batch_why[160];
	u64 batch_cgroups;		/* where memory.batch_free is 0 by our doing; PCR_ABSENT: no such file */
	const char *backend;		/* name of the live backend */
	bool dry_run;			/* [Daemon] DryRun= */
	u64 loop_lag_max_usec;		/* longest turn of the loop since settings_usec */
	u64 wakeups;			/* turns of the loop */
	u32 queue_len;			/* jobs waiting for the worker */
	u64 cpu_usec;			/* user and system time used so far; PCR_ABSENT */
	u64 rss_bytes;			/* Rss of smaps_rollup; PCR_ABSENT */
	u32 log_level;
};

struct pcr_view_ops {
	/*
	 * Re-reads the settings. 0, or -EINVAL with what the checker said (owned by
	 * the caller, free()) and the old settings still in force.
	 */
	int (*reload)(void *data, char **ret_errors);
	/*
	 * Asks for an action now; -ENOENT: no such cgroup, -EOPNOTSUPP: no such knob,
	 * -EALREADY: under way, -EBUSY: not now, -ENODATA: nothing is dying there, -EPERM: on
	 * cgroup v1, and no policy says ForceEmpty=. bytes PCR_ABSENT: as policy would choose.
	 */
	int (*reap)(void *data, u64 id, u64 bytes);
	int (*trim)(void *data, u64 bytes);
	void (*log_level)(void *data, u32 level);
	/* Looks at every knob and source now; returns how many findings were filled in. */
	size_t (*doctor)(void *data, struct pcr_finding findings[static PCR_FINDINGS_MAX]);
	/*
	 * Brings what is kept about one cgroup up to date (memory.stat and the like),
	 * for explain; id 0: the machine's figures and our own cost, for status. 0, PCR_GONE.
	 */
	int (*refresh)(void *data, u64 id);
	/*
	 * A trace of what happens from now on, for one caller at a time. 0, -EALREADY,
	 * -ENOMEM. The next lines of it, max bytes at most, good until the loop goes on: 0,
	 * PCR_NONE: none now, -ENOBUFS: some were lost.
	 */
	int (*record_start)(void *data);
	int (*record_take)(void *data, size_t max, const char **ret_text, size_t *ret_n);
	void (*record_stop)(void *data);
	/* The socket's file was removed: what else of ours was in that directory? */
	void (*emptied)(void *data);
};

struct pcr_view {
	const struct pcr_settings *settings;
	const struct pcr_state *state;
	const struct pcr_health *health;
	const struct pcr_view_ops *ops;
	void *data;		/* handed to every op */
};

#endif
