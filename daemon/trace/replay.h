/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policies of some settings over a trace, in its time: model, policy and judge are
 * the daemon's, the machine is world.h. What was recorded is sampled when it was; what
 * these settings want sampled besides, from what was seen last.
 */
#ifndef PCR_TRACE_REPLAY_H
#define PCR_TRACE_REPLAY_H

#include "pcr/decision.h"
#include "pcr/settings.h"
#include "trace/trace.h"

struct pcr_replay_ops {
	/*
	 * A knob is written; path: the cgroup's for a reap; "spare" for a trim where there is
	 * no knob, and the spare chunk is driven out. Not called for a dry run.
	 */
	void (*write)(void *data, u64 at, const struct pcr_decision *d, const char *path);
	/* An action ended. */
	void (*record)(void *data, u64 at, const struct pcr_record *record);
	void *data;
};

/* Times that ops are told count from the start of the recording, as the trace's do. */
struct pcr_replay_figures {
	u64 usec;		/* how long was recorded */
	u32 cgroups;		/* most at one time */
	u64 removed;
	u64 turns;
};

/*
 * set[0] holds from the start, the next one from each event on that settings are others;
 * the last one to the end. 0; -ENOMEM; -EINVAL with the fault: an event that can't be, such as a cgroup without a
 * parent.
 */
int pcr_replay(const struct pcr_trace *trace, const struct pcr_settings *const *set, u32 n_sets,
	       const struct pcr_replay_ops *ops, struct pcr_replay_figures *ret_figures,
	       struct pcr_trace_fault *ret_fault);

#endif
