// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The listening side: who may come in, and who has to leave when it gets full.
 *
 * Credentials are looked at before the first byte is read. When all slots are
 * taken, the one that is least missed goes: other users before root, those that
 * say nothing, then those that don't read, then those that watch; among equals the
 * one that has been still for longest.
 */
#include "ctl/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "ctl/keep.h"

/* Accepted in one turn; the backlog keeps the others. */
#define ACCEPT_MAX 16

static struct pcr_peer *peer_of(struct pcr_list *link)
{
	return pcr_container_of(link, struct pcr_peer, link);
}

/* Makes room for a newcomer; false where nobody there is of lower standing. */
static bool make_room(struct pcr_server *server, bool root)
{
	struct pcr_peer *victim = NULL;
	struct pcr_list *pos;

	pcr_list_for(pos, &server->peers) {
		struct pcr_peer *peer = peer_of(pos);

		if (!root && peer->caller.uid == 0)
			continue;
		if (!victim || pcr_peer_rank(peer) < pcr_peer_rank(victim))
			victim = peer;
	}
	pcr_peer_free(victim);
	return victim;
}

/* One message and good-bye; what the socket does not take at once is lost. */
static void turn_away(struct pcr_server *server, int fd)
{
	struct pcr_call call = { .group = server->group_name };
	struct pcr_queue queue = { 0 };
	json_t *message = NULL;

	if (pcr_call_refuse(&call, PCR_E_NOT_PERMITTED, "group", call.group) > 0)
		message = pcr_call_message(&call);
	if (message && pcr_queue_message(&queue, message, PCR_MESSAGE_MAX) == 0)
		(void)pcr_queue_send(&queue, fd);
	json_decref(message);
	pcr_queue_clear(&queue);
	pcr_call_clear(&call);
	close(fd);
}

static void let_in(struct pcr_server *server, int fd)
{
	struct pcr_caller caller;
	struct pcr_peer *peer;

	if (pcr_caller_of(fd, server->group, &caller) < 0) {
		close(fd);
		return;
	}
	if (caller.uid != 0 && !caller.member) {
		turn_away(server, fd);
		return;
	}
	if (server->n_peers >= PCR_PEERS_MAX && !make_room(server, caller.uid == 0)) {
		close(fd);
		return;
	}
	/* Most callers have sent their request by now: answer in this turn. */
	if (pcr_peer_new(server, fd, &caller, &peer) == 0)
		pcr_peer_crank(peer, true);
}

/* Descriptors or memory are out: a readable listening socket would spin the loop. */
static void pause_accepting(struct pcr_server *server)
{
	ev_io_stop(server->loop, &server->accept_io);
	ev_timer_set(&server->again, 1., 0.);
	ev_timer_start(server->loop, &server->again);
}

static void on_again(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct pcr_server *server = timer->data;

	ev_io_start(loop, &server->accept_io);
}

static void on_accept(struct ev_loop *loop, ev_io *io, int events)
{
	struct pcr_server *server = io->data;

	for (int i = 0; i < ACCEPT_MAX; i++) {
		int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			let_in(server, fd);
			continue;
		}
		if (errno == EINTR || errno == ECONNABORTED)
			continue;
		/* An idle peer's descriptor serves the next caller better. */
		if ((errno == EMFILE || errno == ENFILE) && make_room(server, true))
			continue;
		if (errno != EAGAIN)
			pause_accepting(server);
		return;
	}
}

/* A group that is missing must not keep the daemon from running. */
static int choose_group(struct pcr_server *server, const char *name)
{
	char *copy = name && *name ? strdup(name) : NULL;
	int r;

	if (!copy && name && *name)
		return -ENOMEM;
	free(server->group_name);
	server->group_name = copy;
	server->group = PCR_NO_GROUP;
	if (!copy) {
		r = server->lent ? pcr_socket_lent_group(server->fd, &server->group,
							 &server->group_name) : 0;
		return r < 0 ? r : 0;
	}
	r = pcr_group_find(copy, &server->group);
	if (r != 0)
		pcr_log_warning("control socket: group %s: %s; only root may ask", copy,
				r < 0 ? strerror(-r) : "no such group");
	return 0;
}

