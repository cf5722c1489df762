// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One connection. Messages are answered in order, and the next one is looked at
 * only when the answer to the last is out: a peer that does not read is not read
 * from either, so that what it can make us hold is one message and one reply.
 */
#include "ctl/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "sys/root.h"

/* Answers and pieces in one turn; the rest waits for the next, as do other peers. */
#define TURN_MAX 8

void pcr_clock_now(struct pcr_clock *ret_clock)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	ret_clock->real = (u64)ts.tv_sec * PCR_SEC + (u64)ts.tv_nsec / 1000;
	ret_clock->now = pcr_now_usec();
}

static void on_read(struct ev_loop *loop, ev_io *io, int events)
{
	pcr_peer_crank(io->data, true);
}

static void on_write(struct ev_loop *loop, ev_io *io, int events)
{
	pcr_peer_crank(io->data, false);
}

int pcr_peer_new(struct pcr_server *server, int fd, const struct pcr_caller *caller,
		 struct pcr_peer **ret_peer)
{
	struct pcr_peer *peer = calloc(1, sizeof(*peer));

	if (!peer) {
		close(fd);
		return -ENOMEM;
	}
	peer->server = server;
	peer->fd = fd;
	peer->caller = *caller;
	ev_io_init(&peer->read_io, on_read, fd, EV_READ);
	ev_io_init(&peer->write_io, on_write, fd, EV_WRITE);
	peer->read_io.data = peer;
	peer->write_io.data = peer;
	pcr_list_append(&server->peers, &peer->link);
	server->n_peers++;
	ev_io_start(server->loop, &peer->read_io);
	*ret_peer = peer;
	return 0;
}

static void end_stream(struct pcr_peer *peer)
{
	if (peer->stream && peer->stream->stop)
		peer->stream->stop(peer->server->view);
	peer->stream = NULL;
	free(peer->cursor.path);
	peer->cursor = (struct pcr_cursor){ 0 };
}

void pcr_peer_free(struct pcr_peer *peer)
{
	if (!peer)
		return;
	end_stream(peer);
	ev_io_stop(peer->server->loop, &peer->read_io);
	ev_io_stop(peer->server->loop, &peer->write_io);
	pcr_list_remove(&peer->link);
	peer->server->n_peers--;
	close(peer->fd);
	pcr_queue_clear(&peer->out);
	pcr_input_clear(&peer->in);
	free(peer);
}

int pcr_peer_rank(const struct pcr_peer *peer)
{
	bool stuck = pcr_queue_waiting(&peer->out) > 0;
	bool waits = peer->watch || (peer->stream && peer->stream->stop);
	int rank = stuck ? 1 : waits ? 2 : 0;

	return peer->caller.uid == 0 ? rank + 3 : rank;
}

/* It did something worth its slot. */
static void touch(struct pcr_peer *peer)
{
	pcr_list_remove(&peer->link);
	pcr_list_append(&peer->server->peers, &peer->link);
}

static int send_call(struct pcr_peer *peer, const struct pcr_call *call)
{
	json_t *message;
	int r;

	if (call->oneway)
		return 0;
	message = pcr_call_message(call);
	if (!message)
		return -ENOMEM;
	r = pcr_queue_message(&peer->out, message, PCR_QUEUE_MAX);
	json_decref(message);
	return r > 0 ? -EMSGSIZE : r;
}

/* Who made the daemon do something is worth a line; who asks is not. */
static void note_change(const struct pcr_peer *peer, const struct pcr_call *call)
{
	if (call->method && call->method->change && call->may_change)
		pcr_log_info("%s called by uid %u, pid %d: %s", call->method->name,
			     (unsigned int)peer->caller.uid, (int)peer->caller.pid,
			     call->error ? call->error : "done");
}

static int answer(struct pcr_peer *peer, const char *text, size_t n)
{
	struct pcr_call call = {
		.view = peer->server->view, .may_change = peer->caller.uid == 0,
		.group = peer->server->group_name,
	};
	int r;

	pcr_clock_now(&call.clock);
	r = pcr_call_answer(&call, text, n);
	if (r == 0) {
		note_change(peer, &call);
		r = send_call(peer, &call);
	}
	if (r == 0 && !call.oneway && !call.error) {
		peer->watch = call.watch;
		peer->stream = call.continues ? call.method : NULL;
		if (peer->stream) {
			peer->cursor = call.cursor;
			call.cursor.path = NULL;
		}
	}
	/* It began, and nobody is to hear of it. */
	if (call.cursor.started && call.method->stop && !peer->stream)
		call.method->stop(peer->server->view);
	peer->closing |= call.hang_up;
	pcr_input_take(&peer->in, n);
	pcr_call_clear(&call);
	touch(peer);
	return r;
}

