/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The percpu chunk that a kernel without the trim knob keeps for itself.
 *
 * When the last area of a chunk is freed, the stock allocator keeps that one chunk as
 * a spare with all its pages, until it is needed or another one becomes free
 * (pcpu_balance_free() in mm/percpu.c). Its pages only go when an area in it is freed
 * while there are more empty pages elsewhere than the allocator's float of 4
 * (pcpu_should_reclaim_chunk()). After thousands of cgroups are gone that is luck:
 * 2 MB were seen to stay on 2 CPUs, in six of seven runs, and it is one unit for each
 * possible CPU.
 *
 * So that luck is made: areas are taken until a new chunk has come, which now holds
 * the last of them; that one is freed first, and leaves more empty pages than the float
 * behind. The others are freed then, and their chunk is depopulated with each. An area
 * is a BPF map with one element (BPF_MAP_TYPE_PERCPU_ARRAY): the one way for a program
 * to have percpu memory of a size of its choice. Nothing is ever read from or written
 * into them. It may take a second, most of it asleep, since the kernel frees maps later.
 */
#ifndef PCR_SPARE_H
#define PCR_SPARE_H

#include "pcr/types.h"

struct pcr_root;

/* 0: it can be tried; -ENOTSUP: not the machine itself; -EPERM (CAP_BPF), -ENOSYS, ... */
int pcr_spare_probe(const struct pcr_root *root);

/*
 * 0: done, and what came of it is for `Percpu:` of /proc/meminfo to say; -errno. At most
 * AREAS (spare.c) areas are held at a time, and never more memory than a hundredth of
 * MemAvailable; all is given back on the way out. A chunk that could not be driven out
 * is left as it was found, at worst populated.
 */
int pcr_spare_free(const struct pcr_root *root);

#endif
