/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Backends: how a decision is carried out on this kernel.
 *
 * A NULL member means "cannot here". Dry run is a backend like any other, so that
 * everything around an action (queue, outcome, history, journal) is exercised by it.
 * The functions run on the worker thread, may block for seconds, and touch nothing
 * but their arguments.
 */
#ifndef PCR_BACKEND_H
#define PCR_BACKEND_H

#include "pcr/decision.h"
#include "pcr/types.h"

struct pcr_root;

/* A decision made ready for the worker: whatever it needs, by value. */
struct pcr_job {
	struct pcr_decision decision;
	bool cgroup_v1;
	bool trace_marker;
	char path[4096];	/* cgroup path below the root, "" for the root */
};

struct pcr_backend {
	const char *name;	/* "patched", "stock", "dry-run" */
	void (*reap)(const struct pcr_root *root, const struct pcr_job *job,
		     struct pcr_outcome *ret_outcome);
	void (*trim)(const struct pcr_root *root, const struct pcr_job *job,
		     struct pcr_outcome *ret_outcome);
	void (*set)(const struct pcr_root *root, const struct pcr_job *job,
		    struct pcr_outcome *ret_outcome);
};

#endif
