// SPDX-License-Identifier: GPL-2.0-or-later
/* The socket file and its peers' credentials. */
#include "ctl/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"

/* Callers wait here while a turn of the loop runs; a burst fits. */
#define BACKLOG 128

static int make_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	PCR_AUTOFREE char *dir = NULL;

	if (!slash || slash == path)
		return 0;
	dir = strndup(path, (size_t)(slash - path));
	if (!dir)
		return -ENOMEM;
	return mkdir(dir, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

/* 0 when the name is free or was made free. */
static int take_over(const struct sockaddr_un *address)
{
	PCR_AUTOCLOSE int fd = -1;
	struct stat st;

	if (lstat(address->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* A full backlog (EAGAIN) means that somebody listens, however slowly. */
	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0 ||
	    errno != ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(address->sun_path) < 0 && errno != ENOENT ? -errno : 0;
}

/*
 * Between bind() and listen() nobody can connect, and the umask keeps the name shut
 * to all but root until its group is set: at no moment is the mode too wide.
 */
static int bind_closed(int fd, const struct sockaddr_un *address, gid_t group)
{
	mode_t old = umask(0177);
	int r = bind(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;

	umask(old);
	if (r < 0)
		return r;
	if (group != PCR_NO_GROUP &&
	    (lchown(address->sun_path, (uid_t)-1, group) < 0 || chmod(address->sun_path, 0660) < 0))
		r = -errno;
	if (r == 0 && listen(fd, BACKLOG) < 0)
		r = -errno;
	if (r < 0)
		unlink(address->sun_path);
	return r;
}

static int remember(const char *path, struct pcr_socket_file *ret_file)
{
	struct stat st;
	char *copy;

	if (lstat(path, &st) < 0)
		return -errno;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	*ret_file = (struct pcr_socket_file){ .path = copy, .dev = st.st_dev, .ino = st.st_ino };
	return 0;
}

int pcr_socket_listen(const char *path, gid_t group, struct pcr_socket_file *ret_file, int *ret_fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	PCR_AUTOCLOSE int fd = -1;
	int r;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	r = make_directory(path);
	if (r < 0)
		return r;
	r = take_over(&address);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	r = bind_closed(fd, &address, group);
	if (r < 0)
		return r;
	r = remember(path, ret_file);
	if (r < 0) {
		unlink(path);
		return r;
	}
	*ret_fd = PCR_TAKE_FD(fd);
	return 0;
}

bool pcr_socket_file_ours(const struct pcr_socket_file *file)
{
	struct stat st;

	return file->path && lstat(file->path, &st) == 0 && st.st_dev == file->dev &&
	       st.st_ino == file->ino;
}

int pcr_socket_regroup(const struct pcr_socket_file *file, gid_t group)
{
	if (!file->path)
		return 0;
	if (!pcr_socket_file_ours(file))
		return -EADDRINUSE;
	/* shut first: the old group's mode must not hold for the new one, nor the reverse */
	if (chmod(file->path, 0600) < 0 ||
	    lchown(file->path, (uid_t)-1, group == PCR_NO_GROUP ? 0 : group) < 0 ||
	    (group != PCR_NO_GROUP && chmod(file->path, 0660) < 0))
		return -errno;
	return 0;
}

int pcr_socket_adopt(int fd)
{
	int listening = 0, flags;
	socklen_t n = sizeof(listening);

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &n) < 0)
		return -errno;
	if (!listening)
		return -EINVAL;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	return 0;
}

int pcr_socket_lent_group(int fd, gid_t *ret_group, char **ret_name)
{
	struct sockaddr_un address = { 0 };
	socklen_t n = sizeof(address) - 1;	/* so that the path ends */
	struct group *group;
	struct stat st;

	if (getsockname(fd, (struct sockaddr *)&address, &n) < 0)
		return -errno;
	if (!address.sun_path[0] || stat(address.sun_path, &st) < 0 || st.st_gid == 0 ||
	    (st.st_mode & 0060) != 0060)
		return PCR_NONE;
	group = getgrgid(st.st_gid);
	if ((group ? asprintf(ret_name, "%s", group->gr_name) :
		     asprintf(ret_name, "%u", (unsigned int)st.st_gid)) < 0)
		return -ENOMEM;
	*ret_group = st.st_gid;
	return 0;
}

void pcr_socket_file_forget(struct pcr_socket_file *file)
{
	free(file->path);
	file->path = NULL;
}

void pcr_socket_file_clear(struct pcr_socket_file *file)
{
	if (pcr_socket_file_ours(file))
		unlink(file->path);
	pcr_socket_file_forget(file);
}

int pcr_group_find(const char *name, gid_t *ret_group)
{
	struct group *group;
	u64 number;

	if (pcr_parse_u64(name, strlen(name), &number) == 0) {
		if (number >= PCR_NO_GROUP)
			return PCR_NONE;
		*ret_group = (gid_t)number;
		return 0;
	}
	errno = 0;
	group = getgrnam(name);
	if (!group)
		return errno == EIO || errno == EMFILE || errno == ENFILE || errno == ENOMEM ?
			-errno : PCR_NONE;
	*ret_group = group->gr_gid;
	return 0;
}

/* Supplementary groups, as they were when the peer connected. */
static bool has_group(int fd, gid_t group)
{
	gid_t few[64];
	socklen_t n = sizeof(few);
	PCR_AUTOFREE gid_t *many = NULL;
	const gid_t *groups = few;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, few, &n) < 0) {
		/* the kernel has put in n what it takes; it bounds that itself */
		if (errno != ERANGE || n > NGROUPS_MAX * sizeof(gid_t))
			return false;
		groups = many = malloc(n);
		if (!many || getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, many, &n) < 0)
			return false;
	}
	for (size_t i = 0; i < n / sizeof(gid_t); i++)
		if (groups[i] == group)
			return true;
	return false;
}

int pcr_caller_of(int fd, gid_t group, struct pcr_caller *ret_caller)
{
	struct ucred cred;
	socklen_t n = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) < 0)
		return -errno;
	*ret_caller = (struct pcr_caller){
		.pid = cred.pid, .uid = cred.uid,
		.member = group != PCR_NO_GROUP && (cred.gid == group || has_group(fd, group)),
	};
	return 0;
}
