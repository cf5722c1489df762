// SPDX-License-Identifier: GPL-2.0-or-later
/* "  unit_size           :       655360", in sections; see the header. */
#include "read/percpu_stats.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

struct field {
	const char *key;
	size_t offset;
};

#define STAT(key) { #key, offsetof(struct pcr_percpu_stats, key) }
static const struct field stat_fields[] = {
	STAT(unit_size), STAT(static_size), STAT(reserved_size), STAT(dyn_size), STAT(atom_size),
	STAT(alloc_size), STAT(nr_alloc), STAT(nr_dealloc), STAT(nr_cur_alloc), STAT(nr_max_alloc),
	STAT(nr_chunks), STAT(nr_max_chunks), STAT(min_alloc_size), STAT(max_alloc_size),
	STAT(empty_pop_pages), { 0 },
};

#define CHUNK(key) { #key, offsetof(struct pcr_percpu_chunk, key) }
static const struct field chunk_fields[] = {
	CHUNK(nr_alloc), CHUNK(max_alloc_size), CHUNK(empty_pop_pages), CHUNK(first_bit),
	CHUNK(free_bytes), CHUNK(contig_bytes), CHUNK(sum_frag), CHUNK(max_frag),
	CHUNK(cur_min_alloc), CHUNK(cur_med_alloc), CHUNK(cur_max_alloc), CHUNK(memcg_aware), { 0 },
};

static void all_absent(void *to, const struct field *fields)
{
	for (; fields->key; fields++)
		*(u64 *)((char *)to + fields->offset) = PCR_ABSENT;
}

static bool starts(const char *line, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(line, with, len);
}

static bool ends(const char *line, size_t n, const char *with)
{
	size_t len = strlen(with);

	return n >= len && !memcmp(line + n - len, with, len);
}

/* "Chunk:", "Chunk: <- First Chunk", "Chunk (sidelined):" */
static enum pcr_chunk_kind kind_of(const char *line, size_t n)
{
	if (ends(line, n, "First Chunk"))
		return PCR_CHUNK_FIRST;
	if (ends(line, n, "Reserved Chunk"))
		return PCR_CHUNK_RESERVED;
	if (starts(line, n, "Chunk (to_depopulate)"))
		return PCR_CHUNK_TO_DEPOPULATE;
	if (starts(line, n, "Chunk (sidelined)"))
		return PCR_CHUNK_SIDELINED;
	return PCR_CHUNK_PLAIN;
}

/* "key : number" into the field of that key; a line of another shape is passed over. */
static int take(const char *line, size_t n, void *to, const struct field *fields)
{
	const char *key, *word;
	size_t key_len, len;

	if (!pcr_next_word(&line, &n, &key, &key_len))
		return 0;
	while (fields->key && (strlen(fields->key) != key_len || memcmp(fields->key, key, key_len)))
		fields++;
	if (!fields->key)
		return 0;
	if (!pcr_next_word(&line, &n, &word, &len) || len != 1 || *word != ':' ||
	    !pcr_next_word(&line, &n, &word, &len))
		return -EINVAL;
	return pcr_parse_u64(word, len, (u64 *)((char *)to + fields->offset)) ? -EINVAL : 0;
}

int pcr_percpu_stats_parse(const char *text, size_t n, struct pcr_percpu_stats *ret_stats,
			   struct pcr_percpu_chunk *chunk, u32 max)
{
	struct pcr_percpu_stats s = { 0 };
	struct pcr_percpu_chunk now;
	const char *line;
	size_t len;

	if (!pcr_next_line(&text, &n, &line, &len) ||
	    !starts(line, len, "Percpu Memory Statistics"))
		return -EINVAL;
	all_absent(&s, stat_fields);
	while (pcr_next_line(&text, &n, &line, &len)) {
		int r;

		if (starts(line, len, "Chunk")) {
			all_absent(&now, chunk_fields);
			now.kind = kind_of(line, len);
			s.listed++;
			r = 0;
		} else if (s.listed) {
			r = take(line, len, &now, chunk_fields);
		} else {
			r = take(line, len, &s, stat_fields);
		}
		if (r < 0)
			return r;
		if (s.listed && s.listed <= max)
			chunk[s.listed - 1] = now;
	}
	if (!pcr_has(s.nr_chunks))
		return -EINVAL;
	*ret_stats = s;
	return 0;
}
