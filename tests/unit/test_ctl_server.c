// SPDX-License-Identifier: GPL-2.0-or-later
/* The socket: honest callers, clumsy ones, and those that mean harm. */
#include "unit.h"

#include <ev.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctl/peer.h"
#include "ctl/server.h"
#include "ctl_fixture.h"

#define M "org.pcpu-reclaimd.Manager."
#define STATUS "{\"method\":\"" M "GetStatus\"}"
#define GROUP 4242

static struct fix *fix;
static struct ev_loop *loop;
static struct pcr_server *server;
static char dir[64], path[108];

static int dial(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	ck_assert_int_ge(fd, 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		ck_assert_int_eq(errno, EAGAIN);
		close(fd);
		return -1;
	}
	return fd;
}

static void pump(int turns)
{
	for (int i = 0; i < turns; i++)
		ev_run(loop, EVRUN_NOWAIT);
}

static void say_bytes(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);

		if (sent < 0) {
			ck_assert_int_eq(errno, EAGAIN);
			pump(1);
			continue;
		}
		text += sent;
		n -= (size_t)sent;
	}
}

static void say(int fd, const char *text)
{
	say_bytes(fd, text, strlen(text) + 1);
}

/* The next message; NULL when the server has hung up, or says nothing. */
static json_t *hear(int fd)
{
	size_t n = 0, cap = 1 << 20;
	char *buf = malloc(cap);
	json_t *message = NULL;

	for (int tries = 0; tries < 2000;) {
		ssize_t got = recv(fd, buf + n, 1, 0);

		if (got == 0 || (got < 0 && errno != EAGAIN))
			break;
		if (got < 0) {
			tries++;
			pump(1);
			continue;
		}
		if (buf[n++] == '\0') {
			message = json_loadb(buf, n - 1, 0, NULL);
			ck_assert_ptr_nonnull(message);
			break;
		}
		ck_assert_uint_lt(n, cap);
	}
	free(buf);
	return message;
}

static const char *error_of(const json_t *message)
{
	const char *text = json_string_value(json_object_get(message, "error"));

	return text ? text : "(none)";
}

static bool hung_up(int fd)
{
	char c;

	for (int i = 0; i < 50; i++) {
		ssize_t n = recv(fd, &c, 1, 0);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			return true;
		pump(1);
	}
	return false;
}

static void expect_status(int fd)
{
	json_t *m;

	say(fd, STATUS);
	m = hear(fd);
	ck_assert_ptr_nonnull(m);
	ck_assert_str_eq(error_of(m), "(none)");
	json_decref(m);
}

static void open_server(const char *group)
{
	ck_assert_int_eq(pcr_server_open(&server, loop, -1, path, group, &fix->view), 0);
}

