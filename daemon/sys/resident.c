// SPDX-License-Identifier: GPL-2.0-or-later
/* Locking the program and its libraries; see the header. */
#include "sys/resident.h"

#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pcr/types.h"

static int hold(uintptr_t from, size_t size, int flags)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = from & ~(page - 1);

	return mlock2((void *)start, from + size - start, flags) < 0 ? -errno : 0;
}

static bool has(const struct dl_phdr_info *info, uintptr_t address)
{
	for (u32 i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && address - info->dlpi_addr - p->p_vaddr < p->p_memsz)
			return true;
	}
	return false;
}

/*
 * What a reap needs may not have run yet, so the program is read in whole. Of a library
 * it is what is touched, now or later: that is little of most, and the whole of libc
 * alone would be a sixth of our size.
 */
static int object(struct dl_phdr_info *info, size_t size, void *data)
{
	bool whole = has(info, (uintptr_t)object);
	int *r = data;

	for (u32 i = 0; *r == 0 && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		bool fixed = !(p->p_flags & PF_W);

		if (p->p_type == PT_LOAD)
			*r = hold(info->dlpi_addr + p->p_vaddr, p->p_memsz,
				  whole && fixed ? 0 : MLOCK_ONFAULT);
	}
	return *r;
}

int pcr_stay_resident(void)
{
	int r = 0;

	dl_iterate_phdr(object, &r);
	return r;
}
