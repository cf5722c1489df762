// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The socket's name stays ours: whoever cleans up the runtime directory would
 * otherwise shut the daemon off from everybody until its next start. The file itself
 * is watched: its link count changes when it is removed, and nothing else that goes
 * on in the directory wakes us. Where that can't be watched, the next reload looks.
 * While something is in the way (another file, a full disk) it is tried now and then.
 */
#include "ctl/keep.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/log.h"

/* Removed again while it was being made: somebody means it. */
#define TRIES 3
/* Something is in the way: seconds until the next try, twice as many each time. */
#define REST 5.
#define REST_MAX 60.

/* All that is to be known is that something happened. */
static void drain(int fd)
{
	char buf[4096];

	while (read(fd, buf, sizeof(buf)) > 0)
		;
}

static void unwatched(int err)
{
	pcr_log_info("control socket: a removal would be seen at a reload only: %s",
		     err == ENOSPC ? "fs.inotify.max_user_watches is reached" :
		     err == EMFILE ? "fs.inotify.max_user_instances is reached, or no descriptor left" :
				     strerror(err));
}

static void watch(struct pcr_server *server)
{
	if (server->keep_fd < 0)
		return;
	/* It may have been moved away, and live on. */
	if (server->keep_wd >= 0)
		(void)inotify_rm_watch(server->keep_fd, server->keep_wd);
	server->keep_wd = inotify_add_watch(server->keep_fd, server->file.path,
					    IN_ATTRIB | IN_MOVE_SELF | IN_DONT_FOLLOW);
	if (server->keep_wd < 0 && errno != ENOENT)
		unwatched(errno);
}

/* Who is connected stays so. */
static int make_again(struct pcr_server *server)
{
	struct pcr_socket_file file;
	int fd, r = pcr_socket_listen(server->file.path, server->group, &file, &fd);

	if (r < 0)
		return r;
	ev_io_stop(server->loop, &server->accept_io);
	close(server->fd);
	server->fd = fd;
	pcr_socket_file_forget(&server->file);
	server->file = file;
	ev_io_set(&server->accept_io, fd, EV_READ);
	if (!ev_is_active(&server->again))
		ev_io_start(server->loop, &server->accept_io);
	watch(server);
	return 0;
}

/* It may be one's only way to ask for a reload: that is not waited for. Said once. */
static void try_later(struct pcr_server *server, int err)
{
	ev_timer *t = &server->keep_again;

	if (t->repeat == 0.)
		pcr_log_warning("%s was removed and can't be made again for now: %s",
				server->file.path, strerror(err));
	t->repeat = t->repeat == 0. ? REST : t->repeat < REST_MAX / 2 ? 2 * t->repeat : REST_MAX;
	ev_timer_again(server->loop, t);
}

static void no_more_tries(struct pcr_server *server)
{
	ev_timer_stop(server->loop, &server->keep_again);
	server->keep_again.repeat = 0.;
}

void pcr_keep_look(struct pcr_server *server)
{
	for (int i = 0; i < TRIES; i++) {
		int r;

		if (!server->file.path || pcr_socket_file_ours(&server->file)) {
			no_more_tries(server);
			return;
		}
		r = make_again(server);
		if (r < 0) {
			try_later(server, -r);
			return;
		}
		pcr_log_notice("%s was removed: made again", server->file.path);
		if (server->view->ops && server->view->ops->emptied)
			server->view->ops->emptied(server->view->data);
	}
}

static void on_again(struct ev_loop *loop, ev_timer *timer, int events)
{
	pcr_keep_look(timer->data);
}

static void on_event(struct ev_loop *loop, ev_io *io, int events)
{
	drain(io->fd);
	pcr_keep_look(io->data);
}

void pcr_keep_start(struct pcr_server *server)
{
	ev_init(&server->keep_io, on_event);
	ev_init(&server->keep_again, on_again);
	server->keep_io.data = server->keep_again.data = server;
	if (!server->file.path)
		return;
	server->keep_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	server->keep_wd = -1;
	if (server->keep_fd < 0) {
		unwatched(errno);
		return;
	}
	ev_io_set(&server->keep_io, server->keep_fd, EV_READ);
	ev_io_start(server->loop, &server->keep_io);
	watch(server);
	pcr_keep_look(server);
}

void pcr_keep_stop(struct pcr_server *server)
{
	ev_timer_stop(server->loop, &server->keep_again);
	if (server->keep_fd < 0)
		return;
	ev_io_stop(server->loop, &server->keep_io);
	close(server->keep_fd);
	server->keep_fd = -1;
}
