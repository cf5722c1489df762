// SPDX-License-Identifier: GPL-2.0-or-later
/* One cgroup's files, read and parsed. */
#include "read/memcg.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "read/memory_events.h"
#include "read/psi_text.h"
#include "sys/root.h"

/* memory.stat has some 60 lines on 6.12; room for many more. */
#define STAT_MAX 16384

int pcr_read_dying(const struct pcr_root *root, const char *path, u64 *ret_dying)
{
	char buf[1024];
	size_t n;
	int r = pcr_cgroup_slurp(root, path, "cgroup.stat", buf, sizeof(buf), &n);

	if (r)
		return r;
	r = pcr_keyed_u64(buf, n, "nr_dying_descendants", ret_dying);
	return r == PCR_NONE ? -EINVAL : r;
}

bool pcr_has_memory(const struct pcr_root *root, const char *path)
{
	int fd = -1;
	int r = pcr_cgroup_openat(root, path, "memory.stat", O_RDONLY, &fd);

	if (r == 0)
		close(fd);
	return r != PCR_GONE;
}

static u64 sum(u64 a, u64 b)
{
	return pcr_has(a) && pcr_has(b) ? a + b : PCR_ABSENT;
}

static void parse_stat(const char *text, size_t n, struct pcr_memcg_sample *s)
{
	u64 anon = PCR_ABSENT, file = PCR_ABSENT, dirty = PCR_ABSENT, writeback = PCR_ABSENT;

	(void)pcr_keyed_u64(text, n, "shmem", &s->shmem_bytes);
	(void)pcr_keyed_u64(text, n, "percpu", &s->percpu_bytes);
	(void)pcr_keyed_u64(text, n, "workingset_refault_anon", &anon);
	(void)pcr_keyed_u64(text, n, "workingset_refault_file", &file);
	s->refaults = sum(anon, file);
	(void)pcr_keyed_u64(text, n, "file_dirty", &dirty);
	(void)pcr_keyed_u64(text, n, "file_writeback", &writeback);
	s->dirty_bytes = sum(dirty, writeback);
}

int pcr_read_memcg(const struct pcr_root *root, const char *path,
		   struct pcr_memcg_sample *ret_sample)
{
	struct pcr_memcg_sample s = {
		.current_bytes = PCR_ABSENT, .shmem_bytes = PCR_ABSENT, .dirty_bytes = PCR_ABSENT,
		.percpu_bytes = PCR_ABSENT, .refaults = PCR_ABSENT, .stall_usec = PCR_ABSENT,
	};
	char buf[STAT_MAX];
	struct pcr_psi psi;
	size_t n;
	int r;

	r = pcr_cgroup_slurp(root, path, "memory.stat", buf, sizeof(buf), &n);
	/* The root cgroup has memory.stat too; a cgroup without the controller has none. */
	if (r < 0)
		return r;
	s.controller = r == 0;
	if (r == 0)
		parse_stat(buf, n, &s);
	r = pcr_cgroup_slurp_u64(root, path, "memory.current", &s.current_bytes);
	if (r < 0)
		return r;
	if (pcr_read_pressure(root, path, &psi) == 0)
		s.stall_usec = psi.some_total_usec;
	*ret_sample = s;
	return 0;
}

bool pcr_read_populated(const struct pcr_root *root, const char *path)
{
	char buf[256];
	size_t n;
	u64 populated = 1;

	if (pcr_cgroup_slurp(root, path, "cgroup.events", buf, sizeof(buf), &n) == 0)
		(void)pcr_keyed_u64(buf, n, "populated", &populated);
	return populated;
}

int pcr_read_memory_events(const struct pcr_root *root, const char *path,
			   struct pcr_memory_events *ret_events)
{
	char buf[1024];
	size_t n;
	int r = pcr_cgroup_slurp(root, path, "memory.events", buf, sizeof(buf), &n);

	return r ? r : pcr_memory_events_parse(buf, n, ret_events);
}

int pcr_read_v1_cgroups(const struct pcr_root *root, u64 *ret_count)
{
	char buf[4096];
	const char *text = buf, *line, *word;
	size_t n, len, wlen;
	int r = pcr_slurp(root, "/proc/cgroups", buf, sizeof(buf), &n);

	if (r)
		return r;
	/* "#subsys_name hierarchy num_cgroups enabled" */
	while (pcr_next_line(&text, &n, &line, &len)) {
		if (!pcr_next_word(&line, &len, &word, &wlen) || wlen != 6 ||
		    memcmp(word, "memory", 6))
			continue;
		if (!pcr_next_word(&line, &len, &word, &wlen) ||
		    !pcr_next_word(&line, &len, &word, &wlen))
			return -EINVAL;
		return pcr_parse_u64(word, wlen, ret_count);
	}
	return PCR_NONE;
}

int pcr_read_pressure(const struct pcr_root *root, const char *path, struct pcr_psi *ret_psi)
{
	char buf[512];
	size_t n;
	int r;

	/* The root cgroup has no pressure files: the machine's are its. */
	if (!path || !*path)
		r = pcr_slurp(root, "/proc/pressure/memory", buf, sizeof(buf), &n);
	else
		r = pcr_cgroup_slurp(root, path, "memory.pressure", buf, sizeof(buf), &n);
	return r ? r : pcr_psi_parse(buf, n, ret_psi);
}
