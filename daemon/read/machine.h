/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine-wide figures: percpu memory, swap, CPUs. 0, PCR_NONE (no such file), -errno. */
#ifndef PCR_MACHINE_H
#define PCR_MACHINE_H

#include "pcr/state.h"

struct pcr_root;

/* Percpu: of meminfo on every kernel; the counters where the series is. */
int pcr_read_percpu(const struct pcr_root *root, struct pcr_percpu_sample *ret_sample);

/* MemTotal: in bytes. */
int pcr_read_memory(const struct pcr_root *root, u64 *ret_bytes);

/* SwapFree: in bytes; 0 means that nothing can be swapped out. */
int pcr_read_swap_free(const struct pcr_root *root, u64 *ret_bytes);

/* Counts of the lists in /sys/devices/system/cpu/{possible,online}. */
int pcr_read_cpus(const struct pcr_root *root, const char *which, u64 *ret_count);

#endif