static void set_up(void)
{
	fix = fix_new();
	loop = ev_loop_new(EVFLAG_AUTO);
	strcpy(dir, "/tmp/pcr-ctl-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	chmod(dir, 0755);
	snprintf(path, sizeof(path), "%s/run/%s", dir, "org.pcpu-reclaimd");
	server = NULL;
}

static void tear_down(void)
{
	server = pcr_server_close(server);
	ev_loop_destroy(loop);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(dir);
	fix_free(fix);
}

static int remove_parent(void)
{
	char run[64];

	snprintf(run, sizeof(run), "%.50s/run", dir);
	return rmdir(run);
}

static mode_t mode_of(const char *file, gid_t *ret_group)
{
	struct stat st;

	ck_assert_int_eq(lstat(file, &st), 0);
	*ret_group = st.st_gid;
	return st.st_mode & 07777;
}

/* irqbalance 213; oomd b194ef5: socket dir missing, wrong mode, stale socket. */
START_TEST(test_socket_file)
{
	struct pcr_server *second = NULL;
	gid_t group;
	int fd;

	open_server(NULL);
	ck_assert_uint_eq(mode_of(path, &group), 0600);
	/* a served one is left alone */
	ck_assert_int_eq(pcr_server_open(&second, loop, -1, path, NULL, &fix->view), -EADDRINUSE);
	server = pcr_server_close(server);
	ck_assert_int_eq(access(path, F_OK), -1);
	/* a stale one is taken over */
	{
		struct sockaddr_un address = { .sun_family = AF_UNIX };

		snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
		close(fd);
	}
	open_server("4242");
	ck_assert_uint_eq(mode_of(path, &group), 0660);
	ck_assert_uint_eq(group, GROUP);
	ck_assert_int_eq(pcr_server_regroup(server, NULL), 0);
	ck_assert_uint_eq(mode_of(path, &group), 0600);
	/* somebody else's in its place is not removed */
	unlink(path);
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	close(fd);
	server = pcr_server_close(server);
	ck_assert_int_eq(access(path, F_OK), 0);
	/* nor is what is no socket */
	ck_assert_int_eq(pcr_server_open(&second, loop, -1, path, NULL, &fix->view), -ENOTSOCK);
}
END_TEST

/* Removed, moved away, or with its directory: made again, and nobody is cut off. */
START_TEST(test_removed_socket_file)
{
	char away[128];
	gid_t group;
	int fd, old;

	snprintf(away, sizeof(away), "%s/away", dir);
	open_server("4242");
	old = dial();
	expect_status(old);
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			ck_assert_int_eq(rename(path, away), 0);
		else
			ck_assert_int_eq(unlink(path), 0);
		if (i == 2)
			ck_assert_int_eq(remove_parent(), 0);
		ck_assert_int_eq(access(path, F_OK), -1);
		pump(3);
		ck_assert_uint_eq(mode_of(path, &group), 0660);
		ck_assert_uint_eq(group, GROUP);
		fd = dial();
		expect_status(fd);
		close(fd);
		expect_status(old);
	}
	close(old);
	unlink(away);
	server = pcr_server_close(server);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

static void take_name(void)
{
	char other[128];
	int fd;

	snprintf(other, sizeof(other), "%s/other", dir);
	fd = open(other, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	close(fd);
	ck_assert_int_eq(rename(other, path), 0);
	pump(3);
}

/* Something else has the name: it is left alone, until a reload or a look finds it free. */
START_TEST(test_taken_socket_file)
{
	int fd;

	open_server(NULL);
	for (int i = 0; i < 3; i++) {
		take_name();
		ck_assert_int_eq(pcr_server_regroup(server, NULL), -EADDRINUSE);
		/* Tried now and then, ever more rarely. */
		ev_invoke(loop, &server->keep_again, EV_TIMER);
		ck_assert(ev_is_active(&server->keep_again));
		ck_assert(ev_timer_remaining(loop, &server->keep_again) > 5.);
		ck_assert_int_eq(unlink(path), 0);
		pump(3);
		ck_assert_int_eq(access(path, F_OK), -1);
		if (i < 2)
			ev_invoke(loop, &server->keep_again, EV_TIMER);
		else
			ck_assert_int_eq(pcr_server_regroup(server, NULL), 0);
		ck_assert(!ev_is_active(&server->keep_again));
		fd = dial();
		expect_status(fd);
		close(fd);
	}
	server = pcr_server_close(server);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

START_TEST(test_unknown_group_leaves_root)
{
	gid_t group;
	int fd;

	open_server("no-such-group-here");
	ck_assert_uint_eq(mode_of(path, &group), 0600);
	fd = dial();
	expect_status(fd);
	close(fd);
}
END_TEST

START_TEST(test_socket_from_outside)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), fd, pair[2];

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", dir);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(listener, 8), 0);
	ck_assert_int_eq(pcr_server_open(&server, loop, listener, path, NULL, &fix->view), 0);
	snprintf(path, sizeof(path), "%s", address.sun_path);
	fd = dial();
	expect_status(fd);
	close(fd);
	server = pcr_server_close(server);
	/* it is not ours to remove */
	ck_assert_int_eq(access(path, F_OK), 0);
	/* and what does not listen is refused */
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ck_assert_int_eq(pcr_server_open(&server, loop, pair[0], path, NULL, &fix->view), -EINVAL);
	close(pair[1]);
	unlink(path);
	snprintf(path, sizeof(path), "%s/run/x", dir);
}
END_TEST

START_TEST(test_split_and_pipelined)
{
	static const char three[] = "{\"method\":\"a.b.C1\"}\0{\"method\":\"a.b.C2\"}\0" STATUS;
	int fd;

	open_server(NULL);
	fd = dial();
	for (size_t i = 0; i < strlen(STATUS) + 1; i++) {
		say_bytes(fd, &STATUS[i], 1);
		pump(1);
	}
	json_decref(hear(fd));
	say_bytes(fd, three, sizeof(three));
	for (int i = 1; i <= 2; i++) {
		json_t *m = hear(fd);
		char name[32];

		snprintf(name, sizeof(name), "a.b.C%d", i);
		ck_assert_str_eq(json_string_value(json_object_get(json_object_get(m, "parameters"),
								   "interface")), name);
		json_decref(m);
	}
	json_decref(hear(fd));
	/* many at once, more than a turn takes, and then no more is said */
	for (int i = 0; i < 200; i++)
		say(fd, "{\"method\":\"a.b.C\"}");
	shutdown(fd, SHUT_WR);
	for (int i = 0; i < 200; i++) {
		json_t *m = hear(fd);

		ck_assert_ptr_nonnull(m);
		json_decref(m);
	}
	ck_assert(hung_up(fd));
	ck_assert_uint_eq(pcr_server_peers(server), 0);
	close(fd);
}
END_TEST

START_TEST(test_garbage_and_oversize)
{
	char *big = malloc(1 << 20);
	json_t *m;
	int fd, honest;
	ssize_t n;

	open_server(NULL);
	honest = dial();
	fd = dial();
	say(fd, "GET / HTTP/1.1\r\n");
	m = hear(fd);
	ck_assert_str_eq(error_of(m), "org.varlink.service.InvalidParameter");
	json_decref(m);
	ck_assert(hung_up(fd));
	close(fd);

	memset(big, ' ', 1 << 20);
	fd = dial();
	for (size_t sent = 0; sent < (1 << 20); sent += (size_t)n) {
		n = send(fd, big + sent, (1 << 20) - sent, MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN) {
			pump(1);
			n = 0;
		} else if (n < 0) {
			break;
		}
	}
	ck_assert(hung_up(fd));
	close(fd);
	/* the largest that may be: all blanks, then a request */
	memcpy(big + PCR_MESSAGE_MAX - strlen(STATUS), STATUS, strlen(STATUS) + 1);
	fd = dial();
	say_bytes(fd, big, PCR_MESSAGE_MAX + 1);
	m = hear(fd);
	ck_assert_str_eq(error_of(m), "(none)");
	json_decref(m);
	close(fd);
	expect_status(honest);
	close(honest);
	free(big);
}
END_TEST

static void pretend_history(u64 seq)
{
	fix_record(fix, seq, 3, "machine.slice/ci");
	pcr_server_notify_record(server, pcr_state_history(fix->state, 0));
}

START_TEST(test_watch)
{
	json_t *m, *p;
	int fd;

	open_server(NULL);
	pretend_history(1);	/* nobody watches */
	fd = dial();
	say(fd, "{\"method\":\"" M "Watch\",\"more\":true}");
	m = hear(fd);
	ck_assert(json_is_true(json_object_get(m, "continues")));
	ck_assert_ptr_nonnull(json_object_get(json_object_get(m, "parameters"), "status"));
	json_decref(m);
	pretend_history(2);
	pcr_server_notify_status(server);
	m = hear(fd);
	p = json_object_get(json_object_get(m, "parameters"), "record");
	ck_assert_int_eq(json_integer_value(json_object_get(p, "seq")), 2);
	ck_assert_str_eq(json_string_value(json_object_get(p, "outcome")), "no-swap");
	json_decref(m);
	m = hear(fd);
	ck_assert_ptr_nonnull(json_object_get(json_object_get(m, "parameters"), "status"));
	json_decref(m);
	close(fd);
	pump(3);
	ck_assert_uint_eq(pcr_server_peers(server), 0);
}
END_TEST

/* One that watches and does not read is told how much it missed; nothing grows. */
START_TEST(test_slow_watch)
{
	long long missed = 0, seen = 0, last = 0;
	json_t *m;
	int fd;

	open_server(NULL);
	fd = dial();
	say(fd, "{\"method\":\"" M "Watch\",\"more\":true}");
	json_decref(hear(fd));
	for (u64 seq = 1; seq <= 5000; seq++) {
		struct pcr_peer *peer = pcr_container_of(server->peers.next, struct pcr_peer, link);

		pretend_history(seq);
		pump(1);
		ck_assert_uint_le(pcr_queue_waiting(&peer->out), PCR_WATCH_MAX);
	}
	while (seen + missed < 5000) {
		json_t *p;

		m = hear(fd);
		ck_assert_ptr_nonnull(m);
		p = json_object_get(m, "parameters");
		if (json_object_get(p, "missed")) {
			missed += json_integer_value(json_object_get(p, "missed"));
		} else {
			p = json_object_get(json_object_get(p, "record"), "seq");
			ck_assert_int_gt(json_integer_value(p), last);
			last = json_integer_value(p);
			seen++;
		}
		json_decref(m);
	}
	ck_assert_int_gt(missed, 0);
	ck_assert_int_gt(seen, 0);
	pretend_history(5001);
	m = hear(fd);
	ck_assert_ptr_nonnull(json_object_get(json_object_get(m, "parameters"), "record"));
	json_decref(m);
	close(fd);
}
END_TEST

/* While a list of 10,000 goes out, cgroups go: the rest comes, nothing is touched that is gone. */
START_TEST(test_long_list_while_it_changes)
{
	struct pcr_node *parent = pcr_tree_by_id(&fix->state->tree, 4);
	u32 rows = 0, pieces = 0;
	int fd;

	for (u64 i = 0; i < 10000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "c%05llu", (unsigned long long)i);
		fix_add(fix, parent, 1000 + i, name);
	}
	open_server(NULL);
	fd = dial();
	say(fd, "{\"method\":\"" M "ListCgroups\",\"more\":true,\"parameters\":{\"sort\":\"name\"}}");
	for (bool more = true; more; pieces++) {
		json_t *m = hear(fd);

		ck_assert_ptr_nonnull(m);
		rows += (u32)json_array_size(json_object_get(json_object_get(m, "parameters"),
							     "cgroups"));
		more = json_is_true(json_object_get(m, "continues"));
		json_decref(m);
		if (pieces == 10)	/* the second half goes */
			for (u64 i = 5000; i < 10000; i++)
				pcr_tree_remove(&fix->state->tree,
						pcr_tree_by_id(&fix->state->tree, 1000 + i));
	}
	ck_assert_uint_eq(rows, 5008);
	expect_status(fd);
	close(fd);
}
END_TEST

