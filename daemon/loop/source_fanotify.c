// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One fanotify mark on the cgroup file system: one descriptor, every depth, no
 * watches. Needs CAP_SYS_ADMIN and a kernel whose kernfs has a file system id.
 *
 * The mark goes on the cgroup mount itself: on hybrid hosts what lies above it is
 * a tmpfs. With TARGET_FID a mkdir and rmdir of one name stay two events, and the
 * removal carries the id; the creation does not (the kernel has no inode for it
 * at that moment), so the sink looks that up.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fanotify.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "loop/lifecycle.h"
#include "model/tree.h"
#include "read/event_buf.h"

#define INIT_FLAGS (FAN_CLASS_NOTIF | FAN_REPORT_DFID_NAME_TARGET | FAN_NONBLOCK | FAN_CLOEXEC)
#define MADE (FAN_CREATE | FAN_MOVED_TO)
#define REMOVED (FAN_DELETE | FAN_MOVED_FROM)

static const char *init_why(int err)
{
	switch (err) {
	case EPERM:
		return "fanotify wants CAP_SYS_ADMIN";
	case ENOSYS:
		return "this kernel has no fanotify";
	case EINVAL:
		return "this kernel's fanotify can't name what was removed";
	case EMFILE:
		return "out of fanotify groups (sysctl fs.fanotify.max_user_groups)";
	default:
		return strerror(err);
	}
}

/* Is it kernfs, whose handles are ids? The mount's own id comes with the answer. */
static bool is_kernfs(const struct pcr_root *root, u64 *ret_id)
{
	union {
		struct file_handle head;
		char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
	} h = { .head.handle_bytes = MAX_HANDLE_SZ };
	int mount;

	if (name_to_handle_at(root->cgroup_fd, "", &h.head, &mount, AT_EMPTY_PATH) < 0)
		return false;
	if (h.head.handle_type != PCR_HANDLE_KERNFS || h.head.handle_bytes != sizeof(u64))
		return false;
	memcpy(ret_id, h.head.f_handle, sizeof(u64));
	return true;
}

static int open_mark(const struct pcr_root *root, char *why, size_t size, int *ret_fd)
{
	PCR_AUTOCLOSE int fd = -1;
	u64 id;

	if (!is_kernfs(root, &id)) {
		snprintf(why, size, "%s has no kernfs file handles", root->cgroup_mount);
		return PCR_NONE;
	}
	if (id != 1) {
		snprintf(why, size, "%s shows only a part of the hierarchy", root->cgroup_mount);
		return PCR_NONE;
	}
	fd = fanotify_init(INIT_FLAGS, O_RDONLY);
	if (fd < 0) {
		snprintf(why, size, "%s", init_why(errno));
		return PCR_NONE;
	}
	if (fanotify_mark(fd, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, MADE | REMOVED | FAN_ONDIR,
			  root->cgroup_fd, ".") < 0) {
		snprintf(why, size, "%s", errno == ENODEV ?
			 "this kernel's cgroup file system has no id to report" : strerror(errno));
		return PCR_NONE;
	}
	*ret_fd = PCR_TAKE_FD(fd);
	return 0;
}

static int probe(const struct pcr_root *root, char *why, size_t size)
{
	PCR_AUTOCLOSE int fd = -1;

	return open_mark(root, why, size, &fd);
}

static int open_fanotify(struct pcr_lifecycle *lc, char *why, size_t size)
{
	return open_mark(lc->root, why, size, &lc->fd);
}

static void one_event(struct pcr_lifecycle *lc, const struct pcr_fanotify_record *rec)
{
	const struct pcr_lifecycle_sink *sink = &lc->sink;
	const struct pcr_node *parent;
	char path[PCR_PATH_MAX];
	size_t n;

	if (rec->mask & FAN_Q_OVERFLOW) {
		sink->lost(sink->data);
		return;
	}
	if (!(rec->mask & FAN_ONDIR) || !(rec->mask & (MADE | REMOVED)))
		return;
	/* A parent that is not in the tree was gone when its own creation was looked at. */
	parent = pcr_tree_by_id(&lc->st->tree, rec->parent);
	if (!parent || !pcr_child_path(parent, rec->name, rec->n, path, sizeof(path), &n)) {
		pcr_reconcile_stray(lc);
		return;
	}
	/* Should both be merged into one: made() looks, so it says how it ended. */
	if (rec->mask & REMOVED)
		sink->removed(sink->data, rec->id, path, n);
	if (rec->mask & MADE)
		sink->made(sink->data, 0, path, n);
}

static void take_events(struct pcr_lifecycle *lc, const char *data, size_t n)
{
	struct pcr_event_buf buf = { data, n };
	struct pcr_fanotify_record rec;
	int r;

	while ((r = pcr_fanotify_next(&buf, &rec)) == 0)
		one_event(lc, &rec);
	if (r == -EBADMSG) {
		lc->stats.malformed++;
		pcr_reconcile_lose(lc);
	}
}

static int read_fanotify(struct pcr_lifecycle *lc)
{
	return pcr_lifecycle_drain(lc, take_events);
}

static void close_fanotify(struct pcr_lifecycle *lc)
{
	close(lc->fd);
}

const struct pcr_lifecycle_ops pcr_source_fanotify = {
	.kind = PCR_SOURCE_FANOTIFY,
	.name = "fanotify",
	.probe = probe,
	.open = open_fanotify,
	.read = read_fanotify,
	.close = close_fanotify,
};
