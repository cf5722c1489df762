// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of CPUs as sysfs writes them: words of 32 bits in hex, the highest first. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "read/batch_free.h"

#define WORD 32

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Up to eight digits. */
static int parse_word(const char *text, size_t n, u64 *ret)
{
	u64 v = 0;

	if (!n || n > WORD / 4)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (digit(text[i]) < 0)
			return -EINVAL;
		v = v << 4 | (u64)digit(text[i]);
	}
	*ret = v;
	return 0;
}

int pcr_cpumask_parse(const char *text, size_t n, struct pcr_cpus *ret_cpus)
{
	struct pcr_cpus cpus = { 0 };
	u32 shift = 0;
	u64 word;

	if (n && text[n - 1] == '\n')
		n--;
	/* From the end, where the lowest are. */
	for (;; shift += WORD) {
		size_t from = n;

		while (from && text[from - 1] != ',')
			from--;
		if (parse_word(text + from, n - from, &word))
			return -EINVAL;
		if (shift < PCR_CPUS_MAX)
			cpus.bit[shift / 64] |= word << (shift % 64);
		if (!from)
			break;
		n = from - 1;
	}
	cpus.any = pcr_cpus_count(&cpus);
	*ret_cpus = cpus;
	return 0;
}

const char *pcr_cpumask_text(const struct pcr_cpus *cpus, char buf[static PCR_CPUMASK_TEXT])
{
	size_t at = 0;

	buf[0] = '\0';
	for (u32 i = PCR_CPUS_MAX / WORD; i-- > 0;) {
		u32 word = (u32)(cpus->bit[i / 2] >> (i % 2 * WORD));

		/* Leading words of nothing would be for CPUs that may be none. */
		if (word || at || !i)
			at += (size_t)snprintf(buf + at, PCR_CPUMASK_TEXT - at,
					       at ? ",%08x" : "%x", word);
	}
	return buf;
}

u64 pcr_cpus_count(const struct pcr_cpus *cpus)
{
	u64 n = 0;

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cpus->bit); i++)
		n += (u64)__builtin_popcountll(cpus->bit[i]);
	return n;
}

struct pcr_cpus pcr_cpus_both(const struct pcr_cpus *a, const struct pcr_cpus *b)
{
	struct pcr_cpus both = { 0 };

	for (size_t i = 0; i < PCR_ARRAY_SIZE(both.bit); i++)
		both.bit[i] = a->bit[i] & b->bit[i];
	both.any = pcr_cpus_count(&both);
	return both;
}
