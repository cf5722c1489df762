/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel files that more than one room names. Text of the ABI: the series in
 * kernel-patches/, Documentation/ABI/testing/sysfs-kernel-mm-percpu.
 */
#ifndef PCR_KNOBS_H
#define PCR_KNOBS_H

#define PCR_PERCPU_DIR "/sys/kernel/mm/percpu/"
#define PCR_PERCPU_RECLAIM PCR_PERCPU_DIR "reclaim"		/* w: bytes or "max" */
#define PCR_PERCPU_HIGH PCR_PERCPU_DIR "empty_pages_high"	/* unit pages kept empty */

#define PCR_MEMORY_RECLAIM "memory.reclaim"		/* cgroup v2, w: bytes */
#define PCR_MEMORY_FORCE_EMPTY "memory.force_empty"	/* cgroup v1, w: anything */

#define PCR_TRACE_MARKER "/sys/kernel/tracing/trace_marker"

#endif
