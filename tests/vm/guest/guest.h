/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tools inside a test guest share: tiny, static, and loud. A tool
 * that cannot do what it was asked says why and exits 1; nothing is retried
 * in silence, since a storm that is short by one cgroup proves nothing.
 */
#ifndef VM_GUEST_H
#define VM_GUEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Print "TOOL: message: strerror(errno)" and exit 1. */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *fmt, ...);

/* A whole decimal number within [0, INT32_MAX], or death. */
int number(const char *what, const char *text);

/* Write text to a kernel file in one write. Returns 0 or -errno. */
int write_file(const char *path, const char *text);

/* Read a small file into buf (NUL-terminated). Returns its length or -errno. */
ssize_t read_file(const char *path, char *buf, size_t size);

/* The value behind "key " or "key: " in a keyed file, or death. */
uint64_t keyed_value(const char *path, const char *key);

/* CLOCK_MONOTONIC in microseconds. */
uint64_t now_usec(void);

/*
 * fork() straight into a cgroup (clone3 with CLONE_INTO_CGROUP): no migration,
 * so no wait for every CPU as a write to cgroup.procs has. Returns as fork().
 */
pid_t fork_into(int cgroup_fd);

/* The same into the cgroup of that directory, or death: returns 0 or the child. */
pid_t fork_into_path(const char *cgroup);

#endif
