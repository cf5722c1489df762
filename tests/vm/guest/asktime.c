// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asktime SOCKET METHOD N PAUSE_MSEC - how long the daemon takes to answer.
 *
 * Connects and calls METHOD without parameters, N times, each on a connection of
 * its own as the client does, with a pause between. All of this program is kept in
 * memory, so that what it waits for is the daemon. Prints
 *
 *   answers=N p50_usec=N p99_usec=N max_usec=N
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "guest.h"

#define MAX	10000

static char call[256];

/* Until the byte that ends a reply. */
static void read_reply(int fd)
{
	static char buf[1 << 16];
	ssize_t n;

	do {
		n = recv(fd, buf, sizeof(buf), 0);
		if (n < 0)
			die("recv");
		if (!n) {
			errno = 0;
			die("no answer");
		}
	} while (buf[n - 1]);
}

static uint64_t ask(const struct sockaddr_un *a)
{
	uint64_t since = now_usec();
	ssize_t n = (ssize_t)strlen(call) + 1;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)a, sizeof(*a)))
		die("%s", a->sun_path);
	if (send(fd, call, (size_t)n, MSG_NOSIGNAL) != n)
		die("send");
	read_reply(fd);
	close(fd);
	return now_usec() - since;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	static uint64_t usec[MAX];
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int i, n, pause;

	if (argc != 5 || strlen(argv[1]) >= sizeof(a.sun_path)) {
		fputs("usage: asktime SOCKET METHOD N PAUSE_MSEC\n", stderr);
		return 2;
	}
	strcpy(a.sun_path, argv[1]);
	snprintf(call, sizeof(call), "{\"method\":\"%s\"}", argv[2]);
	n = number("N", argv[3]);
	pause = number("PAUSE_MSEC", argv[4]);
	if (n < 1 || n > MAX)
		die("N: from 1 to %d", MAX);
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	for (i = 0; i < n; i++) {
		usec[i] = ask(&a);
		usleep((useconds_t)pause * 1000);
	}
	qsort(usec, (size_t)n, sizeof(*usec), by_size);
	printf("answers=%d p50_usec=%llu p99_usec=%llu max_usec=%llu\n", n,
	       (unsigned long long)usec[(n + 1) / 2 - 1],
	       (unsigned long long)usec[(n * 99 + 99) / 100 - 1],
	       (unsigned long long)usec[n - 1]);
	return 0;
}
