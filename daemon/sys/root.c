// SPDX-License-Identifier: GPL-2.0-or-later
/* The door: opening, reading and writing kernel files below a prefix. */
#include "sys/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "sys/inside.h"

/* A file of one number: 20 digits, a newline, and room to see that there is more. */
#define NUMBER_MAX 32

/* A signal that keeps coming ends in -EINTR, not in a loop. */
#define READ_TRIES 16
#define WRITE_TRIES 3

static bool vanished(int err)
{
	return err == ENOENT || err == ENODEV || err == ESRCH;
}

int pcr_root_open(struct pcr_root *root, const char *prefix)
{
	struct pcr_root new = { .fd = -1, .cgroup_fd = -1 };
	size_t n;

	if (!prefix || !*prefix)
		prefix = "/";
	n = strlen(prefix);
	while (n > 0 && prefix[n - 1] == '/')
		n--;
	new.live = n == 0;
	new.fd = open(prefix, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (new.fd < 0)
		return -errno;
	new.prefix = strndup(prefix, n);
	if (!new.prefix) {
		close(new.fd);
		return -ENOMEM;
	}
	*root = new;
	return 0;
}

void pcr_root_close(struct pcr_root *root)
{
	if (!root)
		return;
	if (root->cgroup_fd >= 0)
		close(root->cgroup_fd);
	if (root->fd >= 0)
		close(root->fd);
	free(root->prefix);
	*root = (struct pcr_root){ .fd = -1, .cgroup_fd = -1 };
}

static int open_below(const struct pcr_root *root, int dirfd, const char *path, int flags, int gone,
		      int *ret_fd)
{
	int fd;

	while (*path == '/')
		path++;
	path = *path ? path : ".";
	flags |= O_CLOEXEC | O_NOCTTY;
	/* Kernel files do not care; a recorded machine may have a FIFO in the place of one. */
	if ((flags & O_ACCMODE) == O_RDONLY)
		flags |= O_NONBLOCK;
	fd = root->live ? openat(dirfd, path, flags) : pcr_open_inside(dirfd, path, flags);
	if (fd < 0) {
		int err = root->live ? errno : -fd;

		return vanished(err) ? gone : -err;
	}
	*ret_fd = fd;
	return 0;
}

int pcr_root_openat(const struct pcr_root *root, const char *path, int flags, int *ret_fd)
{
	return open_below(root, root->fd, path, flags, PCR_NONE, ret_fd);
}

int pcr_cgroup_openat(const struct pcr_root *root, const char *cgroup, const char *file, int flags,
		      int *ret_fd)
{
	char path[4096 + 256];
	int n;

	if (root->cgroup_fd < 0)
		return PCR_GONE;
	n = snprintf(path, sizeof(path), "%s%s%s", cgroup, *cgroup && *file ? "/" : "", file);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return open_below(root, root->cgroup_fd, path, flags, PCR_GONE, ret_fd);
}

/* One read, the bounded rest of those that a signal interrupts. */
static ssize_t read_some(int fd, char *buf, size_t size, size_t at)
{
	ssize_t got;

	for (int tries = 1;; tries++) {
		got = pread(fd, buf, size, (off_t)at);
		if (got >= 0 || errno != EINTR || tries == READ_TRIES)
			return got;
	}
}

int pcr_slurp_fd(int fd, char *buf, size_t size, size_t *ret_n)
{
	size_t n = 0;

	/* One read is not the file: seq files hand out records, signals cut reads short. */
	for (;;) {
		/* A full buffer may hold the whole file: only one more byte would tell. */
		bool full = n + 1 >= size;
		char more;
		ssize_t got = read_some(fd, full ? &more : buf + n, full ? 1 : size - 1 - n, n);

		if (got < 0)
			return vanished(errno) ? PCR_GONE : -errno;
		if (got == 0)
			break;
		if (full)
			return -EFBIG;
		n += (size_t)got;
	}
	if (size == 0)
		return -EFBIG;
	buf[n] = '\0';
	*ret_n = n;
	return 0;
}

int pcr_slurp_file(const char *path, int flags, size_t max, char **ret_text, size_t *ret_n)
{
	/* Who opens a FIFO would wait for somebody to write. */
	PCR_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	PCR_AUTOFREE char *text = NULL;
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	if ((u64)st.st_size > max)
		return -EFBIG;
	/* For its end, and to see that it has not grown. */
	text = malloc((size_t)st.st_size + 2);
	if (!text)
		return -ENOMEM;
	r = pcr_slurp_fd(fd, text, (size_t)st.st_size + 2, ret_n);
	if (r)
		return r < 0 ? r : -EIO;
	*ret_text = PCR_TAKE_PTR(text);
	return 0;
}

static int slurp_close(int r, int fd, int gone, char *buf, size_t size, size_t *ret_n)
{
	PCR_AUTOCLOSE int own = fd;

	if (r)
		return r;
	r = pcr_slurp_fd(own, buf, size, ret_n);
	return r == PCR_GONE ? gone : r;
}

int pcr_slurp(const struct pcr_root *root, const char *path, char *buf, size_t size, size_t *ret_n)
{
	int fd = -1;
	int r = pcr_root_openat(root, path, O_RDONLY, &fd);

	return slurp_close(r, fd, PCR_NONE, buf, size, ret_n);
}

int pcr_cgroup_slurp(const struct pcr_root *root, const char *cgroup, const char *file, char *buf,
		     size_t size, size_t *ret_n)
{
	int fd = -1;
	int r = pcr_cgroup_openat(root, cgroup, file, O_RDONLY, &fd);

	return slurp_close(r, fd, PCR_GONE, buf, size, ret_n);
}

int pcr_slurp_u64(const struct pcr_root *root, const char *path, u64 *ret_value)
{
	char buf[NUMBER_MAX];
	size_t n;
	int r = pcr_slurp(root, path, buf, sizeof(buf), &n);

	return r ? r : pcr_parse_file_u64(buf, n, ret_value);
}

int pcr_cgroup_slurp_u64(const struct pcr_root *root, const char *cgroup, const char *file,
			 u64 *ret_value)
{
	char buf[NUMBER_MAX];
	size_t n;
	int r = pcr_cgroup_slurp(root, cgroup, file, buf, sizeof(buf), &n);

	return r ? r : pcr_parse_file_u64(buf, n, ret_value);
}

static int store_close(int r, int fd, int gone, const char *text)
{
	PCR_AUTOCLOSE int own = fd;
	size_t len = strlen(text);

	if (r)
		return r;
	for (int tries = 0; tries < WRITE_TRIES; tries++) {
		ssize_t put = write(own, text, len);

		if (put >= 0)
			return (size_t)put == len ? 0 : -EIO;
		if (errno != EINTR)
			break;
	}
	if (errno == EAGAIN)
		return PCR_PART;
	return vanished(errno) ? gone : -errno;
}

int pcr_store(const struct pcr_root *root, const char *path, const char *text)
{
	int fd = -1;
	int r = pcr_root_openat(root, path, O_WRONLY, &fd);

	return store_close(r, fd, PCR_NONE, text);
}

int pcr_cgroup_store(const struct pcr_root *root, const char *cgroup, const char *file,
		     const char *text)
{
	int fd = -1;
	int r = pcr_cgroup_openat(root, cgroup, file, O_WRONLY, &fd);

	return store_close(r, fd, PCR_GONE, text);
}
