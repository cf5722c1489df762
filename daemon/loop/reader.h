/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread for the reads that work in the kernel: memory.stat adds up what every
 * removed cgroup below still has to tell, some µs each. Never on the loop.
 *
 * A look goes over to the thread and comes back by pointer; between the two it is
 * the thread's. It holds all it needs by value, and no pointer into the state: what
 * it was about may be gone when it is back.
 */
#ifndef PCR_READER_H
#define PCR_READER_H

#include "read/memcg.h"

struct pcr_look {
	struct pcr_look *next;		/* in a queue of the reader's */
	/* asked */
	u64 id;				/* of the cgroup */
	u64 serial;			/* never 0: which look this is */
	bool settle;			/* a reap step is judged by it */
	bool children;			/* also what is pinned: less what the children have */
	bool machine;			/* of the root, for the footprint: slab as well */
	u32 n_children;
	/* answered */
	int r;				/* 0, PCR_GONE, -errno: then nothing below is valid */
	struct pcr_memcg_sample own;
	u64 slab_lost_bytes;		/* PCR_ABSENT unless .machine */
	u64 pinned_bytes;		/* PCR_ABSENT unless .children, or with too many of them */
	u64 pinned_shmem_bytes;		/* likewise */
	/* the cgroup's path, then its children's names, each with its NUL */
	char text[];
};

/* With more children than this, what a parent pins is not worth the reads. */
#define PCR_LOOK_CHILDREN 64

struct pcr_node;
struct pcr_reader;

/* NULL: no memory. Freed with free(). */
struct pcr_look *pcr_look_new(const struct pcr_node *node, bool children);
/* Fills in the lower half, here and now. */
void pcr_look_read(const struct pcr_root *root, struct pcr_look *look);

/* notify runs on the thread after each look. 0, -errno. */
int pcr_reader_start(const struct pcr_root *root, void (*notify)(void *data), void *data,
		     struct pcr_reader **ret_reader);
/* Waits for the read under way; drops what else was asked for. Takes NULL. */
struct pcr_reader *pcr_reader_stop(struct pcr_reader *r);

/*
 * Takes the look over. The thread is woken by pcr_reader_go(), when what is more urgent is
 * on its way: the two would fight for a CPU. go takes NULL.
 */
void pcr_reader_ask(struct pcr_reader *r, struct pcr_look *look);
void pcr_reader_go(struct pcr_reader *r);
/* The next one that is done, the caller's from now on; NULL: none. */
struct pcr_look *pcr_reader_next(struct pcr_reader *r);
/* Asked for and not fetched yet. */
u32 pcr_reader_pending(struct pcr_reader *r);

#endif
