// SPDX-License-Identifier: GPL-2.0-or-later
/* Which source, and when to walk. What an event or a walk does: reconcile.c, resync.c. */
#include "loop/lifecycle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "model/tree.h"

/* A queue that never runs empty must not put a resync off for ever ... */
#define RESYNC_PATIENCE PCR_SEC
/* ... and one that overflows again and again must not turn into walking without end. */
#define RESYNC_SPACING 2
#define RESYNC_SPACING_MAX (5 * PCR_SEC)
/* A walk that failed (no descriptors, no memory) is tried again after this. */
#define WALK_RETRY (5 * PCR_SEC)

/* Best first. */
static const struct pcr_lifecycle_ops *const sources[] = {
	&pcr_source_tracefs, &pcr_source_fanotify, &pcr_source_inotify, &pcr_source_walk,
};

static const struct pcr_lifecycle_ops *source_ops(enum pcr_source kind)
{
	for (size_t i = 0; i < PCR_ARRAY_SIZE(sources); i++)
		if (sources[i]->kind == kind)
			return sources[i];
	return NULL;
}

const char *pcr_source_name(enum pcr_source kind)
{
	const struct pcr_lifecycle_ops *ops = source_ops(kind);

	return ops ? ops->name : "auto";
}

int pcr_lifecycle_probe(const struct pcr_root *root, enum pcr_source kind, char *why, size_t size)
{
	const struct pcr_lifecycle_ops *ops = source_ops(kind);

	if (!ops)
		return -EINVAL;
	if (root->cgroup_fd < 0) {
		snprintf(why, size, "no cgroup file system is mounted");
		return PCR_NONE;
	}
	return ops->probe(root, why, size);
}

/* --- which source --- */

static void add_why(struct pcr_lifecycle *lc, const char *name, const char *why)
{
	size_t n = strlen(lc->why);

	snprintf(lc->why + n, sizeof(lc->why) - n, "%s%s: %s", n ? "; " : "", name, why);
}

/* True when it is open. */
static bool try_source(struct pcr_lifecycle *lc, const struct pcr_lifecycle_ops *ops)
{
	char why[256] = "";
	int r;

	lc->fd = -1;
	lc->source = NULL;
	lc->ops = ops;
	r = ops->open(lc, why, sizeof(why));
	if (r == 0)
		return true;
	if (r < 0)
		snprintf(why, sizeof(why), "%s", strerror(-r));
	add_why(lc, ops->name, why);
	return false;
}

/* The walk is the last and can't fail. */
static void choose_from(struct pcr_lifecycle *lc, size_t i, const struct pcr_lifecycle_ops *but)
{
	for (; i < PCR_ARRAY_SIZE(sources); i++)
		if (sources[i] != but && try_source(lc, sources[i]))
			return;
}

static void choose(struct pcr_lifecycle *lc)
{
	const struct pcr_lifecycle_ops *first = source_ops((*lc->set)->daemon.source);

	lc->wanted = (*lc->set)->daemon.source;
	lc->why[0] = '\0';
	lc->full = false;
	lc->degraded = false;
	lc->mended = false;
	if (first && try_source(lc, first))
		return;
	if (first)
		pcr_log_warning("Lifecycle=%s can't be had: %s", first->name, lc->why);
	choose_from(lc, 0, first);
}

static void tell_fd(struct pcr_lifecycle *lc, int fd)
{
	if (lc->on_fd)
		lc->on_fd(lc->on_fd_data, fd);
}

static void close_source(struct pcr_lifecycle *lc)
{
	pcr_resync_stop(lc);
	lc->ops->close(lc);
	lc->fd = -1;
	lc->source = NULL;
	lc->backlog = false;
	lc->stats.watches = 0;
}

/* The source can't go on: the whole tree is walked until a reload. */
static void degrade(struct pcr_lifecycle *lc, const char *why)
{
	lc->degraded = true;
	tell_fd(lc, -1);
	close_source(lc);
	add_why(lc, lc->ops->name, why);
	lc->ops = &pcr_source_walk;
	lc->full = false;
	pcr_reconcile_lose(lc);
	pcr_log_warning("cgroups are looked for by walking the tree now; %s", lc->why);
}

