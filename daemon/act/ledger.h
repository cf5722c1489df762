/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger: which kernel settings we changed, from what to what, and why.
 *
 * An entry is on disk (runtime directory, so it goes with the boot that the
 * settings go with) before the setting is written, and leaves it after the setting
 * was put back: whenever the daemon dies, the next one knows. The file is replaced
 * as a whole, never half written. Only settings that still have our value are put
 * back; a value of somebody else's stays.
 */
#ifndef PCR_LEDGER_H
#define PCR_LEDGER_H

#include "pcr/types.h"

struct pcr_root;

#define PCR_LEDGER_MAX 80

struct pcr_ledger_entry {
	char knob[128];		/* path of the kernel file */
	u64 old;		/* value found before ours */
	u64 ours;
	u64 before;		/* ours until .ours is known to be written; PCR_ABSENT: it is */
	u64 since;		/* seconds of the real-time clock, for people */
	char why[64];		/* "EmptyPagesHigh=32" */
};

struct pcr_ledger {
	char dir[256];
	u32 n;
	struct pcr_ledger_entry entry[PCR_LEDGER_MAX];
};

/*
 * Reads what a predecessor left. A missing file is an empty ledger; a damaged line
 * is left out and counted in ret_damaged (NULL: do not care), as is a file too large
 * to be ours. 0 or -errno.
 */
int pcr_ledger_open(struct pcr_ledger *ledger, const char *runtime_dir, u32 *ret_damaged);

const struct pcr_ledger_entry *pcr_ledger_find(const struct pcr_ledger *ledger, const char *knob);

/*
 * To be called before the write; keeps the first old value. 0, PCR_FULL, -errno: do
 * not write. -EINVAL: a path that would not come back from the file as it went in.
 */
int pcr_ledger_note(struct pcr_ledger *ledger, const char *knob, u64 old, u64 ours,
		    const char *why);
/* Which value of ours stands now, after the write that was noted or without it. */
int pcr_ledger_settle(struct pcr_ledger *ledger, const char *knob, u64 ours);
/* Is this value of ours? Either of two between note and settle. */
static inline bool pcr_ledger_owns(const struct pcr_ledger_entry *entry, u64 value)
{
	return value == entry->ours || (pcr_has(entry->before) && value == entry->before);
}
int pcr_ledger_drop(struct pcr_ledger *ledger, const char *knob);

enum pcr_restore {
	PCR_RESTORED,		/* put back and dropped */
	PCR_RESTORE_NOT_OURS,	/* another value stands there: left, dropped */
	PCR_RESTORE_UNTOLD,	/* as it should be, but the file can't be told; errno in ret_err */
	PCR_RESTORE_FAILED,	/* kept in the ledger; errno in ret_err */
};
enum pcr_restore pcr_ledger_restore(struct pcr_ledger *ledger, const struct pcr_root *root,
				    const char *knob, int *ret_err);

/* Somebody has removed the file: it is written again, if there is something in it. 0, -errno. */
int pcr_ledger_again(const struct pcr_ledger *ledger);

/* Nothing is left to put back: the file goes, which takes no room on a disk. 0, -errno. */
int pcr_ledger_end(struct pcr_ledger *ledger);

#endif
