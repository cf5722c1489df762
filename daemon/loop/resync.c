// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A walk: mark and sweep, a slice at a time, with events coming in between.
 *
 * Parents come first in tree order, and a scan adds the children it finds right
 * below, so a single cursor is all the walk needs. node->mark is the generation
 * that saw a node; its low bit says that its own children are still to be scanned
 * (leaves are never opened). What events add meanwhile bears the current
 * generation, what they remove moves the cursor on (pcr_resync_leave).
 *
 * Then the sweep: what was not seen is looked at once more, since a directory read
 * while it changes is a hint as well, and forgotten.
 */
#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "loop/lifecycle.h"
#include "model/tree.h"

/* Looking at the clock costs about as much as a few stats. */
#define LOOKS_PER_CLOCK 16

static u32 generation(const struct pcr_lifecycle *lc)
{
	return lc->st->tree.mark;
}

void pcr_resync_start(struct pcr_lifecycle *lc, enum pcr_walk_kind kind, u64 now)
{
	struct pcr_node *top = lc->st->tree.root;
	bool leaf;

	pcr_resync_stop(lc);
	lc->st->tree.mark = (lc->st->tree.mark + 2) & ~1u;
	top->mark = generation(lc) | 1;
	lc->walk.on = true;
	lc->walk.sweeping = false;
	lc->walk.kind = kind;
	lc->walk.at = top;
	lc->walk.start_usec = now;
	(void)pcr_reconcile_watch(lc, top, &leaf);
}

void pcr_resync_stop(struct pcr_lifecycle *lc)
{
	pcr_scan_close(&lc->walk.scan);
	lc->walk.on = false;
	lc->walk.at = NULL;
}

void pcr_resync_leave(struct pcr_lifecycle *lc, const struct pcr_node *top)
{
	struct pcr_walk *w = &lc->walk;

	if (!w->on || !w->at || !pcr_node_below(w->at, top))
		return;
	pcr_scan_close(&w->scan);
	w->at = w->sweeping ? pcr_tree_next_post(lc->st->tree.root, top) : pcr_tree_skip(top);
}

static int open_node(struct pcr_lifecycle *lc, const struct pcr_node *node, struct pcr_scan *scan)
{
	char path[PCR_PATH_MAX];

	pcr_node_path(node, path, sizeof(path));
	return pcr_scan_open(scan, lc->root, path);
}

/* One child found. *ret_new: the tree did not have it. */
static int see(struct pcr_lifecycle *lc, struct pcr_node *node, const struct pcr_walk_entry *e,
	       bool *ret_new)
{
	struct pcr_node *child = pcr_tree_child(&lc->st->tree, node, e->name, e->n);
	bool leaf = e->leaf;
	int r;

	*ret_new = !child || child->id != e->id;
	if (*ret_new)
		return pcr_reconcile_adopt(lc, node, e, &child);
	r = pcr_reconcile_watch(lc, child, &leaf);
	if (r == 0)
		child->mark = generation(lc) | !leaf;
	return r;
}

/*
 * An audit must not take for missed what is only still in the queue: read that
 * first. False: the walk's own place went away by it.
 */
static bool catch_up(struct pcr_lifecycle *lc, const struct pcr_walk_entry *e)
{
	struct pcr_node *node = lc->walk.at;
	const struct pcr_node *child = pcr_tree_child(&lc->st->tree, node, e->name, e->n);

	if (lc->walk.kind != PCR_WALK_AUDIT || !lc->ops->read || (child && child->id == e->id))
		return true;
	if (lc->ops->read(lc) == PCR_PART)
		lc->backlog = true;
	return lc->walk.at == node && lc->walk.scan.fd >= 0;
}

/* Some children of the node at the cursor. 0: all seen. */
static int scan_some(struct pcr_lifecycle *lc, u64 deadline)
{
	struct pcr_walk *w = &lc->walk;
	int r = 0;

	if (w->scan.fd < 0)
		r = open_node(lc, w->at, &w->scan);
	for (u32 looks = 1; r == 0; looks++) {
		struct pcr_walk_entry e;
		bool fresh;

		r = pcr_scan_next(&w->scan, &e);
		if (r)
			break;
		if (!catch_up(lc, &e))
			return PCR_PART;
		r = see(lc, w->at, &e, &fresh);
		if (fresh && r == 0 && w->kind == PCR_WALK_AUDIT)
			lc->stats.repaired++;
		if (r == PCR_GONE)
			r = 0;
		if (r == 0 && looks % LOOKS_PER_CLOCK == 0 && lc->now() >= deadline)
			return PCR_PART;
	}
	pcr_scan_close(&w->scan);
	return r < 0 ? r : 0;
}

