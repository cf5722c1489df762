// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bad company for the control socket. Prints "ready" when the worst is done and
 * stays until it is ended, so that the caller sees what the daemon does meanwhile.
 *
 *   hostile MODE SOCKET [N]
 *
 *   listen    nobody's peer: holds the socket's name as another program would
 *   silent    N connections that never say anything
 *   noread    N that ask for as long as the socket takes it and never read
 *   watch     N that watch and never read
 *   big       N messages of 1 MB without an end
 *   garbage   N messages that are none: bytes, lone NULs, broken JSON, deep nesting
 *   half      N that hang up in the middle of a message
 *   drip      N that send a request byte by byte
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char status[] = "{\"method\":\"org.pcpu-reclaimd.Manager.GetStatus\"}";
static const char watch[] = "{\"method\":\"org.pcpu-reclaimd.Manager.Watch\",\"more\":true}";

static const char broken[] = "{\"method\":42,\"parameters\":[]}";
static const char lone[] = "{\"method\":\"org.pcpu-reclaimd.Manager.Explain\","
			   "\"parameters\":{\"target\":\"\\ud800\"}}";

static struct sockaddr_un address = { .sun_family = AF_UNIX };

static int connection(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		perror("hostile");
		exit(1);
	}
	return fd;
}

/* As much of it as the other side takes within a second. */
static int push(int fd, const char *bytes, size_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	while (n) {
		ssize_t put = send(fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (put < 0 && errno == EAGAIN) {
			if (poll(&p, 1, 1000) <= 0)
				return -1;
			continue;
		}
		if (put < 0)
			return -1;
		bytes += put;
		n -= (size_t)put;
	}
	return 0;
}

static void noread(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	for (int i = 0; i < 100000; i++) {
		if (send(fd, status, sizeof(status), MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
			continue;
		if (errno != EAGAIN || poll(&p, 1, 20) <= 0)
			return;
	}
}

static void big(int fd)
{
	static char megabyte[1 << 20];

	memset(megabyte, ' ', sizeof(megabyte));
	megabyte[0] = '{';
	(void)push(fd, megabyte, sizeof(megabyte));
}

static void garbage(int fd, int i)
{
	static char deep[60000];
	char noise[4096];
	unsigned int x = 12345u + (unsigned int)i;

	switch (i % 5) {
	case 0:
		for (size_t k = 0; k < sizeof(noise); k++) {
			x = x * 1103515245u + 12345u;
			noise[k] = (char)(x >> 16);
		}
		(void)push(fd, noise, sizeof(noise));
		break;
	case 1:
		memset(noise, 0, sizeof(noise));
		(void)push(fd, noise, sizeof(noise));
		break;
	case 2:
		(void)push(fd, broken, sizeof(broken));
		break;
	case 3:
		memset(deep, '[', sizeof(deep));
		deep[sizeof(deep) - 1] = '\0';
		(void)push(fd, deep, sizeof(deep));
		break;
	default:
		(void)push(fd, lone, sizeof(lone));
		break;
	}
}

static void drip(int fd)
{
	for (size_t k = 0; k < sizeof(status); k++)
		(void)push(fd, status + k, 1);
}

static void do_one(const char *mode, int fd, int i)
{
	if (!strcmp(mode, "noread"))
		noread(fd);
	else if (!strcmp(mode, "watch"))
		(void)push(fd, watch, sizeof(watch));
	else if (!strcmp(mode, "big"))
		big(fd);
	else if (!strcmp(mode, "garbage"))
		garbage(fd, i);
	else if (!strcmp(mode, "half"))
		(void)push(fd, status, sizeof(status) / 2);
	else if (!strcmp(mode, "drip"))
		drip(fd);
	if (!strcmp(mode, "half"))
		close(fd);
}

int main(int argc, char **argv)
{
	struct rlimit many = { 4096, 4096 };
	int n = argc > 3 ? atoi(argv[3]) : 1;

	if (argc < 3 || strlen(argv[2]) >= sizeof(address.sun_path))
		return 2;
	strcpy(address.sun_path, argv[2]);
	(void)setrlimit(RLIMIT_NOFILE, &many);
	if (!strcmp(argv[1], "listen")) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 || listen(fd, 1) < 0)
			return 1;
		n = 0;
	}
	for (int i = 0; i < n; i++)
		do_one(argv[1], connection(), i);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
