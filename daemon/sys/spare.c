// SPDX-License-Identifier: GPL-2.0-or-later
/* Drives the percpu allocator's spare chunk out; see the header. */
#include "sys/spare.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sys/meminfo.h"
#include "sys/root.h"

/* PCPU_MIN_UNIT_SIZE: the largest area there is. Holes in chunks still in use are smaller. */
#define AREA_BYTES (32u << 10)
/* Five units of 1 MB, the largest on x86: a spare chunk, and some that are half used. */
#define AREAS 160
/* A chunk comes with vmalloc'ed metadata: 512 kB and more where memory is accounted. */
#define CHUNK_METADATA (256u << 10)
/* Maps are freed by a kernel worker. */
#define SETTLE (200 * PCR_MSEC)
#define ATTEMPTS 3

struct areas {
	int fd[AREAS];
	u32 n;
};

static int take(u32 bytes)
{
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_PERCPU_ARRAY;
	attr.key_size = sizeof(u32);
	attr.value_size = bytes;
	attr.max_entries = 1;
	fd = syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : (int)fd;
}

/* From the last one on, until so many are left. */
static void drop(struct areas *a, u32 left)
{
	while (a->n > left)
		close(a->fd[--a->n]);
}

static void settle(void)
{
	struct timespec t = { .tv_nsec = SETTLE * 1000 };

	nanosleep(&t, NULL);
}

static u64 figure(const struct pcr_root *root, const char *key)
{
	u64 bytes;

	return pcr_meminfo_bytes(root, key, &bytes) ? PCR_ABSENT : bytes;
}

/* Areas until one has a new chunk. 0; -ENOSPC: as many as may be, and there was none. */
static int fill(const struct pcr_root *root, struct areas *a)
{
	u64 start = figure(root, "Percpu"), available = figure(root, "MemAvailable");
	u64 before = figure(root, "VmallocUsed"), after;
	int fd;

	if (!pcr_has(start) || !pcr_has(available) || !pcr_has(before))
		return -ENODATA;
	while (a->n < AREAS && figure(root, "Percpu") < start + available / 100) {
		fd = take(AREA_BYTES);
		if (fd < 0)
			return fd;
		a->fd[a->n++] = fd;
		after = figure(root, "VmallocUsed");
		if (pcr_sub_u64(after, before) >= CHUNK_METADATA)
			return 0;
		before = after;
	}
	return -ENOSPC;
}

static int attempt(const struct pcr_root *root)
{
	struct areas a = { .n = 0 };
	int r = fill(root, &a), fd;

	if (r == 0) {
		drop(&a, a.n - 1);
		settle();
	}
	drop(&a, 0);
	settle();
	if (r < 0)
		return r;
	/* Two chunks are free now: one more area that is freed makes the kernel see it. */
	fd = take(AREA_BYTES);
	if (fd < 0)
		return fd;
	close(fd);
	settle();
	return 0;
}

int pcr_spare_probe(const struct pcr_root *root)
{
	int fd = root->live ? take(sizeof(u64)) : -ENOTSUP;

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int pcr_spare_free(const struct pcr_root *root)
{
	u64 before = figure(root, "Percpu");
	int r = root->live ? 0 : -ENOTSUP;

	/* How the frees meet the kernel's own worker is still a matter of time. */
	for (u32 i = 0; i < ATTEMPTS && r == 0; i++) {
		r = attempt(root);
		if (figure(root, "Percpu") < pcr_sub_u64(before, AREA_BYTES * 8))
			break;
	}
	return r;
}
