// SPDX-License-Identifier: GPL-2.0-or-later
/* Telling the kernel a task's rate, and doing it ourselves; see the header. */
#include "act/collapse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "pcr/knobs.h"
#include "sys/root.h"
#include "sys/task.h"

/* Not in the headers of Debian 12. */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static int grant(int task_dirfd, u64 pages)
{
	char text[80] = "0";

	if (pages)
		snprintf(text, sizeof(text), "%llu %llu %llu", (unsigned long long)pages,
			 (unsigned long long)(PCR_GRANT_PERIOD / PCR_MSEC),
			 (unsigned long long)(PCR_GRANT_LEASE / PCR_MSEC));
	return pcr_task_store(task_dirfd, "thp_collapse", text);
}

static int range(int pidfd, u64 start, u64 bytes)
{
	struct iovec iov = { .iov_base = (void *)(uintptr_t)start, .iov_len = bytes };

	if (syscall(SYS_process_madvise, pidfd, &iov, 1UL, MADV_COLLAPSE, 0U) >= 0)
		return 0;
	return errno == ESRCH ? PCR_GONE : -errno;
}

const struct pcr_collapse_backend pcr_collapse_task = { .name = "task", .grant = grant };
const struct pcr_collapse_backend pcr_collapse_madvise = { .name = "madvise", .range = range };

/* --- probing --- */

static bool probe_task(const struct pcr_root *root, char *why, size_t size)
{
	u64 enabled = 0;
	int r = pcr_slurp_u64(root, PCR_TASK_COLLAPSE_ENABLED, &enabled);

	if (r > 0)
		snprintf(why, size, "kernel has no %s", PCR_TASK_COLLAPSE_ENABLED);
	else if (r < 0)
		snprintf(why, size, "%s can't be read: %s", PCR_TASK_COLLAPSE_ENABLED,
			 strerrorname_np(-r));
	else if (!enabled)
		snprintf(why, size, "%s is 0", PCR_TASK_COLLAPSE_ENABLED);
	return r == 0 && enabled;
}

/* No range at all, of ourselves: what is not allowed or not known is refused all the same. */
static int ask_madvise(void)
{
	PCR_AUTOCLOSE int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (pidfd < 0)
		return errno;
	return syscall(SYS_process_madvise, pidfd, NULL, 0UL, MADV_COLLAPSE, 0U) < 0 ? errno : 0;
}

static bool probe_madvise(const struct pcr_root *root, char *why, size_t size)
{
	int err = root->live ? ask_madvise() : ENOTSUP;

	if (err == ENOTSUP)
		snprintf(why, size, "not on a recorded machine");
	else if (err == EINVAL || err == ENOSYS)
		snprintf(why, size, "kernel has no process_madvise(MADV_COLLAPSE), which 6.1 brought");
	else if (err)
		snprintf(why, size, "process_madvise() is refused: %s%s", strerrorname_np(err),
			 err == EPERM ? " (needs CAP_SYS_NICE and CAP_SYS_PTRACE)" : "");
	return err == 0;
}

void pcr_collapse_probe(const struct pcr_root *root, struct pcr_collapse_knobs *ret_knobs)
{
	struct pcr_collapse_knobs k = { 0 };

	k.ready[PCR_HOW_TASK] = probe_task(root, k.why[PCR_HOW_TASK], sizeof(k.why[0]));
	k.ready[PCR_HOW_MADVISE] = probe_madvise(root, k.why[PCR_HOW_MADVISE], sizeof(k.why[0]));
	*ret_knobs = k;
}
