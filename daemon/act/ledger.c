// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One line an entry: knob, old, ours, since, why, separated by tabs; while one value
 * of ours takes the place of another, that other one as well.
 */
#include "act/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "act/replace.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "sys/root.h"

/* PCR_LEDGER_MAX lines of the longest kind. */
#define FILE_MAX (PCR_LEDGER_MAX * 320)

/* The next field; an empty one is one as long as a tab or the line's end makes it so. */
static bool cut(const char **line, size_t *n, const char **ret, size_t *ret_len)
{
	const char *tab;

	if (!*line)
		return false;
	tab = memchr(*line, '\t', *n);
	*ret = *line;
	*ret_len = tab ? (size_t)(tab - *line) : *n;
	*n -= *ret_len + (tab ? 1 : 0);
	*line = tab ? tab + 1 : NULL;
	return true;
}

static bool keep(char *to, size_t size, const char *from, size_t n)
{
	if (n >= size)
		return false;
	memcpy(to, from, n);
	to[n] = '\0';
	return true;
}

static bool number(const char **line, size_t *n, u64 *ret)
{
	const char *f;
	size_t len;

	return cut(line, n, &f, &len) && !pcr_parse_u64(f, len, ret);
}

static bool parse_entry(const char *line, size_t n, struct pcr_ledger_entry *ret)
{
	struct pcr_ledger_entry e = { .before = PCR_ABSENT };
	const char *f;
	size_t len;

	if (!cut(&line, &n, &f, &len) || !len || *f != '/' ||
	    !keep(e.knob, sizeof(e.knob), f, len) || !number(&line, &n, &e.old) ||
	    !number(&line, &n, &e.ours) || !number(&line, &n, &e.since) ||
	    !cut(&line, &n, &f, &len) || !keep(e.why, sizeof(e.why), f, len))
		return false;
	if (line && !number(&line, &n, &e.before))
		return false;
	*ret = e;
	return true;
}

/* Index of the entry, ledger->n when there is none. */
static u32 find(const struct pcr_ledger *ledger, const char *knob)
{
	u32 i = 0;

	while (i < ledger->n && strcmp(ledger->entry[i].knob, knob))
		i++;
	return i;
}

const struct pcr_ledger_entry *pcr_ledger_find(const struct pcr_ledger *ledger, const char *knob)
{
	u32 i = find(ledger, knob);

	return i < ledger->n ? &ledger->entry[i] : NULL;
}

static int path_of(const struct pcr_ledger *ledger, const char *name, char *buf, size_t size)
{
	return pcr_file_in(ledger->dir, name, buf, size);
}

int pcr_ledger_open(struct pcr_ledger *ledger, const char *runtime_dir, u32 *ret_damaged)
{
	struct pcr_ledger new = { 0 };
	char path[320], temp[320], buf[FILE_MAX];
	const char *text = buf, *line;
	size_t n = 0, len;
	u32 damaged = 0;
	PCR_AUTOCLOSE int fd = -1;
	int r;

	if (!keep(new.dir, sizeof(new.dir), runtime_dir, strlen(runtime_dir)))
		return -ENAMETOOLONG;
	r = path_of(&new, "ledger", path, sizeof(path));
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno != ENOENT)
		return -errno;
	/* Of one that was killed in the middle of save(). */
	if (path_of(&new, "ledger.new", temp, sizeof(temp)) == 0)
		(void)unlink(temp);
	if (fd >= 0) {
		r = pcr_slurp_fd(fd, buf, sizeof(buf), &n);
		/* Larger than we ever write it: no reason not to start. */
		if (r == -EFBIG)
			damaged++;
		else if (r)
			return r < 0 ? r : -EIO;
		while (pcr_next_line(&text, &n, &line, &len)) {
			struct pcr_ledger_entry e;

			if (new.n < PCR_LEDGER_MAX && parse_entry(line, len, &e) &&
			    !pcr_ledger_find(&new, e.knob))
				new.entry[new.n++] = e;
			else
				damaged++;
		}
	}
	if (ret_damaged)
		*ret_damaged = damaged;
	*ledger = new;
	return 0;
}

static size_t print_entry(char *buf, size_t size, const struct pcr_ledger_entry *e)
{
	size_t n = (size_t)snprintf(buf, size, "%s\t%llu\t%llu\t%llu\t%s", e->knob,
				    (unsigned long long)e->old, (unsigned long long)e->ours,
				    (unsigned long long)e->since, e->why);

	if (pcr_has(e->before))
		n += (size_t)snprintf(buf + n, size - n, "\t%llu", (unsigned long long)e->before);
	buf[n++] = '\n';
	return n;
}

