// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes and removes cgroups (plain directories) as fast as the file system goes.
 *
 *   churn DIR cycles N          one by one: mkdir, rmdir, names used again
 *   churn DIR nested N          a, a/s, a/s/t in one burst, N times; they stay
 *   churn DIR make N [PREFIX]   N siblings that stay
 *   churn DIR remove N [PREFIX] and their end
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make(const char *name)
{
	if (mkdir(name, 0755) < 0) {
		perror(name);
		exit(1);
	}
}

static void removed(const char *name)
{
	if (rmdir(name) < 0) {
		perror(name);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[2] : "";
	const char *prefix = argc > 4 ? argv[4] : "c";
	int n = argc > 3 ? atoi(argv[3]) : 0;
	char name[128];

	if (argc < 4 || chdir(argv[1]) < 0)
		return 2;
	for (int i = 0; i < n; i++) {
		if (!strcmp(what, "cycles")) {
			snprintf(name, sizeof(name), "cycle%d", i % 100);
			make(name);
			removed(name);
		} else if (!strcmp(what, "nested")) {
			snprintf(name, sizeof(name), "n%d", i);
			make(name);
			snprintf(name, sizeof(name), "n%d/s", i);
			make(name);
			snprintf(name, sizeof(name), "n%d/s/t", i);
			make(name);
		} else if (!strcmp(what, "make")) {
			snprintf(name, sizeof(name), "%.64s%d", prefix, i);
			make(name);
		} else if (!strcmp(what, "remove")) {
			snprintf(name, sizeof(name), "%.64s%d", prefix, i);
			removed(name);
		} else {
			return 2;
		}
	}
	return 0;
}
