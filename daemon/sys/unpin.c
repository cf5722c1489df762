// SPDX-License-Identifier: GPL-2.0-or-later
/* Lets go of removed cgroups what only needs to be asked; see the header. */
#include "sys/unpin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pcr/knobs.h"
#include "sys/root.h"

static void drain_page_batches(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	(void)syscall(SYS_mbind, page, size, MPOL_DEFAULT, NULL, 0, MPOL_MF_MOVE);
	munmap(page, size);
}

/* One that a killed predecessor left is as good as a new one. */
static void remove_a_cgroup(const struct pcr_root *root)
{
	if (mkdirat(root->cgroup_fd, PCR_UNPIN_CGROUP, 0755) == 0 || errno == EEXIST)
		(void)unlinkat(root->cgroup_fd, PCR_UNPIN_CGROUP, AT_REMOVEDIR);
}

void pcr_unpin(const struct pcr_root *root, bool all)
{
	drain_page_batches();
	if (root->cgroup_fd < 0 || pcr_root_v1(root))
		return;
	remove_a_cgroup(root);
	if (all)
		(void)pcr_cgroup_store(root, "", PCR_MEMORY_RECLAIM, "1M");
}
