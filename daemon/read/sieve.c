// SPDX-License-Identifier: GPL-2.0-or-later
/* smaps says where to look, pagemap what is there. */
#include "read/sieve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "read/smaps.h"
#include "sys/task.h"

/* A mapping takes some 25 lines. Of one that is longer only the beginning matters. */
#define TEXT 4096

struct pcr_sieve {
	int smaps_fd;
	int pagemap_fd;
	struct pcr_thp thp;
	struct pcr_smaps smaps;
	u64 at, to;		/* what is left of the mapping; at == to: the next one */
	bool cut;		/* the rest of the line is to be dropped */
	size_t pos, n;
	char text[TEXT];
	u64 n_entries;
	u64 entry[];		/* of one range */
};

u64 pcr_sieve_at(const struct pcr_sieve *sieve)
{
	return sieve->at;
}

int pcr_sieve_open(int dirfd, const struct pcr_thp *thp, u64 from, struct pcr_sieve **ret_sieve)
{
	u64 n = thp->huge_bytes / thp->page_bytes;
	PCR_AUTOCLOSE int smaps = -1;
	PCR_AUTOCLOSE int pagemap = -1;
	struct pcr_sieve *sieve;
	int r = pcr_task_openat(dirfd, "smaps", O_RDONLY, &smaps);

	if (r == 0)
		r = pcr_task_openat(dirfd, "pagemap", O_RDONLY, &pagemap);
	if (r)
		return r;
	sieve = calloc(1, sizeof(*sieve) + n * sizeof(sieve->entry[0]));
	if (!sieve)
		return -ENOMEM;
	sieve->smaps_fd = PCR_TAKE_FD(smaps);
	sieve->pagemap_fd = PCR_TAKE_FD(pagemap);
	sieve->thp = *thp;
	sieve->n_entries = n;
	sieve->at = sieve->to = from;
	*ret_sieve = sieve;
	return 0;
}

struct pcr_sieve *pcr_sieve_close(struct pcr_sieve *sieve)
{
	if (!sieve)
		return NULL;
	close(sieve->smaps_fd);
	close(sieve->pagemap_fd);
	free(sieve);
	return NULL;
}

/* --- smaps --- */

/* More text behind what is there. 0; PCR_NONE: no more; -errno. */
static int fill(struct pcr_sieve *sieve)
{
	ssize_t got;

	memmove(sieve->text, sieve->text + sieve->pos, sieve->n - sieve->pos);
	sieve->n -= sieve->pos;
	sieve->pos = 0;
	/* In order, never again: the kernel makes the text of a mapping when it is read. */
	got = read(sieve->smaps_fd, sieve->text + sieve->n, TEXT - sieve->n);
	if (got < 0)
		return errno == ESRCH ? PCR_GONE : -errno;
	sieve->n += (size_t)got;
	return got ? 0 : PCR_NONE;
}

/* The next line, or as much of it as fits. */
static int next_line(struct pcr_sieve *sieve, const char **ret_line, size_t *ret_len)
{
	for (;;) {
		const char *from = sieve->text + sieve->pos;
		const char *end = memchr(from, '\n', sieve->n - sieve->pos);
		bool whole = sieve->pos == 0 && sieve->n == TEXT, drop = sieve->cut;
		int r;

		if (end || whole) {
			*ret_line = from;
			*ret_len = end ? (size_t)(end - from) : TEXT;
			sieve->pos += *ret_len + (end ? 1 : 0);
			sieve->cut = !end;
			if (drop)
				continue;
			return 0;
		}
		r = fill(sieve);
		if (r)
			return r;
	}
}

/* The next mapping with something to gain. 0, PCR_PART: max is reached, PCR_NONE, PCR_GONE, -errno. */
static int next_mapping(struct pcr_sieve *sieve, u64 max_bytes, u64 *scanned)
{
	u64 from = sieve->at, at, to;
	struct pcr_vma vma;
	const char *line;
	size_t len;
	int r;

	while ((r = next_line(sieve, &line, &len)) == 0) {
		if (!pcr_smaps_line(&sieve->smaps, line, len, &vma))
			continue;
		/* Looked at before. */
		if (vma.end <= from)
			continue;
		/* As khugepaged counts it. */
		*scanned += sieve->thp.page_bytes;
		if (pcr_vma_range(&vma, &sieve->thp, &at, &to) && to > from) {
			sieve->at = pcr_max_u64(at, from);
			sieve->to = to;
			return 0;
		}
		sieve->at = sieve->to = vma.end;
		if (*scanned >= max_bytes)
			return PCR_PART;
	}
	return r;
}

/* --- pagemap --- */

/* 0: taken; PCR_PART: not; PCR_GONE; -errno. */
static int look(struct pcr_sieve *sieve)
{
	size_t want = sieve->n_entries * sizeof(u64);
	ssize_t got = pread(sieve->pagemap_fd, sieve->entry, want,
			    (off_t)(sieve->at / sieve->thp.page_bytes * sizeof(u64)));

	if (got < 0)
		return errno == ESRCH ? PCR_GONE : -errno;
	/* All of its memory is gone with an exec or an exit. */
	if (got == 0)
		return PCR_GONE;
	return (size_t)got == want && pcr_range_taken(sieve->entry, sieve->n_entries, &sieve->thp) ?
		       0 : PCR_PART;
}

/* Ranges of one mapping: up to the first that is not taken behind one that is. */
static int next_run(struct pcr_sieve *sieve, u64 max_bytes, struct pcr_run *run)
{
	do {
		int r = look(sieve);

		if (r && r != PCR_PART)
			return r;
		sieve->at += sieve->thp.huge_bytes;
		run->scanned_bytes += sieve->thp.huge_bytes;
		if (r == 0 && !run->bytes)
			run->start = sieve->at - sieve->thp.huge_bytes;
		if (r == 0)
			run->bytes += sieve->thp.huge_bytes;
		else if (run->bytes)
			break;
	} while (sieve->at < sieve->to && run->scanned_bytes + sieve->thp.huge_bytes <= max_bytes);
	return 0;
}

int pcr_sieve_next(struct pcr_sieve *sieve, u64 max_bytes, struct pcr_run *ret_run)
{
	struct pcr_run run = { 0 };
	int r = sieve->at < sieve->to ? 0 : next_mapping(sieve, max_bytes, &run.scanned_bytes);

	if (r == 0)
		r = next_run(sieve, max_bytes, &run);
	else if (r == PCR_PART)
		r = 0;
	if (r && r != PCR_NONE)
		return r;
	*ret_run = run;
	return r;
}
