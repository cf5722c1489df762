// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who is watched: one inotify instance, one watch a policy cgroup.
 *
 * The kernel removes no watch with its cgroup and tells nothing (no IN_IGNORED), so
 * the watch goes when the node goes. IN_IGNORED is taken all the same: on a recorded
 * machine of plain files it does come.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/log.h"
#include "loop/memevents_internal.h"
#include "model/model.h"
#include "model/tree.h"

/* So many free places are worth a look through the whole tree for who was left out. */
#define RESCAN_AFTER 64

void pcr_memevents_tell_fd(struct pcr_memevents *m, int fd)
{
	if (m->on_fd)
		m->on_fd(m->on_fd_data, fd);
}

/* --- the table: small enough to look through --- */

static struct pcr_memwatch *by_id(struct pcr_memevents *m, u64 id)
{
	for (u32 i = 0; i < m->n; i++)
		if (m->watch[i].id == id)
			return &m->watch[i];
	return NULL;
}

struct pcr_memwatch *pcr_memevents_by_wd(struct pcr_memevents *m, s32 wd)
{
	for (u32 i = 0; i < m->n; i++)
		if (m->watch[i].wd == wd)
			return &m->watch[i];
	return NULL;
}

void pcr_memevents_drop(struct pcr_memevents *m, struct pcr_memwatch *w)
{
	*w = m->watch[--m->n];
}

static void unwatch(struct pcr_memevents *m, struct pcr_memwatch *w)
{
	(void)inotify_rm_watch(m->fd, w->wd);
	pcr_memevents_drop(m, w);
}

/* --- who is watched --- */

/* Only where it can lead to something: pressure hurries a reap. */
static bool wanted(const struct pcr_memevents *m, const struct pcr_node *node)
{
	const struct pcr_settings *set = *m->set;

	return node->policy >= 0 && node->parent && set->pressure.enabled &&
	       m->root->mode == PCR_CGROUP_V2 && pcr_node_rule(set, node)->reap;
}

static void limited(struct pcr_memevents *m, const char *why)
{
	m->limited = true;
	snprintf(m->why, sizeof(m->why), "%s", why);
	if (m->said)
		return;
	m->said = true;
	pcr_log_notice("memory.events of some policy cgroups are not watched: %s", why);
}

static bool open_instance(struct pcr_memevents *m)
{
	if (m->fd >= 0)
		return true;
	m->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (m->fd >= 0) {
		m->rest_usec = 0;
		pcr_memevents_tell_fd(m, m->fd);
		return true;
	}
	limited(m, errno == EMFILE ? "no inotify instance (sysctl fs.inotify.max_user_instances)" :
				     strerror(errno));
	return false;
}

/*
 * Closing waits for a grace period in the kernel. So an instance that has lost its
 * last watch stays for the next cgroup, and goes when the settings want none.
 */
static void close_instance(struct pcr_memevents *m)
{
	if (m->fd < 0)
		return;
	pcr_memevents_tell_fd(m, -1);
	close(m->fd);
	m->fd = -1;
	m->n = 0;
	m->rest_usec = 0;
}

/* The descriptor; -1: there is no such file, or a limit was met. */
static int add_watch(struct pcr_memevents *m, const struct pcr_node *node)
{
	const struct pcr_root *root = m->root;
	char path[PCR_PATH_MAX], full[PCR_PATH_MAX + 512];
	int n, wd;

	pcr_node_path(node, path, sizeof(path));
	n = snprintf(full, sizeof(full), "%s%s/%s/memory.events", root->prefix, root->cgroup_mount,
		     path);
	if (n < 0 || (size_t)n >= sizeof(full))
		return -1;
	wd = inotify_add_watch(m->fd, full, IN_MODIFY | IN_DONT_FOLLOW);
	if (wd >= 0 || errno == ENOENT || errno == ENODEV || errno == ENOTDIR)
		return wd;
	limited(m, errno == ENOSPC ? "the sysctl fs.inotify.max_user_watches is used up" :
				     strerror(errno));
	return -1;
}