static int mark_some(struct pcr_lifecycle *lc, u64 deadline)
{
	struct pcr_walk *w = &lc->walk;

	for (u32 looks = 1; w->at; looks++) {
		if (w->at->mark == (generation(lc) | 1)) {
			int r = scan_some(lc, deadline);

			if (r)
				return r;
			w->at->mark = generation(lc);
		}
		w->at = pcr_tree_next(w->at);
		if (looks % LOOKS_PER_CLOCK == 0 && lc->now() >= deadline)
			return PCR_PART;
	}
	w->sweeping = true;
	w->at = pcr_tree_deepest(lc->st->tree.root);
	return 0;
}

/* Not seen by this walk: gone, or moved on while we looked? */
static bool is_gone(struct pcr_lifecycle *lc, const struct pcr_node *node)
{
	char path[PCR_PATH_MAX];
	bool leaf;
	u64 id;
	int r;

	pcr_node_path(node, path, sizeof(path));
	r = pcr_walk_stat(lc->root, path, &id, &leaf);
	return r == PCR_GONE || (r == 0 && id != node->id);
}

static int sweep_some(struct pcr_lifecycle *lc, u64 deadline)
{
	struct pcr_walk *w = &lc->walk;

	for (u32 looks = 1; w->at; looks++) {
		struct pcr_node *node = w->at;

		if ((node->mark & ~1u) == generation(lc) || !is_gone(lc, node)) {
			w->at = pcr_tree_next_post(lc->st->tree.root, node);
		} else {
			if (w->kind == PCR_WALK_AUDIT)
				lc->stats.repaired++;
			pcr_reconcile_forget(lc, node);	/* moves the cursor */
		}
		if (looks % LOOKS_PER_CLOCK == 0 && lc->now() >= deadline)
			return PCR_PART;
	}
	return 0;
}

int pcr_resync_step(struct pcr_lifecycle *lc, u64 deadline)
{
	struct pcr_walk *w = &lc->walk;
	int r = 0;

	if (!w->sweeping)
		r = mark_some(lc, deadline);
	if (r == 0)
		r = sweep_some(lc, deadline);
	if (r == PCR_PART)
		return r;
	pcr_resync_stop(lc);
	lc->walked_usec = lc->now();
	lc->walk_took_usec = pcr_sub_u64(lc->walked_usec, w->start_usec);
	if (r < 0)
		return r;
	lc->audited_events = lc->stats.events;
	/* What came and went between two walks left no trace in the tree. */
	if (w->kind != PCR_WALK_AUDIT)
		pcr_reconcile_unseen(lc);
	if (w->kind == PCR_WALK_RESYNC) {
		lc->stats.resyncs++;
		lc->last_resync_usec = lc->walked_usec;
	} else if (w->kind == PCR_WALK_AUDIT) {
		lc->stats.audits++;
	}
	return 0;
}

/*
 * A walk of 10,000 idle cgroups to find that nothing happened is a waste: when no
 * event came since the last one and the kernel counts as many cgroups as we do,
 * that is the audit. Cgroup v1 does not count.
 */
bool pcr_resync_idle(const struct pcr_lifecycle *lc)
{
	char text[4096];
	u64 living;
	size_t n;

	if (lc->stats.events != lc->audited_events ||
	    pcr_cgroup_slurp(lc->root, "", "cgroup.stat", text, sizeof(text), &n) ||
	    pcr_keyed_u64(text, n, "nr_descendants", &living))
		return false;
	return living + 1 == lc->st->tree.n;
}

void pcr_resync_below(struct pcr_lifecycle *lc, struct pcr_node *top)
{
	struct pcr_node *node = top;

	top->mark |= 1;
	for (; node && pcr_node_below(node, top); node = pcr_tree_next(node)) {
		struct pcr_scan scan = { .fd = -1 };
		struct pcr_walk_entry e;
		bool fresh;
		int r;

		if (!(node->mark & 1))
			continue;
		r = open_node(lc, node, &scan);
		while (r == 0) {
			r = pcr_scan_next(&scan, &e);
			if (r == 0 && see(lc, node, &e, &fresh) < 0)
				r = -EIO;
		}
		pcr_scan_close(&scan);
		if (r < 0)
			pcr_reconcile_lose(lc);
		node->mark &= ~1u;
	}
}
