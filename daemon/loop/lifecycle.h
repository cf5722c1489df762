/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the tree of living cgroups true: opens the best source that this kernel
 * has, reconciles what it tells, walks after losses, and audits.
 *
 * No libev here. The loop waits on pcr_lifecycle_fd() for EPOLLIN and calls
 * pcr_lifecycle_ready(); at the end of each turn, and at pcr_lifecycle_due() at
 * the latest, it calls pcr_lifecycle_tick().
 *
 *   lifecycle.c   which source, and when to walk
 *   reconcile.c   what one event does to the tree (the sink)
 *   resync.c      what a walk does to the tree, a slice at a time
 *   source_*.c    one kernel interface each
 */
#ifndef PCR_LOOP_LIFECYCLE_H
#define PCR_LOOP_LIFECYCLE_H

#include "pcr/lifecycle.h"
#include "read/walk.h"
#include "sys/root.h"

/* Longest stretch that reading events or walking holds the loop. */
#define PCR_LIFECYCLE_SLICE (4 * PCR_MSEC)

enum pcr_walk_kind {
	PCR_WALK_PERIOD,	/* the first one, and all of source walk */
	PCR_WALK_RESYNC,
	PCR_WALK_AUDIT,
};

/* A walk under way; see resync.c. */
struct pcr_walk {
	bool on;
	bool sweeping;
	enum pcr_walk_kind kind;
	struct pcr_node *at;	/* next to look at */
	struct pcr_scan scan;	/* open: halfway through the children of .at */
	u64 start_usec;
};

/* Removals whose cgroup was unknown: its creation may still come (see reconcile.c). */
#define PCR_EARLY 64

struct pcr_lifecycle {
	const struct pcr_lifecycle_ops *ops;
	struct pcr_lifecycle_sink sink;
	const struct pcr_root *root;
	struct pcr_state *st;
	const struct pcr_settings *const *set;
	u64 (*now)(void);
	int fd;			/* -1: nothing to wait on */
	void *source;		/* the source's own */
	enum pcr_source wanted;	/* what the settings asked for when it was opened */
	char why[512];		/* what stood against a better source, or the one asked for */
	struct pcr_lifecycle_stats stats;
	bool full;		/* a kernel limit was met: walk instead */
	bool degraded;		/* and so it is, or another source had to do, until a reload */
	bool mended;		/* it was found switched off at the last check */
	bool backlog;		/* the last read left something behind */
	bool lost;		/* a resync is due */
	u64 lost_usec;		/* since when */
	u64 walked_usec;	/* end of the last walk */
	u64 walk_took_usec;
	u64 last_resync_usec;
	u64 audited_events;	/* stats.events at the end of the last walk */
	u64 walk_retry_usec;	/* a walk failed: not before */
	struct pcr_walk walk;
	u64 early[PCR_EARLY];
	u32 n_early;		/* ever */
	void (*on_fd)(void *data, int fd);
	void *on_fd_data;
	void (*on_node)(void *data, const struct pcr_node *node, bool lives);
	void *on_node_data;
};

/*
 * Opens a source and walks the whole tree once (the source first, so that nothing
 * falls between). The state holds the root; *set is read anew each time, so that a
 * reload swaps it. 0, PCR_NONE: no cgroup mount; -errno.
 */
int pcr_lifecycle_open(const struct pcr_root *root, struct pcr_state *st,
		       const struct pcr_settings *const *set, struct pcr_lifecycle **ret_lc);
struct pcr_lifecycle *pcr_lifecycle_close(struct pcr_lifecycle *lc);

/* -1: the source has none. It may change in any call below; see on_fd. */
int pcr_lifecycle_fd(const struct pcr_lifecycle *lc);
/*
 * Called when the source changes (a limit was met, a reload): wait on fd from now
 * on, -1: on nothing. The old one is still open then, so that it can be let go of.
 */
void pcr_lifecycle_on_fd(struct pcr_lifecycle *lc, void (*on_fd)(void *data, int fd), void *data);

/*
 * Called for each cgroup that a policy matches, when it has come into the tree and
 * when it is about to leave it. Those of before are in the tree.
 */
static inline void
pcr_lifecycle_on_node(struct pcr_lifecycle *lc,
		      void (*on_node)(void *data, const struct pcr_node *node, bool lives),
		      void *data)
{
	lc->on_node = on_node;
	lc->on_node_data = data;
}

