/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only door to the kernel's files. Every one is opened below a prefix with
 * openat(), so that a tree of recorded files is a machine: `--root DIR`. Its symbolic
 * links are its own: none leads out of the prefix (inside.h).
 *
 * Paths are relative to the prefix and may start with '/' ("/proc/meminfo");
 * cgroup paths are relative to the cgroup mount and have no leading slash.
 * ENOENT, ENODEV and ESRCH are never errors here: PCR_GONE for files of a
 * cgroup, PCR_NONE for files of the machine.
 */
#ifndef PCR_ROOT_H
#define PCR_ROOT_H

#include "pcr/types.h"

enum pcr_cgroup_mode {
	PCR_CGROUP_NONE,	/* no cgroup mount at all */
	PCR_CGROUP_V2,		/* cgroup2 with the memory controller */
	PCR_CGROUP_V2_BARE,	/* cgroup2 without it, and no v1 memory either */
	PCR_CGROUP_HYBRID,	/* memory on v1: that tree is the one watched */
};

struct pcr_root {
	int fd;				/* of the prefix */
	bool live;			/* prefix is "/": the machine itself */
	char *prefix;			/* without trailing slash; "" when live */
	enum pcr_cgroup_mode mode;
	int cgroup_fd;			/* of the watched mount, -1: none */
	char cgroup_mount[256];		/* below the prefix, "/sys/fs/cgroup" */
	u32 hierarchy;			/* kernel hierarchy id of that mount: 0 for v2 */
};

/* NULL or "/" is the machine itself. 0, -errno. Closed by pcr_root_close(). */
int pcr_root_open(struct pcr_root *root, const char *prefix);
void pcr_root_close(struct pcr_root *root);

/* Finds the cgroup mounts (mounts.c, libcgroup.c) and fills in the lower half. */
int pcr_root_find_cgroups(struct pcr_root *root);

static inline bool pcr_root_v1(const struct pcr_root *root)
{
	return root->mode == PCR_CGROUP_HYBRID;
}

/* openat() below the prefix or below the cgroup mount; O_CLOEXEC is added. */
int pcr_root_openat(const struct pcr_root *root, const char *path, int flags, int *ret_fd);
int pcr_cgroup_openat(const struct pcr_root *root, const char *cgroup, const char *file,
		      int flags, int *ret_fd);

/*
 * The whole of a file, read to its end, NUL-terminated beyond *ret_n. The buffer
 * is the caller's; -EFBIG when it does not fit. Reading starts at offset 0, so a
 * kept fd can be read again.
 */
int pcr_slurp_fd(int fd, char *buf, size_t size, size_t *ret_n);
int pcr_slurp(const struct pcr_root *root, const char *path, char *buf, size_t size, size_t *ret_n);
int pcr_cgroup_slurp(const struct pcr_root *root, const char *cgroup, const char *file,
		     char *buf, size_t size, size_t *ret_n);

/*
 * The same of an ordinary file, by its own path, into memory that is the caller's to free;
 * flags: O_NOFOLLOW, or none. 0; -EISDIR, -EINVAL: it is another kind of file; -EFBIG: more
 * than max bytes.
 */
int pcr_slurp_file(const char *path, int flags, size_t max, char **ret_text, size_t *ret_n);

/* The one number in a file. */
int pcr_slurp_u64(const struct pcr_root *root, const char *path, u64 *ret_value);
int pcr_cgroup_slurp_u64(const struct pcr_root *root, const char *cgroup, const char *file,
			 u64 *ret_value);

/*
 * One write(2) of the whole text: kernel files take a value per write, and a
 * refusal must not be lost in a later close. PCR_PART for EAGAIN; EINTR is tried
 * again at most three times.
 */
int pcr_store(const struct pcr_root *root, const char *path, const char *text);
int pcr_cgroup_store(const struct pcr_root *root, const char *cgroup, const char *file,
		     const char *text);

/* CLOCK_MONOTONIC, and how far CLOCK_BOOTTIME is ahead of it (time suspended). */
u64 pcr_now_usec(void);
u64 pcr_suspended_usec(void);

#endif
