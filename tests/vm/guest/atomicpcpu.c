// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * atomicpcpu - percpu allocations that may not sleep, by way of BPF
 *
 *   atomicpcpu N ROUNDS     ROUNDS times, make a map, put N elements in, take
 *                           them out in another order, and drop the map
 *
 * The elements of a percpu hash map that is not preallocated come from a cache
 * which is filled in interrupts, with GFP_NOWAIT, and charged to the cgroup of
 * whoever made the map. Where that cache is empty for a moment, or the cgroup
 * at its limit, an update fails with ENOMEM: that is counted, it is no error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

static long updates, refused;

static int bpf(int cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(int n, int value_size)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_PERCPU_HASH,
		.key_size = sizeof(int),
		.value_size = value_size,
		.max_entries = n,
		.map_flags = BPF_F_NO_PREALLOC,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static void put(int map, int key, void *value)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)value,
	};

	if (!bpf(BPF_MAP_UPDATE_ELEM, &attr))
		updates++;
	else if (errno == ENOMEM)
		refused++;
	else
		die("update");
}

static void drop(int map, int key)
{
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&key,
	};

	if (bpf(BPF_MAP_DELETE_ELEM, &attr) && errno != ENOENT)
		die("delete");
}

/* The even ones first, so that pages stay pinned for a while. */
static void one_round(int n, int value_size, void *value)
{
	int map = make_map(n, value_size);
	int i;

	if (map < 0 && errno == ENOMEM) {
		refused++;
		return;
	}
	if (map < 0)
		die("map");
	for (i = 0; i < n; i++)
		put(map, i, value);
	for (i = 0; i < n; i += 2)
		drop(map, i);
	for (i = 1; i < n; i += 2)
		drop(map, i);
	close(map);
}

int main(int argc, char **argv)
{
	int i, n, rounds, cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	void *value;

	if (argc != 3)
		die("usage: atomicpcpu N ROUNDS");
	n = number("N", argv[1]);
	rounds = number("ROUNDS", argv[2]);
	value = calloc(cpus, 1024);
	if (!value)
		die("memory");
	for (i = 0; i < rounds; i++)
		one_round(n, 8 << i % 8, value);
	printf("updates=%ld refused=%ld\n", updates, refused);
	return 0;
}
