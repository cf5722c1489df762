// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sink: what one event does to the tree, in O(depth).
 *
 * Identity is the id. What is trusted, and what is looked at again:
 *
 * - A creation without an id (inotify, fanotify) costs one stat, which also drops
 *   those gone meanwhile. One with an id (tracefs) costs none: that stream is in
 *   order and says when it lost something, so a removal follows for every cgroup
 *   that does not last, and a stat of each would only race with the storm. In
 *   order but for one thing: trace_pipe merges per-CPU buffers that it looks at
 *   one after the other, so a removal can overtake its creation by a hair. The
 *   ids of removals that met no node are kept for a while to catch that.
 * - kernfs hands out ids in rising order. Under one name, a told id below the known
 *   one is an event from before the last walk, and stale.
 * - A removal without an id (inotify) costs one stat: the name may live again.
 *
 * Every removal told is one death, also of a cgroup that came and went unseen: its
 * remains burden the parent all the same, so the model hears of it.
 */
#include <errno.h>
#include <string.h>

#include "loop/lifecycle.h"
#include "model/model.h"
#include "model/tree.h"

/* Time for the unseen dead to be gone by themselves before somebody looks for them. */
#define UNSEEN_SETTLE PCR_SEC

/* How often a name may change its cgroup between stat and watch before we leave it to a walk. */
#define WATCH_TRIES 3

static const struct pcr_settings *settings(const struct pcr_lifecycle *lc)
{
	return *lc->set;
}

void pcr_reconcile_lose(struct pcr_lifecycle *lc)
{
	if (!lc->lost)
		lc->lost_usec = lc->now();
	lc->lost = true;
}

void pcr_reconcile_unseen(struct pcr_lifecycle *lc)
{
	u64 due = lc->now() + UNSEEN_SETTLE;

	lc->st->root_sample_usec = pcr_min_u64(lc->st->root_sample_usec, due);
}

void pcr_reconcile_stray(struct pcr_lifecycle *lc)
{
	lc->stats.events++;
	lc->stats.stale++;
	pcr_reconcile_unseen(lc);
}

bool pcr_child_path(const struct pcr_node *parent, const char *name, size_t n, char *buf,
		    size_t size, size_t *ret_n)
{
	size_t at = pcr_node_path(parent, buf, size);

	if (n == 0 || n >= size - at - 1)
		return false;
	if (at > 0)
		buf[at++] = '/';
	memcpy(buf + at, name, n);
	buf[at + n] = '\0';
	*ret_n = at + n;
	return true;
}

static void tell(struct pcr_lifecycle *lc, const struct pcr_node *node, bool lives)
{
	if (lc->on_node && node->policy >= 0)
		lc->on_node(lc->on_node_data, node, lives);
}

void pcr_reconcile_forget(struct pcr_lifecycle *lc, struct pcr_node *node)
{
	if (!node->parent)
		return;
	pcr_resync_leave(lc, node);
	for (struct pcr_node *n = pcr_tree_deepest(node); n; n = pcr_tree_next_post(node, n)) {
		if (lc->ops->unwatch)
			lc->ops->unwatch(lc, n);
		tell(lc, n, false);
	}
	pcr_state_removed(lc->st, node, lc->now());
}

/* Watches first, then looks for children: those made in between are seen by one or the other. */
int pcr_reconcile_watch(struct pcr_lifecycle *lc, struct pcr_node *node, bool *leaf)
{
	char path[PCR_PATH_MAX];

	if (!lc->ops->watch || lc->full || node->watch >= 0)
		return 0;
	pcr_node_path(node, path, sizeof(path));
	for (int i = 0; i < WATCH_TRIES; i++) {
		u64 id;
		int r = lc->ops->watch(lc, node, path);

		if (r == PCR_FULL) {
			lc->full = true;
			return 0;
		}
		if (r == 0)
			r = pcr_walk_stat(lc->root, path, &id, leaf);
		if (r || id == node->id)
			return r;
		/* Another cgroup bears the name by now: then the watch may be on either. */
		lc->ops->unwatch(lc, node);
	}
	return PCR_GONE;
}

/* Takes out what stood under this name, or bore this id elsewhere (a v1 rename). */
static int make_place(struct pcr_lifecycle *lc, struct pcr_node *parent, u64 id, const char *name,
		      size_t n)
{
	struct pcr_node *old = pcr_tree_by_id(&lc->st->tree, id);

	/* An id can't be its own ancestor; only a lying stream says so. */
	if (old && pcr_node_below(parent, old))
		return PCR_GONE;
	if (old)
		pcr_reconcile_forget(lc, old);
	old = pcr_tree_child(&lc->st->tree, parent, name, n);
	if (old)
		pcr_reconcile_forget(lc, old);
	return 0;
}

