// SPDX-License-Identifier: GPL-2.0-or-later
/* The client against a real server: what it exits with, and what it says. */
#include "unit.h"

#include <ev.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/client.h"
#include "ctl/server.h"
#include "ctl_fixture.h"

static struct fix *fix;
static struct ev_loop *loop;
static struct pcr_server *server;
static char dir[64], path[108];
static char out[1 << 16], err[1 << 16];

static void read_back(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	close(fd);
}

static int temp_file(void)
{
	char name[] = "/tmp/pcr-client-XXXXXX";
	int fd = mkstemp(name);

	ck_assert_int_ge(fd, 0);
	unlink(name);
	return fd;
}

/* In the child: the client as its main() runs it. */
static int client(int argc, char **argv)
{
	struct pcr_options options = { 0 };
	const struct pcr_command *command;
	int r;

	pcr_style_detect(stdout, &options.style);
	r = pcr_options_parse(argc, argv, &options, &command);
	if (command)
		r = command->run(&options);
	fflush(stdout);
	return r;
}

/* Words are cut at blanks. uid 0: as we are. */
static int run_as(uid_t uid, gid_t group, const char *line)
{
	char copy[512], *argv[16] = { "pcpu-reclaimctl", "--socket", path }, *save = NULL;
	int argc = 3, status, out_fd = temp_file(), err_fd = temp_file();
	pid_t pid;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *p = strtok_r(copy, " ", &save); p && argc < 15; p = strtok_r(NULL, " ", &save))
		argv[argc++] = p;
	pid = fork();
	if (pid == 0) {
		dup2(out_fd, STDOUT_FILENO);
		dup2(err_fd, STDERR_FILENO);
		if (uid && (setgroups(group ? 1 : 0, &group) < 0 || setgid(65534) < 0 ||
			    setuid(uid) < 0))
			_exit(99);
		_exit(client(argc, argv));
	}
	ck_assert_int_gt(pid, 0);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		ev_run(loop, EVRUN_NOWAIT);
		usleep(500);
	}
	read_back(out_fd, out, sizeof(out));
	read_back(err_fd, err, sizeof(err));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static int run(const char *line)
{
	return run_as(0, 0, line);
}

