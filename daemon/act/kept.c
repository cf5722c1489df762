// SPDX-License-Identifier: GPL-2.0-or-later
/* One line an entry: knob, old and our value, separated by tabs. */
#include "act/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/replace.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "sys/root.h"

#define NAME "workers"
/* A set of 8192 CPUs takes 2303 bytes. */
#define VALUE_MAX 2560
#define FILE_MAX (PCR_KEPT_MAX * 1024)

static void clear(struct pcr_kept_entry *e)
{
	free(e->knob);
	free(e->old);
	free(e->ours);
	*e = (struct pcr_kept_entry){ 0 };
}

static u32 find(const struct pcr_kept *k, const char *knob)
{
	u32 i = 0;

	while (i < k->n && strcmp(k->entry[i].knob, knob))
		i++;
	return i;
}

const struct pcr_kept_entry *pcr_kept_find(const struct pcr_kept *k, const char *knob)
{
	u32 i = find(k, knob);

	return i < k->n ? &k->entry[i] : NULL;
}

static int save(const struct pcr_kept *k)
{
	char *text = NULL;
	size_t n = 0;
	char path[320];
	FILE *f;
	int r = pcr_file_in(k->dir, NAME, path, sizeof(path));

	if (r < 0 || !k->n)
		return r < 0 || unlink(path) == 0 || errno == ENOENT ? r : -errno;
	f = open_memstream(&text, &n);
	if (!f)
		return -ENOMEM;
	for (u32 i = 0; i < k->n; i++)
		fprintf(f, "%s\t%s\t%s\n", k->entry[i].knob, k->entry[i].old, k->entry[i].ours);
	r = fclose(f) ? -ENOMEM : pcr_replace_file(k->dir, NAME, text, n);
	free(text);
	return r;
}

static bool parse_entry(const char *line, size_t n, struct pcr_kept_entry *ret)
{
	const char *first = memchr(line, '\t', n);
	const char *second = first ? memchr(first + 1, '\t', n - (size_t)(first + 1 - line)) : NULL;

	if (*line != '/' || !second)
		return false;
	ret->knob = strndup(line, (size_t)(first - line));
	ret->old = strndup(first + 1, (size_t)(second - first - 1));
	ret->ours = strndup(second + 1, n - (size_t)(second + 1 - line));
	if (ret->knob && ret->old && ret->ours)
		return true;
	clear(ret);
	return false;
}

