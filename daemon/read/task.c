// SPDX-License-Identifier: GPL-2.0-or-later
/* One process' files, and those of the machine that huge pages depend on. */
#include "read/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "pcr/knobs.h"
#include "sys/root.h"
#include "sys/task.h"

#define MIB (1ULL << 20)

/* The i-th of the words that follow, 0-based; the text goes behind it. */
static bool nth(const char **text, size_t *n, u32 i, u64 *ret)
{
	const char *word;
	size_t len;

	do {
		if (!pcr_next_word(text, n, &word, &len))
			return false;
	} while (i--);
	return pcr_parse_u64(word, len, ret) == 0;
}

int pcr_task_stat_parse(const char *text, size_t n, struct pcr_task_sample *s)
{
	const char *open = memchr(text, '(', n);
	const char *close = memrchr(text, ')', n);
	u64 user, system, start;
	size_t len;

	if (!open || !close || close < open)
		return -EINVAL;
	len = (size_t)(close - open) - 1;
	n -= (size_t)(close + 1 - text);
	text = close + 1;
	/* "state ppid ...": utime is the 12th from here, stime follows; starttime is the 20th. */
	if (!nth(&text, &n, 11, &user) || !nth(&text, &n, 0, &system) || !nth(&text, &n, 6, &start))
		return -EINVAL;
	if (len >= sizeof(s->comm))
		len = sizeof(s->comm) - 1;
	memcpy(s->comm, open + 1, len);
	s->comm[len] = '\0';
	s->cpu_ticks = pcr_add_u64(user, system);
	s->start_ticks = start;
	return 0;
}

int pcr_task_statm_parse(const char *text, size_t n, u64 *ret_pages)
{
	u64 resident, shared;

	/* "size resident shared ..." */
	if (!nth(&text, &n, 1, &resident) || !nth(&text, &n, 0, &shared))
		return -EINVAL;
	*ret_pages = pcr_sub_u64(resident, shared);
	return 0;
}

static int keyed_kb(const char *text, size_t n, const char *key, u64 *ret_bytes)
{
	u64 kb;
	int r = pcr_keyed_u64(text, n, key, &kb);

	if (r || kb > PCR_MAX / 1024)
		return -EINVAL;
	*ret_bytes = kb * 1024;
	return 0;
}

int pcr_task_rollup_parse(const char *text, size_t n, u64 *ret_anon, u64 *ret_huge)
{
	u64 anon, huge;

	if (keyed_kb(text, n, "Anonymous", &anon) || keyed_kb(text, n, "AnonHugePages", &huge))
		return -EINVAL;
	*ret_anon = anon;
	*ret_huge = huge;
	return 0;
}

int pcr_collapse_stat_parse(const char *text, size_t n, struct pcr_collapse_stat *ret)
{
	struct pcr_collapse_stat s = { 0 };

	if (pcr_keyed_u64(text, n, "scanned", &s.scanned) ||
	    pcr_keyed_u64(text, n, "collapsed", &s.collapsed) ||
	    pcr_keyed_u64(text, n, "full_scans", &s.full_scans))
		return -EINVAL;
	/* What the others count may be missing one day; these decide. */
	(void)pcr_keyed_u64(text, n, "alloc_failed", &s.alloc_failed);
	(void)pcr_keyed_u64(text, n, "skipped_busy", &s.skipped_busy);
	(void)pcr_keyed_u64(text, n, "pending", &s.pending);
	*ret = s;
	return 0;
}

/* "Node 0, zone   Normal   312   105 ...": one count an order. */
static u64 blocks(const char *line, size_t n, u32 order)
{
	u64 sum = 0, count;
	const char *word;
	size_t len;

	for (u32 i = 0; i < 4; i++)
		if (!pcr_next_word(&line, &n, &word, &len))
			return 0;
	for (u32 i = 0; pcr_next_word(&line, &n, &word, &len); i++) {
		if (pcr_parse_u64(word, len, &count) < 0)
			return 0;
		if (i >= order && i - order < 32 && count <= UINT32_MAX)
			sum = pcr_add_u64(sum, count << (i - order));
	}
	return sum;
}

int pcr_buddy_parse(const char *text, size_t n, u32 order, u64 *ret_blocks)
{
	const char *line;
	size_t len;
	u64 sum = 0;
	u32 zones = 0;

	for (; pcr_next_line(&text, &n, &line, &len); zones++) {
		if (len < 5 || memcmp(line, "Node ", 5))
			return -EINVAL;
		sum = pcr_add_u64(sum, blocks(line, len, order));
	}
	if (!zones)
		return -EINVAL;
	*ret_blocks = pcr_min_u64(sum, PCR_MAX);
	return 0;
}