/* Events wait. 0, PCR_PART: call again soon. */
int pcr_lifecycle_ready(struct pcr_lifecycle *lc);
/* Walks where one is due. 0, PCR_PART: it goes on, call again soon. */
int pcr_lifecycle_tick(struct pcr_lifecycle *lc, u64 now);
/*
 * When tick must be called at the latest; PCR_NEVER: audits ride on other wake-ups,
 * so an idle machine is left alone.
 */
u64 pcr_lifecycle_due(const struct pcr_lifecycle *lc);
/* The settings were swapped: another source may be wanted, or a limit be raised by now. */
void pcr_lifecycle_reload(struct pcr_lifecycle *lc);

enum pcr_source pcr_lifecycle_source(const struct pcr_lifecycle *lc);
/* Why no better source, or not the one asked for: "" when there is nothing to say. */
const char *pcr_lifecycle_why(const struct pcr_lifecycle *lc);
const struct pcr_lifecycle_stats *pcr_lifecycle_stats(const struct pcr_lifecycle *lc);
/* For doctor. 0: could be used; PCR_NONE: why not. */
int pcr_lifecycle_probe(const struct pcr_root *root, enum pcr_source kind, char *why, size_t size);
/* The source in use: does it still tell? False: another program switched it off, how in why. */
bool pcr_lifecycle_healthy(struct pcr_lifecycle *lc, char *why, size_t size);
const char *pcr_source_name(enum pcr_source kind);

/* --- between the files of the lifecycle --- */

extern const struct pcr_lifecycle_ops pcr_source_tracefs;
extern const struct pcr_lifecycle_ops pcr_source_fanotify;
extern const struct pcr_lifecycle_ops pcr_source_inotify;
extern const struct pcr_lifecycle_ops pcr_source_walk;

/*
 * Reads the source's fd until it is empty (0), within a slice (PCR_PART), and hands on
 * what each read brought: whole records. -errno.
 */
int pcr_lifecycle_drain(struct pcr_lifecycle *lc,
			void (*take)(struct pcr_lifecycle *lc, const char *data, size_t n));

/* Removes an instance that a killed predecessor left, when tracefs is not used. */
void pcr_tracefs_sweep(const struct pcr_root *root);

void pcr_reconcile_init(struct pcr_lifecycle *lc);
/*
 * A cgroup was seen: adds it below parent, in the place of whatever the tree held
 * there, and watches it. 0, PCR_GONE, -errno.
 */
int pcr_reconcile_adopt(struct pcr_lifecycle *lc, struct pcr_node *parent,
			const struct pcr_walk_entry *e, struct pcr_node **ret_node);
/* Makes sure that a known node is watched, where the source wants that. */
int pcr_reconcile_watch(struct pcr_lifecycle *lc, struct pcr_node *node, bool *leaf);
/* Cgroups may have died that no node tells of: the root's count has to. */
void pcr_reconcile_unseen(struct pcr_lifecycle *lc);
/* An event in a directory that is not in the tree (any more). */
void pcr_reconcile_stray(struct pcr_lifecycle *lc);
/* Something was missed: a resync is due. */
void pcr_reconcile_lose(struct pcr_lifecycle *lc);
/* A node and all below it are gone. */
void pcr_reconcile_forget(struct pcr_lifecycle *lc, struct pcr_node *node);

void pcr_resync_start(struct pcr_lifecycle *lc, enum pcr_walk_kind kind, u64 now);
/* One slice, or all of it with deadline PCR_NEVER. 0 done, PCR_PART, -errno: given up. */
int pcr_resync_step(struct pcr_lifecycle *lc, u64 deadline);
/* Can an audit do without a walk? */
bool pcr_resync_idle(const struct pcr_lifecycle *lc);
/* Everything below a node that is new in the tree. */
void pcr_resync_below(struct pcr_lifecycle *lc, struct pcr_node *top);
/* top and all below it leave the tree. */
void pcr_resync_leave(struct pcr_lifecycle *lc, const struct pcr_node *top);
void pcr_resync_stop(struct pcr_lifecycle *lc);

/* The path of a name below a node, for the sink. False: too long to be one. */
bool pcr_child_path(const struct pcr_node *parent, const char *name, size_t n, char *buf,
		    size_t size, size_t *ret_n);

#endif
