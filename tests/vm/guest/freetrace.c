// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * freetrace TRACE - on which nodes pages were freed, out of mm_page_free_batched
 * events: the CPU of the event against the node of its page. Prints
 *
 *   local=N remote=N node0=N node1=N ...
 *
 * with the events of each node's pages. Zones are read from /proc/zoneinfo, CPUs
 * from sysfs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define NODES	64
#define ZONES	(4 * NODES)
#define CPUS	1024

static struct zone {
	int node;
	unsigned long start, pages;
} zones[ZONES];
static int nr_zones;
static int node_of_cpu[CPUS];

/* Of a zone: "Node 0, zone DMA", its size with holes, and last where it begins. */
static void read_zones(void)
{
	FILE *f = fopen("/proc/zoneinfo", "re");
	unsigned long spanned = 0;
	char line[256];
	int node = 0;

	if (!f)
		die("/proc/zoneinfo");
	while (fgets(line, sizeof(line), f)) {
		struct zone *z = &zones[nr_zones];

		if (sscanf(line, "Node %d,", &node) == 1 ||
		    sscanf(line, " spanned %lu", &spanned) == 1)
			continue;
		if (sscanf(line, " start_pfn: %lu", &z->start) != 1)
			continue;
		z->node = node;
		z->pages = spanned;
		if (node >= NODES || ++nr_zones == ZONES)
			die("more nodes than %d", NODES);
	}
	fclose(f);
}

static void read_cpus(void)
{
	char path[128];
	int cpu, node;

	for (cpu = 0; cpu < CPUS; cpu++) {
		node_of_cpu[cpu] = -1;
		for (node = 0; node < NODES && node_of_cpu[cpu] < 0; node++) {
			snprintf(path, sizeof(path),
				 "/sys/devices/system/node/node%d/cpu%d", node, cpu);
			if (!access(path, F_OK))
				node_of_cpu[cpu] = node;
		}
		if (node_of_cpu[cpu] < 0)
			return;
	}
}

static int node_of_page(unsigned long pfn)
{
	int i;

	for (i = 0; i < nr_zones; i++) {
		if (pfn >= zones[i].start && pfn - zones[i].start < zones[i].pages)
			return zones[i].node;
	}
	die("page %#lx is in no zone", pfn);
}

int main(int argc, char **argv)
{
	unsigned long local = 0, remote = 0, pages[NODES] = { 0 };
	char line[512];
	int node;
	FILE *f;

	if (argc != 2) {
		errno = 0;
		die("usage: freetrace TRACE");
	}
	read_zones();
	read_cpus();
	f = fopen(argv[1], "re");
	if (!f)
		die("%s", argv[1]);
	while (fgets(line, sizeof(line), f)) {
		const char *cpu = strstr(line, " ["), *pfn = strstr(line, " pfn=");
		int on;

		if (strstr(line, " LOST "))
			die("events are lost: %s", line);
		if (!cpu || !pfn || !strstr(line, " mm_page_free_batched:"))
			continue;
		node = node_of_page(strtoul(pfn + 5, NULL, 16));
		on = atoi(cpu + 2);
		if (on >= CPUS)
			die("more CPUs than %d", CPUS);
		pages[node]++;
		if (node_of_cpu[on] == node)
			local++;
		else
			remote++;
	}
	fclose(f);
	printf("local=%lu remote=%lu", local, remote);
	for (node = 0; node < NODES; node++) {
		if (pages[node])
			printf(" node%d=%lu", node, pages[node]);
	}
	putchar('\n');
	return 0;
}