static u64 elapsed_ms(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (u64)(now.tv_sec - since->tv_sec) * 1000 + (u64)now.tv_nsec / 1000000 -
		(u64)since->tv_nsec / 1000000;
}

/* 100 that say nothing, 100 that ask and never read: the next honest caller is served. */
START_TEST(test_hostile_peers)
{
	struct timespec start;
	int fds[200], fd;

	open_server(NULL);
	for (int i = 0; i < 200; i++) {
		while ((fds[i] = dial()) < 0)
			pump(1);
		if (i >= 100)
			for (int k = 0; k < 50; k++)
				(void)!send(fds[i], "{\"method\":\"" M "GetHistory\",\"more\":true}",
					    sizeof("{\"method\":\"" M "GetHistory\",\"more\":true}"),
					    MSG_NOSIGNAL);
		pump(1);
	}
	pump(20);
	ck_assert_uint_le(pcr_server_peers(server), PCR_PEERS_MAX);
	for (int i = 0; i < 20; i++) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		fd = dial();
		expect_status(fd);
		/* a bound for a loaded machine; one turn is what it takes */
		ck_assert_uint_lt(elapsed_ms(&start), 2000);
		close(fd);
	}
	for (int i = 0; i < 200; i++)
		close(fds[i]);
	pump(20);
	ck_assert_uint_eq(pcr_server_peers(server), 0);
}
END_TEST

