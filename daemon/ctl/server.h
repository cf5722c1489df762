/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: Varlink over a UNIX stream socket.
 *
 * Everything is non-blocking and bounded. A peer that says nothing or reads
 * nothing costs its slot and no more; when all slots are taken, such a peer makes
 * room for the next caller. No timer runs while nothing happens.
 */
#ifndef PCR_SERVER_H
#define PCR_SERVER_H

#include "pcr/view.h"

struct ev_loop;
struct pcr_server;

/*
 * Listens at path, or on listen_fd where the service manager has made the socket
 * (-1: it has not; the fd is the server's from here on, also on failure). Its
 * directory is made when missing. A socket that nobody serves is taken over, a
 * served one is left alone: -EADDRINUSE. A socket made here is made again when its
 * file is removed.
 *
 * group (a name or a number, NULL: none) may ask; only root may change anything.
 * A group that does not exist is logged, and then root alone may ask. Where none is
 * named, the group of a socket that the service manager has made may.
 *
 * view must outlive the server; what it points to may be exchanged between two
 * turns of the loop.
 */
int pcr_server_open(struct pcr_server **ret_server, struct ev_loop *loop, int listen_fd,
		    const char *path, const char *group, const struct pcr_view *view);
/*
 * SocketGroup= changed (NULL: none): who is connected without being root goes, and
 * the socket's mode follows. May be called from an op of the view, as the other
 * functions here; pcr_server_close() may not.
 */
int pcr_server_regroup(struct pcr_server *server, const char *group);
struct pcr_server *pcr_server_close(struct pcr_server *server);

/* Feed every Watch. A peer too slow to read is told how many it missed. */
void pcr_server_notify_record(struct pcr_server *server, const struct pcr_record *record);
/* The settings, the source or the log level changed. */
void pcr_server_notify_status(struct pcr_server *server);
/* There are lines for who records. */
void pcr_server_notify_trace(struct pcr_server *server);

/* Connections now; for tests and status. */
u32 pcr_server_peers(const struct pcr_server *server);

#endif
