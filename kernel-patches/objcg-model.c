// SPDX-License-Identifier: GPL-2.0-only
/*
 * mm/percpu-objcg.c of a patched tree in user space, against a plain vector.
 * What can happen to a chunk while pcpu_lock is dropped happens there, at
 * random: areas come and go. So do failures to allocate a table.
 *
 *	cc -I TREE/mm -o objcg-model kernel-patches/objcg-model.c
 *	objcg-model SEED BITS FAIL	bits of a chunk; one table in FAIL fails, 0: none
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- as much of the kernel as that file takes ---- */

typedef uint32_t u32;
typedef unsigned int gfp_t;

#define GFP_KERNEL		0
#define __GFP_NORETRY		0
#define __GFP_NOWARN		0
#define PCPU_MIN_ALLOC_SHIFT	2
#define NEED_PCPU_OBJCG_TABLE	/* 6.12 */
#define CONFIG_MEMCG_KMEM	/* 6.1 */
#define PCPU_OBJCG_ENTRY_SIZE	(sizeof(u32) + sizeof(struct obj_cgroup *))

#define lockdep_assert_held(lock)	((void)(lock))
#define cond_resched()			((void)0)
#define spin_lock_irq(lock)		((void)(lock))
#define spin_unlock_irq(lock)		others(lock)
#define max(a, b)			((a) > (b) ? (a) : (b))
#define min(a, b)			((a) < (b) ? (a) : (b))
#define list_for_each_entry(pos, head, member) \
	for (pos = *(head) ? &the_chunk : NULL; pos; pos = NULL)

struct obj_cgroup;

struct pcpu_objcg_table {
	u32 *keys;
	struct obj_cgroup **objcgs;
	unsigned int size, order, nr;
};

struct pcpu_chunk {
	struct pcpu_objcg_table objcgs, objcgs_old;
	bool immutable;
	int bits;
};

static struct pcpu_chunk the_chunk;
static int pcpu_chunk_lists[] = { 1 };
static int pcpu_nr_slots = 1;
static unsigned long pcpu_metadata_bytes;
static int pcpu_lock, pcpu_alloc_mutex, fail_one_in;

static int pcpu_chunk_map_bits(const struct pcpu_chunk *chunk) { return chunk->bits; }
static bool mem_cgroup_kmem_disabled(void) { return false; }
static unsigned int memalloc_noio_save(void) { return 0; }
static void memalloc_noio_restore(unsigned int flags) { (void)flags; }
static unsigned int ilog2(unsigned int x) { return 31 - __builtin_clz(x); }
static u32 hash_32(u32 val, unsigned int bits) { return (u32)(val * 0x61C88647u) >> (32 - bits); }

static unsigned int roundup_pow_of_two(unsigned int x)
{
	return x <= 1 ? 1 : 1u << (32 - __builtin_clz(x - 1));
}

static void *pcpu_mem_zalloc(size_t size, gfp_t gfp)
{
	(void)gfp;
	if (fail_one_in && rand() % fail_one_in == 0)
		return NULL;
	return calloc(1, size);
}

static void pcpu_mem_free(void *ptr) { free(ptr); }
static void others(int *lock);

#include "percpu-objcg.c"

/* ---- the vector that it is held against ---- */

#define MAX_BITS	(1 << 18)

static struct obj_cgroup *vector[MAX_BITS];
static u32 live[MAX_BITS];
static int nr_live, nr_wanted;
static unsigned long nr_resized, nr_full;
static bool need_balance;

static void add_one(bool atomic)
{
	struct obj_cgroup *objcg = (struct obj_cgroup *)((uintptr_t)rand() * 8 + 8);
	u32 bit = rand() % the_chunk.bits;

	while (!pcpu_objcg_has_room(&the_chunk, objcg)) {
		nr_full++;
		if (atomic || pcpu_objcg_resize(&the_chunk, GFP_KERNEL))
			return;
	}
	if (vector[bit])
		return;
	if (pcpu_objcg_insert(&the_chunk, bit << PCPU_MIN_ALLOC_SHIFT, objcg))
		need_balance = true;
	vector[bit] = objcg;
	live[nr_live++] = bit;
}

static void remove_one(void)
{
	u32 other = rand() % the_chunk.bits, bit;
	int i = rand() % nr_live;

	bit = live[i];
	assert(pcpu_objcg_remove(&the_chunk, bit << PCPU_MIN_ALLOC_SHIFT, &need_balance) ==
	       vector[bit]);
	vector[bit] = NULL;
	live[i] = live[--nr_live];

	/* an area that is not accounted */
	if (!vector[other])
		assert(!pcpu_objcg_remove(&the_chunk, other << PCPU_MIN_ALLOC_SHIFT,
					  &need_balance));
}

static void one(bool atomic)
{
	if (rand() % 10 < (nr_live < nr_wanted ? 7 : 3))
		add_one(atomic);
	else if (nr_live)
		remove_one();
	assert(pcpu_objcg_nr(&the_chunk) == (unsigned int)nr_live);
}

static void others(int *lock)
{
	static bool inside;
	int i;

	(void)lock;
	if (inside)
		return;
	inside = true;
	for (i = rand() % 40; i > 0; i--)
		one(true);
	inside = false;
}

static void balance(void)
{
	need_balance = false;
	while (pcpu_objcg_balance())
		nr_resized++;
}

int main(int argc, char **argv)
{
	int round, i, fail;

	assert(argc == 4);
	srand(atoi(argv[1]));
	the_chunk.bits = atoi(argv[2]);
	fail = atoi(argv[3]);
	assert(the_chunk.bits <= MAX_BITS);
	assert(!pcpu_objcg_init(&the_chunk, GFP_KERNEL));
	pcpu_metadata_bytes = pcpu_objcg_bytes(&the_chunk);
	fail_one_in = fail;

	for (round = 0; round < 40; round++) {
		nr_wanted = rand() % (the_chunk.bits >> (round % 10 + 1));
		for (i = 0; i < 20000; i++) {
			one(rand() & 1);
			if (need_balance || rand() % 1000 == 0)
				balance();
		}
		assert(pcpu_metadata_bytes == pcpu_objcg_bytes(&the_chunk));
	}
	while (nr_live)
		remove_one();
	fail_one_in = 0;
	nr_wanted = 0;
	balance();
	assert(the_chunk.objcgs.size <= 2 * PCPU_OBJCG_TABLE_MIN);
	assert(nr_resized && (nr_full || !fail));
	pcpu_objcg_exit(&the_chunk);
	return 0;
}