int pcr_kept_open(struct pcr_kept *k, const char *runtime_dir)
{
	char path[320];
	PCR_AUTOFREE char *buf = malloc(FILE_MAX);
	PCR_AUTOCLOSE int fd = -1;
	const char *text = buf, *line;
	size_t n = 0, len;
	int r = pcr_file_in(runtime_dir, NAME, path, sizeof(path));

	*k = (struct pcr_kept){ 0 };
	if (r < 0 || !buf)
		return r < 0 ? r : -ENOMEM;
	snprintf(k->dir, sizeof(k->dir), "%s", runtime_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	r = pcr_slurp_fd(fd, buf, FILE_MAX, &n);
	if (r)
		return r == -EFBIG ? 0 : r < 0 ? r : -EIO;
	while (k->n < PCR_KEPT_MAX && pcr_next_line(&text, &n, &line, &len)) {
		struct pcr_kept_entry e = { 0 };

		if (len && parse_entry(line, len, &e))
			k->entry[k->n++] = e;
	}
	return 0;
}

void pcr_kept_close(struct pcr_kept *k)
{
	for (u32 i = 0; i < k->n; i++)
		clear(&k->entry[i]);
	k->n = 0;
}

/* "0000000f" is "f", and "00000000,0000000f" too. */
static bool same(const char *a, const char *b)
{
	return !strcmp(a + strspn(a, "0,"), b + strspn(b, "0,"));
}

static int read_now(const struct pcr_root *root, const char *knob, char buf[static VALUE_MAX])
{
	size_t n;
	int r = pcr_slurp(root, knob, buf, VALUE_MAX, &n);

	if (r)
		return r;
	buf[strcspn(buf, "\n")] = '\0';
	/* Nothing is no value, and could not be put back. */
	return !*buf || strchr(buf, '\t') ? -EINVAL : 0;
}

static int write_now(const struct pcr_root *root, const char *knob, const char *value)
{
	int r = pcr_store(root, knob, value);

	return r == PCR_PART ? -EAGAIN : r;
}

/* On disk before the write: a death in between leaves what was found, or ours. */
static int note(struct pcr_kept *k, const char *knob, const char *old, const char *ours)
{
	struct pcr_kept_entry *e = &k->entry[k->n];
	int r;

	if (k->n == PCR_KEPT_MAX)
		return PCR_FULL;
	*e = (struct pcr_kept_entry){ strdup(knob), strdup(old), strdup(ours) };
	r = -ENOMEM;
	if (e->knob && e->old && e->ours) {
		k->n++;
		r = save(k);
		k->n -= r < 0;
	}
	if (r < 0)
		clear(e);
	return r;
}

static int drop(struct pcr_kept *k, u32 i)
{
	clear(&k->entry[i]);
	k->entry[i] = k->entry[--k->n];
	k->entry[k->n] = (struct pcr_kept_entry){ 0 };
	return save(k);
}

int pcr_kept_restore(struct pcr_kept *k, const struct pcr_root *root, const char *knob)
{
	char now[VALUE_MAX];
	u32 i = find(k, knob);
	int r;

	if (i == k->n)
		return 0;
	r = read_now(root, knob, now);
	if (r < 0)
		return r;
	if (r == PCR_NONE || (!same(now, k->entry[i].ours) && !same(now, k->entry[i].old))) {
		drop(k, i);
		return r == PCR_NONE ? 0 : PCR_KEPT_FOREIGN;
	}
	if (!same(now, k->entry[i].old))
		r = write_now(root, knob, k->entry[i].old);
	return r ? (r < 0 ? r : -EIO) : drop(k, i);
}

/* As the kernel writes it, or as far as it goes: ours all the same. */
static int note_shown(struct pcr_kept *k, const char *now)
{
	struct pcr_kept_entry *e = &k->entry[k->n - 1];
	char *text = strdup(now);

	if (!text)
		return -ENOMEM;
	free(e->ours);
	e->ours = text;
	return save(k);
}

/* Nothing of ours stands there now. */
static int set_new(struct pcr_kept *k, const struct pcr_root *root, const char *knob,
		   const char *old, const char *value)
{
	char now[VALUE_MAX];
	int r = note(k, knob, old, value);

	if (r)
		return r;
	r = write_now(root, knob, value);
	if (r) {
		(void)drop(k, find(k, knob));
		return r;
	}
	/* Can't be read: it is taken for ours, and the note stays. */
	r = read_now(root, knob, now);
	if (r)
		return r;
	if (same(now, old)) {
		(void)drop(k, find(k, knob));
		return -ERANGE;
	}
	return same(now, value) ? 0 : note_shown(k, now);
}

int pcr_kept_set(struct pcr_kept *k, const struct pcr_root *root, const char *knob,
		 const char *value)
{
	const struct pcr_kept_entry *e = pcr_kept_find(k, knob);
	char now[VALUE_MAX];
	int r = read_now(root, knob, now);

	if (r)
		return r;
	if (e && !same(now, e->ours) && !same(now, e->old))
		return PCR_KEPT_FOREIGN;
	if (same(now, value))
		return 0;
	if (e) {
		/* By way of what was found, which is nobody else's whenever we die. */
		r = pcr_kept_restore(k, root, knob);
		if (r == 0)
			r = read_now(root, knob, now);
		if (r)
			return r;
		if (same(now, value))
			return 0;
	}
	return set_new(k, root, knob, now, value);
}

int pcr_kept_again(const struct pcr_kept *k)
{
	char path[320];
	int r = pcr_file_in(k->dir, NAME, path, sizeof(path));

	return r < 0 || !k->n || access(path, F_OK) == 0 ? r : save(k);
}
