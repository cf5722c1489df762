// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/meminfo.h"

#include <errno.h>

#include "base/parse.h"
#include "sys/root.h"

#define MEMINFO_MAX 8192

int pcr_meminfo_bytes(const struct pcr_root *root, const char *key, u64 *ret_bytes)
{
	char buf[MEMINFO_MAX];
	size_t n;
	u64 kb;
	int r = pcr_slurp(root, "/proc/meminfo", buf, sizeof(buf), &n);

	if (r)
		return r;
	r = pcr_keyed_u64(buf, n, key, &kb);
	if (r)
		return r;
	if (kb > PCR_MAX / 1024)
		return -ERANGE;
	*ret_bytes = kb * 1024;
	return 0;
}
