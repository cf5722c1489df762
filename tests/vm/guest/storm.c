// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm - make and remove cgroups quickly, in the shapes the project measures.
 *
 *   storm percpu-create PARENT N M    N x (1 outer + M inner) siblings
 *   storm percpu-remove PARENT N M USEC
 *                                     the inner ones go, in order, with a pause
 *                                     after each outer one's
 *   storm dying-create PARENT DIR N   N cgroups; a process inside each writes
 *                                     a file of one page to DIR, and exits
 *   storm dying-remove PARENT N       all of them go, their pages stay
 *   storm checks PARENT DIR FIRST N USEC
 *                                     N times, from number FIRST on: a cgroup, a
 *                                     process inside writes a file of one page to
 *                                     DIR and exits, the cgroup goes, a pause; also
 *                                     prints the highest Percpu: meanwhile
 *   storm idle PARENT N               N idle cgroups, 100 below each child
 *   storm churn PARENT N SEED         N mkdirs in nested chains of up to three,
 *                                     names reused, a tenth survives
 *   storm clear PARENT                remove everything below PARENT
 *   storm count PARENT                how many cgroups there are below PARENT
 *
 * Each prints what it did as key=value words on one line.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* How many names a churn goes round with: each is used again and again. */
#define CHURN_SLOTS	97
/* So many of a hundred chains survive, not all as a whole: a tenth of all. */
#define CHURN_SURVIVE	13

static void report(const char *key, long n, uint64_t since)
{
	printf("%s=%ld usec=%llu\n", key, n,
	       (unsigned long long)(now_usec() - since));
}

static int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		die("%s", path);
	return fd;
}

static void make(int parent, const char *name)
{
	if (mkdirat(parent, name, 0755))
		die("mkdir %s", name);
}

/*
 * A cgroup whose last process has just been waited for may still answer EBUSY
 * for a moment: the zombie is unlinked from it a little later.
 */
static void drop(int parent, const char *name)
{
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		if (!unlinkat(parent, name, AT_REMOVEDIR))
			return;
		if (errno != EBUSY)
			break;
		usleep(1000);
	}
	die("rmdir %s", name);
}

static int percpu_create(char **arg)
{
	int parent = open_dir(arg[0]);
	int n = number("N", arg[1]), m = number("M", arg[2]);
	uint64_t since = now_usec();
	char name[64];
	int i, j;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "cg_%d", i);
		make(parent, name);
		for (j = 0; j < m; j++) {
			snprintf(name, sizeof(name), "cg_%d_%d", i, j);
			make(parent, name);
		}
	}
	report("created", (long)n * (m + 1), since);
	return 0;
}

static int percpu_remove(char **arg)
{
	int parent = open_dir(arg[0]);
	int n = number("N", arg[1]), m = number("M", arg[2]);
	int pause = number("USEC", arg[3]);
	uint64_t since = now_usec();
	char name[64];
	int i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < m; j++) {
			snprintf(name, sizeof(name), "cg_%d_%d", i, j);
			drop(parent, name);
		}
		if (pause)
			usleep((useconds_t)pause);
	}
	report("removed", (long)n * m, since);
	return 0;
}

static void write_page(int dir, int i)
{
	static char page[4096];
	char name[32];
	int fd;

	memset(page, 'x', sizeof(page));
	snprintf(name, sizeof(name), "f_%d", i);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page))
		_exit(1);
	_exit(0);
}

/* A cgroup with one page charged to it, and nobody in it any more. */
static void make_used(int parent, const char *name, int dir, int i)
{
	int fd, status;
	pid_t pid;

	make(parent, name);
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		die("open %s", name);
	pid = fork_into(fd);
	if (pid < 0)
		die("fork into %s", name);
	if (!pid)
		write_page(dir, i);
	close(fd);
	if (waitpid(pid, &status, 0) != pid || status)
		die("the writer in %s ended with %#x", name, status);
}

static int dying_create(char **arg)
{
	int parent = open_dir(arg[0]), dir = open_dir(arg[1]);
	int n = number("N", arg[2]);
	uint64_t since = now_usec();
	char name[64];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "job_%d", i);
		make_used(parent, name, dir, i);
	}
	report("created", n, since);
	return 0;
}

static int dying_remove(char **arg)
{
	int parent = open_dir(arg[0]);
	int n = number("N", arg[1]);
	uint64_t since = now_usec();
	char name[64];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "job_%d", i);
		drop(parent, name);
	}
	report("removed", n, since);
	return 0;
}

