// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/percpu_stats.c against the public dumps in tests/data/percpu_stats. */
#include "unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "read/percpu_stats.h"
#include "sys/root.h"

#define CHUNKS 16

static struct pcr_percpu_stats stats;
static struct pcr_percpu_chunk chunk[CHUNKS];
static char text[16384];
static size_t length;

static void load(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "tests/data/percpu_stats/power9-5.12-rc6-%s.txt", name);
	fd = open(path, O_RDONLY);
	ck_assert_msg(fd >= 0, "%s: run from the top of the tree", path);
	ck_assert_int_eq(pcr_slurp_fd(fd, text, sizeof(text), &length), 0);
	close(fd);
}

static int parse(const char *what, size_t n)
{
	return pcr_percpu_stats_parse(what, n, &stats, chunk, CHUNKS);
}

static u64 listed_empty_pages(void)
{
	u64 sum = 0;

	for (u32 i = 0; i < stats.listed; i++)
		sum += chunk[i].empty_pop_pages;
	return sum;
}

START_TEST(recorded_dumps)
{
	static const struct {
		const char *name;
		u64 nr_alloc, nr_dealloc, cur, chunks, max_chunks, empty;
		u32 listed;
	} cases[] = {
		{ "vanilla-before", 9038, 6992, 2046, 3, 3, 5, 3 },
		{ "vanilla-after", 97046, 94237, 2809, 11, 47, 29, 11 },
		{ "patched-before", 9040, 6994, 2046, 3, 3, 12, 3 },
		/* 43 of 48 chunks are not listed: the list is not the whole */
		{ "patched-after", 97048, 95002, 2046, 48, 48, 61, 5 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		load(cases[i].name);
		ck_assert_int_eq(parse(text, length), 0);
		ck_assert_uint_eq(stats.unit_size, 655360);
		ck_assert_uint_eq(stats.static_size, 608920);
		ck_assert_uint_eq(stats.reserved_size, 0);
		ck_assert_uint_eq(stats.dyn_size, 46440);
		ck_assert_uint_eq(stats.atom_size, 65536);
		ck_assert_uint_eq(stats.alloc_size, 655360);
		ck_assert_uint_eq(stats.nr_alloc, cases[i].nr_alloc);
		ck_assert_uint_eq(stats.nr_dealloc, cases[i].nr_dealloc);
		ck_assert_uint_eq(stats.nr_cur_alloc, cases[i].cur);
		ck_assert_uint_eq(stats.nr_alloc - stats.nr_dealloc, stats.nr_cur_alloc);
		ck_assert_uint_eq(stats.nr_chunks, cases[i].chunks);
		ck_assert_uint_eq(stats.nr_max_chunks, cases[i].max_chunks);
		ck_assert_uint_eq(stats.empty_pop_pages, cases[i].empty);
		ck_assert_uint_eq(stats.listed, cases[i].listed);
		ck_assert_uint_le(listed_empty_pages(), stats.empty_pop_pages);
		ck_assert_int_eq(chunk[0].kind, PCR_CHUNK_FIRST);
		for (u32 c = 1; c < stats.listed; c++)
			ck_assert_int_eq(chunk[c].kind, PCR_CHUNK_PLAIN);
	}
}
END_TEST

START_TEST(one_chunk_whole)
{
	load("vanilla-after");
	ck_assert_int_eq(parse(text, length), 0);
	ck_assert_uint_eq(chunk[2].nr_alloc, 90);
	ck_assert_uint_eq(chunk[2].max_alloc_size, 1072);
	ck_assert_uint_eq(chunk[2].empty_pop_pages, 0);
	ck_assert_uint_eq(chunk[2].first_bit, 536);
	ck_assert_uint_eq(chunk[2].free_bytes, 595752);
	ck_assert_uint_eq(chunk[2].contig_bytes, 26164);
	ck_assert_uint_eq(chunk[2].sum_frag, 575132);
	ck_assert_uint_eq(chunk[1].memcg_aware, 0);
	ck_assert_uint_eq(chunk[2].memcg_aware, 1);
}
END_TEST

/* Every cut of a real dump is either read or refused; none reads past its end. */
START_TEST(cut_anywhere)
{
	load("patched-before");
	for (size_t n = 0; n < length; n++) {
		char *copy = malloc(n + 1);

		memcpy(copy, text, n);
		ck_assert(parse(copy, n) == 0 || parse(copy, n) == -EINVAL);
		free(copy);
	}
}
END_TEST

#define HEAD "Percpu Memory Statistics\nGlobal Stats:\n  nr_chunks           :           48\n"

START_TEST(odd_texts)
{
	static const struct {
		const char *text;
		int r;
		u32 listed;
	} cases[] = {
		{ "", -EINVAL, 0 },
		{ "\n", -EINVAL, 0 },
		{ "Percpu Memory Statistics\n", -EINVAL, 0 },
		{ HEAD, 0, 0 },
		{ HEAD "  a_new_line : what?\n", 0, 0 },
		{ HEAD "  nr_alloc : -1\n", -EINVAL, 0 },
		{ HEAD "  nr_alloc\n", -EINVAL, 0 },
		{ HEAD "  nr_alloc :\n", -EINVAL, 0 },
		{ HEAD "  nr_alloc : 99999999999999999999\n", -EINVAL, 0 },
		{ HEAD "Chunk:\n", 0, 1 },
		{ HEAD "Chunk:\n  nr_alloc : x\n", -EINVAL, 0 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		stats.listed = 77;
		ck_assert_msg(parse(cases[i].text, strlen(cases[i].text)) == cases[i].r, "%s",
			      cases[i].text);
		ck_assert_uint_eq(stats.listed, cases[i].r ? 77 : cases[i].listed);
	}
	/* Not printed is not 0 (systemd 36434). */
	ck_assert_int_eq(parse(HEAD "Chunk:\n", strlen(HEAD) + 7), 0);
	ck_assert_uint_eq(stats.empty_pop_pages, PCR_ABSENT);
	ck_assert_uint_eq(chunk[0].nr_alloc, PCR_ABSENT);
}
END_TEST

START_TEST(kinds_and_more_than_there_is_room_for)
{
	static const char kinds[] = HEAD "Chunk: <- Reserved Chunk\nChunk (to_depopulate)\n"
		"Chunk (sidelined):\n  nr_alloc : 3\nChunk:\n";

	ck_assert_int_eq(parse(kinds, sizeof(kinds) - 1), 0);
	ck_assert_uint_eq(stats.listed, 4);
	ck_assert_int_eq(chunk[0].kind, PCR_CHUNK_RESERVED);
	ck_assert_int_eq(chunk[1].kind, PCR_CHUNK_TO_DEPOPULATE);
	ck_assert_int_eq(chunk[2].kind, PCR_CHUNK_SIDELINED);
	ck_assert_uint_eq(chunk[2].nr_alloc, 3);
	ck_assert_int_eq(chunk[3].kind, PCR_CHUNK_PLAIN);

	memset(chunk, 0, sizeof(chunk));
	ck_assert_int_eq(pcr_percpu_stats_parse(kinds, sizeof(kinds) - 1, &stats, chunk, 2), 0);
	ck_assert_uint_eq(stats.listed, 4);
	ck_assert_uint_eq(chunk[2].nr_alloc, 0);
	ck_assert_int_eq(pcr_percpu_stats_parse(kinds, sizeof(kinds) - 1, &stats, NULL, 0), 0);
	ck_assert_uint_eq(stats.listed, 4);
}
END_TEST

PCR_UNIT("percpu_stats", recorded_dumps, one_chunk_whole, cut_anywhere, odd_texts,
	 kinds_and_more_than_there_is_room_for)
