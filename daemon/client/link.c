// SPDX-License-Identifier: GPL-2.0-or-later
/* Talking to the daemon. */
#include "client/link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client/clock.h"

/* More than the daemon ever says at once. */
#define MESSAGE_MAX (8 * 1024 * 1024)

int pcr_link_open(const char *path, struct pcr_link *ret_link)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval limit = { .tv_sec = PCR_ANSWER_MSEC / 1000 };
	PCR_AUTOCLOSE int fd = -1;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* bounds the connect as well, when the daemon no longer accepts */
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	*ret_link = (struct pcr_link){ .fd = PCR_TAKE_FD(fd) };
	return 0;
}

void pcr_link_close(struct pcr_link *link)
{
	if (link->fd >= 0)
		close(link->fd);
	free(link->bytes);
	*link = (struct pcr_link){ .fd = -1 };
}

static int send_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && (errno == EPIPE || errno == ECONNRESET))
			return 0;
		if (sent < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		bytes += sent;
		n -= (size_t)sent;
	}
	return 0;
}

int pcr_link_send(struct pcr_link *link, const char *method, json_t *params, bool more)
{
	json_t *message = json_pack("{s:s,s:b,s:o*}", "method", method, "more", (int)more,
				    "parameters", params);
	PCR_AUTOFREE char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

	json_decref(message);
	return text ? send_all(link->fd, text, strlen(text) + 1) : -ENOMEM;
}

static int wait_readable(int fd, s64 until)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		s64 left = until < 0 ? -1 : until - pcr_now_msec();
		int r = poll(&p, 1, until >= 0 && left < 0 ? 0 : (int)left);

		if (r > 0)
			return 0;
		if (r == 0)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

static int read_some(struct pcr_link *link)
{
	ssize_t n;

	if (link->n == link->cap) {
		size_t cap = link->cap ? link->cap * 2 : 65536;
		char *bytes;

		if (cap > MESSAGE_MAX)
			return -EBADMSG;
		bytes = realloc(link->bytes, cap);
		if (!bytes)
			return -ENOMEM;
		link->bytes = bytes;
		link->cap = cap;
	}
	n = recv(link->fd, link->bytes + link->n, link->cap - link->n, 0);
	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	if (n == 0)
		return -ECONNRESET;
	link->n += (size_t)n;
	return 0;
}

int pcr_link_receive(struct pcr_link *link, int msec, json_t **ret_message)
{
	s64 until = msec < 0 ? -1 : pcr_now_msec() + msec;
	size_t seen = 0;

	if (link->taken)
		memmove(link->bytes, link->bytes + link->taken, link->n - link->taken);
	link->n -= link->taken;
	link->taken = 0;
	for (;;) {
		json_t *message;
		char *nul = NULL;
		int r;

		if (link->n > seen)
			nul = memchr(link->bytes + seen, '\0', link->n - seen);
		if (nul) {
			size_t len = (size_t)(nul - link->bytes);

			message = json_loadb(link->bytes, len, JSON_REJECT_DUPLICATES, NULL);
			link->taken = len + 1;
			link->received += len + 1;
			if (!json_is_object(message)) {
				json_decref(message);
				return -EBADMSG;
			}
			*ret_message = message;
			return 0;
		}
		seen = link->n;
		r = wait_readable(link->fd, until);
		if (r == 0)
			r = read_some(link);
		if (r < 0)
			return r;
	}
}
