/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a cgroup's files say about the removed ones below it.
 * Source: Documentation/admin-guide/cgroup-v2.rst. All functions: 0, PCR_GONE when
 * the cgroup vanished (ENOENT and ENODEV alike), -errno.
 */
#ifndef PCR_MEMCG_H
#define PCR_MEMCG_H

#include "pcr/types.h"

struct pcr_root;

/* nr_dying_descendants of cgroup.stat: removed cgroups below that are not gone. */
int pcr_read_dying(const struct pcr_root *root, const char *path, u64 *ret_dying);

/* The memory controller is on here: there is a memory.stat. Not to be told: true. */
bool pcr_has_memory(const struct pcr_root *root, const char *path);

struct pcr_memcg_sample {
	bool controller;	/* the memory controller is on here: there is a memory.stat */
	u64 current_bytes;	/* memory.current; PCR_ABSENT in the root cgroup */
	u64 shmem_bytes;	/* memory.stat: shmem, with everything below */
	u64 percpu_bytes;	/* memory.stat: percpu, likewise: as charged, living and removed */
	u64 dirty_bytes;	/* memory.stat: file_dirty + file_writeback */
	u64 refaults;		/* memory.stat: workingset_refault_anon + _file, pages */
	u64 stall_usec;		/* memory.pressure: some total=; PCR_ABSENT without PSI */
};
/*
 * Files that are not there leave their figures absent: a cgroup without the memory
 * controller looks like one that vanished just now, so ask pcr_read_dying() first.
 */
int pcr_read_memcg(const struct pcr_root *root, const char *path,
		   struct pcr_memcg_sample *ret_sample);

/* False: no process lives here or below (cgroup.events: populated). True, or not to be told. */
bool pcr_read_populated(const struct pcr_root *root, const char *path);

/* memory.events; PCR_GONE also where the cgroup has none: the root, and without the controller. */
struct pcr_memory_events;
int pcr_read_memory_events(const struct pcr_root *root, const char *path,
			   struct pcr_memory_events *ret_events);

/* v1: cgroups of the memory controller, living and dying (num_cgroups of /proc/cgroups). */
int pcr_read_v1_cgroups(const struct pcr_root *root, u64 *ret_count);

/* some avg10 and total of a cgroup's memory.pressure, or the machine's where path is NULL. */
struct pcr_psi;
int pcr_read_pressure(const struct pcr_root *root, const char *path, struct pcr_psi *ret_psi);

#endif
