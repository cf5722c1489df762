// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A main() for a fuzz target: runs every file of the directories named, once.
 * usage: replay_NAME DIR...
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

static int run_file(const char *path)
{
	PCR_AUTOFCLOSE FILE *f = fopen(path, "re");
	PCR_AUTOFREE uint8_t *data = NULL;
	struct stat st;
	size_t n;

	if (!f || fstat(fileno(f), &st) < 0)
		return -errno;
	/* Exactly its size, so that a sanitizer sees the first byte too many. */
	data = malloc(st.st_size ? (size_t)st.st_size : 1);
	if (!data)
		return -ENOMEM;
	n = fread(data, 1, (size_t)st.st_size, f);
	LLVMFuzzerTestOneInput(data, n);
	return 0;
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int run_dir(const char *dir)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, is_input, alphasort), r = 0;

	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		if (r == 0)
			r = run_file(path);
		if (r < 0)
			fprintf(stderr, "%s: %s\n", path, strerror(-r));
		free(entries[i]);
	}
	free(entries);
	/* No input proves nothing. */
	return r < 0 ? r : n > 0 ? n : -ENODATA;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int n = run_dir(argv[i]);

		if (n < 0) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(-n));
			return 1;
		}
		printf("  ok      %s: %d inputs\n", argv[i], n);
	}
	return 0;
}