static void check_full(struct pcr_lifecycle *lc)
{
	char why[160];

	if (!lc->full)
		return;
	snprintf(why, sizeof(why), "after %llu watches the limit is reached; raise the sysctl "
		 "fs.inotify.max_user_watches and reload", (unsigned long long)lc->stats.watches);
	degrade(lc, why);
}

/* Somebody wants the source otherwise than we need it: the next one, until a reload. */
static void fall_back(struct pcr_lifecycle *lc, const char *why)
{
	size_t i = 0;

	while (sources[i] != lc->ops)
		i++;
	tell_fd(lc, -1);
	close_source(lc);
	add_why(lc, lc->ops->name, why);
	choose_from(lc, i + 1, NULL);
	lc->degraded = true;
	tell_fd(lc, lc->fd);
	pcr_log_warning("cgroups are learnt of by %s now; %s", lc->ops->name, lc->why);
}

bool pcr_lifecycle_healthy(struct pcr_lifecycle *lc, char *why, size_t size)
{
	return !lc->ops->healthy || lc->ops->healthy(lc, why, size);
}

/* A source that was switched off is switched on again once. False: a walk is due. */
static bool check_health(struct pcr_lifecycle *lc)
{
	char off[200] = "", still[200] = "", why[256];

	if (pcr_lifecycle_healthy(lc, off, sizeof(off)))
		return true;
	if (!lc->mended) {
		lc->ops->mend(lc);
		lc->mended = pcr_lifecycle_healthy(lc, still, sizeof(still));
		if (lc->mended)
			pcr_log_notice("lifecycle %s: switched off by another program, on again: %s",
				       lc->ops->name, off);
	} else {
		lc->mended = false;
	}
	if (!lc->mended) {
		snprintf(why, sizeof(why), "switched off by another program: %s", off);
		fall_back(lc, why);
	}
	lc->sink.lost(lc->sink.data);
	return false;
}

/* --- open and close --- */

int pcr_lifecycle_open(const struct pcr_root *root, struct pcr_state *st,
		       const struct pcr_settings *const *set, struct pcr_lifecycle **ret_lc)
{
	struct pcr_lifecycle *lc;
	int r;

	if (root->cgroup_fd < 0)
		return PCR_NONE;
	lc = calloc(1, sizeof(*lc));
	if (!lc)
		return -ENOMEM;
	lc->root = root;
	lc->st = st;
	lc->set = set;
	lc->now = pcr_now_usec;
	lc->walk.scan.fd = -1;
	pcr_reconcile_init(lc);
	choose(lc);
	if (lc->ops != &pcr_source_tracefs)
		pcr_tracefs_sweep(root);
	pcr_resync_start(lc, PCR_WALK_PERIOD, lc->now());
	r = pcr_resync_step(lc, PCR_NEVER);
	if (r < 0) {
		pcr_lifecycle_close(lc);
		return r;
	}
	check_full(lc);
	*ret_lc = lc;
	return 0;
}

struct pcr_lifecycle *pcr_lifecycle_close(struct pcr_lifecycle *lc)
{
	if (!lc)
		return NULL;
	close_source(lc);
	free(lc);
	return NULL;
}

void pcr_lifecycle_reload(struct pcr_lifecycle *lc)
{
	if ((*lc->set)->daemon.source == lc->wanted && !lc->degraded) {
		(void)check_health(lc);
		return;
	}
	tell_fd(lc, -1);
	close_source(lc);
	choose(lc);
	tell_fd(lc, lc->fd);
	/* What came and went in between is found by a walk, which also sets the watches. */
	pcr_reconcile_lose(lc);
}

/* --- turns of the loop --- */

int pcr_lifecycle_fd(const struct pcr_lifecycle *lc)
{
	return lc->fd;
}

void pcr_lifecycle_on_fd(struct pcr_lifecycle *lc, void (*on_fd)(void *data, int fd), void *data)
{
	lc->on_fd = on_fd;
	lc->on_fd_data = data;
}

/* Some events, each of which may cost a few calls: the clock is looked at in between. */
#define READ_SIZE 1024

