// SPDX-License-Identifier: GPL-2.0-or-later
/* One round of chores, one after the other. No other thread is in here. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "loop/collapser.h"
#include "read/memcg.h"
#include "read/psi_text.h"
#include "read/sieve.h"
#include "read/task.h"
#include "sys/root.h"
#include "sys/task.h"

/* Passes with their files open. Of the others it is known how far they have come. */
#define OPEN 32

struct pass {
	s32 pid;
	u64 start_ticks;
	u64 used;		/* by this round; 0: never */
	u64 at;			/* where to go on; 0: at the beginning */
	struct pcr_sieve *sieve;
};

/* A rate of ours in the kernel, to be taken back at the end. */
struct granted {
	s32 pid;
	u64 start_ticks;
};

struct pcr_hands {
	const struct pcr_root *root;
	bool stop;
	u64 round;
	u32 n_open;
	struct pass pass[PCR_TASKS_MAX];
	u32 n_granted;
	struct granted granted[PCR_TASKS_MAX];
};

struct pcr_hands *pcr_hands_new(const struct pcr_root *root)
{
	struct pcr_hands *h = calloc(1, sizeof(*h));

	if (h)
		h->root = root;
	return h;
}

void pcr_hands_stop(struct pcr_hands *hands)
{
	__atomic_store_n(&hands->stop, true, __ATOMIC_RELAXED);
}

static bool stopped(const struct pcr_hands *h)
{
	return __atomic_load_n(&h->stop, __ATOMIC_RELAXED);
}

static void shut(struct pcr_hands *h, struct pass *p)
{
	if (!p->sieve)
		return;
	p->at = pcr_sieve_at(p->sieve);
	p->sieve = pcr_sieve_close(p->sieve);
	h->n_open--;
}

/* --- rates in the kernel --- */

static void note_granted(struct pcr_hands *h, const struct pcr_chore *c)
{
	u32 i = 0;

	while (i < h->n_granted && (h->granted[i].pid != c->pid ||
				    h->granted[i].start_ticks != c->start_ticks))
		i++;
	if (!c->bytes && i < h->n_granted)
		h->granted[i] = h->granted[--h->n_granted];
	else if (c->bytes && i == h->n_granted && i < PCR_TASKS_MAX)
		h->granted[h->n_granted++] = (struct granted){ c->pid, c->start_ticks };
}

static void do_grant(struct pcr_hands *h, struct pcr_chore *c, int dirfd, u64 page_bytes)
{
	int r = pcr_collapse_task.grant(dirfd, c->bytes / page_bytes);

	/* It was there a moment ago: it has ended, or it is the file that is not there. */
	c->err = r == PCR_GONE ? EOPNOTSUPP : -r;
	if (r == 0)
		note_granted(h, c);
}

/* Those that end by themselves in a few seconds are ended now. */
static void take_back(struct pcr_hands *h)
{
	for (u32 i = 0; i < h->n_granted; i++) {
		struct pcr_task_sample s;
		PCR_AUTOCLOSE int dirfd = -1;

		if (pcr_task_open(h->root, h->granted[i].pid, &dirfd) == 0 &&
		    pcr_task_look(dirfd, PCR_LOOK_NO, 1, &s) == 0 &&
		    s.start_ticks == h->granted[i].start_ticks)
			(void)pcr_collapse_task.grant(dirfd, 0);
	}
}

struct pcr_hands *pcr_hands_free(struct pcr_hands *h)
{
	if (!h)
		return NULL;
	take_back(h);
	for (u32 i = 0; i < PCR_TASKS_MAX; i++)
		shut(h, &h->pass[i]);
	free(h);
	return NULL;
}

/* --- our own looking --- */

/* The pass of that task, or the one used longest ago in its place. */
static struct pass *find_pass(struct pcr_hands *h, const struct pcr_chore *c)
{
	struct pass *old = &h->pass[0];

	for (u32 i = 0; i < PCR_TASKS_MAX; i++) {
		struct pass *p = &h->pass[i];

		if (p->used && p->pid == c->pid && p->start_ticks == c->start_ticks)
			return p;
		if (p->used < old->used)
			old = p;
	}
	shut(h, old);
	*old = (struct pass){ .pid = c->pid, .start_ticks = c->start_ticks };
	return old;
}

