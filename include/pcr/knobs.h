/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel files that more than one room names. Text of the ABI: the series in
 * kernel-patches/, Documentation/ABI/testing/sysfs-kernel-mm-percpu.
 */
#ifndef PCR_KNOBS_H
#define PCR_KNOBS_H

#define PCR_PERCPU_DIR "/sys/kernel/mm/percpu/"
#define PCR_PERCPU_RECLAIM PCR_PERCPU_DIR "reclaim"		/* w: bytes or "max" */
#define PCR_PERCPU_LOW PCR_PERCPU_DIR "empty_pages_low"		/* unit pages kept empty: so many */
#define PCR_PERCPU_HIGH PCR_PERCPU_DIR "empty_pages_high"	/* to so many, always more than low */
#define PCR_PERCPU_PERCENT PCR_PERCPU_DIR "reclaim_min_percent"	/* of a chunk, for it to be emptied */

/* Kernel settings that a key of [Percpu] may name a value for; all under the ledger. */
enum pcr_setting {
	PCR_SETTING_LOW,	/* EmptyPagesLow=, unit pages */
	PCR_SETTING_HIGH,	/* EmptyPagesHigh=, unit pages */
	PCR_SETTING_PERCENT,	/* ReclaimMinPercent= */
	_PCR_SETTING_MAX,
};

/* The file of each, and the key. */
static inline const char *pcr_setting_knob(enum pcr_setting which)
{
	static const char *const knobs[_PCR_SETTING_MAX] = {
		[PCR_SETTING_LOW] = PCR_PERCPU_LOW,
		[PCR_SETTING_HIGH] = PCR_PERCPU_HIGH,
		[PCR_SETTING_PERCENT] = PCR_PERCPU_PERCENT,
	};

	return knobs[which];
}

static inline const char *pcr_setting_key(enum pcr_setting which)
{
	static const char *const keys[_PCR_SETTING_MAX] = {
		[PCR_SETTING_LOW] = "EmptyPagesLow",
		[PCR_SETTING_HIGH] = "EmptyPagesHigh",
		[PCR_SETTING_PERCENT] = "ReclaimMinPercent",
	};

	return keys[which];
}

#define PCR_MEMORY_RECLAIM "memory.reclaim"		/* cgroup v2, w: bytes */
#define PCR_MEMORY_FORCE_EMPTY "memory.force_empty"	/* cgroup v1, w: anything */

#define PCR_TRACE_MARKER "/sys/kernel/tracing/trace_marker"

#endif
