// SPDX-License-Identifier: GPL-2.0-or-later
/* How long an answer takes, beside an echo that sends as many bytes; and in bad company. */
#include "bench/bench.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define QUESTIONS 1000

static const char question[] = "{\"method\":\"org.pcpu-reclaimd.Manager.GetStatus\"}";

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* One question on a connection of its own, as a client asks; seconds, bytes answered. */
static double ask_once(const char *path, size_t *ret_n)
{
	static char buf[1 << 16];
	double start = now_sec();
	size_t n = 0;
	int fd = connect_to(path);

	if (fd < 0 || send(fd, question, sizeof(question), MSG_NOSIGNAL) < 0)
		give_up(path);
	do {
		ssize_t got = recv(fd, buf + n, sizeof(buf) - n, 0);

		if (got <= 0)
			give_up("no answer");
		n += (size_t)got;
	} while (buf[n - 1]);
	close(fd);
	*ret_n = n;
	return now_sec() - start;
}

/* The median and the 99th percentile: one turn of somebody else's is no figure. */
static double ask_many(const char *path, double *ret_p99, size_t *ret_n)
{
	static double took[QUESTIONS];

	for (int i = 0; i < QUESTIONS; i++)
		took[i] = ask_once(path, ret_n);
	qsort(took, QUESTIONS, sizeof(took[0]), by_value);
	*ret_p99 = took[QUESTIONS * 99 / 100];
	return took[QUESTIONS / 2];
}

/* --- the echo: accept, read to the NUL, send so many bytes --- */

static _Noreturn void echo(int fd, size_t n)
{
	char buf[4096], *answer = calloc(1, n);

	if (!answer)
		_exit(1);
	memset(answer, 'x', n - 1);
	for (;;) {
		int peer = accept(fd, NULL, NULL);

		while (peer >= 0) {
			ssize_t got = recv(peer, buf, sizeof(buf), 0);

			if (got <= 0)
				break;
			if (!buf[got - 1])
				(void)!send(peer, answer, n, MSG_NOSIGNAL);
		}
		close(peer);
	}
}

static double echo_time(const struct bench *b, size_t n)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	double median, p99;
	pid_t pid;

	snprintf(a.sun_path, sizeof(a.sun_path), "%.90s/echo", b->scratch);
	unlink(a.sun_path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 16) < 0)
		give_up(a.sun_path);
	pid = fork();
	if (pid == 0)
		echo(fd, n);
	close(fd);
	median = ask_many(a.sun_path, &p99, &n);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return median;
}

/* --- bad company --- */

static pid_t company(const struct bench *b, const struct subject *s, const char *mode)
{
	int said[2];
	char c;
	pid_t pid;

	if (pipe(said) < 0)
		give_up("pipe");
	pid = fork();
	if (pid == 0) {
		dup2(said[1], 1);
		close(said[0]);
		close(said[1]);
		execl(b->hostile, b->hostile, mode, s->socket, "100", NULL);
		_exit(127);
	}
	close(said[1]);
	if (read(said[0], &c, 1) != 1)
		give_up(b->hostile);
	close(said[0]);
	return pid;
}

static void leave(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void bench_answers(const struct bench *b)
{
	double echoed, alone, beside, p99, beside_p99;
	struct subject s;
	pid_t silent, noread;
	char dir[400];
	size_t n;

	subject_start(b, &s, "[Pressure]\nPressure=no\n");
	for (int i = 0; i < CGROUPS; i++) {
		snprintf(dir, sizeof(dir), "%s/c%d", s.cgroups, i);
		if (mkdir(dir, 0755) < 0)
			give_up(dir);
	}
	await_status(&s, "watching", "cgroups", CGROUPS + 1);
	alone = ask_many(s.socket, &p99, &n);
	echoed = echo_time(b, n);
	silent = company(b, &s, "silent");
	noread = company(b, &s, "noread");
	beside = ask_many(s.socket, &beside_p99, &n);
	leave(silent);
	leave(noread);
	subject_end(&s);

	figure("answers.echo_us", echoed * 1e6, "us");
	figure("answers.status_us", alone * 1e6, "us");
	figure("answers.status_p99_us", p99 * 1e6, "us");
	figure("answers.status_per_echo", alone / echoed, "times");
	figure("answers.hostile_us", beside * 1e6, "us");
	figure("answers.hostile_p99_us", beside_p99 * 1e6, "us");
	/* Medians of the same daemon a moment apart: stable, whatever else runs. */
	bounded("answers.hostile_per_alone", beside / alone, "times", 5,
		"100 silent and 100 that never read cost their slots only");
}
