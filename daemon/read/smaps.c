// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings and their pages; see the header. */
#include "read/smaps.h"

#include <string.h>

#include "base/parse.h"

/* Hexadecimal up to the end sign; the text goes behind it. */
static bool address(const char **text, size_t *n, char end, u64 *ret)
{
	u64 value = 0;
	size_t i;

	for (i = 0; i < *n && i <= 16; i++) {
		char c = (*text)[i];
		u64 digit;

		if (c == end && i > 0) {
			*text += i + 1;
			*n -= i + 1;
			*ret = value;
			return true;
		}
		if (c >= '0' && c <= '9')
			digit = (u64)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (u64)(c - 'a') + 10;
		else
			return false;
		value = value << 4 | digit;
	}
	return false;
}

/* "7f12a000-7f12c000 rw-p 00000000 00:00 0   [heap]" */
static bool header(const char *line, size_t n, struct pcr_vma *ret)
{
	struct pcr_vma v = { 0 };
	const char *perms, *word;
	size_t len;

	if (!address(&line, &n, '-', &v.start) || !address(&line, &n, ' ', &v.end) ||
	    v.start >= v.end || !pcr_next_word(&line, &n, &perms, &len) || len != 4)
		return false;
	/* offset, device; an inode of 0 is no file's */
	if (!pcr_next_word(&line, &n, &word, &len) || !pcr_next_word(&line, &n, &word, &len) ||
	    !pcr_next_word(&line, &n, &word, &len))
		return false;
	v.ordinary = perms[1] == 'w' && perms[3] == 'p' && len == 1 && *word == '0';
	/* The kernel's own check, where it tells of it, comes later. */
	*ret = v;
	return true;
}

/*
 * Mappings that get none whatever the settings: asked not to (nh), watched by userfaultfd,
 * no memory (io, pf, mm), hugetlb already, or a stack that grows.
 */
static bool bad_flag(const char *flag)
{
	static const char bad[][3] = { "nh", "um", "uw", "ui", "io", "pf", "mm", "ht", "gd", "sh" };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(bad); i++)
		if (memcmp(flag, bad[i], 2) == 0)
			return true;
	return false;
}

static void flags(const char *line, size_t n, struct pcr_vma *v)
{
	const char *word;
	size_t len;

	while (pcr_next_word(&line, &n, &word, &len))
		if (len == 2 && bad_flag(word))
			v->refused = true;
}

static void field(const char *line, size_t n, struct pcr_vma *v)
{
	u64 value;

	if (pcr_keyed_u64(line, n, "Anonymous", &value) == 0)
		v->anon_bytes = pcr_min_u64(value, PCR_MAX / 1024) * 1024;
	else if (pcr_keyed_u64(line, n, "AnonHugePages", &value) == 0)
		v->huge_bytes = pcr_min_u64(value, PCR_MAX / 1024) * 1024;
	else if (pcr_keyed_u64(line, n, "THPeligible", &value) == 0)
		v->refused |= value == 0;
}

bool pcr_smaps_line(struct pcr_smaps *s, const char *line, size_t n, struct pcr_vma *ret_vma)
{
	struct pcr_vma v;

	if (header(line, n, &v)) {
		s->open = true;
		s->vma = v;
		return false;
	}
	if (!s->open)
		return false;
	if (n < 8 || memcmp(line, "VmFlags:", 8)) {
		field(line, n, &s->vma);
		return false;
	}
	flags(line + 8, n - 8, &s->vma);
	s->open = false;
	*ret_vma = s->vma;
	return true;
}

bool pcr_vma_range(const struct pcr_vma *vma, const struct pcr_thp *thp, u64 *ret_from,
		   u64 *ret_to)
{
	u64 size = thp->huge_bytes;
	u64 from = pcr_add_u64(vma->start, size - 1) / size * size, to = vma->end / size * size;

	if (!vma->ordinary || vma->refused || from >= to)
		return false;
	/* All that is there is huge already. */
	if (vma->anon_bytes <= vma->huge_bytes || vma->huge_bytes >= to - from)
		return false;
	*ret_from = from;
	*ret_to = to;
	return true;
}

/* Documentation/admin-guide/mm/pagemap.rst */
#define PM_EXCLUSIVE (1ULL << 56)
#define PM_UFFD_WP (1ULL << 57)
#define PM_GUARD (1ULL << 58)
#define PM_FILE (1ULL << 61)
#define PM_SWAP (1ULL << 62)
#define PM_PRESENT (1ULL << 63)

bool pcr_range_taken(const u64 *entry, u64 n, const struct pcr_thp *thp)
{
	u64 none = 0, swap = 0, shared = 0;

	for (u64 i = 0; i < n; i++) {
		if (entry[i] & (PM_UFFD_WP | PM_GUARD | PM_FILE))
			return false;
		if (entry[i] & PM_SWAP)
			swap++;
		else if (!(entry[i] & PM_PRESENT))
			none++;
		else if (!(entry[i] & PM_EXCLUSIVE)) {
			/* Another process maps it as well, or it is the page of zeroes. */
			shared++;
			none++;
		}
	}
	return none < n && none <= thp->max_none && swap <= thp->max_swap &&
	       shared <= thp->max_shared;
}
