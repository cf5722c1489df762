// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metrics: on stdout, or with --http as the answer to one request on stdin and stdout,
 * which a socket of the service manager's is then. Whoever is at its other end may be
 * anybody: what is read has a bound in bytes and time, all of it another, and the daemon
 * is asked nothing until a request for the metrics is whole.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client/client.h"
#include "client/clock.h"
#include "client/metrics.h"
#include "client/request.h"

#define REQUEST_MAX 8192
#define REQUEST_MSEC 5000
/* Of what comes after a refused request, so that the answer is not lost with it. */
#define REST_MAX 65536
#define REST_MSEC 1000
/* For the whole exchange: a peer that takes nothing ends it. */
#define EXCHANGE_SEC 20

static int print_metrics(const struct pcr_options *options, FILE *out)
{
	json_t *status = NULL, *policies = NULL;
	int r = pcr_ask(options, PCR_MANAGER "GetStatus", NULL, &status);

	if (r == 0)
		r = pcr_ask_all(options, PCR_MANAGER "ListPolicies", NULL, "policies", &policies);
	if (r == 0)
		pcr_metrics_print(out, status, policies);
	json_decref(status);
	json_decref(policies);
	return r;
}

/* What has come, 0 at its end, -1: an error, ETIMEDOUT when time is up. */
static ssize_t read_some(char *buf, size_t size, s64 until)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	s64 left = until - pcr_now_msec();

	if (poll(&p, 1, left > 0 ? (int)left : 0) <= 0) {
		errno = ETIMEDOUT;
		return -1;
	}
	return read(STDIN_FILENO, buf, size);
}

/* Up to the empty line; 0, or the status to answer with, -1: none, there is no request. */
static int read_request(char request[static REQUEST_MAX], size_t *ret_n)
{
	s64 until = pcr_now_msec() + REQUEST_MSEC;
	size_t n = 0;

	while (n < REQUEST_MAX) {
		ssize_t got = read_some(request + n, REQUEST_MAX - n, until);

		if (got < 0)
			return errno == ETIMEDOUT ? 408 : -1;
		if (got == 0)
			return n ? 400 : -1;
		n += (size_t)got;
		*ret_n = n;
		if (pcr_request_whole(request, n))
			return 0;
	}
	return 431;
}

static void write_all(const char *text, size_t n)
{
	while (n) {
		ssize_t wrote = write(STDOUT_FILENO, text, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return;
		text += wrote;
		n -= (size_t)wrote;
	}
}

/* body: NULL: the status in words. */
static void answer(int status, bool head, const char *body)
{
	static const struct {
		int status;
		const char *text;
	} words[] = {
		{ 200, "OK" }, { 400, "Bad Request" }, { 404, "Not Found" },
		{ 405, "Method Not Allowed" }, { 408, "Request Timeout" },
		{ 431, "Request Header Fields Too Large" }, { 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
	};
	PCR_AUTOFREE char *text = NULL;
	char line[64];
	size_t i = 0;
	int n;

	while (words[i].status != status)
		i++;
	snprintf(line, sizeof(line), "%s%s", words[i].text,
		 status == 404 ? ": it is /metrics\n" : "\n");
	n = asprintf(&text, "HTTP/1.0 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s"
		     "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
		     "Connection: close\r\n\r\n%s",
		     status, words[i].text, body ? PCR_METRICS_TYPE : "text/plain; charset=utf-8",
		     strlen(body ? body : line), status == 405 ? "Allow: GET, HEAD\r\n" : "",
		     head ? "" : body ? body : line);
	if (n > 0)
		write_all(text, (size_t)n);
}

/* A connection closed over unread bytes is reset, and the answer may go with it. */
static void drop_rest(void)
{
	s64 until = pcr_now_msec() + REST_MSEC;
	char buf[4096];

	shutdown(STDOUT_FILENO, SHUT_WR);
	for (size_t n = 0; n < REST_MAX;) {
		ssize_t got = read_some(buf, sizeof(buf), until);

		if (got <= 0)
			return;
		n += (size_t)got;
	}
}

static int serve(const struct pcr_options *options)
{
	char request[REQUEST_MAX];
	PCR_AUTOFREE char *body = NULL;
	bool head = false;
	size_t n;
	FILE *out;
	int status, r;

	alarm(EXCHANGE_SEC);
	status = read_request(request, &n);
	if (status == 0)
		status = pcr_request_judge(request, n, &head);
	if (status < 0)
		return PCR_EXIT_DONE;
	if (status != 200) {
		answer(status, head, NULL);
		drop_rest();
		return PCR_EXIT_DONE;
	}
	out = open_memstream(&body, &n);
	r = out ? print_metrics(options, out) : PCR_EXIT_FINDING;
	if (out && fclose(out) != 0)
		r = PCR_EXIT_FINDING;
	answer(r == 0 ? 200 : 503, head, r == 0 ? body : NULL);
	return r;
}

int pcr_run_metrics(const struct pcr_options *options)
{
	return options->http ? serve(options) : print_metrics(options, options->style.out);
}
