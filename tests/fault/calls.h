/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls that can be made to fail, and with what. One line a call: fault.mk takes
 * the names for --wrap from here, so that the list stands in one place.
 *
 *   CALL(symbol, name for humans and PCR_FAULT, what it may fail with)
 *
 * What a call fails with is what its kernel code can return, and what the field has
 * seen: ENODEV for files of removed cgroups (report 15), EROFS and EPERM for sealed
 * knobs (19, 26), ENOSPC and EMFILE for inotify's limits (7, 8), short and empty reads.
 */
#ifndef PCR_TEST_CALLS_H
#define PCR_TEST_CALLS_H

#include <stdbool.h>

#define CALLS(CALL)									\
	CALL(OPENAT, "openat", "ENOENT ENODEV EROFS EPERM EBUSY EINTR EMFILE ENOMEM ENOSYS")	\
	CALL(OPEN, "open", "ENOENT EROFS EPERM EINTR EMFILE ENOMEM ENOSPC")		\
	CALL(READ, "read", "EINTR EIO EINVAL short empty")				\
	CALL(PREAD, "pread", "ENODEV EINTR EPERM EBUSY ENOMEM EIO short empty")		\
	CALL(WRITE, "write",								\
	     "ENODEV EROFS EPERM EBUSY EINTR ENOMEM EINVAL EAGAIN ENOSPC short empty")	\
	CALL(FSTATAT, "fstatat", "ENOENT ENODEV EPERM EINTR ENOMEM")			\
	CALL(STAT, "stat", "ENOENT EPERM ENOMEM")					\
	CALL(LSTAT, "lstat", "ENOENT EPERM ENOMEM")					\
	CALL(FSTAT, "fstat", "ENODEV ENOMEM")						\
	CALL(OPENDIR, "opendir", "ENOENT EPERM EMFILE ENOMEM")				\
	CALL(READDIR, "readdir", "EIO empty")						\
	CALL(MKDIR, "mkdir", "EROFS EPERM ENOSPC ENOMEM")				\
	CALL(RENAME, "rename", "ENOSPC EROFS EPERM EBUSY ENOMEM")			\
	CALL(UNLINK, "unlink", "EROFS EPERM EBUSY")					\
	CALL(MKDIRAT, "mkdirat", "EROFS EPERM ENOSPC ENOMEM")				\
	CALL(UNLINKAT, "unlinkat", "EROFS EPERM EBUSY")					\
	CALL(FACCESSAT, "faccessat", "ENOENT EPERM ENOMEM")				\
	CALL(FLOCK, "flock", "EINTR ENOMEM EAGAIN")				\
	CALL(GETDENTS, "getdents64", "ENOENT ENODEV EINTR ENOMEM empty")		\
	CALL(INOTIFY_INIT, "inotify_init1", "EMFILE ENFILE ENOMEM")			\
	CALL(INOTIFY_ADD, "inotify_add_watch", "ENOENT ENODEV EPERM ENOSPC ENOMEM")	\
	CALL(INOTIFY_RM, "inotify_rm_watch", "EINVAL")					\
	CALL(EPOLL_CREATE, "epoll_create1", "EMFILE ENOMEM")				\
	CALL(EVENTFD, "eventfd", "EMFILE ENOMEM")					\
	CALL(SOCKET, "socket", "EMFILE ENOMEM")						\
	CALL(BIND, "bind", "EADDRINUSE EROFS EPERM")					\
	CALL(LISTEN, "listen", "EADDRINUSE")						\
	CALL(CHMOD, "chmod", "EROFS EPERM")						\
	CALL(ACCEPT, "accept4", "EINTR ECONNABORTED EMFILE ENFILE ENOMEM")		\
	CALL(GETSOCKOPT, "getsockopt", "ENOMEM")					\
	CALL(RECV, "recv", "EINTR ECONNRESET ENOMEM short empty")			\
	CALL(SEND, "send", "EINTR EPIPE EAGAIN ENOMEM short")				\
	CALL(MALLOC, "malloc", "ENOMEM")						\
	CALL(CALLOC, "calloc", "ENOMEM")						\
	CALL(REALLOC, "realloc", "ENOMEM")						\
	CALL(STRDUP, "strdup", "ENOMEM")

#define CALL_ENUM(id, name, faults) CALL_##id,
enum call {
	CALLS(CALL_ENUM)
	N_CALLS,
};

#define CALL_NAME(id, name, faults) [CALL_##id] = name,
static const char *const call_names[N_CALLS] = { CALLS(CALL_NAME) };

#endif
