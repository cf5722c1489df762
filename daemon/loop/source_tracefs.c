// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cgroup trace events through a tracefs instance of our own: one descriptor,
 * every depth, v1 and v2, ids told, losses told, and the only source that knows
 * when a dying cgroup is gone for good.
 *
 * The instance outlives a killed daemon and goes on filling its buffers; the next
 * one takes it over by name and clears it. Mounting tracefs is not ours to do.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "loop/lifecycle.h"
#include "read/trace_line.h"
#include "sys/inside.h"

#define INSTANCE "pcpu-reclaimd"

/*
 * Kernel memory for the buffers, which are per CPU while a storm mostly comes from
 * a few: 256 kB hold some 3,500 events, and a loss only costs a walk.
 */
#define BUFFERS_KB 2048u
#define BUFFER_MIN_KB 64u
#define BUFFER_MAX_KB 256u

static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
static const char *const wanted_events[] = { "cgroup_mkdir", "cgroup_rmdir", "cgroup_release" };

struct tracefs {
	char dir[96];		/* of the instance */
	bool skip;		/* an over-long line: up to its end */
	size_t n;
	char buf[8192];		/* a read never ends more than a line beyond 4096 bytes */
};

static int join(char *buf, size_t size, const char *dir, const char *name)
{
	int n = snprintf(buf, size, "%s/%s", dir, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static int store(const struct pcr_root *root, const char *dir, const char *name, const char *text)
{
	char path[192];
	int r = join(path, sizeof(path), dir, name);

	return r ? r : pcr_store(root, path, text);
}

static const char *below(const char *path)
{
	return *path == '/' ? path + 1 : path;
}

/* Where tracefs is, by the events we want; "" when nowhere. */
static const char *find_mount(const struct pcr_root *root)
{
	char path[192];

	for (size_t i = 0; i < PCR_ARRAY_SIZE(mounts); i++) {
		join(path, sizeof(path), mounts[i], "events/cgroup/cgroup_mkdir");
		if (faccessat(root->fd, below(path), F_OK, 0) == 0 &&
		    pcr_stays_inside(root->prefix, mounts[i]) == 0)
			return mounts[i];
	}
	return "";
}

static int no(char *why, size_t size, const char *what, int err)
{
	snprintf(why, size, "%s: %s", what, strerror(err));
	return PCR_NONE;
}

static int probe(const struct pcr_root *root, char *why, size_t size)
{
	const char *mount = find_mount(root);
	char path[192];

	if (!*mount) {
		snprintf(why, size, "no cgroup trace events below %s (tracefs not mounted, not "
			 "permitted, or the kernel has none)", mounts[0]);
		return PCR_NONE;
	}
	join(path, sizeof(path), mount, "instances");
	if (faccessat(root->fd, below(path), W_OK, AT_EACCESS) < 0)
		return no(why, size, path, errno);
	return 0;
}

static void clear_buffer(const struct pcr_root *root, const char *dir)
{
	PCR_AUTOCLOSE int fd = -1;
	char path[192];

	/* Opening with O_TRUNC is what clears; nothing is written. */
	if (join(path, sizeof(path), dir, "trace") == 0)
		(void)pcr_root_openat(root, path, O_WRONLY | O_TRUNC, &fd);
}

static void size_buffer(const struct pcr_root *root, const char *dir)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int kb = BUFFERS_KB / (cpus > 0 ? (unsigned int)cpus : 1);
	char text[16];

	kb = kb < BUFFER_MIN_KB ? BUFFER_MIN_KB : kb > BUFFER_MAX_KB ? BUFFER_MAX_KB : kb;
	snprintf(text, sizeof(text), "%u", kb);
	(void)store(root, dir, "buffer_size_kb", text);
}

/* Other hierarchies are dropped in the kernel; where that fails, by us. */
static void filter_text(const struct pcr_root *root, char *buf, size_t size)
{
	snprintf(buf, size, "root == %u", root->hierarchy);
}

static int enable(const struct pcr_root *root, const char *dir, const char *event, bool must)
{
	char path[192], filter[32];
	int r;

	filter_text(root, filter, sizeof(filter));
	snprintf(path, sizeof(path), "%s/events/cgroup/%s", dir, event);
	(void)store(root, path, "filter", filter);
	r = store(root, path, "enable", "1");
	return must ? r : 0;
}

/*
 * Everything but the events themselves only makes it better: one clock for all
 * CPUs (order), lines without comm and CPU (shorter, and nothing in them that
 * processes choose), a wake-up at the first event.
 */
static int set_up(const struct pcr_root *root, const char *dir)
{
	int r = 0;

	(void)store(root, dir, "tracing_on", "0");
	(void)store(root, dir, "trace_clock", "global");
	(void)store(root, dir, "options/context-info", "0");
	(void)store(root, dir, "buffer_percent", "0");
	size_buffer(root, dir);
	clear_buffer(root, dir);
	for (size_t i = 0; r == 0 && i < PCR_ARRAY_SIZE(wanted_events); i++)
		r = enable(root, dir, wanted_events[i], true);
	if (r)
		return r;
	if (pcr_root_v1(root))
		(void)enable(root, dir, "cgroup_rename", false);
	return store(root, dir, "tracing_on", "1");
}

/* The kernel refuses while somebody reads it: another daemon's instance is safe from us. */
static void remove_instance(const struct pcr_root *root, const char *dir)
{
	(void)unlinkat(root->fd, below(dir), AT_REMOVEDIR);
}

void pcr_tracefs_sweep(const struct pcr_root *root)
{
	const char *mount = find_mount(root);
	char dir[96];

	if (!*mount)
		return;
	snprintf(dir, sizeof(dir), "%s/instances/" INSTANCE, mount);
	if (faccessat(root->fd, below(dir), F_OK, 0) == 0)
		remove_instance(root, dir);
}

static int open_tracefs(struct pcr_lifecycle *lc, char *why, size_t size)
{
	const struct pcr_root *root = lc->root;
	PCR_AUTOFREE struct tracefs *t = calloc(1, sizeof(*t));
	char path[192];
	int r, fd = -1;

	if (!t)
		return -ENOMEM;
	/* Events tell paths from the hierarchy's own root, whose id is 1. */
	if (root->live && lc->st->tree.root->id != 1) {
		snprintf(why, size, "%s shows only a part of the hierarchy", root->cgroup_mount);
		return PCR_NONE;
	}
	r = probe(root, why, size);
	if (r)
		return r;
	snprintf(t->dir, sizeof(t->dir), "%s/instances/" INSTANCE, find_mount(root));
	if (mkdirat(root->fd, below(t->dir), 0700) < 0 && errno != EEXIST)
		return no(why, size, t->dir, errno);
	/* The pipe first: it can be held only once, and another daemon's instance stays as it is. */
	join(path, sizeof(path), t->dir, "trace_pipe");
	r = pcr_root_openat(root, path, O_RDONLY | O_NONBLOCK, &fd);
	if (r)
		return no(why, size, path, r < 0 ? -r : ENOENT);
	r = set_up(root, t->dir);
	if (r) {
		close(fd);
		remove_instance(root, t->dir);
		return no(why, size, "the cgroup trace events can't be enabled", r < 0 ? -r : ENOENT);
	}
	lc->fd = fd;
	lc->source = PCR_TAKE_PTR(t);
	return 0;
}

static void one_line(struct pcr_lifecycle *lc, const char *line, size_t n)
{
	const struct pcr_lifecycle_sink *sink = &lc->sink;
	struct pcr_trace_event e;
	int r = pcr_trace_line(line, n, &e);

	if (r < 0)
		lc->stats.malformed++;
	if (r || (e.kind != PCR_TRACE_LOST && e.hierarchy != lc->root->hierarchy))
		return;
	switch (e.kind) {
	case PCR_TRACE_MKDIR:
	case PCR_TRACE_RENAME:
		/* As long as the kernel's buffer: cut, and what is left may be another's name. */
		if (e.n + 2 >= PCR_TRACE_PATH_MAX)
			pcr_reconcile_lose(lc);
		else
			sink->made(sink->data, e.id, e.path, e.n);
		break;
	case PCR_TRACE_RMDIR:
		sink->removed(sink->data, e.id, e.path, e.n);
		break;
	case PCR_TRACE_RELEASE:
		sink->released(sink->data, e.id);
		break;
	case PCR_TRACE_LOST:
		sink->lost(sink->data);
		break;
	}
}

/* Reads hand out whole lines mostly, not always: what is left waits for the next one. */
static void take_lines(struct pcr_lifecycle *lc, struct tracefs *t)
{
	size_t at = 0;
	char *end;

	while ((end = memchr(t->buf + at, '\n', t->n - at))) {
		size_t n = (size_t)(end - t->buf) - at;

		if (!t->skip)
			one_line(lc, t->buf + at, n);
		t->skip = false;
		at += n + 1;
	}
	t->n -= at;
	memmove(t->buf, t->buf + at, t->n);
	if (t->n > sizeof(t->buf) / 2) {
		lc->stats.malformed++;
		t->skip = true;
		t->n = 0;
	}
}

static int read_tracefs(struct pcr_lifecycle *lc)
{
	struct tracefs *t = lc->source;
	u64 deadline = lc->now() + PCR_LIFECYCLE_SLICE;

	do {
		ssize_t got = read(lc->fd, t->buf + t->n, sizeof(t->buf) - t->n);

		/* 0: somebody switched tracing off; .healthy finds that. */
		if (got == 0 || (got < 0 && errno == EAGAIN))
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0) {
			t->n += (size_t)got;
			take_lines(lc, t);
		}
	} while (lc->now() < deadline);
	return PCR_PART;
}

