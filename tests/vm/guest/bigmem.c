// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "bigmem.h"
#include "guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HUGE		(2UL << 20)
#define POLICY_BIND	2	/* linux/mempolicy.h; no libnuma needed */
#define POLICY_INTERLEAVE 3

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* On a boundary of huge pages, so that the kind decides and not the address. */
static char *map(size_t size, int flags, int fd)
{
	char *p = mmap(NULL, size + HUGE, PROT_READ | PROT_WRITE, flags, fd, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p + (HUGE - (uintptr_t)p % HUGE) % HUGE;
}

static char *map_file(const char *path, size_t size)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)(size + HUGE)))
		die("%s", path);
	return map(size, MAP_SHARED, fd);
}

/* In one go, which is faster by far; what that leaves out is touched one by one. */
static void write_pages(char *p, size_t size)
{
	size_t i;

	madvise(p, size, MADV_POPULATE_WRITE);
	for (i = 0; i < size; i += page_size())
		*(volatile char *)(p + i) = 1;
}

static void read_pages(char *p, size_t size)
{
	size_t i;

	madvise(p, size, MADV_POPULATE_READ);
	for (i = 0; i < size; i += page_size())
		(void)*(const volatile char *)(p + i);
}

static void advise(char *p, size_t size, int advice)
{
	if (madvise(p, size, advice))
		die("madvise");
}

void bigmem_touch(const char *kind, int mb)
{
	int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	size_t size = (size_t)mb << 20;
	char *p;

	if (*kind == '/') {
		write_pages(map_file(kind, size), size);
	} else if (!strcmp(kind, "shmem")) {
		write_pages(map(size, MAP_SHARED | MAP_ANONYMOUS, -1), size);
	} else if (!strcmp(kind, "hugetlb")) {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, anonymous | MAP_HUGETLB, -1, 0);
		if (p == MAP_FAILED)
			die("mmap of huge pages");
		write_pages(p, size);
	} else if (!strcmp(kind, "thp")) {
		p = map(size, anonymous, -1);
		advise(p, size, MADV_HUGEPAGE);
		write_pages(p, size);
	} else if (!strcmp(kind, "anon") || !strcmp(kind, "zero") || !strcmp(kind, "swap")) {
		p = map(size, anonymous, -1);
		advise(p, size, MADV_NOHUGEPAGE);
		if (*kind == 'z')
			read_pages(p, size);
		else
			write_pages(p, size);
		if (*kind == 's')
			advise(p, size / 2, MADV_PAGEOUT);
	} else {
		die("no kind of memory: %s", kind);
	}
}

/* "0-1,3" as a mask. */
static unsigned long mask(const char *list)
{
	unsigned long bits = 0;
	char *end;

	for (;;) {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (end == list || first > last || last > 63)
			die("not a list of nodes: %s", list);
		for (; first <= last; first++)
			bits |= 1UL << first;
		if (*end != ',')
			return bits;
		list = end + 1;
	}
}

void bigmem_nodes(const char *nodes)
{
	int policy = POLICY_BIND;
	unsigned long bits;
	char buf[256];

	if (!strcmp(nodes, "all")) {
		if (read_file("/sys/devices/system/node/has_memory", buf, sizeof(buf)) <= 0)
			die("no list of nodes");
		policy = POLICY_INTERLEAVE;
		nodes = buf;
	}
	bits = mask(nodes);
	/* The kernel looks at one bit less than it is told. */
	if (syscall(SYS_set_mempolicy, policy, &bits, sizeof(bits) * 8 + 1))
		die("set_mempolicy");
}
