// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening one trigger. With CAP_SYS_RESOURCE at open, the kernel keeps a real-time
 * thread per cgroup (37 kB); without, it takes only windows that are multiples of
 * 2 s, and needs neither. So the capability is put down around the open unless the
 * window asks for it, and taken up again.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "loop/psi.h"
#include "read/psi_text.h"
#include "sys/root.h"

#define STEP (2 * PCR_SEC)
#define WINDOW_MAX (10 * PCR_SEC)

u32 pcr_psi_ways(u64 stall_usec, u64 window_usec, struct pcr_psi_way ret_ways[static PCR_PSI_WAYS])
{
	u64 wide = pcr_min_u64((window_usec + STEP - 1) / STEP * STEP, WINDOW_MAX);
	struct pcr_psi_way asked = { stall_usec, window_usec, true };
	struct pcr_psi_way plain = { stall_usec, wide, false };

	if (window_usec == wide) {
		/* Before 6.1.52 the kernel takes no trigger without the capability. */
		ret_ways[0] = plain;
		ret_ways[1] = asked;
		return 2;
	}
	/* The same share of time, over a longer window. */
	plain.stall_usec = window_usec ? stall_usec * wide / window_usec : stall_usec;
	ret_ways[0] = asked;
	ret_ways[1] = plain;
	return 2;
}

size_t pcr_psi_way_text(const struct pcr_psi_way *way, char *buf, size_t size)
{
	int n = snprintf(buf, size, "some %llu %llu", (unsigned long long)way->stall_usec,
			 (unsigned long long)way->window_usec);

	return n < 0 || (size_t)n >= size ? 0 : (size_t)n;
}

bool pcr_psi_believable(u64 total_then, u64 total_now, u64 stall_usec)
{
	if (!pcr_has(total_then) || !pcr_has(total_now))
		return true;
	return pcr_sub_u64(total_now, total_then) >= stall_usec;
}

/* Effective capabilities of this thread alone. True when CAP_SYS_RESOURCE was among them. */
static bool set_sys_resource(bool on)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	const u32 bit = CAP_TO_MASK(CAP_SYS_RESOURCE);
	u32 *effective = &data[CAP_TO_INDEX(CAP_SYS_RESOURCE)].effective;
	bool had;

	if (syscall(SYS_capget, &head, data) < 0)
		return false;
	had = *effective & bit;
	if (had == on)
		return had;
	*effective = on ? *effective | bit : *effective & ~bit;
	(void)syscall(SYS_capset, &head, data);
	return had;
}

static int open_file(const struct pcr_root *root, const char *slice, int flags, int *ret_fd)
{
	if (!slice)
		return pcr_root_openat(root, "/proc/pressure/memory", flags, ret_fd);
	return pcr_cgroup_openat(root, slice, "memory.pressure", flags, ret_fd);
}

/* The kernel looks at the credentials of the open, not of the write. */
static int open_as(const struct pcr_root *root, const char *slice, bool privileged, int *ret_fd)
{
	bool had = privileged ? false : set_sys_resource(false);
	int r = open_file(root, slice, O_RDWR | O_NONBLOCK, ret_fd);

	if (had)
		(void)set_sys_resource(true);
	return r;
}

static u64 read_total(int fd)
{
	struct pcr_psi psi;
	char text[512];
	size_t n;

	if (pcr_slurp_fd(fd, text, sizeof(text), &n) || pcr_psi_parse(text, n, &psi) < 0)
		return PCR_ABSENT;
	return psi.some_total_usec;
}

static int try_way(const struct pcr_root *root, const char *slice, const struct pcr_psi_way *way,
		   struct pcr_psi_trigger *ret_trigger)
{
	PCR_AUTOCLOSE int fd = -1;
	char text[64];
	size_t n = pcr_psi_way_text(way, text, sizeof(text));
	u64 total;
	int r;

	r = open_as(root, slice, way->privileged, &fd);
	if (r)
		return r;
	total = read_total(fd);
	/* The kernel takes the last byte for a terminator, whatever it is: so it is one. */
	if (write(fd, text, n + 1) < 0)
		return errno == ENODEV || errno == ENOENT ? PCR_GONE : -errno;
	ret_trigger->fd = PCR_TAKE_FD(fd);
	ret_trigger->total_usec = total;
	ret_trigger->way = *way;
	return 0;
}

int pcr_psi_arm(const struct pcr_root *root, const char *slice, u64 stall_usec, u64 window_usec,
		char *why, size_t size, struct pcr_psi_trigger *ret_trigger)
{
	struct pcr_psi_way ways[PCR_PSI_WAYS];
	u32 n = pcr_psi_ways(stall_usec, window_usec, ways);
	PCR_AUTOCLOSE int fd = -1;
	int r;

	r = open_file(root, slice, O_RDONLY, &fd);
	if (r > 0)
		return r;
	/* Writing to a recorded machine would only spoil the record. */
	if (r == 0 && !root->live) {
		snprintf(why, size, "not a live machine");
		return PCR_PART;
	}
	for (u32 i = 0; r == 0 && i < n; i++) {
		int e = try_way(root, slice, &ways[i], ret_trigger);

		if (e >= 0)
			return e;
		if (i + 1 == n || (e != -EINVAL && e != -EPERM))
			r = e;
	}
	snprintf(why, size, "%s", r == -EINVAL ? "the kernel refuses the trigger" : strerror(-r));
	return PCR_PART;
}