/* A line of the instance, without its newline. False: it can't be read. */
static bool look(const struct pcr_root *root, const char *dir, const char *name, char *buf,
		 size_t size)
{
	char path[192];
	size_t n;

	if (join(path, sizeof(path), dir, name) || pcr_slurp(root, path, buf, size, &n))
		return false;
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* "1*" is on as well, with a trigger of somebody's. */
static bool is_on(const struct pcr_root *root, const char *dir, const char *name, char *why,
		  size_t size)
{
	char text[64];

	if (!look(root, dir, name, text, sizeof(text)))
		snprintf(why, size, "%s/%s can't be read", dir, name);
	else if (text[0] != '1')
		snprintf(why, size, "%s/%s is %s", dir, name, *text ? text : "empty");
	else
		return true;
	return false;
}

/* None, or ours. One that can't be read is none of ours to judge. */
static bool is_unfiltered(const struct pcr_root *root, const char *dir, char *why, size_t size)
{
	char text[128], ours[32];

	filter_text(root, ours, sizeof(ours));
	if (!look(root, dir, "filter", text, sizeof(text)) || !*text || !strcmp(text, "none") ||
	    !strcmp(text, ours))
		return true;
	snprintf(why, size, "%s/filter is %s", dir, text);
	return false;
}

static bool healthy_tracefs(struct pcr_lifecycle *lc, char *why, size_t size)
{
	const struct tracefs *t = lc->source;
	char dir[192];

	if (!is_on(lc->root, t->dir, "tracing_on", why, size))
		return false;
	for (size_t i = 0; i < PCR_ARRAY_SIZE(wanted_events); i++) {
		snprintf(dir, sizeof(dir), "%s/events/cgroup/%s", t->dir, wanted_events[i]);
		if (!is_on(lc->root, dir, "enable", why, size) ||
		    !is_unfiltered(lc->root, dir, why, size))
			return false;
	}
	return true;
}

static void mend_tracefs(struct pcr_lifecycle *lc)
{
	const struct tracefs *t = lc->source;
	char dir[192];

	for (size_t i = 0; i < PCR_ARRAY_SIZE(wanted_events); i++) {
		snprintf(dir, sizeof(dir), "%s/events/cgroup/%s", t->dir, wanted_events[i]);
		/* The kernel's word for none; where it takes ours, that follows. */
		(void)store(lc->root, dir, "filter", "0");
		(void)enable(lc->root, t->dir, wanted_events[i], true);
	}
	if (pcr_root_v1(lc->root))
		(void)enable(lc->root, t->dir, "cgroup_rename", false);
	(void)store(lc->root, t->dir, "tracing_on", "1");
}

static void close_tracefs(struct pcr_lifecycle *lc)
{
	struct tracefs *t = lc->source;

	close(lc->fd);
	remove_instance(lc->root, t->dir);
	free(t);
}

const struct pcr_lifecycle_ops pcr_source_tracefs = {
	.kind = PCR_SOURCE_TRACEFS,
	.name = "tracefs",
	.probe = probe,
	.open = open_tracefs,
	.read = read_tracefs,
	.close = close_tracefs,
	.healthy = healthy_tracefs,
	.mend = mend_tracefs,
};