int pcr_lifecycle_drain(struct pcr_lifecycle *lc,
			void (*take)(struct pcr_lifecycle *lc, const char *data, size_t n))
{
	u64 deadline = lc->now() + PCR_LIFECYCLE_SLICE;
	char buf[READ_SIZE];

	do {
		ssize_t got = read(lc->fd, buf, sizeof(buf));

		if (got == 0 || (got < 0 && errno == EAGAIN))
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			take(lc, buf, (size_t)got);
	} while (lc->now() < deadline);
	return PCR_PART;
}

int pcr_lifecycle_ready(struct pcr_lifecycle *lc)
{
	int r = lc->ops->read ? lc->ops->read(lc) : 0;

	lc->backlog = r == PCR_PART;
	if (r < 0)
		degrade(lc, strerror(-r));
	check_full(lc);
	return r == PCR_PART ? r : 0;
}

static u64 resync_due(const struct pcr_lifecycle *lc)
{
	u64 space = pcr_min_u64(RESYNC_SPACING * lc->walk_took_usec, RESYNC_SPACING_MAX);
	u64 due = lc->backlog ? lc->lost_usec + RESYNC_PATIENCE : 0;

	return pcr_max_u64(due, pcr_max_u64(lc->walked_usec + space, lc->walk_retry_usec));
}

static u64 period_due(const struct pcr_lifecycle *lc)
{
	return pcr_max_u64(pcr_add_u64(lc->walked_usec, (*lc->set)->daemon.walk_usec),
			   lc->walk_retry_usec);
}

static u64 audit_due(const struct pcr_lifecycle *lc)
{
	const struct pcr_daemon_rule *d = &(*lc->set)->daemon;

	return pcr_add_u64(lc->walked_usec, pcr_max_u64(d->audit_usec, d->walk_usec));
}

/* Is an audit due? A blind source needs more than one: its losses made good. */
static bool audit_now(struct pcr_lifecycle *lc, u64 now)
{
	if (lc->lost || lc->backlog || lc->ops == &pcr_source_walk || now < audit_due(lc) ||
	    !check_health(lc))
		return false;
	lc->mended = false;
	return true;
}

static void start_due(struct pcr_lifecycle *lc, u64 now)
{
	bool audit = audit_now(lc, now);

	if (lc->lost) {
		if (now >= resync_due(lc)) {
			lc->lost = false;
			pcr_resync_start(lc, PCR_WALK_RESYNC, now);
		}
	} else if (lc->ops == &pcr_source_walk) {
		if (now >= period_due(lc))
			pcr_resync_start(lc, PCR_WALK_PERIOD, now);
	} else if (audit) {
		if (pcr_resync_idle(lc)) {
			lc->stats.audits++;
			lc->walked_usec = now;
		} else {
			pcr_resync_start(lc, PCR_WALK_AUDIT, now);
		}
	}
}

int pcr_lifecycle_tick(struct pcr_lifecycle *lc, u64 now)
{
	int r;

	if (!lc->walk.on)
		start_due(lc, now);
	if (!lc->walk.on)
		return 0;
	r = pcr_resync_step(lc, now + PCR_LIFECYCLE_SLICE);
	if (r < 0) {
		lc->walk_retry_usec = now + WALK_RETRY;
		pcr_reconcile_lose(lc);
		pcr_log_warning("walking the cgroups failed, trying again: %s", strerror(-r));
	}
	check_full(lc);
	return r == PCR_PART ? r : 0;
}

u64 pcr_lifecycle_due(const struct pcr_lifecycle *lc)
{
	if (lc->walk.on)
		return 0;
	if (lc->lost)
		return resync_due(lc);
	return lc->ops == &pcr_source_walk ? period_due(lc) : PCR_NEVER;
}

/* --- for those who ask --- */

enum pcr_source pcr_lifecycle_source(const struct pcr_lifecycle *lc)
{
	return lc->ops->kind;
}

const char *pcr_lifecycle_why(const struct pcr_lifecycle *lc)
{
	return lc->why;
}

const struct pcr_lifecycle_stats *pcr_lifecycle_stats(const struct pcr_lifecycle *lc)
{
	return &lc->stats;
}
