// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	if (err)
		fprintf(stderr, ": %s", strerror(err));
	fputc('\n', stderr);
	exit(1);
}

int number(const char *what, const char *text)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (errno || end == text || *end || v < 0 || v > INT32_MAX) {
		errno = 0;
		die("%s: not a number: %s", what, text);
	}
	return (int)v;
}

int write_file(const char *path, const char *text)
{
	size_t len = strlen(text);
	ssize_t n;
	int fd, ret;

	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, text, len);
	ret = n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
	close(fd);
	return ret;
}

ssize_t read_file(const char *path, char *buf, size_t size)
{
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len + 1 < size) {
		n = read(fd, buf + len, size - 1 - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	buf[len] = '\0';
	close(fd);
	return n < 0 ? -errno : (ssize_t)len;
}

uint64_t keyed_value(const char *path, const char *key)
{
	static char buf[1 << 16];
	size_t len = strlen(key);
	ssize_t n = read_file(path, buf, sizeof(buf));
	char *line, *next;

	if (n < 0) {
		errno = (int)-n;
		die("%s", path);
	}
	for (line = buf; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (strncmp(line, key, len))
			continue;
		if (line[len] == ' ' || line[len] == ':')
			return strtoull(line + len + 1, NULL, 10);
	}
	errno = ENOKEY;
	die("%s: %s", path, key);
}

uint64_t now_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

pid_t fork_into(int cgroup_fd)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)cgroup_fd,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

pid_t fork_into_path(const char *cgroup)
{
	int fd = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	pid_t pid;

	if (fd < 0)
		die("%s", cgroup);
	pid = fork_into(fd);
	if (pid < 0)
		die("fork into %s", cgroup);
	close(fd);
	return pid;
}
