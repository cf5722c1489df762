/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short slices of CPU time: who asks for little at a time is let on the CPU sooner when it
 * wakes, for no larger a share. For this thread and those it makes from now on.
 * Source: sched_setattr(2), sched_runtime of SCHED_OTHER; from 6.12 on, ignored before.
 */
#ifndef PCR_SLICE_H
#define PCR_SLICE_H

/* 0: asked for, or another scheduling policy was chosen for us; -errno. */
int pcr_short_slices(void);

#endif
