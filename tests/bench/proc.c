// SPDX-License-Identifier: GPL-2.0-or-later
/* The daemon as a subject: started on a fake root, and looked at from outside. */
#include "bench/bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

int connect_to(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval tv = { .tv_sec = 10 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(a.sun_path))
		give_up(path);
	strcpy(a.sun_path, path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return fd;
	close(fd);
	return -1;
}

static void shell(const char *command)
{
	if (system(command) != 0)
		give_up(command);
}

static void put_settings(const struct subject *s, const char *text)
{
	char path[400];
	FILE *f;

	snprintf(path, sizeof(path), "%s/etc/pcpu-reclaimd/conf.d/10-bench.conf", s->root);
	f = fopen(path, "we");
	if (!f || fputs(text, f) < 0 || fclose(f) < 0)
		give_up(path);
}

static pid_t launch(const struct bench *b, const char *root)
{
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execl(b->daemon, b->daemon, "--root", root, NULL);
		_exit(127);
	}
	return pid;
}

void subject_start(const struct bench *b, struct subject *s, const char *settings)
{
	char command[900];
	long n;

	snprintf(s->root, sizeof(s->root), "%.200s/root", b->scratch);
	snprintf(s->socket, sizeof(s->socket), "%s/run/pcpu-reclaimd/org.pcpu-reclaimd", s->root);
	snprintf(s->cgroups, sizeof(s->cgroups), "%s/sys/fs/cgroup", s->root);
	snprintf(command, sizeof(command), "rm -rf '%s' && '%.300s' '%s' v2", s->root, b->fakeroot, s->root);
	shell(command);
	put_settings(s, settings);
	s->pid = launch(b, s->root);
	for (int i = 0; !status_number(s, "watching", "cgroups", &n); i++) {
		if (i == 2000)
			give_up("the daemon does not answer");
		usleep(5000);
	}
}

void subject_end(struct subject *s)
{
	int status;

	kill(s->pid, SIGTERM);
	if (waitpid(s->pid, &status, 0) < 0 || status)
		give_up("the daemon did not end well");
}

/* Nanoseconds a thread, from the scheduler: ticks would be too coarse. */
double cpu_sec(pid_t pid)
{
	char path[300], line[100];
	unsigned long long sum = 0;
	const struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		FILE *f;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/schedstat", (int)pid, e->d_name);
		f = fopen(path, "re");
		if (f && fgets(line, sizeof(line), f))
			sum += strtoull(line, NULL, 10);
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return (double)sum / 1e9;
}

uint64_t rss_bytes(pid_t pid)
{
	char path[64], line[200];
	uint64_t kb = 0;
	FILE *f;

	/* VmRSS of /proc/PID/status is behind by what each thread has not told yet. */
	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Rss:", 4))
			kb = strtoull(line + 4, NULL, 10);
	if (f)
		fclose(f);
	return kb * 1024;
}

bool status_number(const struct subject *s, const char *section, const char *name, long *ret)
{
	static const char call[] = "{\"method\":\"org.pcpu-reclaimd.Manager.GetStatus\"}";
	char buf[65536];
	size_t n = 0;
	json_t *reply, *value;
	int fd = connect_to(s->socket);
	bool have;

	if (fd < 0)
		return false;
	(void)!send(fd, call, sizeof(call), MSG_NOSIGNAL);
	while (n < sizeof(buf) && !memchr(buf, '\0', n)) {
		ssize_t got = recv(fd, buf + n, sizeof(buf) - n, 0);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	if (!memchr(buf, '\0', n))
		return false;
	reply = json_loads(buf, 0, NULL);
	value = json_object_get(json_object_get(json_object_get(reply, "parameters"), section), name);
	have = json_is_integer(value);
	*ret = (long)json_integer_value(value);
	json_decref(reply);
	return have;
}

void await_status(const struct subject *s, const char *section, const char *name, long value)
{
	long is;

	for (int i = 0; i < 6000; i++) {
		if (status_number(s, section, name, &is) && is >= value)
			return;
		usleep(10000);
	}
	errno = ETIMEDOUT;
	give_up(name);
}