/* One that reads and watches outlives those that say nothing. */
START_TEST(test_watcher_survives_the_silent)
{
	int watcher, fds[300];

	open_server(NULL);
	watcher = dial();
	say(watcher, "{\"method\":\"" M "Watch\",\"more\":true}");
	json_decref(hear(watcher));
	for (int i = 0; i < 300; i++) {
		while ((fds[i] = dial()) < 0)
			pump(1);
		pump(1);
	}
	pretend_history(1);
	{
		json_t *m = hear(watcher);

		ck_assert_ptr_nonnull(m);
		json_decref(m);
	}
	for (int i = 0; i < 300; i++)
		close(fds[i]);
	close(watcher);
}
END_TEST

/* No descriptor can be had from now on; returns how many fill the gap. */
static int run_out(int filler[static 64])
{
	struct rlimit few;
	int n = 0, fd = dup(0);

	close(fd);
	getrlimit(RLIMIT_NOFILE, &few);
	few.rlim_cur = (rlim_t)fd + 8;
	setrlimit(RLIMIT_NOFILE, &few);
	while (n < 64 && (filler[n] = dup(0)) >= 0)
		n++;
	return n;
}

/* valgrind keeps descriptors and a limit of its own. */
static bool no_limits(void)
{
	if (!getenv("UNDER_VALGRIND"))
		return false;
	puts("skip: running out of descriptors can't be played under valgrind");
	return true;
}

