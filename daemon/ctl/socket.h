/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The listening socket as a file, and who stands at its other end. */
#ifndef PCR_SOCKET_H
#define PCR_SOCKET_H

#include <sys/types.h>

#include "pcr/types.h"

#define PCR_NO_GROUP ((gid_t)-1)

/* A path we bound, by identity: only that one is ever removed again. */
struct pcr_socket_file {
	char *path;	/* NULL: not ours to remove */
	dev_t dev;
	ino_t ino;
};

/*
 * Makes the directory when missing, takes over a socket that nobody serves, and
 * listens: mode 0660 for the group, 0600 without one. -EADDRINUSE when it is
 * served, -ENOTSOCK when something else has the name.
 */
int pcr_socket_listen(const char *path, gid_t group, struct pcr_socket_file *ret_file,
		      int *ret_fd);
/* Gives it to another group; -EADDRINUSE when somebody else has the name by now. */
int pcr_socket_regroup(const struct pcr_socket_file *file, gid_t group);
/* A socket made by somebody else: must listen, and must not block us. */
int pcr_socket_adopt(int fd);
/* The group that its maker lets connect, and its name. PCR_NONE: root alone. */
int pcr_socket_lent_group(int fd, gid_t *ret_group, char **ret_name);
/* False: the name is free, or somebody else's. */
bool pcr_socket_file_ours(const struct pcr_socket_file *file);
/* Leaves the file where it is. */
void pcr_socket_file_forget(struct pcr_socket_file *file);
/* Removes the socket unless somebody else's has taken its place. */
void pcr_socket_file_clear(struct pcr_socket_file *file);

/* By name or number. 0, PCR_NONE: no such group, -errno. */
int pcr_group_find(const char *name, gid_t *ret_group);

struct pcr_caller {
	pid_t pid;
	uid_t uid;
	bool member;	/* of the group that may ask */
};

/* Who connected, as the kernel knows: nothing is read from the peer for it. */
int pcr_caller_of(int fd, gid_t group, struct pcr_caller *ret_caller);

#endif
