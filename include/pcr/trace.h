/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a machine told, as data: everything that changes struct pcr_state from outside,
 * event by event. While somebody records, daemon/model hands each to the tap; replay
 * hands the same back to daemon/model.
 *
 * Left out are the counters of exits and of huge pages: what they would have been under
 * another limit or rate can't be told.
 */
#ifndef PCR_TRACE_H
#define PCR_TRACE_H

#include "pcr/types.h"

enum pcr_event_kind {
	PCR_EVENT_MADE,		/* cgroup, parent; name */
	PCR_EVENT_REMOVED,	/* cgroup, and all below it */
	PCR_EVENT_LOOK,		/* cgroup, dying, pinned, shmem, residue, percpu, dirty bytes, refaults, stall usec */
	PCR_EVENT_COUNT,	/* cgroup, dying */
	PCR_EVENT_DYING,	/* in all, as the root counts */
	PCR_EVENT_SWAP,		/* free bytes */
	PCR_EVENT_PERCPU,	/* knob, spare, bytes, page bytes, units, populated, empty, isolated, low, high, percent, metadata */
	PCR_EVENT_SETTING,	/* value, by somebody else; name: the kernel's file */
	PCR_EVENT_PRESSURE,	/* cgroup, 0: the machine */
	PCR_EVENT_LIMIT,	/* cgroup that ran into a limit of its own */
	PCR_EVENT_GAP,		/* the machine slept */
	PCR_EVENT_STEP,		/* a reap step ended: cgroup, asked, freed bytes, errno */
	PCR_EVENT_TRIM,		/* a trim ended: asked, freed bytes, errno */
	PCR_EVENT_SETTINGS,	/* others are in force: lines; name: all of these, without the last newline */
	PCR_EVENT_END,		/* the recording did */
	_PCR_EVENT_MAX,
};

#define PCR_EVENT_VALUES 12

struct pcr_event {
	enum pcr_event_kind kind;
	u64 now;
	u64 value[PCR_EVENT_VALUES];	/* in the order above; PCR_ABSENT */
	const char *name;		/* NULL: it has none */
};

/* May not change the state. */
struct pcr_tap {
	void (*event)(void *data, const struct pcr_event *event);
	void *data;
};

#endif