/* A new file in the place of the old one: whole or not at all. */
static int save(const struct pcr_ledger *ledger)
{
	char buf[FILE_MAX];
	size_t at = 0;

	for (u32 i = 0; i < ledger->n; i++)
		at += print_entry(buf + at, sizeof(buf) - at, &ledger->entry[i]);
	return pcr_replace_file(ledger->dir, "ledger", buf, at);
}

/* What was changed in memory is taken back when it can't be told to the file. */
static int save_or_undo(struct pcr_ledger *ledger, const struct pcr_ledger *before)
{
	int r = save(ledger);

	if (r < 0)
		*ledger = *before;
	return r;
}

static void plain(char *text)
{
	for (; *text; text++)
		if (*text == '\t' || *text == '\n')
			*text = ' ';
}

int pcr_ledger_note(struct pcr_ledger *ledger, const char *knob, u64 old, u64 ours,
		    const char *why)
{
	const struct pcr_ledger before = *ledger;
	u32 i = find(ledger, knob);
	struct pcr_ledger_entry *e = &ledger->entry[i];

	if (*knob != '/' || strlen(knob) >= sizeof(e->knob) || strpbrk(knob, "\t\n"))
		return -EINVAL;
	if (i == PCR_LEDGER_MAX)
		return PCR_FULL;
	if (i == ledger->n) {
		ledger->n++;
		*e = (struct pcr_ledger_entry){
			.old = old, .before = PCR_ABSENT, .since = (u64)time(NULL),
		};
		snprintf(e->knob, sizeof(e->knob), "%s", knob);
	} else if (e->ours != ours) {
		/* Ours stands there until the write: a death before it must not make it foreign. */
		e->before = e->ours;
	}
	e->ours = ours;
	snprintf(e->why, sizeof(e->why), "%s", why);
	plain(e->why);
	return save_or_undo(ledger, &before);
}

int pcr_ledger_settle(struct pcr_ledger *ledger, const char *knob, u64 ours)
{
	const struct pcr_ledger before = *ledger;
	u32 i = find(ledger, knob);
	struct pcr_ledger_entry *e = &ledger->entry[i];

	if (i == ledger->n || (e->ours == ours && !pcr_has(e->before)))
		return 0;
	e->ours = ours;
	e->before = PCR_ABSENT;
	return save_or_undo(ledger, &before);
}

int pcr_ledger_drop(struct pcr_ledger *ledger, const char *knob)
{
	const struct pcr_ledger before = *ledger;
	u32 i = find(ledger, knob);

	if (i == ledger->n)
		return 0;
	ledger->entry[i] = ledger->entry[--ledger->n];
	return save_or_undo(ledger, &before);
}

/* Writes the old value and looks whether it took; 0, PCR_NONE, -errno. */
static int put_back(const struct pcr_root *root, const struct pcr_ledger_entry *e)
{
	char text[24];
	u64 now;
	int r;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)e->old);
	r = pcr_store(root, e->knob, text);
	if (r)
		return r == PCR_PART ? -EAGAIN : r;
	r = pcr_slurp_u64(root, e->knob, &now);
	return r == 0 && now != e->old ? -ERANGE : r;
}

enum pcr_restore pcr_ledger_restore(struct pcr_ledger *ledger, const struct pcr_root *root,
				    const char *knob, int *ret_err)
{
	const struct pcr_ledger_entry *e = pcr_ledger_find(ledger, knob);
	enum pcr_restore result = PCR_RESTORED;
	u64 now;
	int r;

	if (!e)
		return PCR_RESTORE_NOT_OURS;
	r = pcr_slurp_u64(root, knob, &now);
	if (r == PCR_NONE || (r == 0 && now != e->old && !pcr_ledger_owns(e, now)))
		result = PCR_RESTORE_NOT_OURS;
	else if (r == 0 && now != e->old)
		r = put_back(root, e);
	if (r < 0) {
		*ret_err = -r;
		return PCR_RESTORE_FAILED;
	}
	r = pcr_ledger_drop(ledger, knob);
	if (r < 0) {
		*ret_err = -r;
		return PCR_RESTORE_UNTOLD;
	}
	return result;
}

int pcr_ledger_again(const struct pcr_ledger *ledger)
{
	char path[320];
	int r = path_of(ledger, "ledger", path, sizeof(path));

	if (r < 0 || ledger->n == 0 || access(path, F_OK) == 0)
		return r;
	return save(ledger);
}

int pcr_ledger_end(struct pcr_ledger *ledger)
{
	char path[320];
	int r = path_of(ledger, "ledger", path, sizeof(path));

	if (r == 0 && unlink(path) < 0 && errno != ENOENT)
		r = -errno;
	if (r == 0)
		ledger->n = 0;
	return r;
}
