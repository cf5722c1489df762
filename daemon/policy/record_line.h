/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A finished action as a line of the history file. Names stand for what is an
 * enumerator here, so that another version reads the same; fields are separated by tabs,
 * "-" is absent, and bytes that would end a field are written \xNN.
 */
#ifndef PCR_RECORD_LINE_H
#define PCR_RECORD_LINE_H

#include "pcr/decision.h"

/* The longest line with its newline and NUL: 18 numbers, names, and both texts escaped. */
#define PCR_RECORD_LINE (1024 + 4 * PCR_SHOWN)
/* Of the machine's boot, as /proc/sys/kernel/random/boot_id has it; "-": not known. */
#define PCR_BOOT_ID 40

/* real: the end by CLOCK_REALTIME. Returns the length, the newline included. */
size_t pcr_record_write(char buf[static PCR_RECORD_LINE], const struct pcr_record *r,
			const char *boot, u64 real);
/*
 * A line without its newline; boot is that of the machine now. 0, -EINVAL with the
 * column, 1-based, of the field that is wrong.
 */
int pcr_record_read(const char *line, size_t n, const char *boot, struct pcr_record *ret_record,
		    u32 *ret_column);

#endif
