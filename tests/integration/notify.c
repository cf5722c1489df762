// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plays the service manager's part.
 *
 *   notify listen SOCKET              prints what is told to $NOTIFY_SOCKET, a line each
 *   notify activate SOCKET CMD...     runs CMD with a listening socket as its fourth
 *                                     descriptor, as a .socket unit would
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int bound(const char *path, int type)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type, 0);

	if (fd < 0 || strlen(path) >= sizeof(a.sun_path))
		return -1;
	strcpy(a.sun_path, path);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		perror(path);
		return -1;
	}
	return fd;
}

static int listen_for(int fd)
{
	char buf[4096];
	ssize_t n;

	while ((n = recv(fd, buf, sizeof(buf) - 1, 0)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (buf[i] == '\n')
				buf[i] = ' ';
		buf[n] = '\0';
		puts(buf);
		fflush(stdout);
	}
	return 1;
}

static int activate(int fd, char **argv)
{
	char pid[32];

	if (listen(fd, 16) < 0 || (fd != 3 && (dup2(fd, 3) < 0 || close(fd) < 0)))
		return 1;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("LISTEN_FDS", "1", 1);
	setenv("LISTEN_PID", pid, 1);
	execv(argv[0], argv);
	perror(argv[0]);
	return 127;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc == 3 && !strcmp(argv[1], "listen")) {
		fd = bound(argv[2], SOCK_DGRAM);
		return fd < 0 ? 1 : listen_for(fd);
	}
	if (argc > 3 && !strcmp(argv[1], "activate")) {
		fd = bound(argv[2], SOCK_STREAM);
		return fd < 0 ? 1 : activate(fd, argv + 3);
	}
	return 2;
}
