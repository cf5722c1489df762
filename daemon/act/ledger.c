// SPDX-License-Identifier: GPL-2.0-or-later
/* One line an entry: knob, old, ours, since, why, separated by tabs. */
#include "act/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "sys/root.h"

/* PCR_LEDGER_MAX lines of the longest kind. */
#define FILE_MAX (PCR_LEDGER_MAX * 320)

static bool cut(const char **line, size_t *n, const char **ret, size_t *ret_len)
{
	const char *tab = memchr(*line, '\t', *n);

	if (!*n)
		return false;
	*ret = *line;
	*ret_len = tab ? (size_t)(tab - *line) : *n;
	*line += *ret_len + (tab ? 1 : 0);
	*n -= *ret_len + (tab ? 1 : 0);
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

static bool parse_entry(const char *line, size_t n, struct pcr_ledger_entry *e)
{
	const char *f;
	size_t len;

	return cut(&line, &n, &f, &len) && len && *f == '/' && keep(e->knob, sizeof(e->knob), f, len) &&
	       cut(&line, &n, &f, &len) && !pcr_parse_u64(f, len, &e->old) &&
	       cut(&line, &n, &f, &len) && !pcr_parse_u64(f, len, &e->ours) &&
	       cut(&line, &n, &f, &len) && !pcr_parse_u64(f, len, &e->since) &&
	       cut(&line, &n, &f, &len) && keep(e->why, sizeof(e->why), f, len);
}

static int path_of(const struct pcr_ledger *ledger, const char *name, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s/%s", ledger->dir, name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int pcr_ledger_open(struct pcr_ledger *ledger, const char *runtime_dir, u32 *ret_damaged)
{
	struct pcr_ledger new = { 0 };
	char path[320], buf[FILE_MAX];
	const char *text = buf, *line;
	size_t n, len;
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
	if (fd >= 0) {
		r = pcr_slurp_fd(fd, buf, sizeof(buf), &n);
		if (r)
			return r < 0 ? r : -EIO;
		while (pcr_next_line(&text, &n, &line, &len)) {
			if (new.n < PCR_LEDGER_MAX && parse_entry(line, len, &new.entry[new.n]))
				new.n++;
			else
				damaged++;
		}
	}
	if (ret_damaged)
		*ret_damaged = damaged;
	*ledger = new;
	return 0;
}

static int write_all(int fd, const char *buf, size_t n)
{
	while (n) {
		ssize_t put = write(fd, buf, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		buf += put;
		n -= (size_t)put;
	}
	return 0;
}

/* A new file in the place of the old one: whole or not at all. */
static int save(const struct pcr_ledger *ledger)
{
	char path[320], temp[320], buf[FILE_MAX];
	PCR_AUTOCLOSE int fd = -1;
	size_t at = 0;
	int r;

	r = path_of(ledger, "ledger", path, sizeof(path));
	if (r == 0)
		r = path_of(ledger, "ledger.new", temp, sizeof(temp));
	if (r < 0)
		return r;
	for (u32 i = 0; i < ledger->n; i++) {
		const struct pcr_ledger_entry *e = &ledger->entry[i];

		at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%s\t%llu\t%llu\t%llu\t%s\n", e->knob,
				       (unsigned long long)e->old, (unsigned long long)e->ours,
				       (unsigned long long)e->since, e->why);
	}
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	r = write_all(fd, buf, at);
	if (r == 0 && rename(temp, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(temp);
	return r;
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

int pcr_ledger_note(struct pcr_ledger *ledger, const char *knob, u64 old, u64 ours,
		    const char *why)
{
	struct pcr_ledger before = *ledger;
	u32 i = find(ledger, knob);
	struct pcr_ledger_entry *e = &ledger->entry[i];
	int r;

	if (i == PCR_LEDGER_MAX)
		return PCR_FULL;
	if (i == ledger->n) {
		ledger->n++;
		*e = (struct pcr_ledger_entry){ .old = old, .since = (u64)time(NULL) };
		snprintf(e->knob, sizeof(e->knob), "%s", knob);
	}
	e->ours = ours;
	snprintf(e->why, sizeof(e->why), "%s", why);
	r = save(ledger);
	if (r < 0)
		*ledger = before;
	return r;
}

int pcr_ledger_drop(struct pcr_ledger *ledger, const char *knob)
{
	u32 i = find(ledger, knob);

	if (i == ledger->n)
		return 0;
	ledger->entry[i] = ledger->entry[--ledger->n];
	return save(ledger);
}

enum pcr_restore pcr_ledger_restore(struct pcr_ledger *ledger, const struct pcr_root *root,
				    const char *knob, int *ret_err)
{
	const struct pcr_ledger_entry *e = pcr_ledger_find(ledger, knob);
	enum pcr_restore result = PCR_RESTORED;
	char text[24];
	u64 now;
	int r;

	if (!e)
		return PCR_RESTORE_NOT_OURS;
	r = pcr_slurp_u64(root, knob, &now);
	if (r == PCR_NONE || (r == 0 && now != e->ours && now != e->old))
		result = PCR_RESTORE_NOT_OURS;
	if (r == 0 && now == e->ours && now != e->old) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)e->old);
		r = pcr_store(root, knob, text);
	}
	if (r != 0 && r != PCR_NONE) {
		*ret_err = r < 0 ? -r : EAGAIN;
		return PCR_RESTORE_FAILED;
	}
	r = pcr_ledger_drop(ledger, knob);
	if (r < 0) {
		*ret_err = -r;
		return PCR_RESTORE_FAILED;
	}
	return result;
}