int pcr_reconcile_adopt(struct pcr_lifecycle *lc, struct pcr_node *parent,
			const struct pcr_walk_entry *e, struct pcr_node **ret_node)
{
	struct pcr_node *node;
	bool leaf = e->leaf;
	int r;

	r = make_place(lc, parent, e->id, e->name, e->n);
	if (r)
		return r;
	r = pcr_state_made(lc->st, settings(lc), parent, e->id, e->name, e->n, lc->now(), &node);
	if (r)
		return r;
	tell(lc, node, true);
	/*
	 * Gone before it could be watched: it stays in the tree until its removal is
	 * told, as for any other, so that its death counts once.
	 */
	r = pcr_reconcile_watch(lc, node, &leaf);
	if (r < 0)
		return r;
	/* The mark's low bit: still to be scanned by the walk under way (resync.c). */
	node->mark = lc->st->tree.mark | !leaf;
	*ret_node = node;
	return 0;
}

/* --- events --- */

/* "a/b/c" -> "a/b" and "c". */
static bool split(const char *path, size_t n, size_t *ret_dir, const char **ret_name,
		  size_t *ret_len)
{
	const char *slash = memrchr(path, '/', n);
	const char *name = slash ? slash + 1 : path;
	size_t len = (size_t)(path + n - name);

	if (len == 0 || n >= PCR_PATH_MAX)
		return false;
	*ret_dir = slash ? (size_t)(slash - path) : 0;
	*ret_name = name;
	*ret_len = len;
	return true;
}

static bool was_early(const struct pcr_lifecycle *lc, u64 id)
{
	for (u32 i = 0; i < PCR_EARLY && i < lc->n_early; i++)
		if (lc->early[i] == id)
			return true;
	return false;
}

/*
 * Something unknown died here. The model counts what is made and removed, so that
 * is what it is told; '/' can't be the name of a real one, nor can the id.
 */
static void died_unseen(struct pcr_lifecycle *lc, u64 id, const char *path, size_t dir)
{
	struct pcr_node *parent = pcr_tree_lookup(&lc->st->tree, path, dir);
	struct pcr_node *node;

	lc->stats.stale++;
	if (id)
		lc->early[lc->n_early++ % PCR_EARLY] = id;
	if (!parent) {
		pcr_reconcile_unseen(lc);
		return;
	}
	if (pcr_state_made(lc->st, settings(lc), parent, UINT64_MAX, "/", 1, lc->now(), &node) == 0)
		pcr_state_removed(lc->st, node, lc->now());
}

/* Does the tree already say so, or know better? */
static bool stale(const struct pcr_lifecycle *lc, const struct pcr_node *node, u64 id, bool told)
{
	if (told && was_early(lc, id))
		return true;
	return node && (node->id == id || (told && node->id > id));
}

static void made(void *data, u64 id, const char *path, size_t n)
{
	struct pcr_lifecycle *lc = data;
	struct pcr_walk_entry e = { .id = id, .leaf = true };
	struct pcr_node *parent, *node;
	bool moved;
	size_t dir;
	int r = 0;

	lc->stats.events++;
	if (!split(path, n, &dir, &e.name, &e.n)) {
		lc->stats.malformed++;
		return;
	}
	parent = pcr_tree_lookup(&lc->st->tree, path, dir);
	if (!parent) {
		/* Its parent's creation was missed, or the path came cut. */
		pcr_reconcile_lose(lc);
		return;
	}
	if (!id)
		r = pcr_walk_stat(lc->root, path, &e.id, &e.leaf);
	if (r < 0)
		pcr_reconcile_lose(lc);
	if (r || stale(lc, pcr_tree_child(&lc->st->tree, parent, e.name, e.n), e.id, id != 0)) {
		lc->stats.stale++;
		return;
	}
	moved = pcr_tree_by_id(&lc->st->tree, e.id) != NULL;
	r = pcr_reconcile_adopt(lc, parent, &e, &node);
	if (r < 0)
		pcr_reconcile_lose(lc);
	else if (r == 0 && (moved || (lc->ops->watch && node->mark & 1)))
		pcr_resync_below(lc, node);
}

static void removed(void *data, u64 id, const char *path, size_t n)
{
	struct pcr_lifecycle *lc = data;
	struct pcr_node *node;
	const char *name;
	size_t dir, len;
	u64 now_id;
	bool leaf;

	lc->stats.events++;
	if (!split(path, n, &dir, &name, &len)) {
		lc->stats.malformed++;
		return;
	}
	node = id ? pcr_tree_by_id(&lc->st->tree, id) : pcr_tree_lookup(&lc->st->tree, path, n);
	if (node && !id && pcr_walk_stat(lc->root, path, &now_id, &leaf) == 0 && now_id == node->id)
		node = NULL;	/* it lives: an earlier bearer of the name died */
	if (node)
		pcr_reconcile_forget(lc, node);
	else
		died_unseen(lc, id, path, dir);
}

static void released(void *data, u64 id)
{
	struct pcr_lifecycle *lc = data;

	lc->stats.events++;
	pcr_state_released(lc->st, id, lc->now());
}

static void lost(void *data)
{
	struct pcr_lifecycle *lc = data;

	lc->stats.overflows++;
	pcr_reconcile_lose(lc);
}

void pcr_reconcile_init(struct pcr_lifecycle *lc)
{
	lc->sink = (struct pcr_lifecycle_sink){
		.made = made, .removed = removed, .released = released, .lost = lost, .data = lc,
	};
}
