// SPDX-License-Identifier: GPL-2.0-or-later
/* Machine-wide figures, read and parsed. */
#include "read/machine.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/parse.h"
#include "pcr/knobs.h"
#include "sys/meminfo.h"
#include "sys/root.h"

int pcr_read_swap_free(const struct pcr_root *root, u64 *ret_bytes)
{
	return pcr_meminfo_bytes(root, "SwapFree", ret_bytes);
}

int pcr_read_memory(const struct pcr_root *root, u64 *ret_bytes)
{
	return pcr_meminfo_bytes(root, "MemTotal", ret_bytes);
}

/* One number a file; PCR_ABSENT where this kernel has no such file. */
static u64 counter(const struct pcr_root *root, const char *name)
{
	char path[96];
	u64 value;

	snprintf(path, sizeof(path), PCR_PERCPU_DIR "%s", name);
	return pcr_slurp_u64(root, path, &value) ? PCR_ABSENT : value;
}

int pcr_read_percpu(const struct pcr_root *root, struct pcr_percpu_sample *ret_sample)
{
	struct pcr_percpu_sample s = { .percpu_bytes = PCR_ABSENT };
	int r = pcr_meminfo_bytes(root, "Percpu", &s.percpu_bytes);

	if (r < 0)
		return r;
	s.page_bytes = (u64)sysconf(_SC_PAGESIZE);
	s.nr_units = counter(root, "nr_units");
	s.populated_pages = counter(root, "populated_pages");
	s.empty_pages = counter(root, "empty_pages");
	s.isolated_empty_pages = counter(root, "isolated_empty_pages");
	s.empty_pages_low = counter(root, "empty_pages_low");
	s.empty_pages_high = counter(root, "empty_pages_high");
	s.reclaim_min_percent = counter(root, "reclaim_min_percent");
	s.metadata_bytes = counter(root, "metadata_bytes");
	s.depopulated_pages = counter(root, "depopulated_pages");
	s.repopulated_pages = counter(root, "repopulated_pages");
	s.trim_runs = counter(root, "trim_runs");
	*ret_sample = s;
	return 0;
}

int pcr_read_cpus(const struct pcr_root *root, const char *which, u64 *ret_count)
{
	char path[64], buf[4096];
	size_t n;
	int r;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/%s", which);
	r = pcr_slurp(root, path, buf, sizeof(buf), &n);
	return r ? r : pcr_parse_cpulist(buf, n, ret_count);
}