static void set_up(void)
{
	fix = fix_new();
	loop = ev_loop_new(EVFLAG_AUTO);
	strcpy(dir, "/tmp/pcr-client-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	chmod(dir, 0755);
	snprintf(path, sizeof(path), "%s/s", dir);
	ck_assert_int_eq(pcr_server_open(&server, loop, -1, path, "4242", &fix->view), 0);
}

static void tear_down(void)
{
	server = pcr_server_close(server);
	ev_loop_destroy(loop);
	unlink(path);
	rmdir(dir);
	fix_free(fix);
}

#define expect(line, code, text)                                                                   \
	do {                                                                                       \
		int _r = run(line);                                                                \
		ck_assert_msg(_r == (code), "%s: %d\n%s%s", line, _r, out, err);                   \
		ck_assert_msg(strstr(out, text) || strstr(err, text), "%s:\n%s%s", line, out, err); \
	} while (0)

START_TEST(test_every_command)
{
	fix_record(fix, 1, 3, "machine.slice/ci");
	expect("", 0, "pcpu-reclaimd 0.1.0 on web-17");
	expect("status", 0, "8 cgroups by tracefs");
	expect("cgroups", 0, "machine.slice/ci");
	expect("cgroups --sort name --limit 2", 0, "2 of 8 cgroups; --all shows the rest");
	expect("policies", 0, "/machine.slice/**");
	expect("explain machine.slice/ci", 0, "ReapAbove=20 instead of 100");
	expect("explain percpu", 0, "percpu memory, machine-wide");
	expect("history", 0, "no-swap");
	expect("history machine.slice/ci", 0, "no-swap");
	expect("plan", 0, "Would be done now");
	expect("doctor", 1, "1 problem, 1 absent");
	expect("metrics", 0, "\npcpu_reclaimd_cgroups 8\n");
	expect("reap machine.slice/ci 16M", 0, "Asked.");
	ck_assert_uint_eq(fix->asked_bytes, 16 << 20);
	expect("trim", 0, "Asked.");
	ck_assert_uint_eq(fix->asked_bytes, PCR_ABSENT);
	expect("reload", 0, "in force");
	expect("log-level debug", 0, "Done");
	ck_assert_uint_eq(fix->asked_level, 7);
	expect("log-level", 0, "info");
	expect("log-level --json", 0, "{\"log_level\":6}\n");
	ck_assert_str_eq(out, "{\"log_level\":6}\n");
	expect("help", 0, "Exit status:");
	expect("help status", 0, "Usage: pcpu-reclaimctl [OPTION...] status\nis it running");
	expect("help cgroups", 0, "--sort KEY");
}
END_TEST

START_TEST(test_usage)
{
	expect("stauts", 2, "did you mean status?");
	expect("x", 2, "Unknown command");
	expect("explain", 2, "CGROUP|PID|percpu|NODE|KNOB");
	expect("status more", 2, "Too many arguments");
	expect("cgroups --sort size", 2, "Not a key to sort by");
	expect("cgroups --limit x", 2, "Not a number");
	expect("reap / 16MB", 2, "Not a size");
	expect("trim 0", 2, "Not a size");
	expect("log-level debgu", 2, "did you mean debug?");
	expect("help stauts", 2, "did you mean status?");
	expect("status --sort name", 2, "--sort means nothing to status");
	expect("history --sort name", 2, "--sort means nothing to history");
	expect("--limit 3", 2, "--limit means nothing to status");
	expect("plan --all", 2, "--all means nothing to plan");
	expect("metrics --json", 2, "--json means nothing to metrics");
	expect("status --http", 2, "--http means nothing to status");
	expect("help metrics", 0, "--http ");
	expect("--nonsense", 2, "--help");
	expect("--help", 0, "Commands");
	expect("--version", 0, "pcpu-reclaimctl ");
}
END_TEST

START_TEST(test_refused)
{
	expect("explain nope", 1, "No such cgroup: nope");
	expect("history nope", 1, "No such cgroup: nope");
	fix->r = -EALREADY;
	expect("trim", 1, "Already under way");
	fix->r = -ENODATA;
	expect("reap machine.slice", 1, "Failed: nothing is dying below it: a reclaim would only");
	fix->r = -EOPNOTSUPP;
	expect("trim", 1, "Not on this machine: /sys/kernel/mm/percpu/reclaim");
	fix->r = -EINVAL;
	fix->errors = "a.conf:7:11: unknown suffix\n1 error\n";
	expect("reload", 1, "a.conf:7:11: unknown suffix\n1 error\nthe settings in force since ");
	ck_assert_ptr_nonnull(strstr(err, "Z are kept\n"));
	/* errors are for people: nothing that a script could take for a reply */
	expect("reload --json", 1, "1 error\nthe settings in force since ");
	ck_assert_str_eq(out, "");
	fix->health.settings_usec = 0;
	expect("reload", 1, "1 error\nthe settings in force are kept\n");
}
END_TEST

/* Control characters in a cgroup's name never reach a terminal raw. */
START_TEST(test_names_are_safe)
{
	expect("cgroups", 0, "bell\\x07\\x1b[31m");
	ck_assert_ptr_null(strchr(out, '\x1b'));
	ck_assert_ptr_null(strchr(out, '\a'));
	expect("cgroups --json", 0, "caf\\\\xe9");
	/* as on disk, and as shown */
	expect("reap system.slice/caf\xe9", 0, "Asked.");
	ck_assert_uint_eq(fix->asked_id, 6);
	expect("reap system.slice/caf\\xe9", 0, "Asked.");
	ck_assert_uint_eq(fix->asked_id, 6);
	expect("reap system.slice/foo\\x2dbar\\xe9.slice", 0, "Asked.");
	ck_assert_uint_eq(fix->asked_id, 7);
	expect("explain \x1b[31m", 1, "No such cgroup: \\x1b[31m");
}
END_TEST

START_TEST(test_json)
{
	static const char *const lines[] = {
		"--json", "cgroups --json --all", "policies --json", "explain / --json",
		"history --json", "plan --json", "doctor --json", "trim --json", "log-level --json",
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(lines); i++) {
		json_t *json;
		int r = run(lines[i]);

		ck_assert_int_le(r, 1);
		json = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
		ck_assert_msg(json_is_object(json), "%s: %s%s", lines[i], out, err);
		json_decref(json);
	}
}
END_TEST

START_TEST(test_all_rows)
{
	json_t *json;

	for (u64 i = 0; i < 500; i++) {
		char name[32];

		snprintf(name, sizeof(name), "c%llu", (unsigned long long)i);
		fix_add(fix, fix->state->tree.root, 1000 + i, name);
	}
	ck_assert_int_eq(run("cgroups --all --json"), 0);
	json = json_loads(out, 0, NULL);
	/* the output is cut at the size of the buffer, so count lines instead */
	json_decref(json);
	ck_assert_int_eq(run("cgroups --all --sort name"), 0);
	{
		int lines = 0;

		for (const char *p = out; *p; p++)
			lines += *p == '\n';
		ck_assert_int_eq(lines, 1 + 508);
	}
}
END_TEST

START_TEST(test_not_running)
{
	char copy[108];

	strcpy(copy, path);
	server = pcr_server_close(server);
	expect("", 3, "systemctl start pcpu-reclaimd");
	/* a socket left behind */
	{
		struct sockaddr_un address = { .sun_family = AF_UNIX };
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		strcpy(address.sun_path, copy);
		ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
		close(fd);
	}
	expect("status", 3, "not running");
}
END_TEST

/* Somebody who listens and never answers: the client gives up. */
START_TEST(test_no_answer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	server = pcr_server_close(server);
	strcpy(address.sun_path, path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(fd, 4), 0);
	expect("status", 3, "does not answer");
	close(fd);
}
END_TEST

/* Pieces of 1 MiB for as long as anybody reads them. */
static void never_ends(int listener)
{
	static const char head[] = "{\"continues\":true,\"parameters\":{\"cgroups\":[],\"pad\":\"";
	size_t n = 1 << 20;
	char *piece = malloc(n);
	int fd = accept(listener, NULL, NULL);

	memset(piece, 'x', n);
	memcpy(piece, head, sizeof(head) - 1);
	memcpy(piece + n - 4, "\"}}", 4);
	while (send(fd, piece, n, MSG_NOSIGNAL) > 0)
		;
	_exit(0);
}

/* Somebody whose answer goes on and on: the client keeps within bounds. */
START_TEST(test_endless_answer)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t pid;

	server = pcr_server_close(server);
	strcpy(address.sun_path, path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(fd, 4), 0);
	pid = fork();
	if (pid == 0)
		never_ends(fd);
	expect("cgroups --all", 1, "has no end: given up after 128 MiB");
	close(fd);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

START_TEST(test_not_permitted)
{
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(run_as(65534, 0, "status"), 4);
	ck_assert_ptr_nonnull(strstr(err, "group 4242"));
	ck_assert_int_eq(run_as(65534, 4242, "status"), 0);
	ck_assert_int_eq(run_as(65534, 4242, "trim"), 4);
	ck_assert_ptr_nonnull(strstr(err, "root may change"));
	/* let in by the file's mode, turned away by the server */
	chmod(path, 0666);
	ck_assert_int_eq(run_as(65534, 0, "status"), 4);
	ck_assert_ptr_nonnull(strstr(err, "members of the group 4242 may ask"));
	ck_assert_uint_eq(fix->asked, 0);
}
END_TEST

START_TEST(test_watch)
{
	int status, out_fd = temp_file();
	pid_t pid = fork();

	if (pid == 0) {
		char *argv[] = { "pcpu-reclaimctl", "--socket", path, "watch", NULL };

		dup2(out_fd, STDOUT_FILENO);
		dup2(out_fd, STDERR_FILENO);
		_exit(client(4, argv));
	}
	for (int i = 0; i < 400; i++) {
		ev_run(loop, EVRUN_NOWAIT);
		usleep(1000);
		if (i == 200) {
			fix_record(fix, 1, 3, "machine.slice/ci");
			pcr_server_notify_record(server, pcr_state_history(fix->state, 0));
		}
	}
	server = pcr_server_close(server);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 3);
	read_back(out_fd, out, sizeof(out));
	ck_assert_ptr_nonnull(strstr(out, "(watching 8 cgroups"));
	ck_assert_ptr_nonnull(strstr(out, "reap /machine.slice/ci: 980 of 1,204"));
	ck_assert_ptr_nonnull(strstr(out, "hung up"));
}
END_TEST

PCR_UNIT_FIXTURE("client_run", set_up, tear_down,
		 test_every_command, test_usage, test_refused, test_names_are_safe, test_json,
		 test_all_rows, test_not_running, test_no_answer, test_endless_answer,
		 test_not_permitted, test_watch)
