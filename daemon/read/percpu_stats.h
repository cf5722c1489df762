/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of the debugfs file percpu_stats (CONFIG_PERCPU_STATS, mm/percpu-stats.c). No
 * ABI and not there on most kernels: the daemon decides nothing by it. It is what
 * public reports about percpu memory are made of, and what tests look at. Pure.
 */
#ifndef PCR_PERCPU_STATS_H
#define PCR_PERCPU_STATS_H

#include "pcr/types.h"

enum pcr_chunk_kind {
	PCR_CHUNK_PLAIN,
	PCR_CHUNK_FIRST,		/* holds the kernel's own static variables */
	PCR_CHUNK_RESERVED,		/* for modules' static variables */
	PCR_CHUNK_TO_DEPOPULATE,
	PCR_CHUNK_SIDELINED,		/* 5.14 and later: used only when nothing else fits */
};

/* Sizes in bytes of one unit; PCR_ABSENT where this kernel prints no such line. */
struct pcr_percpu_chunk {
	enum pcr_chunk_kind kind;
	u64 nr_alloc;
	u64 max_alloc_size;
	u64 empty_pop_pages;
	u64 first_bit;
	u64 free_bytes;
	u64 contig_bytes;
	u64 sum_frag;
	u64 max_frag;
	u64 cur_min_alloc;
	u64 cur_med_alloc;
	u64 cur_max_alloc;
	u64 memcg_aware;		/* 5.9 to 5.13 */
};

struct pcr_percpu_stats {
	u64 unit_size;			/* one CPU's part of a chunk */
	u64 static_size;
	u64 reserved_size;
	u64 dyn_size;
	u64 atom_size;
	u64 alloc_size;
	u64 nr_alloc;
	u64 nr_dealloc;
	u64 nr_cur_alloc;
	u64 nr_max_alloc;
	u64 nr_chunks;			/* may be more than are listed */
	u64 nr_max_chunks;
	u64 min_alloc_size;
	u64 max_alloc_size;
	u64 empty_pop_pages;
	u32 listed;			/* chunks in the text; the first max are in chunk[] */
};

/* 0, or -EINVAL: no percpu_stats, or cut within a line. Unknown lines are passed over. */
int pcr_percpu_stats_parse(const char *text, size_t n, struct pcr_percpu_stats *ret_stats,
			   struct pcr_percpu_chunk *chunk, u32 max);

#endif