static void watch(struct pcr_memevents *m, const struct pcr_node *node)
{
	struct pcr_memwatch *w;
	int wd;

	if (m->n == PCR_MEMEVENTS_MAX) {
		char why[64];

		snprintf(why, sizeof(why), "%u are watched at most", PCR_MEMEVENTS_MAX);
		limited(m, why);
		return;
	}
	if (!open_instance(m))
		return;
	wd = add_watch(m, node);
	if (wd < 0)
		return;
	/* The same file under another id: moved, and that event still to come. */
	w = pcr_memevents_by_wd(m, wd);
	if (!w)
		w = &m->watch[m->n++];
	/* What was counted before is no news: the first look only notes it. */
	*w = (struct pcr_memwatch){ .id = node->id, .seen = PCR_ABSENT, .wd = wd, .dirty = true };
}

void pcr_memevents_made(struct pcr_memevents *m, const struct pcr_node *node)
{
	if (!m || !wanted(m, node))
		return;
	m->wanted++;
	/* Once a limit was met, a storm must not run into it with each new cgroup. */
	if (!m->limited && !by_id(m, node->id))
		watch(m, node);
}

static u32 left_out(const struct pcr_memevents *m)
{
	return (u32)pcr_sub_u64(m->wanted, m->n);
}

void pcr_memevents_gone(struct pcr_memevents *m, const struct pcr_node *node)
{
	struct pcr_memwatch *w = m ? by_id(m, node->id) : NULL;

	if (m && m->wanted && wanted(m, node))
		m->wanted--;
	if (!w)
		return;
	unwatch(m, w);
	/* Not now: the node is still in the tree. */
	if (m->limited && ++m->freed >= pcr_min_u64(left_out(m), RESCAN_AFTER))
		m->rescan = true;
}

/* Parents come first, and they speak for what is below as well. */
void pcr_memevents_scan(struct pcr_memevents *m)
{
	m->rescan = false;
	m->limited = false;
	m->wanted = 0;
	m->freed = 0;
	m->why[0] = '\0';
	for (struct pcr_node *n = m->st->tree.root; n; n = pcr_tree_next(n))
		pcr_memevents_made(m, n);
}

void pcr_memevents_rematch(struct pcr_memevents *m)
{
	if (!m)
		return;
	for (u32 i = m->n; i-- > 0;) {
		const struct pcr_node *node = pcr_tree_by_id(&m->st->tree, m->watch[i].id);

		if (!node || !wanted(m, node))
			unwatch(m, &m->watch[i]);
	}
	m->said = false;
	pcr_memevents_scan(m);
	if (!m->n)
		close_instance(m);
}

/* --- open and close --- */

int pcr_memevents_open(const struct pcr_root *root, struct pcr_state *st,
		       const struct pcr_settings *const *set, struct pcr_memevents **ret_m)
{
	struct pcr_memevents *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->root = root;
	m->st = st;
	m->set = set;
	m->fd = -1;
	pcr_memevents_scan(m);
	*ret_m = m;
	return 0;
}

struct pcr_memevents *pcr_memevents_close(struct pcr_memevents *m)
{
	if (!m)
		return NULL;
	close_instance(m);
	free(m);
	return NULL;
}

void pcr_memevents_on_fd(struct pcr_memevents *m, void (*on_fd)(void *data, int fd), void *data)
{
	if (!m)
		return;
	m->on_fd = on_fd;
	m->on_fd_data = data;
	if (m->fd >= 0 && !m->rest_usec)
		pcr_memevents_tell_fd(m, m->fd);
}

void pcr_memevents_stats(const struct pcr_memevents *m, struct pcr_memevents_stats *ret_stats)
{
	*ret_stats = (struct pcr_memevents_stats){ .why = "" };
	if (!m)
		return;
	ret_stats->watched = m->n;
	ret_stats->left_out = left_out(m);
	ret_stats->why = m->why;
}