/* Out of descriptors: an idle peer makes room. */
START_TEST(test_descriptor_of_the_idle)
{
	struct rlimit old;
	int fd, idle, filler[64], n;
	json_t *m;

	if (no_limits())
		return;
	open_server(NULL);
	idle = dial();
	pump(2);
	fd = dial();
	getrlimit(RLIMIT_NOFILE, &old);
	n = run_out(filler);
	say(fd, STATUS);
	m = hear(fd);
	setrlimit(RLIMIT_NOFILE, &old);
	while (n > 0)
		close(filler[--n]);
	ck_assert_ptr_nonnull(m);
	json_decref(m);
	ck_assert(hung_up(idle));
	close(idle);
	close(fd);
}
END_TEST

/* Where there is none, the loop does not spin, and tries again later. */
START_TEST(test_out_of_descriptors)
{
	struct rlimit old;
	int fd, filler[64], n;

	if (no_limits())
		return;
	open_server(NULL);
	fd = dial();
	getrlimit(RLIMIT_NOFILE, &old);
	n = run_out(filler);
	pump(2);
	setrlimit(RLIMIT_NOFILE, &old);
	while (n > 0)
		close(filler[--n]);
	ck_assert(ev_is_active(&server->again));
	ck_assert(!ev_is_active(&server->accept_io));
	while (!ev_is_active(&server->accept_io))
		ev_run(loop, EVRUN_ONCE);
	expect_status(fd);
	/* and no timer goes on */
	ck_assert(!ev_is_active(&server->again));
	close(fd);
}
END_TEST

/* Runs the other side as somebody else; its exit status. */
static int as_user(bool member, int (*body)(void))
{
	gid_t group = GROUP;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (setgroups(member ? 1 : 0, &group) < 0 || setresgid(65534, 65534, 65534) < 0 ||
		    setresuid(65534, 65534, 65534) < 0)
			_exit(99);
		_exit(body());
	}
	ck_assert_int_gt(pid, 0);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct pollfd p = { .fd = server->fd, .events = POLLIN };

		poll(&p, 1, 1);
		pump(1);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int dial_blocking(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return fd;
}

/* The answer to a request holds the text. */
static bool answers(int fd, const char *request, const char *text)
{
	char buf[65536];
	size_t n = 0;

	(void)!send(fd, request, strlen(request) + 1, MSG_NOSIGNAL);
	while (n < sizeof(buf) - 1) {
		ssize_t got = recv(fd, buf + n, sizeof(buf) - 1 - n, 0);

		if (got <= 0)
			break;
		n += (size_t)got;
		if (buf[n - 1] == '\0')
			break;
	}
	buf[n] = '\0';
	return strstr(buf, text);
}

