// SPDX-License-Identifier: GPL-2.0-or-later
/* getdents64 over one cgroup directory; see walk.h for why not readdir or fts. */
#include "read/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/root.h"

/* struct linux_dirent64, which no user-space header declares. */
struct dirent_head {
	u64 ino;
	s64 off;
	u16 len;
	u8 type;
	char name[];
};

static bool vanished(int err)
{
	return err == ENOENT || err == ENODEV || err == ENOTDIR;
}

int pcr_scan_open(struct pcr_scan *scan, const struct pcr_root *root, const char *cgroup)
{
	int fd;
	int r = pcr_cgroup_openat(root, cgroup, "", O_RDONLY | O_DIRECTORY, &fd);

	if (r == -ENOTDIR)
		return PCR_GONE;
	if (r)
		return r;
	scan->fd = fd;
	scan->at = 0;
	scan->n = 0;
	return 0;
}

void pcr_scan_close(struct pcr_scan *scan)
{
	if (scan->fd >= 0)
		close(scan->fd);
	scan->fd = -1;
}

/* The next record of the buffer, filled again when it is used up. */
static int next_record(struct pcr_scan *scan, const struct dirent_head **ret_record)
{
	const struct dirent_head *d;

	if (scan->at >= scan->n) {
		long got = syscall(SYS_getdents64, scan->fd, scan->buf, sizeof(scan->buf));

		if (got < 0)
			return vanished(errno) ? PCR_GONE : -errno;
		if (got == 0)
			return PCR_NONE;
		scan->n = (size_t)got;
		scan->at = 0;
	}
	d = (const struct dirent_head *)(scan->buf + scan->at);
	scan->at += d->len;
	*ret_record = d;
	return 0;
}

static bool dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static int stat_at(int dirfd, const char *name, u64 *ret_id, bool *ret_leaf)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
		return vanished(errno) ? PCR_GONE : -errno;
	if (!S_ISDIR(st.st_mode))
		return PCR_GONE;
	*ret_id = st.st_ino;
	/* File systems that do not count subdirectories show 1: not known to be a leaf. */
	*ret_leaf = st.st_nlink == 2;
	return 0;
}

int pcr_scan_next(struct pcr_scan *scan, struct pcr_walk_entry *ret_entry)
{
	for (;;) {
		const struct dirent_head *d = NULL;
		struct pcr_walk_entry e;
		int r = next_record(scan, &d);

		if (r)
			return r;
		if ((d->type != DT_DIR && d->type != DT_UNKNOWN) || dots(d->name))
			continue;
		r = stat_at(scan->fd, d->name, &e.id, &e.leaf);
		if (r == PCR_GONE)
			continue;
		if (r < 0)
			return r;
		e.name = d->name;
		e.n = strlen(d->name);
		*ret_entry = e;
		return 0;
	}
}

int pcr_walk_stat(const struct pcr_root *root, const char *cgroup, u64 *ret_id, bool *ret_leaf)
{
	if (root->cgroup_fd < 0)
		return PCR_GONE;
	return stat_at(root->cgroup_fd, *cgroup ? cgroup : ".", ret_id, ret_leaf);
}