static int checks(char **arg)
{
	int parent = open_dir(arg[0]), dir = open_dir(arg[1]);
	int first = number("FIRST", arg[2]), n = number("N", arg[3]);
	int pause = number("USEC", arg[4]);
	uint64_t since = now_usec(), high = 0;
	char name[64];
	int i;

	for (i = first; i < first + n; i++) {
		snprintf(name, sizeof(name), "healthcheck-%d", i);
		make_used(parent, name, dir, i);
		drop(parent, name);
		/* It grows by one page at a time: no peak is missed by much. */
		if (i % 10 == 0) {
			uint64_t kb = keyed_value("/proc/meminfo", "Percpu");

			if (kb > high)
				high = kb;
		}
		if (pause)
			usleep((useconds_t)pause);
	}
	printf("checks=%d high_kb=%llu usec=%llu\n", n,
	       (unsigned long long)high,
	       (unsigned long long)(now_usec() - since));
	return 0;
}

static int idle(char **arg)
{
	int parent = open_dir(arg[0]);
	int n = number("N", arg[1]), made = 0, i = 0, j;
	uint64_t since = now_usec();
	char name[64];

	while (made < n) {
		snprintf(name, sizeof(name), "group_%d", i++);
		make(parent, name);
		made++;
		for (j = 0; j < 99 && made < n; j++, made++) {
			snprintf(name, sizeof(name), "group_%d/leaf_%d",
				 i - 1, j);
			make(parent, name);
		}
	}
	report("created", made, since);
	return 0;
}

static int churn(char **arg)
{
	static const char *const part[] = { "", "/inner", "/inner/leaf" };
	int parent = open_dir(arg[0]);
	int n = number("N", arg[1]);
	unsigned int seed = (unsigned int)number("SEED", arg[2]);
	int slot[CHURN_SLOTS], next = 0, made = 0, removed = 0, i;
	uint64_t since = now_usec();
	char name[64];

	for (i = 0; i < CHURN_SLOTS; i++)
		slot[i] = next++;
	for (i = 0; made < n; i = (i + 1) % CHURN_SLOTS) {
		int depth = rand_r(&seed) % 3 + 1;
		bool stays = rand_r(&seed) % 100 < CHURN_SURVIVE;
		int keep = stays ? rand_r(&seed) % depth + 1 : 0;
		int d;

		if (depth > n - made)
			depth = n - made;
		if (keep > depth)
			keep = depth;
		for (d = 0; d < depth; d++) {
			snprintf(name, sizeof(name), "n%d%s", slot[i], part[d]);
			make(parent, name);
			made++;
		}
		for (d = depth - 1; d >= keep; d--) {
			snprintf(name, sizeof(name), "n%d%s", slot[i], part[d]);
			drop(parent, name);
			removed++;
		}
		if (keep)
			slot[i] = next++;	/* this name is taken now */
	}
	printf("made=%d removed=%d survivors=%d usec=%llu\n", made, removed,
	       made - removed, (unsigned long long)(now_usec() - since));
	return 0;
}

/* Visit every cgroup below fd, children first; remove them if asked to. */
static long visit(int fd, bool remove_them)
{
	DIR *dir = fdopendir(fd);
	struct dirent *de;
	long n = 0;

	if (!dir)
		die("opendir");
	while ((de = readdir(dir))) {
		int child;

		if (de->d_type != DT_DIR || !strcmp(de->d_name, ".") ||
		    !strcmp(de->d_name, ".."))
			continue;
		child = openat(dirfd(dir), de->d_name,
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (child < 0)
			die("open %s", de->d_name);
		n += 1 + visit(child, remove_them);
		if (remove_them)
			drop(dirfd(dir), de->d_name);
	}
	closedir(dir);
	return n;
}

static int clear(char **arg)
{
	uint64_t since = now_usec();

	report("removed", visit(open_dir(arg[0]), true), since);
	return 0;
}

static int count(char **arg)
{
	printf("%ld\n", visit(open_dir(arg[0]), false));
	return 0;
}

static const struct {
	const char *name;
	int args;
	int (*run)(char **arg);
} commands[] = {
	{ "percpu-create", 3, percpu_create },
	{ "percpu-remove", 4, percpu_remove },
	{ "dying-create", 3, dying_create },
	{ "dying-remove", 2, dying_remove },
	{ "checks", 5, checks },
	{ "idle", 2, idle },
	{ "churn", 3, churn },
	{ "clear", 1, clear },
	{ "count", 1, count },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (argc == commands[i].args + 2 &&
		    !strcmp(argv[1], commands[i].name))
			return commands[i].run(argv + 2);
	fputs("usage: storm percpu-create|percpu-remove|dying-create|dying-remove|checks|idle|churn|clear|count ...\n",
	      stderr);
	return 2;
}
