/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help of kernel workers for processes that exit: /sys/kernel/mm/batch_free and its
 * work queues, on kernels with that series. 0, PCR_NONE (no such file), -errno.
 */
#ifndef PCR_READ_BATCH_FREE_H
#define PCR_READ_BATCH_FREE_H

#include "pcr/state.h"

struct pcr_root;

/* Which nodes have a part in it: bit N is node N. */
int pcr_read_batch_nodes(const struct pcr_root *root, u64 *ret_nodes);
/* One node; what is not there is PCR_ABSENT. */
void pcr_read_batch_node(const struct pcr_root *root, u32 node, struct pcr_batch_sample *ret_sample);
/*
 * The same where it is known already: two files, and the rest only if something exited
 * since. False: nothing did.
 */
bool pcr_read_batch_again(const struct pcr_root *root, u32 node, struct pcr_batch_sample *sample);
/* CPUs of a node that are on line. */
int pcr_read_node_cpus(const struct pcr_root *root, u32 node, struct pcr_cpus *ret_cpus);

/*
 * "ffffffff,0000000f", as the kernel writes sets of CPUs; those that PCR_CPUS_MAX leaves
 * no room for are left out. 0, -EINVAL.
 */
int pcr_cpumask_parse(const char *text, size_t n, struct pcr_cpus *ret_cpus);
#define PCR_CPUMASK_TEXT (PCR_CPUS_MAX / 32 * 9 + 1)
const char *pcr_cpumask_text(const struct pcr_cpus *cpus, char buf[static PCR_CPUMASK_TEXT]);
u64 pcr_cpus_count(const struct pcr_cpus *cpus);
/* Those that both have. */
struct pcr_cpus pcr_cpus_both(const struct pcr_cpus *a, const struct pcr_cpus *b);

#endif
