// SPDX-License-Identifier: GPL-2.0-or-later
/* The only file with libcgroup; see the header for why it forks. */
#include "sys/libcgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <libcgroup.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

static void ask(struct pcr_libcgroup *found)
{
	char *mount = NULL;

	if (cgroup_init())
		return;
	if (!cgroup_get_subsys_mount_point("memory", &mount) && mount)
		snprintf(found->mount, sizeof(found->mount), "%s", mount);
	free(mount);
}

static _Noreturn void child(int fd)
{
	struct pcr_libcgroup found = { 0 };
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* It prints to stderr what is no fault of ours. */
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	ask(&found);
	_exit(write(fd, &found, sizeof(found)) == sizeof(found) ? 0 : 1);
}

int pcr_libcgroup_discover(struct pcr_libcgroup *ret)
{
	struct pcr_libcgroup found = { 0 };
	int fds[2];
	ssize_t got;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid < 0) {
		int err = errno;

		close(fds[0]);
		close(fds[1]);
		return -err;
	}
	if (pid == 0)
		child(fds[1]);
	close(fds[1]);
	do
		got = read(fds[0], &found, sizeof(found));
	while (got < 0 && errno == EINTR);
	close(fds[0]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (got == (ssize_t)sizeof(found)) {
		found.mount[sizeof(found.mount) - 1] = '\0';
		*ret = found;
	} else {
		*ret = (struct pcr_libcgroup){ 0 };
	}
	return 0;
}
