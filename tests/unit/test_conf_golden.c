// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What --check-config has to say about each directory of tests/golden/conf, held
 * against the file `expect` in it. UPDATE_GOLDEN=1 writes them anew, to be looked at
 * with git diff. Run from the top of the tree.
 */
#include "unit/test_conf.h"

#include <dirent.h>

#include "base/cleanup.h"

#define GOLDEN "tests/golden/conf"

static void compare(const char *name, const char *text)
{
	char path[512], want[16384];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), GOLDEN "/%s/expect", name);
	f = fopen(path, getenv("UPDATE_GOLDEN") ? "w+e" : "re");
	ck_assert_msg(f != NULL, "%s: %s", path, strerror(errno));
	if (getenv("UPDATE_GOLDEN")) {
		fprintf(f, "%s\n", text);
		rewind(f);
	}
	n = fread(want, 1, sizeof(want) - 1, f);
	want[n] = '\0';
	fclose(f);
	if (n > 0 && want[n - 1] == '\n')
		want[n - 1] = '\0';
	ck_assert_msg(strcmp(text, want) == 0, "%s: said\n%s\nnot\n%s", name, text, want);
}

START_TEST(as_expected)
{
	DIR *d = opendir(GOLDEN);
	struct dirent *entry;
	int cases = 0;

	ck_assert_ptr_nonnull(d);
	while ((entry = readdir(d))) {
		struct pcr_conf_report report = {};
		struct pcr_settings *s = NULL;
		struct loaded l;
		char dir[512];
		int r;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(dir, sizeof(dir), GOLDEN "/%s", entry->d_name);
		r = pcr_conf_load("", dir, &s, &report);
		l = loaded_from(r, s, &report);
		compare(entry->d_name, l.text);
		unload(&l);
		cases++;
	}
	closedir(d);
	ck_assert_int_ge(cases, 4);
}
END_TEST

PCR_UNIT("conf golden", as_expected)
