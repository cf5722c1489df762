// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One inotify instance over the whole tree, a watch for each cgroup.
 *
 * A cgroup made below a new one before that is watched would be missed, so the
 * sink looks into each directory after its watch was added. The kernel sends no
 * IN_IGNORED when a watched cgroup goes, and keeps the watch: it is removed here,
 * so that watches held are cgroups living.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "loop/lifecycle.h"
#include "loop/watches.h"
#include "model/tree.h"
#include "read/event_buf.h"

#define MADE (IN_CREATE | IN_MOVED_TO)
#define REMOVED (IN_DELETE | IN_MOVED_FROM)

#define WATCH_MASK (MADE | REMOVED | IN_ONLYDIR | IN_DONT_FOLLOW)

static int open_fd(char *why, size_t size, int *ret_fd)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0) {
		snprintf(why, size, "%s%s", strerror(errno),
			 errno == EMFILE ? " (sysctl fs.inotify.max_user_instances)" : "");
		return PCR_NONE;
	}
	*ret_fd = fd;
	return 0;
}

static int probe(const struct pcr_root *root, char *why, size_t size)
{
	PCR_AUTOCLOSE int fd = -1;

	(void)root;
	return open_fd(why, size, &fd);
}

static int open_inotify(struct pcr_lifecycle *lc, char *why, size_t size)
{
	PCR_AUTOFREE struct pcr_watches *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	r = open_fd(why, size, &lc->fd);
	if (r == 0)
		lc->source = PCR_TAKE_PTR(w);
	return r;
}

static void unwatch(struct pcr_lifecycle *lc, struct pcr_node *node)
{
	struct pcr_watches *w = lc->source;

	if (node->watch < 0)
		return;
	/* EINVAL where the file system did remove it by itself: just as well. */
	(void)inotify_rm_watch(lc->fd, node->watch);
	pcr_watches_take(w, node);
	node->watch = -1;
	lc->stats.watches = w->n;
}

static int watch(struct pcr_lifecycle *lc, struct pcr_node *node, const char *path)
{
	const struct pcr_root *root = lc->root;
	struct pcr_watches *w = lc->source;
	char full[PCR_PATH_MAX + 512];
	struct pcr_node *other;
	int wd, n;

	n = snprintf(full, sizeof(full), "%s%s/%s", root->prefix, root->cgroup_mount, path);
	if (n < 0 || (size_t)n >= sizeof(full))
		return PCR_FULL;
	wd = inotify_add_watch(lc->fd, full, WATCH_MASK);
	if (wd < 0)
		return errno == ENOENT || errno == ENODEV || errno == ENOTDIR ? PCR_GONE : PCR_FULL;
	/* The same directory under another node: moved, and that event still to come. */
	other = pcr_watches_get(w, wd);
	if (other) {
		pcr_watches_take(w, other);
		other->watch = -1;
	}
	node->watch = wd;
	if (pcr_watches_put(w, node) < 0) {
		node->watch = -1;
		(void)inotify_rm_watch(lc->fd, wd);
		return PCR_FULL;
	}
	lc->stats.watches = w->n;
	return 0;
}

static void one_event(struct pcr_lifecycle *lc, const struct pcr_inotify_record *rec)
{
	const struct pcr_lifecycle_sink *sink = &lc->sink;
	struct pcr_watches *w = lc->source;
	struct pcr_node *node;
	char path[PCR_PATH_MAX];
	size_t n;

	if (rec->mask & IN_Q_OVERFLOW) {
		sink->lost(sink->data);
		return;
	}
	node = pcr_watches_get(w, rec->wd);
	if (node && rec->mask & IN_IGNORED) {
		pcr_watches_take(w, node);
		node->watch = -1;
		lc->stats.watches = w->n;
	}
	if (!(rec->mask & IN_ISDIR) || !(rec->mask & (MADE | REMOVED)))
		return;
	if (!node || !pcr_child_path(node, rec->name, rec->n, path, sizeof(path), &n)) {
		pcr_reconcile_stray(lc);
		return;
	}
	if (rec->mask & MADE)
		sink->made(sink->data, 0, path, n);
	else
		sink->removed(sink->data, 0, path, n);
}

static void take_events(struct pcr_lifecycle *lc, const char *data, size_t n)
{
	struct pcr_event_buf buf = { data, n };
	struct pcr_inotify_record rec;
	int r;

	while ((r = pcr_inotify_next(&buf, &rec)) == 0)
		one_event(lc, &rec);
	if (r == -EBADMSG) {
		lc->stats.malformed++;
		pcr_reconcile_lose(lc);
	}
}

static int read_inotify(struct pcr_lifecycle *lc)
{
	return pcr_lifecycle_drain(lc, take_events);
}

static void close_inotify(struct pcr_lifecycle *lc)
{
	struct pcr_watches *w = lc->source;

	for (struct pcr_node *node = lc->st->tree.root; node; node = pcr_tree_next(node))
		node->watch = -1;
	pcr_watches_clear(w);
	free(w);
	close(lc->fd);
}

const struct pcr_lifecycle_ops pcr_source_inotify = {
	.kind = PCR_SOURCE_INOTIFY,
	.name = "inotify",
	.probe = probe,
	.open = open_inotify,
	.read = read_inotify,
	.watch = watch,
	.unwatch = unwatch,
	.close = close_inotify,
};
