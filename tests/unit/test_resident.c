// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/sys/resident.c: code is locked and read in, the heap is not; a limit is told. */
#include "unit/unit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pcr/types.h"
#include "sys/resident.h"

/* Of the mapping that this address is in: kB resident, kB in all, and whether it is locked. */
struct mapping {
	unsigned long size, rss;
	bool locked;
};

static struct mapping mapping_of(const void *address)
{
	struct mapping m = { 0 };
	unsigned long from, to;
	bool in = false;
	char line[512];
	FILE *f = fopen("/proc/self/smaps", "re");

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			in = (uintptr_t)address >= from && (uintptr_t)address < to;
		else if (in && sscanf(line, "Size: %lu kB", &from) == 1)
			m.size = from;
		else if (in && sscanf(line, "Rss: %lu kB", &from) == 1)
			m.rss = from;
		else if (in && !strncmp(line, "VmFlags:", 8))
			m.locked = strstr(line, " lo ");
	}
	ck_assert_int_eq(fclose(f), 0);
	return m;
}

/* Valgrind passes on only the system calls it knows. */
static bool can_lock(void)
{
	static char byte;

	if (mlock2(&byte, 1, MLOCK_ONFAULT) == 0 || errno == ENOMEM)
		return true;
	printf("skip: no mlock2() here\n");
	return false;
}

START_TEST(code_is_and_the_heap_is_not)
{
	struct mapping program, libc;
	char *heap;
	int r;

	if (!can_lock())
		return;
	heap = malloc(100);
	r = pcr_stay_resident();
	/* Others than root may lock little, perhaps too little for all that a test is linked with. */
	if (r == -ENOMEM && geteuid() != 0)
		heap[0] = 0;
	else
		ck_assert_int_eq(r, 0);
	program = mapping_of((const void *)(uintptr_t)pcr_stay_resident);
	libc = mapping_of((const void *)(uintptr_t)qsort);
	if (r == 0) {
		ck_assert(program.locked);
		ck_assert_uint_eq(program.rss, program.size);
		ck_assert(libc.locked);
	}
	ck_assert(!mapping_of(heap).locked);
	free(heap);
}
END_TEST

START_TEST(a_limit_is_told)
{
	const struct rlimit little = { 4096, 4096 };
	int status;
	pid_t pid;

	if (!can_lock())
		return;
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (setrlimit(RLIMIT_MEMLOCK, &little) < 0 || (geteuid() == 0 && setuid(65534) < 0))
			_exit(2);
		_exit(pcr_stay_resident() == -ENOMEM ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

PCR_UNIT("resident", code_is_and_the_heap_is_not, a_limit_is_told)
