// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening, reading and writing files of one process; see the header. */
#include "sys/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/root.h"

static int fault(int err)
{
	return err == ENOENT || err == ESRCH || err == ENOTDIR ? PCR_GONE : -err;
}

int pcr_task_open(const struct pcr_root *root, s32 pid, int *ret_dirfd)
{
	char path[32];
	int r;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	r = pcr_root_openat(root, path, O_RDONLY | O_DIRECTORY, ret_dirfd);
	return r == PCR_NONE || r == -ENOTDIR ? PCR_GONE : r;
}

int pcr_task_openat(int dirfd, const char *file, int flags, int *ret_fd)
{
	/* A recorded machine's links are not followed: they may lead out of it. */
	int fd = openat(dirfd, file, flags | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return fault(errno);
	*ret_fd = fd;
	return 0;
}

int pcr_task_slurp(int dirfd, const char *file, char *buf, size_t size, size_t *ret_n)
{
	PCR_AUTOCLOSE int fd = -1;
	int r = pcr_task_openat(dirfd, file, O_RDONLY, &fd);

	return r ? r : pcr_slurp_fd(fd, buf, size, ret_n);
}

int pcr_task_store(int dirfd, const char *file, const char *text)
{
	PCR_AUTOCLOSE int fd = -1;
	size_t len = strlen(text);
	int r = pcr_task_openat(dirfd, file, O_WRONLY, &fd);
	ssize_t put;

	if (r)
		return r;
	put = write(fd, text, len);
	if (put < 0)
		return fault(errno);
	return (size_t)put == len ? 0 : -EIO;
}

int pcr_task_pidfd(int dirfd, s32 pid, int *ret_fd)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	char buf[8];
	size_t n;
	int r;

	if (fd < 0)
		return fault(errno);
	/* Still there after the pidfd was had: until then nobody else could have its pid. */
	r = pcr_task_slurp(dirfd, "comm", buf, sizeof(buf), &n);
	if (r == PCR_GONE) {
		close(fd);
		return r;
	}
	*ret_fd = fd;
	return 0;
}

u64 pcr_boot_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (u64)t.tv_sec * PCR_SEC + (u64)t.tv_nsec / 1000;
}
