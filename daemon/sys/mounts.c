// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which cgroup tree to watch: the one that has the memory controller.
 *
 * libcgroup says where it thinks that is; /proc/self/mountinfo has the last word,
 * since libcgroup 2.0.2 does not see a v2 mount without controllers, and a recorded
 * machine (--root) has no libcgroup to ask.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "sys/inside.h"
#include "sys/libcgroup.h"
#include "sys/mountinfo.h"
#include "sys/root.h"

/* A host with tens of thousands of mounts (containers) has a large table. */
#define MOUNTINFO_MAX (16u << 20)
/* A line for each of at most 15 hierarchies, each with a path of up to PATH_MAX. */
#define SELF_CGROUP_MAX (64u << 10)

struct found {
	struct pcr_mount v2;
	struct pcr_mount v1_memory;
};

static void keep(struct pcr_mount *slot, const struct pcr_mount *m, const char *preferred)
{
	bool better = !slot->where[0] || !strcmp(m->where, preferred);

	if (m->whole && better)
		*slot = *m;
}

static void scan(const char *text, size_t n, const struct pcr_libcgroup *hint, struct found *found)
{
	const char *line;
	size_t len;

	while (pcr_next_line(&text, &n, &line, &len)) {
		struct pcr_mount m;

		if (pcr_mountinfo_line(line, len, &m))
			continue;
		if (!strcmp(m.type, "cgroup2"))
			keep(&found->v2, &m, hint->mount);
		else if (!strcmp(m.type, "cgroup") && pcr_mount_option(&m, "memory"))
			keep(&found->v1_memory, &m, hint->mount);
	}
}

static bool has_memory(const struct pcr_root *root)
{
	char buf[4096];
	const char *text = buf, *word;
	size_t n, len;

	if (pcr_cgroup_slurp(root, "", "cgroup.controllers", buf, sizeof(buf), &n))
		return false;
	while (pcr_next_word(&text, &n, &word, &len))
		if (len == 6 && !memcmp(word, "memory", 6))
			return true;
	return false;
}

/* True when a comma-separated list of controllers names the memory controller. */
static bool lists_memory(const char *text, size_t n)
{
	while (n) {
		const char *comma = memchr(text, ',', n);
		size_t len = comma ? (size_t)(comma - text) : n;

		if (len == 6 && !memcmp(text, "memory", 6))
			return true;
		len += comma ? 1 : 0;
		text += len;
		n -= len;
	}
	return false;
}

/* "9:memory:/..." in /proc/self/cgroup: the number trace events carry as root=. */
static u32 v1_hierarchy(const struct pcr_root *root)
{
	PCR_AUTOFREE char *buf = malloc(SELF_CGROUP_MAX);
	const char *text = buf, *line;
	size_t n, len;

	if (!buf || pcr_slurp(root, "/proc/self/cgroup", buf, SELF_CGROUP_MAX, &n))
		return 0;
	while (pcr_next_line(&text, &n, &line, &len)) {
		const char *colon = memchr(line, ':', len);
		const char *end =
			colon ? memchr(colon + 1, ':', len - (size_t)(colon + 1 - line)) : NULL;
		u64 id;

		if (end && lists_memory(colon + 1, (size_t)(end - colon - 1)) &&
		    !pcr_parse_u64(line, (size_t)(colon - line), &id))
			return (u32)id;
	}
	return 0;
}

static int use(struct pcr_root *root, const struct pcr_mount *m, enum pcr_cgroup_mode mode)
{
	int fd = -1;
	int r = pcr_root_openat(root, m->where, O_RDONLY | O_DIRECTORY, &fd);

	/* Watches are put on it by name. */
	if (r == 0)
		r = pcr_stays_inside(root->prefix, m->where);
	if (r) {
		if (fd >= 0)
			close(fd);
		return r;
	}
	if (root->cgroup_fd >= 0)
		close(root->cgroup_fd);
	root->cgroup_fd = fd;
	root->mode = mode;
	memcpy(root->cgroup_mount, m->where, sizeof(root->cgroup_mount));
	root->hierarchy = mode == PCR_CGROUP_HYBRID ? v1_hierarchy(root) : 0;
	return 0;
}

int pcr_root_find_cgroups(struct pcr_root *root)
{
	struct pcr_libcgroup hint = { 0 };
	struct found found = { 0 };
	PCR_AUTOFREE char *text = malloc(MOUNTINFO_MAX);
	size_t n;
	int r;

	if (!text)
		return -ENOMEM;
	if (root->live)
		(void)pcr_libcgroup_discover(&hint);
	r = pcr_slurp(root, "/proc/self/mountinfo", text, MOUNTINFO_MAX, &n);
	if (r)
		return r;
	scan(text, n, &hint, &found);

	root->mode = PCR_CGROUP_NONE;
	r = found.v2.where[0] ? use(root, &found.v2, PCR_CGROUP_V2) : PCR_NONE;
	if (r < 0)
		return r;
	if (r == 0) {
		if (has_memory(root))
			return 0;
		root->mode = PCR_CGROUP_V2_BARE;
	}
	/* A mount in the table whose directory is not there (a recorded machine) is none. */
	r = found.v1_memory.where[0] ? use(root, &found.v1_memory, PCR_CGROUP_HYBRID) : 0;
	return r < 0 ? r : 0;
}
