// SPDX-License-Identifier: GPL-2.0-or-later
/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=0" */
#include "read/psi_text.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

static bool is(const char *word, size_t len, const char *key, size_t *ret_at)
{
	size_t n = strlen(key);

	*ret_at = n;
	return len >= n && !memcmp(word, key, n);
}

static int some_line(const char *line, size_t n, struct pcr_psi *psi)
{
	const char *word;
	size_t len, at;

	while (pcr_next_word(&line, &n, &word, &len)) {
		int r = 0;

		if (is(word, len, "avg10=", &at))
			r = pcr_parse_fixed2(word + at, len - at, &psi->some_avg10_bp);
		else if (is(word, len, "total=", &at))
			r = pcr_parse_u64(word + at, len - at, &psi->some_total_usec);
		if (r < 0)
			return r;
	}
	return pcr_has(psi->some_avg10_bp) && pcr_has(psi->some_total_usec) ? 0 : -EINVAL;
}

int pcr_psi_parse(const char *text, size_t n, struct pcr_psi *ret_psi)
{
	struct pcr_psi psi = { .some_avg10_bp = PCR_ABSENT, .some_total_usec = PCR_ABSENT };
	const char *line;
	size_t len, at;
	int r;

	while (pcr_next_line(&text, &n, &line, &len)) {
		if (!is(line, len, "some ", &at))
			continue;
		r = some_line(line + at, len - at, &psi);
		if (r == 0)
			*ret_psi = psi;
		return r;
	}
	return -EINVAL;
}
