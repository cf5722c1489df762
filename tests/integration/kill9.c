// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Starts the daemon and kills it at a random moment, again and again, and holds what
 * it leaves behind against what was promised. Field reports 21 and 25.
 *
 *   kill9 DAEMON ROOT CONF TIMES [SEED]
 *
 * CONF is a settings file of ours, rewritten before each start: EmptyPagesHigh= 8 or
 * kept. The knob stands at 4. After each kill, whenever it came:
 *
 *   - the knob shows 4, or 8 and then the ledger has a line that says so;
 *   - every line of the ledger is whole;
 *   - the runtime directory has nothing but what belongs there.
 *
 * Some are asked to end first (SIGTERM), so that the kill hits the taking down.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HIGH "sys/kernel/mm/percpu/empty_pages_high"
#define RUN "run/pcpu-reclaimd"
#define ENTRY "/" HIGH "\t4\t8\t"

static unsigned int seed;

static unsigned int any(unsigned int below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static ssize_t slurp(int dir, const char *path, char *buf, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n < 0 ? 0 : n] = '\0';
	return n;
}

static void set_conf(const char *conf, int eight)
{
	int fd = open(conf, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	const char *text = eight ? "[Percpu]\nEmptyPagesHigh=8\n" : "[Percpu]\nEmptyPagesHigh=keep\n";

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
		perror(conf);
		exit(2);
	}
	close(fd);
}

static pid_t start(const char *daemon, const char *root)
{
	pid_t pid = fork();

	if (pid == 0) {
		execl(daemon, daemon, "--root", root, NULL);
		_exit(127);
	}
	return pid;
}

static void wait_usec(unsigned int usec)
{
	struct timespec ts = { usec / 1000000, (long)(usec % 1000000) * 1000 };

	nanosleep(&ts, NULL);
}

static int bad_litter(int dir, char *what, size_t size)
{
	int fd = openat(dir, RUN, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	int bad = 0;

	while (d && (e = readdir(d))) {
		/* ledger.new: killed in the middle of writing it; the next one's to clean up. */
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "lock") || !strcmp(e->d_name, "ledger") ||
		    !strcmp(e->d_name, "ledger.new") || !strcmp(e->d_name, "org.pcpu-reclaimd"))
			continue;
		snprintf(what, size, "litter: %.200s", e->d_name);
		bad = 1;
	}
	if (d)
		closedir(d);
	return bad;
}

/* NULL: all is as promised. */
static const char *broken(int dir)
{
	static char what[4200];
	char knob[64], ledger[4096];
	ssize_t n;

	if (slurp(dir, HIGH, knob, sizeof(knob)) < 1 || (knob[0] != '4' && knob[0] != '8')) {
		snprintf(what, sizeof(what), "the knob shows \"%s\"", knob);
		return what;
	}
	n = slurp(dir, RUN "/ledger", ledger, sizeof(ledger));
	for (const char *at = ledger; n > 0 && *at; at = strchr(at, '\n') + 1) {
		if (!strchr(at, '\n') || strncmp(at, ENTRY, strlen(ENTRY))) {
			snprintf(what, sizeof(what), "half-written ledger: \"%s\"", ledger);
			return what;
		}
	}
	if (knob[0] == '8' && (n <= 0 || !strstr(ledger, ENTRY)))
		return "the knob shows 8 and nobody owns it";
	return bad_litter(dir, what, sizeof(what)) ? what : NULL;
}

int main(int argc, char **argv)
{
	int times = argc > 4 ? atoi(argv[4]) : 0;
	int dir = argc > 4 ? open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	unsigned int owned = 0;
	char ledger[16];

	if (dir < 0)
		return 2;
	seed = argc > 5 ? (unsigned int)atoi(argv[5]) : (unsigned int)time(NULL);
	printf("seed %u\n", seed);
	for (int i = 0; i < times; i++) {
		const char *what;
		pid_t pid;

		set_conf(argv[3], any(3) > 0);
		pid = start(argv[1], argv[2]);
		if (pid < 0)
			return 2;
		/* Most of what can go wrong goes wrong in the first milliseconds. */
		wait_usec(any(i % 2 ? 8000 : 40000));
		if (any(3) == 0) {
			kill(pid, SIGTERM);
			wait_usec(any(4000));
		}
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		what = broken(dir);
		if (what) {
			printf("after kill %d: %s\n", i + 1, what);
			return 1;
		}
		owned += slurp(dir, RUN "/ledger", ledger, sizeof(ledger)) > 0;
	}
	printf("%d kills: %u times the next start owned the setting\n", times, owned);
	return 0;
}