/* Makes room for one more. */
static void shut_oldest(struct pcr_hands *h)
{
	struct pass *old = NULL;

	for (u32 i = 0; i < PCR_TASKS_MAX; i++)
		if (h->pass[i].sieve && (!old || h->pass[i].used < old->used))
			old = &h->pass[i];
	if (old && h->n_open == OPEN)
		shut(h, old);
}

static int open_pass(struct pcr_hands *h, struct pass *pass, int dirfd, const struct pcr_thp *thp)
{
	int r = 0;

	pass->used = h->round;
	if (pass->sieve)
		return 0;
	shut_oldest(h);
	r = pcr_sieve_open(dirfd, thp, pass->at, &pass->sieve);
	h->n_open += r == 0;
	return r;
}

static int do_runs(struct pcr_hands *h, struct pcr_chore *c, struct pass *pass, int pidfd,
		   const struct pcr_thp *thp)
{
	while (c->scanned_bytes + thp->huge_bytes <= c->bytes && !stopped(h)) {
		struct pcr_run run;
		int r = pcr_sieve_next(pass->sieve, c->bytes - c->scanned_bytes, &run);

		if (r && r != PCR_NONE)
			return r;
		c->scanned_bytes += run.scanned_bytes;
		if (r == PCR_NONE) {
			c->pass_ended = true;
			shut(h, pass);
			pass->at = 0;
			return 0;
		}
		if (!run.bytes)
			continue;
		c->tried_bytes += run.bytes;
		r = pcr_collapse_madvise.range(pidfd, run.start, run.bytes);
		if (r == PCR_GONE)
			return r;
		if (r < 0) {
			c->failed_bytes += run.bytes;
			c->err = -r;
		}
		if (c->err == EPERM || c->err == EACCES)
			return 0;
	}
	return 0;
}

static int do_madvise(struct pcr_hands *h, struct pcr_chore *c, int dirfd,
		      const struct pcr_thp *thp)
{
	struct pass *pass = find_pass(h, c);
	PCR_AUTOCLOSE int pidfd = -1;
	int r = pcr_task_pidfd(dirfd, c->pid, &pidfd);

	if (r == 0)
		r = open_pass(h, pass, dirfd, thp);
	return r ? r : do_runs(h, c, pass, pidfd, thp);
}

/* --- a chore, a round --- */

static void do_chore(struct pcr_hands *h, struct pcr_chore *c, const struct pcr_thp *thp)
{
	u64 start = pcr_now_usec();
	PCR_AUTOCLOSE int dirfd = -1;

	c->stat.scanned = PCR_ABSENT;
	c->r = pcr_task_open(h->root, c->pid, &dirfd);
	if (c->r == 0)
		c->r = pcr_task_look(dirfd, c->depth, thp->page_bytes, &c->sample);
	c->look_usec = pcr_now_usec() - start;
	if (c->r == 0 && c->start_ticks && c->start_ticks != c->sample.start_ticks)
		c->r = PCR_GONE;
	if (c->r)
		return;
	if (c->how == PCR_HOW_TASK) {
		if (c->grant)
			do_grant(h, c, dirfd, thp->page_bytes);
		(void)pcr_task_collapse_stat(dirfd, &c->stat);
	} else if (c->how == PCR_HOW_MADVISE && c->bytes) {
		c->r = do_madvise(h, c, dirfd, thp);
	}
}

static void do_machine(const struct pcr_hands *h, struct pcr_round *round)
{
	struct pcr_psi psi;

	round->some_bp = pcr_read_pressure(h->root, NULL, &psi) ? PCR_ABSENT : psi.some_avg10_bp;
	if (pcr_read_thp(h->root, &round->thp))
		round->thp = (struct pcr_thp){ .page_bytes = (u64)sysconf(_SC_PAGESIZE) };
	if (!round->thp.huge_bytes ||
	    pcr_read_free_huge(h->root, &round->thp, &round->free_huge))
		round->free_huge = PCR_ABSENT;
}

void pcr_hands_do(struct pcr_hands *h, struct pcr_round *round)
{
	h->round++;
	if (round->machine)
		do_machine(h, round);
	for (u32 i = 0; i < round->n && !stopped(h); i++)
		do_chore(h, &round->chore[i], &round->thp);
}
