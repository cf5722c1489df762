// SPDX-License-Identifier: GPL-2.0-or-later
/* "kmalloc-4k  1432  1440  4096  8  8 : tunables ..."; see the header. */
#include "read/slabinfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "sys/root.h"

/* Some 200 lines of 130 bytes, on odd machines 1,000. */
#define SLABINFO_MAX (256u << 10)

static bool begins(const char *name, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(name, with, len);
}

static bool is(const char *name, size_t n, const char *whole)
{
	return n == strlen(whole) && !memcmp(name, whole, n);
}

/*
 * struct cgroup, mem_cgroup, its counters and its part of each node, psi, css_set, blkcg
 * and most else are kmalloc()ed, accounted (kmalloc-cg-) or not; their files are kernfs
 * nodes. What is reclaimable (kmalloc-rcl-, dentries, inodes) the kernel takes back.
 */
static bool of_cgroups(const char *name, size_t n)
{
	static const char *const caches[] = {
		"kernfs_node_cache", "kernfs_iattrs_cache", "mem_cgroup", "mem_cgroup_per_node",
		"task_group",
	};

	if (begins(name, n, "kmalloc-"))
		return !begins(name, n, "kmalloc-rcl-");
	for (size_t i = 0; i < PCR_ARRAY_SIZE(caches); i++)
		if (is(name, n, caches[i]))
			return true;
	return false;
}

static bool number(const char **line, size_t *n, u64 *ret)
{
	const char *word;
	size_t len;

	return pcr_next_word(line, n, &word, &len) && pcr_parse_u64(word, len, ret) == 0;
}

/* Held at the limit of its type, for text that is no kernel's. */
static u64 lost(const char *line, size_t n)
{
	u64 active, objects, size, idle;
	const char *name;
	size_t len;

	if (!pcr_next_word(&line, &n, &name, &len) || !of_cgroups(name, len) ||
	    !number(&line, &n, &active) || !number(&line, &n, &objects) ||
	    !number(&line, &n, &size))
		return 0;
	idle = pcr_sub_u64(objects, active);
	return size && idle > PCR_MAX / size ? PCR_MAX : idle * size;
}

int pcr_slab_lost_parse(const char *text, size_t n, u64 *ret_bytes)
{
	const char *line;
	size_t len;
	u64 bytes = 0;

	if (!pcr_next_line(&text, &n, &line, &len) || !begins(line, len, "slabinfo - version: 2."))
		return -EINVAL;
	while (pcr_next_line(&text, &n, &line, &len))
		bytes = pcr_min_u64(pcr_add_u64(bytes, lost(line, len)), PCR_MAX);
	*ret_bytes = bytes;
	return 0;
}

int pcr_read_slab_lost(const struct pcr_root *root, u64 *ret_bytes)
{
	PCR_AUTOFREE char *buf = malloc(SLABINFO_MAX);
	size_t n;
	int r = buf ? pcr_slurp(root, "/proc/slabinfo", buf, SLABINFO_MAX, &n) : -ENOMEM;

	return r ? r : pcr_slab_lost_parse(buf, n, ret_bytes);
}
