/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cgroup lifecycle: what a source tells, and what a source is.
 *
 * Events are hints: they merge, overflow and come late. A source turns whatever
 * its kernel interface says into the calls of struct pcr_lifecycle_sink, in
 * order, and says when it lost something; the sink reconciles with the tree.
 */
#ifndef PCR_LIFECYCLE_H
#define PCR_LIFECYCLE_H

#include "pcr/settings.h"
#include "pcr/state.h"
#include "pcr/types.h"

struct pcr_root;

struct pcr_lifecycle_stats {
	u64 events;		/* accepted */
	u64 stale;		/* already known, or of a cgroup gone meanwhile */
	u64 overflows;		/* times the kernel dropped events */
	u64 resyncs;		/* whole walks because of one */
	u64 audits;		/* walks that looked for what was missed ... */
	u64 repaired;		/* ... and how many nodes they mended */
	u64 malformed;		/* records that could not be parsed */
	u64 watches;		/* inotify watches held now */
};

/*
 * The receiver. Paths are relative to the cgroup root and have no leading slash
 * ("" is the root); (text, length), not terminated.
 */
struct pcr_lifecycle_sink {
	/* id 0: not told by this source, the sink looks it up. */
	void (*made)(void *data, u64 id, const char *path, size_t n);
	/* id 0: not told. */
	void (*removed)(void *data, u64 id, const char *path, size_t n);
	/* The dying cgroup is gone for good (tracefs only). */
	void (*released)(void *data, u64 id);
	/* Events were lost: walk everything. */
	void (*lost)(void *data);
	void *data;
};

struct pcr_lifecycle;

/* One way to learn of cgroups; a file each in daemon/loop/. */
struct pcr_lifecycle_ops {
	enum pcr_source kind;
	const char *name;
	/*
	 * Could it be opened? Looks without disturbing a source in use. 0, or PCR_NONE
	 * with the reason in why.
	 */
	int (*probe)(const struct pcr_root *root, char *why, size_t size);
	/*
	 * Opens the source below root's cgroup mount. 0, PCR_NONE (this kernel or
	 * mount cannot: why says it in a few words for status and doctor), -errno.
	 */
	int (*open)(struct pcr_lifecycle *lc, char *why, size_t size);
	/* Reads what is there without blocking, within a budget; PCR_PART: more waits. */
	int (*read)(struct pcr_lifecycle *lc);
	/*
	 * A node was added to / is about to leave the tree; NULL where it needs no watch.
	 * 0, PCR_GONE, PCR_FULL (a limit of the kernel: this source can't cover the tree).
	 */
	int (*watch)(struct pcr_lifecycle *lc, struct pcr_node *node, const char *path);
	void (*unwatch)(struct pcr_lifecycle *lc, struct pcr_node *node);
	void (*close)(struct pcr_lifecycle *lc);
	/*
	 * Does it still tell, or did another program switch it off? NULL: nobody else
	 * can. False: in why. Cheap: a few small reads.
	 */
	bool (*healthy)(struct pcr_lifecycle *lc, char *why, size_t size);
	/* Switches it on again, as far as it goes: .healthy tells. */
	void (*mend)(struct pcr_lifecycle *lc);
};

#endif
