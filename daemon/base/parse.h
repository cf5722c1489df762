/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict parsing of what kernels and people write. (text, length) in, a number
 * out; never prints, never reads past the length, no partial success: leading or
 * trailing junk, signs, overflow and emptiness are all -EINVAL (overflow -ERANGE).
 */
#ifndef PCR_PARSE_H
#define PCR_PARSE_H

#include "pcr/types.h"

/* Decimal digits. */
int pcr_parse_u64(const char *text, size_t n, u64 *ret_value);

/*
 * The one number of a kernel file: decimal, one trailing newline allowed. "max"
 * gives PCR_ABSENT - 1 (a limit that is none), so that it differs from "not sampled".
 */
#define PCR_MAX (UINT64_MAX - 1)
int pcr_parse_file_u64(const char *text, size_t n, u64 *ret_value);

/* 4096, 16K, 1.5M, 2G, 1T, 64B (1024-based, as systemd writes sizes; rounded down to a byte). */
int pcr_parse_size(const char *text, size_t n, u64 *ret_bytes);

/* 10s, 1min 30s, 500ms, 2h, 1d, 1w, 250us, plain number = seconds; "infinity" = PCR_NEVER. */
int pcr_parse_span(const char *text, size_t n, u64 *ret_usec);

/* 12%, 2.5%, 30‰, 15‱ -> basis points, 0 to max_bp. */
int pcr_parse_percent(const char *text, size_t n, u64 max_bp, u64 *ret_bp);

/* 256M/1min; the span is neither 0 nor infinite. */
int pcr_parse_rate(const char *text, size_t n, u64 *ret_bytes, u64 *ret_usec);

/* yes/no, true/false, on/off, 1/0, y/n, t/f: any case. */
int pcr_parse_bool(const char *text, size_t n, bool *ret_value);

/* 0-3,7 -> how many; ascending, as kernels print it. An empty list (or a newline alone) is 0. */
int pcr_parse_cpulist(const char *text, size_t n, u64 *ret_count);

/* "2.15" as PSI and loadavg print it -> basis points of one (215). */
int pcr_parse_fixed2(const char *text, size_t n, u64 *ret_bp);

/*
 * The value of a line "key value..." or "key: value kB"; the key must be the whole
 * first word. PCR_NONE when there is no such line. The unit word is not looked at.
 * Values that would read as PCR_MAX or PCR_ABSENT are -ERANGE, here and in
 * pcr_parse_file_u64().
 */
int pcr_keyed_u64(const char *text, size_t n, const char *key, u64 *ret_value);

/* Cuts the next line off *text; false at the end. The line excludes its newline. */
bool pcr_next_line(const char **text, size_t *n, const char **ret_line, size_t *ret_len);

/* Cuts the next blank-separated word off *text; false at the end. */
bool pcr_next_word(const char **text, size_t *n, const char **ret_word, size_t *ret_len);

#endif