static int next_piece(struct pcr_peer *peer)
{
	struct pcr_call call = { .reply = json_object() };
	bool end = true;
	int r = call.reply ? 0 : -ENOMEM;

	pcr_clock_now(&call.clock);
	if (r == 0)
		r = peer->stream->piece(peer->server->view, &call.clock, &peer->cursor, call.reply,
					&end);
	call.continues = !end;
	if (r == 0)
		r = send_call(peer, &call);
	if (end && r != PCR_NONE)
		end_stream(peer);
	pcr_call_clear(&call);
	return r;
}

static int tell(struct pcr_peer *peer, json_t *parameters)
{
	json_t *message = json_object();
	int r = -ENOMEM;

	if (message && !pcr_put_new(message, "parameters", json_incref(parameters)) &&
	    !pcr_put_bool(message, "continues", true))
		r = pcr_queue_message(&peer->out, message, PCR_WATCH_MAX);
	json_decref(message);
	return r;
}

void pcr_peer_tell(struct pcr_peer *peer, json_t *parameters)
{
	/* once something was dropped, the gap must be told before what follows it */
	if (peer->missed || tell(peer, parameters) != 0)
		peer->missed++;
	ev_io_start(peer->server->loop, &peer->write_io);
}

void pcr_peer_go_on(struct pcr_peer *peer)
{
	if (peer->stream && peer->stream->stop)
		ev_io_start(peer->server->loop, &peer->write_io);
}

static int tell_gap(struct pcr_peer *peer)
{
	json_t *parameters = json_object();
	int r = -ENOMEM;

	if (parameters && !pcr_put_u64(parameters, "missed", peer->missed))
		r = tell(peer, parameters);
	json_decref(parameters);
	if (r == 0)
		peer->missed = 0;
	return r < 0 ? r : 0;
}

/* One thing that can be done now that nothing waits to be sent. PCR_NONE: there is none. */
static int step(struct pcr_peer *peer)
{
	const char *text;
	size_t n;

	if (peer->closing)
		return PCR_NONE;
	if (peer->watch)
		return peer->missed ? tell_gap(peer) : PCR_NONE;
	if (peer->stream)
		return next_piece(peer);
	if (pcr_input_message(&peer->in, &text, &n))
		return answer(peer, text, n);
	if (pcr_input_waiting(&peer->in) > PCR_MESSAGE_MAX)
		return -EMSGSIZE;
	return PCR_NONE;
}

/* 0: more can be done in the next turn, PCR_NONE: nothing, PCR_PART: it has to read first. */
static int work(struct pcr_peer *peer)
{
	for (int i = 0; i < TURN_MAX; i++) {
		int r = pcr_queue_send(&peer->out, peer->fd);

		if (r != 0)
			return r;
		r = step(peer);
		if (r != 0)
			return r;
	}
	return pcr_queue_send(&peer->out, peer->fd);
}

static void await(struct ev_loop *loop, ev_io *io, bool wanted)
{
	if (wanted)
		ev_io_start(loop, io);
	else
		ev_io_stop(loop, io);
}

void pcr_peer_crank(struct pcr_peer *peer, bool readable)
{
	struct ev_loop *loop = peer->server->loop;
	size_t waiting = pcr_queue_waiting(&peer->out);
	int r = readable ? pcr_input_read(&peer->in, peer->fd, PCR_MESSAGE_MAX) : 0;

	if (r == 0)
		r = work(peer);
	if (r < 0 || (r == PCR_NONE && (peer->closing || peer->in.eof))) {
		pcr_peer_free(peer);
		return;
	}
	if (waiting && pcr_queue_waiting(&peer->out) < waiting)
		touch(peer);
	/* a Watch is read from all along, to see it go; what it says is kept to the bound */
	await(loop, &peer->read_io, r == PCR_NONE && !peer->in.eof &&
	      pcr_input_waiting(&peer->in) <= PCR_MESSAGE_MAX);
	await(loop, &peer->write_io, r != PCR_NONE);
}