static int look_huge(int dirfd, struct pcr_task_sample *s)
{
	char buf[4096];
	size_t n;
	int r = pcr_task_slurp(dirfd, "smaps_rollup", buf, sizeof(buf), &n);

	/* The process was there a moment ago: it has no memory to tell of. */
	if (r == PCR_GONE || (r == 0 && n == 0))
		return PCR_NONE;
	return r ? r : pcr_task_rollup_parse(buf, n, &s->anon_bytes, &s->huge_bytes);
}

static int look_size(int dirfd, u64 page_bytes, struct pcr_task_sample *s)
{
	char buf[256];
	size_t n;
	u64 pages;
	int r = pcr_task_slurp(dirfd, "statm", buf, sizeof(buf), &n);

	if (r == 0)
		r = pcr_task_statm_parse(buf, n, &pages);
	if (r == 0)
		s->anon_bytes = pages > PCR_MAX / page_bytes ? PCR_MAX : pages * page_bytes;
	return r;
}

int pcr_task_look(int dirfd, enum pcr_depth depth, u64 page_bytes, struct pcr_task_sample *ret)
{
	struct pcr_task_sample s = { .anon_bytes = PCR_ABSENT, .huge_bytes = PCR_ABSENT };
	u64 hz = (u64)sysconf(_SC_CLK_TCK);
	char buf[1024];
	size_t n;
	int r = pcr_task_slurp(dirfd, "stat", buf, sizeof(buf), &n);

	if (r == 0)
		r = pcr_task_stat_parse(buf, n, &s);
	if (r == 0 && depth == PCR_LOOK_HUGE)
		r = look_huge(dirfd, &s);
	else if (r == 0 && depth == PCR_LOOK_SIZE)
		r = look_size(dirfd, page_bytes, &s);
	if (r)
		return r;
	s.age_usec = pcr_sub_u64(pcr_boot_usec() / PCR_SEC, s.start_ticks / hz) * PCR_SEC;
	*ret = s;
	return 0;
}

int pcr_task_collapse_stat(int dirfd, struct pcr_collapse_stat *ret)
{
	char buf[1024];
	size_t n;
	int r = pcr_task_slurp(dirfd, "thp_collapse_stat", buf, sizeof(buf), &n);

	return r ? r : pcr_collapse_stat_parse(buf, n, ret);
}

/* --- the machine --- */

/* "always [madvise] never" */
static bool chosen(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at && at > text && at[-1] == '[' && at[strlen(word)] == ']';
}

int pcr_read_thp(const struct pcr_root *root, struct pcr_thp *ret_thp)
{
	struct pcr_thp t = { .page_bytes = (u64)sysconf(_SC_PAGESIZE) };
	char buf[128];
	size_t n;
	int r = pcr_slurp(root, PCR_THP_DIR "enabled", buf, sizeof(buf), &n);

	if (r)
		return r;
	t.never = chosen(buf, "never");
	r = pcr_slurp_u64(root, PCR_THP_DIR "hpage_pmd_size", &t.huge_bytes);
	/* Hardware without them, or text that is no kernel's. */
	if (r == 0 && (t.huge_bytes < 2 * t.page_bytes || t.huge_bytes > 1024 * MIB ||
		       t.huge_bytes % t.page_bytes))
		r = PCR_NONE;
	if (r)
		return r;
	/* A limit that can't be read is none of ours to stretch. */
	if (pcr_slurp_u64(root, PCR_THP_DIR "khugepaged/max_ptes_none", &t.max_none))
		t.max_none = 0;
	if (pcr_slurp_u64(root, PCR_THP_DIR "khugepaged/max_ptes_swap", &t.max_swap))
		t.max_swap = 0;
	if (pcr_slurp_u64(root, PCR_THP_DIR "khugepaged/max_ptes_shared", &t.max_shared))
		t.max_shared = 0;
	*ret_thp = t;
	return 0;
}

/* Some lines of 200 bytes a node. */
#define BUDDY_MAX (64u << 10)
/* The largest block that every kernel's allocator keeps. */
#define BUDDY_ORDER_MAX 10

int pcr_read_free_huge(const struct pcr_root *root, const struct pcr_thp *thp, u64 *ret_blocks)
{
	PCR_AUTOFREE char *buf = malloc(BUDDY_MAX);
	u32 order = 0;
	size_t n;
	int r;

	while (thp->page_bytes << order < thp->huge_bytes)
		order++;
	if (order > BUDDY_ORDER_MAX)
		return PCR_NONE;
	r = buf ? pcr_slurp(root, "/proc/buddyinfo", buf, BUDDY_MAX, &n) : -ENOMEM;
	return r ? r : pcr_buddy_parse(buf, n, order, ret_blocks);
}
