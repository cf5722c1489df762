/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables that clean up after themselves when they leave their scope. */
#ifndef PCR_CLEANUP_H
#define PCR_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void pcr_freep(void *p)
{
	free(*(void **)p);
}

static inline void pcr_closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void pcr_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define PCR_AUTOFREE __attribute__((cleanup(pcr_freep)))
#define PCR_AUTOCLOSE __attribute__((cleanup(pcr_closep)))
#define PCR_AUTOFCLOSE __attribute__((cleanup(pcr_fclosep)))

/* Hands a value out of such a variable. */
#define PCR_TAKE_FD(fd) ({ int _fd = (fd); (fd) = -1; _fd; })
#define PCR_TAKE_PTR(p) ({ __typeof__(p) _p = (p); (p) = NULL; _p; })

#endif
