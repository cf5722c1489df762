/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel files that more than one room names. Text of the ABI: the series in
 * kernel-patches/, Documentation/ABI/testing/sysfs-kernel-mm-percpu and -batch-free.
 */
#ifndef PCR_KNOBS_H
#define PCR_KNOBS_H

#include "pcr/types.h"

#define PCR_PERCPU_DIR "/sys/kernel/mm/percpu/"
#define PCR_PERCPU_RECLAIM PCR_PERCPU_DIR "reclaim"		/* w: bytes or "max" */
#define PCR_PERCPU_LOW PCR_PERCPU_DIR "empty_pages_low"		/* unit pages kept empty: so many */
#define PCR_PERCPU_HIGH PCR_PERCPU_DIR "empty_pages_high"	/* to so many, always more than low */
#define PCR_PERCPU_PERCENT PCR_PERCPU_DIR "reclaim_min_percent"	/* of a chunk, for it to be emptied */

#define PCR_BATCH_DIR "/sys/kernel/mm/batch_free/"
#define PCR_BATCH_ENABLED PCR_BATCH_DIR "enabled"		/* 0 or 1 */
#define PCR_BATCH_MIN_RSS PCR_BATCH_DIR "min_rss_mb"		/* of a process, for its exit to be helped */
#define PCR_BATCH_MAX_PENDING PCR_BATCH_DIR "max_pending_mb"	/* handed out and not freed yet */
#define PCR_BATCH_EXITS PCR_BATCH_DIR "exits"			/* r, notified: exits helped so far */
#define PCR_WORKQUEUE_DIR "/sys/devices/virtual/workqueue/"
#define PCR_BATCH_QUEUE PCR_WORKQUEUE_DIR "batch_free_node"	/* N/{max_active,nice,cpumask} */
#define PCR_MEMORY_BATCH_FREE "memory.batch_free"		/* cgroup v2: 1, or 0 for it and all below */

/* NUMA nodes with a higher number are left as they are. */
#define PCR_NODES_MAX 64
#define PCR_THP_DIR "/sys/kernel/mm/transparent_hugepage/"
#define PCR_KHUGEPAGED_SLEEP PCR_THP_DIR "khugepaged/scan_sleep_millisecs"
#define PCR_KHUGEPAGED_PAGES PCR_THP_DIR "khugepaged/pages_to_scan"
#define PCR_TASK_COLLAPSE_ENABLED PCR_THP_DIR "task_collapse/enabled"

/* Kernel settings that a key may name a value for; all under the ledger. */
enum pcr_setting {
	PCR_SETTING_LOW,	/* EmptyPagesLow=, unit pages */
	PCR_SETTING_HIGH,	/* EmptyPagesHigh=, unit pages */
	PCR_SETTING_PERCENT,	/* ReclaimMinPercent= */
	_PCR_SETTING_PERCPU,	/* those above: of percpu memory */
	PCR_SETTING_SCAN_SLEEP = _PCR_SETTING_PERCPU,	/* KhugepagedScanSleep=, milliseconds */
	PCR_SETTING_SCAN_PAGES,	/* KhugepagedPages=, base pages */
	_PCR_SETTING_PAIRS,	/* those above have a value for calm and one for memory pressure */
	PCR_SETTING_TASK_COLLAPSE = _PCR_SETTING_PAIRS,	/* 1 while any Collapse= asks for it */
	_PCR_SETTING_THP,	/* those above: of huge pages */
	PCR_SETTING_MIN_RSS = _PCR_SETTING_THP,	/* MinRSS=, MiB */
	PCR_SETTING_MAX_PENDING,	/* MaxPending=, MiB */
	PCR_SETTING_BATCH,	/* Enabled= of [BatchFree], 0 while it pauses */
	_PCR_SETTING_MAX,	/* those above: of the machine */
	PCR_SETTING_NODE = _PCR_SETTING_MAX,	/* and the node's number: MaxActive= */
};
#define PCR_SETTINGS_ALL (PCR_SETTING_NODE + PCR_NODES_MAX)

/* daemon/base/knobs.c: the file of each, and the key. */
const char *pcr_setting_knob(u32 which);
const char *pcr_setting_key(u32 which);

static inline bool pcr_setting_of_node(u32 which)
{
	return which >= PCR_SETTING_NODE;
}

#define PCR_MEMORY_RECLAIM "memory.reclaim"		/* cgroup v2, w: bytes */
#define PCR_MEMORY_FORCE_EMPTY "memory.force_empty"	/* cgroup v1, w: anything */

#define PCR_TRACE_MARKER "/sys/kernel/tracing/trace_marker"

#endif