static int set_up(struct pcr_server *server, const char *path, const char *group)
{
	int r = choose_group(server, group);

	if (r < 0)
		return r;
	/* made by the service manager, who may have left it blocking */
	if (server->lent)
		return pcr_socket_adopt(server->fd);
	r = pcr_socket_listen(path, server->group, &server->file, &server->fd);
	if (r != -EPERM || server->group == PCR_NO_GROUP)
		return r;
	/* Without CAP_CHOWN only the service manager's socket can be of another group. */
	pcr_log_warning("control socket: it can't be given to group %s: %s; only root may ask",
			server->group_name, strerror(-r));
	server->group = PCR_NO_GROUP;
	return pcr_socket_listen(path, server->group, &server->file, &server->fd);
}

int pcr_server_regroup(struct pcr_server *server, const char *group)
{
	struct pcr_list *pos, *tmp;
	int r = choose_group(server, group);

	if (r < 0)
		return r;
	pcr_list_for_safe(pos, tmp, &server->peers)
		if (peer_of(pos)->caller.uid != 0)
			pcr_peer_free(peer_of(pos));
	pcr_keep_look(server);
	return pcr_socket_regroup(&server->file, server->group);
}

int pcr_server_open(struct pcr_server **ret_server, struct ev_loop *loop, int listen_fd,
		    const char *path, const char *group, const struct pcr_view *view)
{
	struct pcr_server *server = calloc(1, sizeof(*server));
	int r;

	if (!server) {
		if (listen_fd >= 0)
			close(listen_fd);
		return -ENOMEM;
	}
	server->loop = loop;
	server->view = view;
	server->fd = listen_fd;
	server->lent = listen_fd >= 0;
	server->keep_fd = -1;
	server->group = PCR_NO_GROUP;
	pcr_list_init(&server->peers);
	ev_io_init(&server->accept_io, on_accept, -1, EV_READ);
	ev_init(&server->again, on_again);
	server->accept_io.data = server;
	server->again.data = server;
	r = set_up(server, path, group);
	if (r < 0) {
		pcr_server_close(server);
		return r;
	}
	ev_io_set(&server->accept_io, server->fd, EV_READ);
	ev_io_start(loop, &server->accept_io);
	pcr_keep_start(server);
	*ret_server = server;
	return 0;
}

struct pcr_server *pcr_server_close(struct pcr_server *server)
{
	if (!server)
		return NULL;
	while (!pcr_list_empty(&server->peers))
		pcr_peer_free(peer_of(server->peers.next));
	ev_io_stop(server->loop, &server->accept_io);
	ev_timer_stop(server->loop, &server->again);
	pcr_keep_stop(server);
	if (server->fd >= 0)
		close(server->fd);
	pcr_socket_file_clear(&server->file);
	free(server->group_name);
	free(server);
	return NULL;
}

/* Tells all watchers; the reply is made once, and only when somebody watches. */
static void notify(struct pcr_server *server, const struct pcr_record *record)
{
	struct pcr_list *pos;
	struct pcr_clock clock;
	json_t *parameters = NULL, *news;

	pcr_list_for(pos, &server->peers) {
		struct pcr_peer *peer = peer_of(pos);

		if (!peer->watch)
			continue;
		if (!parameters) {
			pcr_clock_now(&clock);
			parameters = json_object();
			news = record ? pcr_reply_record(&clock, record) :
			       pcr_reply_status(server->view, &clock);
			if (pcr_put_new(parameters, record ? "record" : "status", news))
				break;
		}
		pcr_peer_tell(peer, parameters);
	}
	json_decref(parameters);
}

void pcr_server_notify_record(struct pcr_server *server, const struct pcr_record *record)
{
	if (server)
		notify(server, record);
}

void pcr_server_notify_status(struct pcr_server *server)
{
	if (server)
		notify(server, NULL);
}

void pcr_server_notify_trace(struct pcr_server *server)
{
	struct pcr_list *pos;

	pcr_list_for(pos, &server->peers)
		pcr_peer_go_on(peer_of(pos));
}

u32 pcr_server_peers(const struct pcr_server *server)
{
	return server->n_peers;
}
