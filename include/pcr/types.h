/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words that every room shares: integers, time, absence and the return rule.
 *
 * Return rule of every function that returns int:
 *   < 0  -errno: nobody between here and the top may interpret it, pass it on
 *     0  done
 *   > 0  an enumerator of enum pcr_ret (or of the module's own), which the
 *        direct caller must handle and may not pass on
 * Outputs are called ret_x, stand last, are set on 0 and untouched otherwise.
 * Destructors take NULL. A function either logs or returns, never both.
 */
#ifndef PCR_TYPES_H
#define PCR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

/* Conditions that are no errors; see the return rule above. */
enum pcr_ret {
	PCR_GONE = 1,	/* the cgroup, task or device vanished (ENOENT, ENODEV, ESRCH) */
	PCR_NONE = 2,	/* this kernel has no such file: the knob or source is absent */
	PCR_FULL = 3,	/* a bounded queue or table has no room; nothing was taken */
	PCR_PART = 4,	/* less was done than asked (EAGAIN of memory.reclaim) */
};

/*
 * "Not sampled". Never shown as 0: text prints a dash, JSON leaves the field out.
 */
#define PCR_ABSENT UINT64_MAX

static inline bool pcr_has(u64 v)
{
	return v != PCR_ABSENT;
}

/*
 * Points in time are microseconds of CLOCK_MONOTONIC (never the real-time clock,
 * which jumps); spans are microseconds. 0 as a point means "never yet",
 * PCR_NEVER means "not in any future".
 */
#define PCR_NEVER UINT64_MAX
#define PCR_MSEC 1000ULL
#define PCR_SEC 1000000ULL
#define PCR_MIN (60 * PCR_SEC)
#define PCR_HOUR (60 * PCR_MIN)

static inline u64 pcr_min_u64(u64 a, u64 b)
{
	return a < b ? a : b;
}

static inline u64 pcr_max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* a - b, or 0 where that would be negative (counters may step back). */
static inline u64 pcr_sub_u64(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* a + b, held at PCR_NEVER (and so at PCR_ABSENT) instead of wrapping. */
static inline u64 pcr_add_u64(u64 a, u64 b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#define PCR_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define pcr_container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))

#endif
