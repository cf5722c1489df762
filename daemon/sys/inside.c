// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* As the kernel has it. */
#define LINKS_MAX 40
#define PATH_SIZE 4096

/* Somebody renames directories all the time: then by hand. */
#define TRIES 8

struct walk {
	int root;
	int dir;		/* where we are: root, or ours to close */
	u32 links;
	char rest[PATH_SIZE];	/* still to go */
};

static void move_to(struct walk *w, int fd)
{
	if (w->dir != w->root)
		close(w->dir);
	w->dir = fd;
}

static bool at_root(const struct walk *w)
{
	struct stat a, b;

	return w->dir == w->root || (fstat(w->dir, &a) == 0 && fstat(w->root, &b) == 0 &&
				     a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

/* Takes the first component off the rest; false: there is none. */
static bool next(struct walk *w, char name[static 256], int *ret_err)
{
	size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/");

	*ret_err = n > 255 ? -ENAMETOOLONG : 0;
	if (n == 0 || n > 255)
		return false;
	memcpy(name, w->rest + skip, n);
	name[n] = '\0';
	memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
	return true;
}

/* The link's text goes in front of what is left. 0, -errno. */
static int follow(struct walk *w, const char *name)
{
	char text[PATH_SIZE];
	ssize_t n = readlinkat(w->dir, name, text, sizeof(text) - 1);
	size_t left = strlen(w->rest);

	if (n < 0)
		return -errno;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if ((size_t)n + left >= sizeof(w->rest))
		return -ENAMETOOLONG;
	/* It is empty, or begins with the slash between the two. */
	memmove(w->rest + n, w->rest, left + 1);
	memcpy(w->rest, text, (size_t)n);
	if (text[0] == '/')
		move_to(w, w->root);
	return 0;
}

static int enter(struct walk *w, const char *name)
{
	int fd;

	if (strcmp(name, "..") == 0 && at_root(w))
		return 0;
	fd = openat(w->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	move_to(w, fd);
	return 0;
}

static bool is_link(const struct walk *w, const char *name)
{
	struct stat st;

	return fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
}

/* The last one; "" and ".." are directories. */
static int open_last(struct walk *w, const char *name, int flags)
{
	int fd;

	if (strcmp(name, "..") == 0) {
		int r = enter(w, name);

		if (r < 0)
			return r;
		name = ".";
	}
	fd = openat(w->dir, name, flags | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

static int walk_on(struct walk *w, int flags)
{
	char name[256];
	int r;

	while (next(w, name, &r)) {
		bool last = strspn(w->rest, "/") == strlen(w->rest);

		if (is_link(w, name))
			r = follow(w, name);
		else if (last)
			return open_last(w, name, flags | (w->rest[0] ? O_DIRECTORY : 0));
		else
			r = enter(w, name);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : open_last(w, ".", flags);
}

int pcr_walk_inside(int dirfd, const char *path, int flags)
{
	struct walk w = { .root = dirfd, .dir = dirfd };
	int r;

	if (strlen(path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	strcpy(w.rest, path);
	r = walk_on(&w, flags);
	move_to(&w, dirfd);
	return r;
}

int pcr_open_inside(int dirfd, const char *path, int flags)
{
	struct open_how how = { .flags = (u64)flags, .resolve = RESOLVE_IN_ROOT };

	for (int tries = 0; tries < TRIES; tries++) {
		long fd = syscall(SYS_openat2, dirfd, path, &how, sizeof(how));

		if (fd >= 0)
			return (int)fd;
		if (errno == ENOSYS || errno == EPERM)
			break;
		if (errno != EAGAIN)
			return -errno;
	}
	return pcr_walk_inside(dirfd, path, flags);
}

/* Which file, as far as it can be said. */
static int identity(int fd, struct stat *ret_st)
{
	PCR_AUTOCLOSE int own = fd;

	return own < 0 ? own : fstat(own, ret_st) < 0 ? -errno : 0;
}

int pcr_stays_inside(const char *prefix, const char *path)
{
	PCR_AUTOCLOSE int root = -1;
	struct stat in, out;
	char full[PATH_SIZE];
	int r, n, fd;

	if (!*prefix)
		return 0;
	n = snprintf(full, sizeof(full), "%s/%s", prefix, path);
	if (n < 0 || (size_t)n >= sizeof(full))
		return -ENAMETOOLONG;
	root = open(prefix, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	r = identity(pcr_open_inside(root, path, O_PATH | O_CLOEXEC), &in);
	fd = open(full, O_PATH | O_CLOEXEC);
	n = identity(fd < 0 ? -errno : fd, &out);
	if (r == 0 && n == 0)
		return in.st_dev == out.st_dev && in.st_ino == out.st_ino ? 0 : -EXDEV;
	return r == n ? 0 : -EXDEV;
}
