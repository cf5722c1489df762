// SPDX-License-Identifier: GPL-2.0-or-later
#include "act/ids.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/replace.h"
#include "base/parse.h"
#include "base/cleanup.h"

#define ID_TEXT 22

static int path_of(const struct pcr_ids *ids, char path[static 320])
{
	return pcr_file_in(ids->dir, ids->name, path, 320);
}

int pcr_ids_open(struct pcr_ids *ids, const char *runtime_dir, const char *name,
		 void (*each)(void *data, u64 id), void *data)
{
	char path[320], line[ID_TEXT + 2];
	PCR_AUTOFCLOSE FILE *f = NULL;
	bool rest = false;
	u64 id;
	int r;

	*ids = (struct pcr_ids){ .name = name, .fd = -1 };
	snprintf(ids->dir, sizeof(ids->dir), "%s", runtime_dir);
	r = path_of(ids, path);
	if (r < 0)
		return r;
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	while (fgets(line, sizeof(line), f)) {
		bool whole = strchr(line, '\n');

		ids->lines++;
		/* What is cut, or the rest of what is too long, is none of ours. */
		if (whole && !rest && !pcr_parse_u64(line, strcspn(line, "\n"), &id))
			each(data, id);
		rest = !whole;
	}
	return 0;
}

void pcr_ids_close(struct pcr_ids *ids)
{
	if (ids->fd >= 0)
		close(ids->fd);
	ids->fd = -1;
}

int pcr_ids_add(struct pcr_ids *ids, u64 id)
{
	char path[320], line[ID_TEXT];
	int n = snprintf(line, sizeof(line), "%llu\n", (unsigned long long)id);
	int r = path_of(ids, path);

	if (r < 0)
		return r;
	if (ids->fd < 0)
		ids->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (ids->fd < 0)
		return -errno;
	r = pcr_write_all(ids->fd, line, (size_t)n);
	if (r == 0)
		ids->lines++;
	return r;
}

int pcr_ids_rewrite(struct pcr_ids *ids, const u64 *id, u32 n)
{
	PCR_AUTOFREE char *text = malloc((size_t)n * ID_TEXT + 1);
	char path[320];
	size_t at = 0;
	int r = path_of(ids, path);

	if (r < 0 || !text)
		return r < 0 ? r : -ENOMEM;
	pcr_ids_close(ids);
	for (u32 i = 0; i < n; i++)
		at += (size_t)sprintf(text + at, "%llu\n", (unsigned long long)id[i]);
	if (n)
		r = pcr_replace_file(ids->dir, ids->name, text, at);
	else if (unlink(path) < 0 && errno != ENOENT)
		r = -errno;
	if (r == 0)
		ids->lines = n;
	return r;
}
