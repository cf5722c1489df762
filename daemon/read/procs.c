// SPDX-License-Identifier: GPL-2.0-or-later
/* cgroup.procs in pieces: thousands of lines are usual, a hundred thousand possible. */
#include "read/procs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"
#include "sys/root.h"

#define PIECE 4096

u32 pcr_procs_parse(const char *text, size_t n, s32 *pids, u32 at, u32 max)
{
	const char *line;
	size_t len;
	u64 pid;

	while (at < max && pcr_next_line(&text, &n, &line, &len))
		/* 0 is one that lives outside of our pid namespace. */
		if (pcr_parse_u64(line, len, &pid) == 0 && pid > 0 && pid <= INT32_MAX)
			pids[at++] = (s32)pid;
	return at;
}

/* Whole lines of what is there; the rest is moved to the front. */
static u32 take(char *buf, size_t *n, bool last, s32 *pids, u32 at, u32 max)
{
	const char *end = memrchr(buf, '\n', *n);
	size_t whole = last ? *n : end ? (size_t)(end - buf) + 1 : 0;

	at = pcr_procs_parse(buf, whole, pids, at, max);
	memmove(buf, buf + whole, *n - whole);
	*n -= whole;
	return at;
}

int pcr_read_procs(const struct pcr_root *root, const char *cgroup, u32 max, s32 **ret_pids,
		   u32 *ret_n)
{
	PCR_AUTOFREE s32 *pids = malloc(max * sizeof(*pids));
	PCR_AUTOCLOSE int fd = -1;
	char buf[PIECE];
	size_t n = 0;
	u32 at = 0;
	int r = pids ? pcr_cgroup_openat(root, cgroup, "cgroup.procs", O_RDONLY, &fd) : -ENOMEM;

	if (r)
		return r;
	while (at < max) {
		ssize_t got = read(fd, buf + n, sizeof(buf) - n);

		if (got < 0)
			return errno == ENODEV ? PCR_GONE : -errno;
		n += (size_t)got;
		at = take(buf, &n, got == 0, pids, at, max);
		/* A line that fills a piece is no kernel's. */
		if (got == 0 || n == sizeof(buf))
			break;
	}
	*ret_n = at;
	*ret_pids = PCR_TAKE_PTR(pids);
	return 0;
}
