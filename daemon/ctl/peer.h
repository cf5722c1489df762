/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The server from the inside: its connections. Shared by server.c and peer.c only. */
#ifndef PCR_PEER_H
#define PCR_PEER_H

#include <ev.h>

#include "ctl/call.h"
#include "ctl/input.h"
#include "ctl/queue.h"
#include "ctl/socket.h"
#include "pcr/list.h"

#define PCR_PEERS_MAX 64
/* Waiting output: one reply, however long; of a Watch that is not read, this much. */
#define PCR_QUEUE_MAX (1024 * 1024)
#define PCR_WATCH_MAX (64 * 1024)

struct pcr_server {
	struct ev_loop *loop;
	const struct pcr_view *view;
	int fd;
	struct pcr_socket_file file;
	gid_t group;
	bool lent;		/* the service manager's socket: its file is none of ours */
	char *group_name;	/* as the settings have it, or the lent file; NULL: none */
	ev_io accept_io;
	ev_timer again;		/* runs only while descriptors are out */
	int keep_fd;		/* tells that the socket's file was removed; -1: nobody does */
	int keep_wd;
	ev_io keep_io;
	ev_timer keep_again;	/* runs only while the name can't be had back */
	struct pcr_list peers;	/* the longest silent one first */
	u32 n_peers;
};

struct pcr_peer {
	struct pcr_server *server;
	struct pcr_list link;
	int fd;
	struct pcr_caller caller;
	ev_io read_io;
	ev_io write_io;
	struct pcr_input in;
	struct pcr_queue out;
	bool closing;		/* close when the queue is out */
	const struct pcr_method *stream;	/* a reply in pieces is under way */
	struct pcr_cursor cursor;
	bool watch;
	u64 missed;		/* what did not fit */
};

/* Takes the connection over, also on failure. */
int pcr_peer_new(struct pcr_server *server, int fd, const struct pcr_caller *caller,
		 struct pcr_peer **ret_peer);
void pcr_peer_free(struct pcr_peer *peer);
/* Does what can be done for it now, within bounds; may free it. */
void pcr_peer_crank(struct pcr_peer *peer, bool readable);
/* Feeds a Watch; parameters is borrowed. */
void pcr_peer_tell(struct pcr_peer *peer, json_t *parameters);
/* A stream that had nothing to say may have now. */
void pcr_peer_go_on(struct pcr_peer *peer);
/* How readily it gives its slot away: lower goes first. */
int pcr_peer_rank(const struct pcr_peer *peer);

void pcr_clock_now(struct pcr_clock *ret_clock);

#endif
