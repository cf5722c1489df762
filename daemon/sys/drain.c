// SPDX-License-Identifier: GPL-2.0-or-later
#include "sys/drain.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void pcr_drain_page_batches(void)
{
	long size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return;
	(void)syscall(SYS_mbind, page, size, MPOL_DEFAULT, NULL, 0, MPOL_MF_MOVE);
	munmap(page, (size_t)size);
}
