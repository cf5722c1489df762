// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pins TRACE - what keeps pages of percpu memory populated.
 *
 * TRACE is a text trace with percpu_alloc_percpu and percpu_free_percpu events,
 * pointers not hashed. Prints what was allocated in it and not freed, a line for
 * each call site and size, the most pages first:
 *
 *   SITE SIZE OBJECTS PAGES ONLY
 *
 * SIZE is in bytes of one CPU, PAGES are unit pages that hold one of these
 * objects, ONLY those of them that hold nothing else of the trace. Then
 *
 *   total objects=N bytes=N pages=N older_frees=N twice=N
 *
 * with bytes of one CPU; older_frees were allocated before the trace began,
 * twice is how often a live object was handed out again: its free is missing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest.h"

#define SLOTS	(1UL << 22)	/* more than all events of the largest run */
#define SITES	512

struct site {
	char name[96];
	unsigned long size, objects, pages, only;
};

struct object {
	uint64_t ptr;		/* 0: never used */
	uint64_t addr;		/* of the first CPU */
	uint16_t site;
	bool live;
};

/* One object's share of one unit page. */
struct share {
	uint64_t page;
	uint16_t site;
};

static struct site sites[SITES];
static unsigned int nr_sites;
static struct object *objects;
static size_t used;
static unsigned long older_frees, twice;

static struct object *find(uint64_t ptr)
{
	size_t i = (size_t)((ptr >> 2) * 0x9e3779b97f4a7c15ULL >> 42) % SLOTS;

	while (objects[i].ptr && objects[i].ptr != ptr)
		i = (i + 1) % SLOTS;
	return &objects[i];
}

static uint16_t site(const char *name, unsigned long size)
{
	unsigned int i;

	for (i = 0; i < nr_sites; i++) {
		if (sites[i].size == size && !strcmp(sites[i].name, name))
			return (uint16_t)i;
	}
	if (nr_sites == SITES)
		die("more than %d call sites", SITES);
	snprintf(sites[i].name, sizeof(sites[i].name), "%s", name);
	sites[i].size = size;
	nr_sites++;
	return (uint16_t)i;
}

/* " key=value": what follows the "=", the key with its blank given. */
static const char *value(const char *line, const char *key)
{
	const char *p = strstr(line, key);

	if (!p)
		die("no%s in: %s", key, line);
	return p + strlen(key);
}

static void allocated(const char *event)
{
	uint64_t ptr = strtoull(value(event, " ptr="), NULL, 16);
	struct object *o = find(ptr);
	char name[96] = "";

	if (sscanf(value(event, " call_site="), "%95[^/ ]", name) != 1)
		die("no call site in: %s", event);
	if (!o->ptr && ++used > SLOTS / 2)
		die("more than %lu different objects", SLOTS / 2);
	if (o->live)
		twice++;
	o->ptr = ptr;
	o->addr = strtoull(value(event, " base_addr="), NULL, 16) +
		  strtoul(value(event, " off="), NULL, 10);
	o->site = site(name, strtoul(value(event, " size="), NULL, 10));
	o->live = true;
}

static void freed(const char *event)
{
	struct object *o = find(strtoull(value(event, " ptr="), NULL, 16));

	if (!o->live)
		older_frees++;
	o->live = false;
}

static void read_trace(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[1024];
	const char *p;

	if (!f)
		die("%s", path);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, " LOST "))
			die("events are lost: %s", line);
		if ((p = strstr(line, " percpu_alloc_percpu:")))
			allocated(p);
		else if ((p = strstr(line, " percpu_free_percpu:")))
			freed(p);
	}
	fclose(f);
}

static int by_page(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->page != y->page)
		return x->page < y->page ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

/* The shares of all live objects, and what these come to by site. */
static size_t list_shares(struct share **shares)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), at;
	size_t i, n = 0, room = 0;

	*shares = NULL;
	for (i = 0; i < SLOTS; i++) {
		const struct object *o = &objects[i];
		struct site *s = &sites[o->site];

		if (!o->live)
			continue;
		s->objects++;
		for (at = o->addr / page; at <= (o->addr + s->size - 1) / page; at++) {
			if (n == room) {
				room = room ? 2 * room : 65536;
				*shares = realloc(*shares, room * sizeof(**shares));
				if (!*shares)
					die("no memory");
			}
			(*shares)[n++] = (struct share){at, o->site};
		}
	}
	if (n)
		qsort(*shares, n, sizeof(**shares), by_page);
	return n;
}

/* Fills in pages and only of each site; returns how many pages there are. */
static unsigned long count_pages(const struct share *s, size_t n)
{
	unsigned long pages = 0;
	size_t i, first;

	for (first = 0; first < n; first = i, pages++) {
		for (i = first; i < n && s[i].page == s[first].page; i++) {
			if (i == first || s[i].site != s[i - 1].site)
				sites[s[i].site].pages++;
		}
		if (s[first].site == s[i - 1].site)
			sites[s[first].site].only++;
	}
	return pages;
}

static int by_pages(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->pages != y->pages)
		return x->pages > y->pages ? -1 : 1;
	return strcmp(x->name, y->name);
}

int main(int argc, char **argv)
{
	unsigned long live = 0, bytes = 0, pages;
	struct share *shares;
	unsigned int i;
	size_t n;

	if (argc != 2) {
		fprintf(stderr, "usage: pins TRACE\n");
		return 2;
	}
	objects = calloc(SLOTS, sizeof(*objects));
	if (!objects)
		die("no memory");
	read_trace(argv[1]);
	n = list_shares(&shares);
	pages = count_pages(shares, n);
	qsort(sites, nr_sites, sizeof(*sites), by_pages);
	for (i = 0; i < nr_sites && sites[i].objects; i++) {
		printf("%s %lu %lu %lu %lu\n", sites[i].name, sites[i].size,
		       sites[i].objects, sites[i].pages, sites[i].only);
		live += sites[i].objects;
		bytes += sites[i].objects * sites[i].size;
	}
	printf("total objects=%lu bytes=%lu pages=%lu older_frees=%lu twice=%lu\n",
	       live, bytes, pages, older_frees, twice);
	return 0;
}
