// SPDX-License-Identifier: GPL-2.0-or-later
/* Edit distance with neighbours swapped as one slip, over words of bounded length. */
#include "base/suggest.h"

#include <string.h>

/* Longer words get no suggestion; it also bounds the three rows on the stack. */
#define WORD_MAX 48

/* Costs: a slip of the finger is 2, a wrong case is only 1. */
#define SLIP 2

static unsigned char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static u32 swap_cost(char a, char b)
{
	if (a == b)
		return 0;
	return lower(a) == lower(b) ? 1 : SLIP;
}

static u32 min3(u32 a, u32 b, u32 c)
{
	u32 m = a < b ? a : b;

	return m < c ? m : c;
}

static u32 distance(const char *a, size_t na, const char *b, size_t nb)
{
	u32 row[3][WORD_MAX + 1];
	u32 *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = (u32)j * SLIP;
	for (size_t i = 1; i <= na; i++) {
		u32 *tmp;

		now[0] = (u32)i * SLIP;
		for (size_t j = 1; j <= nb; j++) {
			now[j] = min3(last[j] + SLIP, now[j - 1] + SLIP,
				      last[j - 1] + swap_cost(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]) && now[j] > before[j - 2] + SLIP)
				now[j] = before[j - 2] + SLIP;
		}
		tmp = before;
		before = last;
		last = now;
		now = tmp;
	}
	return last[nb];
}

/* A third of the letters may be wrong; of a word in the wrong case, all. */
const char *pcr_suggest(const char *word, const char *const *candidates, size_t n)
{
	size_t len = strlen(word);
	const char *best = NULL;
	u32 best_cost = 0;

	if (len == 0 || len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t clen = strlen(candidates[i]);
		u32 cost, limit = SLIP * (u32)(clen / 3 > 1 ? clen / 3 : 1);

		if (clen > WORD_MAX)
			continue;
		cost = strcasecmp(word, candidates[i]) == 0 ?
			(strcmp(word, candidates[i]) != 0) :
			distance(word, len, candidates[i], clen);
		/* "x" is no slip for "y": something must be right. */
		if (cost > limit || cost >= SLIP * (u32)(len > clen ? len : clen))
			continue;
		if (!best || cost < best_cost) {
			best = candidates[i];
			best_cost = cost;
		}
	}
	return best;
}