static int member_asks(void)
{
	int fd = dial_blocking();

	if (fd < 0)
		return 1;
	if (!answers(fd, STATUS, "web-17"))
		return 2;
	if (!answers(fd, "{\"method\":\"" M "Trim\"}", "NotPermitted"))
		return 3;
	return answers(fd, STATUS, "web-17") ? 0 : 4;
}

static int stranger_is_told(void)
{
	int fd = dial_blocking();
	char c;

	if (fd < 0)
		return 1;
	/* told before it has said anything */
	if (!answers(fd, "", "NotPermitted"))
		return 2;
	return recv(fd, &c, 1, 0) <= 0 ? 0 : 3;
}

static int stranger_is_kept_out(void)
{
	return dial_blocking() == -EACCES ? 0 : 1;
}

static int silent_members(void)
{
	int fds[80];

	for (int i = 0; i < 80; i++)
		fds[i] = dial_blocking();
	return answers(fds[79], STATUS, "web-17") ? 0 : 1;
}

/* oomd: its socket is 0666. Read for the group, change for root, peer credentials checked first. */
START_TEST(test_permissions)
{
	if (geteuid() != 0)
		return;
	open_server("4242");
	ck_assert_int_eq(as_user(true, member_asks), 0);
	ck_assert_uint_eq(fix->asked, 0);
	ck_assert_int_eq(as_user(false, stranger_is_kept_out), 0);
	/* also where the mode would let everybody in */
	chmod(path, 0666);
	ck_assert_int_eq(as_user(false, stranger_is_told), 0);
	ck_assert_int_eq(as_user(true, member_asks), 0);
}
END_TEST

/* Whom the service manager lets connect to its socket may ask, without a key that says so. */
START_TEST(test_group_of_a_lent_socket)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	if (geteuid() != 0)
		return;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/s", dir);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(listener, 8), 0);
	ck_assert_int_eq(chown(address.sun_path, 0, GROUP), 0);
	ck_assert_int_eq(chmod(address.sun_path, 0660), 0);
	ck_assert_int_eq(pcr_server_open(&server, loop, listener, path, NULL, &fix->view), 0);
	snprintf(path, sizeof(path), "%s", address.sun_path);
	ck_assert_int_eq(as_user(true, member_asks), 0);
	ck_assert_int_eq(as_user(false, stranger_is_kept_out), 0);
	/* Nor does a reload that names none take it away, and a name goes before it. */
	ck_assert_int_eq(pcr_server_regroup(server, NULL), 0);
	ck_assert_int_eq(as_user(true, member_asks), 0);
	ck_assert_int_eq(pcr_server_regroup(server, "4343"), 0);
	ck_assert_int_eq(as_user(true, stranger_is_told), 0);
	server = pcr_server_close(server);
	unlink(path);
	snprintf(path, sizeof(path), "%s/run/x", dir);
}
END_TEST

/* Members of the group can't send root away, however many they are. */
START_TEST(test_root_keeps_its_slot)
{
	int fds[PCR_PEERS_MAX];

	if (geteuid() != 0)
		return;
	open_server("4242");
	for (int i = 0; i < 10; i++) {
		fds[i] = dial();
		pump(1);
	}
	ck_assert_int_eq(as_user(true, silent_members), 0);
	for (int i = 0; i < 10; i++) {
		expect_status(fds[i]);
		close(fds[i]);
	}
}
END_TEST

PCR_UNIT_FIXTURE("ctl_server", set_up, tear_down,
		 test_socket_file, test_removed_socket_file,
		 test_taken_socket_file, test_unknown_group_leaves_root, test_socket_from_outside,
		 test_split_and_pipelined, test_garbage_and_oversize, test_watch, test_slow_watch,
		 test_long_list_while_it_changes, test_hostile_peers,
		 test_watcher_survives_the_silent, test_descriptor_of_the_idle,
		 test_out_of_descriptors, test_permissions, test_group_of_a_lent_socket,
		 test_root_keeps_its_slot)
