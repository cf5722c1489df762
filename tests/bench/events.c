// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a cgroup's coming and going costs the daemon, beside a reader that only adds
 * and drops watches: the kernel's own share, which nobody can go below.
 */
#include "bench/bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETTINGS "[Daemon]\nLifecycle=inotify\n[Pressure]\nPressure=no\n"

static void name_of(char *buf, size_t size, const char *dir, int i)
{
	snprintf(buf, size, "%.250s/c%d", dir, i);
}

static void make(const char *dir, int n)
{
	char path[300];

	for (int i = 0; i < n; i++) {
		name_of(path, sizeof(path), dir, i);
		if (mkdir(path, 0755) < 0)
			give_up(path);
	}
}

static void take_away(const char *dir, int n)
{
	char path[300];

	for (int i = 0; i < n; i++) {
		name_of(path, sizeof(path), dir, i);
		if (rmdir(path) < 0)
			give_up(path);
	}
}

/* --- the bare reader --- */

/* Watches dir and what is made in it, tells through the pipe when it has seen all events. */
static _Noreturn void bare(const char *dir, int ready, int done, int events)
{
	static int wds[CGROUPS * 4];
	char buf[4096], path[600];
	int fd = inotify_init1(IN_CLOEXEC), top = inotify_add_watch(fd, dir, IN_CREATE | IN_DELETE);
	ssize_t n;

	(void)!write(ready, "", 1);
	while (events > 0 && (n = read(fd, buf, sizeof(buf))) > 0) {
		for (char *at = buf; at < buf + n;) {
			const struct inotify_event *e = (const struct inotify_event *)(const void *)at;
			int i = e->len ? atoi(e->name + 1) : 0;

			at += sizeof(*e) + e->len;
			if (e->wd != top)
				continue;
			events--;
			snprintf(path, sizeof(path), "%s/%s", dir, e->name);
			if (e->mask & IN_CREATE)
				wds[i] = inotify_add_watch(fd, path, IN_CREATE | IN_DELETE);
			else if (wds[i] > 0)
				(void)inotify_rm_watch(fd, wds[i]);
		}
	}
	(void)!write(done, "", 1);
	pause();
	_exit(0);
}

static double bare_cpu(const struct bench *b, int n)
{
	int ready[2], done[2];
	char dir[300], c;
	double cpu;
	pid_t pid;

	snprintf(dir, sizeof(dir), "%.200s/bare", b->scratch);
	if (mkdir(dir, 0755) < 0 || pipe(ready) < 0 || pipe(done) < 0)
		give_up(dir);
	pid = fork();
	if (pid == 0)
		bare(dir, ready[1], done[1], 2 * n);
	(void)!read(ready[0], &c, 1);
	cpu = cpu_sec(pid);
	/* In batches that fit the queue, as below: an overflow is another bench. */
	for (int i = 0; i < n / CGROUPS; i++) {
		make(dir, CGROUPS);
		take_away(dir, CGROUPS);
	}
	(void)!read(done[0], &c, 1);
	cpu = cpu_sec(pid) - cpu;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	close(done[0]);
	close(done[1]);
	rmdir(dir);
	return cpu;
}

/* --- the daemon --- */

static double daemon_cpu(const struct bench *b, int n)
{
	struct subject s;
	char dir[330];
	double cpu;
	long seen;

	subject_start(b, &s, SETTINGS);
	snprintf(dir, sizeof(dir), "%s/a", s.cgroups);
	if (mkdir(dir, 0755) < 0)
		give_up(dir);
	await_status(&s, "totals", "created", 1);
	cpu = cpu_sec(s.pid);
	for (int i = 0; i < n / CGROUPS; i++) {
		make(dir, CGROUPS);
		take_away(dir, CGROUPS);
		await_status(&s, "totals", "removed", (long)(i + 1) * CGROUPS);
	}
	cpu = cpu_sec(s.pid) - cpu;
	if (!status_number(&s, "watching", "overflows", &seen) || seen)
		fprintf(stderr, "bench: the queue overflowed %ld times\n", seen);
	subject_end(&s);
	return cpu;
}

void bench_events(const struct bench *b)
{
	int n = 2 * CGROUPS;
	double bare = bare_cpu(b, n), daemon = daemon_cpu(b, n);

	figure("events.bare_us_per_1000", bare / (2 * n) * 1000 * 1e6, "us");
	figure("events.daemon_us_per_1000", daemon / (2 * n) * 1000 * 1e6, "us");
	/* Shown, not held: how many cgroups are gone again before they are looked at varies. */
	figure("events.daemon_per_bare", daemon / bare, "times");
}

/* --- memory --- */

void bench_memory(const struct bench *b)
{
	struct subject s;
	char dir[330];
	uint64_t empty, full, after;

	subject_start(b, &s, SETTINGS);
	snprintf(dir, sizeof(dir), "%s/a", s.cgroups);
	if (mkdir(dir, 0755) < 0)
		give_up(dir);
	await_status(&s, "watching", "cgroups", 2);
	empty = rss_bytes(s.pid);
	make(dir, CGROUPS);
	await_status(&s, "watching", "cgroups", CGROUPS + 2);
	full = rss_bytes(s.pid);
	take_away(dir, CGROUPS);
	await_status(&s, "totals", "removed", CGROUPS);
	/* What was due about the removals a second later. */
	sleep(2);
	after = rss_bytes(s.pid);
	subject_end(&s);

	figure("memory.rss_0", (double)empty / 1024, "kB");
	figure("memory.rss_10000", (double)full / 1024, "kB");
	figure("memory.rss_after", (double)after / 1024, "kB");
	if (b->sanitized) {
		figure("memory.bytes_per_cgroup", (double)(full - empty) / CGROUPS, "bytes");
		return;
	}
	/*
	 * The project's bar is 200 bytes a cgroup. The slack is for what grows once: the
	 * event buffer, a status answer, pages that malloc rounds to; 128 kB of it.
	 */
	bounded("memory.bytes_per_cgroup", (double)(full - empty) / CGROUPS, "bytes",
		200 + 131072. / CGROUPS, "200 and 128 kB of slack");
	bounded("memory.after_per_start", (double)after / (double)empty, "times", 1.05,
		"back to the start and 5 %");
}
