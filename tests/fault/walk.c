// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lives a short life with the daemon again and again, and lets another call into the
 * kernel fail each time (wrap.c). A life: start, a storm of cgroups, reap, trim, a
 * setting under the ledger, every question, two reloads (one refused), SIGTERM.
 *
 *   walk DAEMON TEMPLATE SCRATCH quick|full|CALL:N:WHAT
 *
 * Whatever failed, the daemon must
 *
 *   - neither crash nor hang; a start is refused with an exit status of sysexits(3)
 *     and a word about it, or succeeds
 *   - answer, unless it said that it works without a control socket
 *   - not spin: processor time within a bound (field reports 17, 20)
 *   - end with status 0 on SIGTERM, without a descriptor left (wrap.c looks)
 *   - put the setting back, or leave it in the ledger, and then the next start puts it
 *     back (21, 25)
 *
 * The undisturbed life comes first: it tells which calls there are, and must do all
 * that is asked of it, or the walk proves nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fault/calls.h"

#define SPEED "20"
#define KNOBS "sys/kernel/mm/percpu/"
#define BATCH "sys/kernel/mm/batch_free/"
#define QUEUE "sys/devices/virtual/workqueue/batch_free_node0/"
#define LEDGER "run/pcpu-reclaimd/ledger"
#define WORKERS "run/pcpu-reclaimd/workers"
#define CGROUPS "run/pcpu-reclaimd/batch-off"
#define SOCKET "run/pcpu-reclaimd/org.pcpu-reclaimd"
#define CONF "etc/pcpu-reclaimd/conf.d/10-test.conf"
#define CG "sys/fs/cgroup/"
#define PIPE "sys/kernel/tracing/instances/pcpu-reclaimd/trace_pipe"

/* Bounds on one life, real time. Generous: other jobs may have the processor. */
#define ANSWER_MSEC 8000
#define END_MSEC 8000
#define CPU_MSEC 1500

static const char good[] =
	"[Percpu]\nEmptyPagesLow=5\nEmptyPagesHigh=8\nReapAbove=20\nCooldown=0\nTrimCooldown=1s\n"
	"[BatchFree]\nEnabled=yes\nMinRSS=8M\nMaxPending=7M\nMaxActive=4\nWorkerNice=5\n"
	"[Policy db]\nMatch=/db/**\nReap=no\n[Policy off]\nMatch=/off\nBatchFree=no\n"
	"[Policy jobs]\nMatch=/jobs\nCollapse=8M/1s\n"
	"[Pressure]\nSlices=/ci\nPollPeriod=1s\n[Daemon]\nAuditPeriod=1s\nWalkPeriod=1s\n";
static const char bad[] = "[Percpu]\nReapStep=16MB\n";

/* What these change: file, value found, value set, where that is noted. */
static const struct {
	const char *name;
	char found, set;
	const char *noted;
} knobs[] = {
	{ KNOBS "empty_pages_low", '2', '5', LEDGER },
	{ KNOBS "empty_pages_high", '4', '8', LEDGER },
	{ BATCH "min_rss_mb", '4', '8', LEDGER },
	{ BATCH "max_pending_mb", '6', '7', LEDGER },
	{ BATCH "enabled", '0', '1', LEDGER },
	{ QUEUE "max_active", '2', '4', LEDGER },
	{ QUEUE "nice", '0', '5', WORKERS },
	{ "sys/kernel/mm/transparent_hugepage/task_collapse/enabled", '0', '1', LEDGER },
	{ CG "off/memory.batch_free", '1', '0', CGROUPS },
};

static const char *daemon_path, *template;

struct life {
	char root[256];
	char log[300];
	long log_from;		/* what an earlier start said does not count */
	const char *spec;	/* NULL: nothing fails */
	const char *trace;
	int pipe;		/* where events are told, -1: the machine has no tracefs */
	pid_t pid;
	int ended;		/* wait status, -1: still there */
	struct rusage usage;
	char why[600];		/* of a failure, "" */
	bool socketless;
	bool mute;		/* nothing can be expected to answer */
};

__attribute__((format(printf, 2, 3)))
static bool fails(struct life *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->why, sizeof(l->why), fmt, ap);
	va_end(ap);
	return false;
}

static long now_msec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void pause_msec(long msec)
{
	struct timespec ts = { msec / 1000, msec % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* --- the machine --- */

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void join(char *buf, size_t size, const char *dir, const char *name)
{
	if (snprintf(buf, size, "%s/%s", dir, name) >= (int)size) {
		errno = ENAMETOOLONG;
		die(name);
	}
}

static size_t slurp(const char *dir, const char *name, char *buf, size_t size)
{
	char path[512];
	ssize_t n;
	int fd;

	join(path, sizeof(path), dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? 0 : read(fd, buf, size - 1);
	if (fd >= 0)
		close(fd);
	buf[n < 0 ? 0 : n] = '\0';
	return n < 0 ? 0 : (size_t)n;
}

/* As a whole, since the daemon may be reading it. */
static void put(const char *dir, const char *name, const char *text)
{
	char path[512], temp[512];
	size_t n = strlen(text);
	int fd;

	join(path, sizeof(path), dir, name);
	join(temp, sizeof(temp), dir, ".put");
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, n) != (ssize_t)n || rename(temp, path) < 0)
		die(path);
	close(fd);
}

/* Directories and small files; what a fake root is made of. */
static void copy_tree(const char *from, const char *to)
{
	DIR *d = opendir(from);
	const struct dirent *e;
	char a[512], text[8192];
	struct stat st;

	if (!d || mkdir(to, 0755) < 0)
		die(to);
	while ((e = readdir(d))) {
		char b[512];

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		join(a, sizeof(a), from, e->d_name);
		join(b, sizeof(b), to, e->d_name);
		if (stat(a, &st) < 0)
			die(a);
		if (S_ISDIR(st.st_mode)) {
			copy_tree(a, b);
		} else if (S_ISFIFO(st.st_mode)) {
			if (mkfifo(b, 0600) < 0)
				die(b);
		} else {
			slurp(from, e->d_name, text, sizeof(text));
			put(to, e->d_name, text);
		}
	}
	closedir(d);
}

static void remove_tree(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	char name[512];

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		join(name, sizeof(name), path, e->d_name);
		if (unlink(name) < 0)
			remove_tree(name);
	}
	if (d)
		closedir(d);
	(void)rmdir(path);
}

/* As trace_pipe has it, without the context. */
static void tell(const struct life *l, const char *event, const char *name, const char *path)
{
	char line[700];
	struct stat st;
	int level = 1, n;

	if (l->pipe < 0 || stat(path, &st) < 0)
		return;
	for (const char *at = name; (at = strchr(at, '/')); at++)
		level++;
	n = snprintf(line, sizeof(line), "%s: root=0 id=%llu level=%d path=/%s\n", event,
		     (unsigned long long)st.st_ino, level, name);
	(void)!write(l->pipe, line, (size_t)n);
}

static void cgroup(const struct life *l, const char *name, bool make)
{
	char path[512], full[300];

	snprintf(full, sizeof(full), CG "%s", name);
	join(path, sizeof(path), l->root, full);
	if (make) {
		(void)mkdir(path, 0755);
		tell(l, "cgroup_mkdir", name, path);
	} else {
		tell(l, "cgroup_rmdir", name, path);
		(void)rmdir(path);
	}
}

static void set_dying(const struct life *l, const char *cgroup_stat, unsigned int n)
{
	char text[100];

	snprintf(text, sizeof(text), "nr_descendants 0\nnr_dying_descendants %u\n", n);
	put(l->root, cgroup_stat, text);
}

/* --- the daemon --- */

static void spawn(struct life *l)
{
	l->ended = -1;
	l->pid = fork();
	if (l->pid < 0)
		die("fork");
	if (l->pid == 0) {
		int fd = open(l->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		dup2(fd, 1);
		dup2(fd, 2);
		setenv("PCR_ROOT", l->root, 1);
		setenv("PCR_KERNEL", "1", 1);
		setenv("PCR_SPEED", SPEED, 1);
		if (l->spec)
			setenv("PCR_FAULT", l->spec, 1);
		if (l->trace)
			setenv("PCR_TRACE", l->trace, 1);
		execl(daemon_path, daemon_path, "--root", l->root, NULL);
		_exit(127);
	}
}

static bool has_ended(struct life *l)
{
	int status;

	if (l->ended < 0 && wait4(l->pid, &status, WNOHANG, &l->usage) == l->pid)
		l->ended = status;
	return l->ended >= 0;
}

static bool await_end(struct life *l)
{
	long until = now_msec() + END_MSEC;

	while (!has_ended(l)) {
		if (now_msec() > until)
			return fails(l, "does not end");
		pause_msec(2);
	}
	return true;
}

static long length(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? 0 : (long)st.st_size;
}

static bool says(const struct life *l, const char *text)
{
	char log[32768];
	size_t n = slurp("", l->log, log, sizeof(log));

	return (size_t)l->log_from < n && strstr(log + l->log_from, text);
}

/* --- asking --- */

static int connection(const struct life *l)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval tv = { .tv_usec = 400000 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (snprintf(a.sun_path, sizeof(a.sun_path), "%s/" SOCKET, l->root) >= (int)sizeof(a.sun_path))
		die("a socket's path");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Parameters of the (first) reply, whether it is an error or not; NULL: none came. */
static json_t *ask(const struct life *l, const char *method, const char *params)
{
	char text[400], buf[65536];
	json_t *reply, *result;
	size_t n = 0;
	int len, fd = connection(l);

	if (fd < 0)
		return NULL;
	len = snprintf(text, sizeof(text),
		       "{\"method\":\"org.pcpu-reclaimd.Manager.%s\",\"parameters\":%s}", method, params);
	(void)!send(fd, text, (size_t)len + 1, MSG_NOSIGNAL);
	while (n < sizeof(buf) && !memchr(buf, '\0', n)) {
		ssize_t got = recv(fd, buf + n, sizeof(buf) - n, 0);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	if (!n || !memchr(buf, '\0', n))
		return NULL;
	reply = json_loads(buf, JSON_REJECT_DUPLICATES, NULL);
	result = json_incref(json_object_get(reply, "parameters"));
	json_decref(reply);
	return result;
}

static void just_ask(const struct life *l, const char *method, const char *params)
{
	json_decref(ask(l, method, params));
}

static long total(const struct life *l, const char *name)
{
	json_t *status = ask(l, "GetStatus", "{}");
	long n = (long)json_integer_value(json_object_get(json_object_get(status, "totals"), name));

	json_decref(status);
	return n;
}

/* Are its signal handlers in place? Before that, SIGHUP is the end of any program. */
static bool hears(const struct life *l)
{
	char path[64], status[4096];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)l->pid);
	slurp("", path, status, sizeof(status));
	at = strstr(status, "SigCgt:");
	return at && strtoull(at + 7, NULL, 16) & 1ull << (SIGHUP - 1);
}

/* False: it ended, which may be all right, or it is stuck. */
static bool await_answer(struct life *l)
{
	long until = now_msec() + ANSWER_MSEC;

	if (l->mute) {
		while (!hears(l) && !has_ended(l) && now_msec() < until)
			pause_msec(2);
		return !has_ended(l);
	}
	for (;;) {
		json_t *status = ask(l, "GetStatus", "{}");

		json_decref(status);
		if (status)
			return true;
		if (has_ended(l))
			return false;
		l->socketless = hears(l) && says(l, "working without a control socket");
		if (l->socketless)
			return true;
		if (now_msec() > until)
			return fails(l, "does not answer");
		pause_msec(2);
	}
}

static void await_actions(const struct life *l, long n, long msec)
{
	long until = now_msec() + msec;

	while (now_msec() < until && total(l, "actions") < n)
		pause_msec(5);
}

/* --- one life --- */

static void storm(const struct life *l)
{
	char name[64];

	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "ci/job%d", i);
		cgroup(l, name, true);
		snprintf(name, sizeof(name), "ci/job%d/step", i);
		cgroup(l, name, true);
	}
	put(l->root, "sys/kernel/mm/percpu/empty_pages", "408\n");
	set_dying(l, CG "ci/cgroup.stat", 50);
	set_dying(l, CG "cgroup.stat", 50);
	put(l->root, CG "ci/memory.current", "5000000\n");
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "ci/job%d/step", i);
		cgroup(l, name, false);
		snprintf(name, sizeof(name), "ci/job%d", i);
		cgroup(l, name, false);
	}
}

static void live(struct life *l)
{
	/* two ends of the float, four of help for exits, collapse on, reap, trim */
	storm(l);
	if (l->socketless || l->mute)
		pause_msec(300);
	else
		await_actions(l, 9, l->spec ? 400 : 4000);
	just_ask(l, "ListCgroups", "{}");
	just_ask(l, "ListPolicies", "{}");
	just_ask(l, "Explain", "{\"target\":\"/ci\"}");
	just_ask(l, "Explain", "{\"target\":\"percpu\"}");
	just_ask(l, "Doctor", "{}");
	just_ask(l, "GetPlan", "{}");
	just_ask(l, "ListTasks", "{}");
	just_ask(l, "Explain", "{\"target\":\"4711\"}");
	just_ask(l, "GetHistory", "{}");
	put(l->root, CONF, bad);
	just_ask(l, "Reload", "{}");
	put(l->root, CONF, good);
	kill(l->pid, SIGHUP);
	set_dying(l, CG "db/cgroup.stat", 3);
	just_ask(l, "Reap", "{\"cgroup\":\"/db\"}");
	just_ask(l, "Trim", "{\"bytes\":65536}");
	cgroup(l, "db/late", true);
	cgroup(l, "db/late", false);
	if (!l->socketless && !l->mute)
		await_actions(l, 11, l->spec ? 100 : 2000);
}

static bool exit_is_fine(struct life *l, bool at_start)
{
	long cpu = (l->usage.ru_utime.tv_sec + l->usage.ru_stime.tv_sec) * 1000 +
		   (l->usage.ru_utime.tv_usec + l->usage.ru_stime.tv_usec) / 1000;
	char first[8];

	if (WIFSIGNALED(l->ended))
		return fails(l, "killed by %s", strsignal(WTERMSIG(l->ended)));
	if (WEXITSTATUS(l->ended) == 99)
		return fails(l, "descriptors are left");
	if (cpu > CPU_MSEC)
		return fails(l, "spins: %ld ms of processor time", cpu);
	if (!at_start)
		return WEXITSTATUS(l->ended) == 0 ? true :
			fails(l, "exit status %d", WEXITSTATUS(l->ended));
	if (WEXITSTATUS(l->ended) < 71 || WEXITSTATUS(l->ended) > 78)
		return fails(l, "start ended with exit status %d", WEXITSTATUS(l->ended));
	if (!slurp("", l->log, first, sizeof(first)))
		return fails(l, "start refused without a word");
	return true;
}

/* Did it all happen? Asked of the undisturbed life only. */
static bool did_all(struct life *l)
{
	static const char *const lines[] = {
		"empty_pages_high: 8 instead of 4",
		"empty_pages_low: 5 instead of 2",
		"task_collapse/enabled: 1 instead of 0",
		"batch_free/enabled: 1 instead of 0",
		"batch_free_node0/max_active: 4 instead of 2",
		"batch_free_node0/nice: 5",
		"reap /ci: 50 of 50 removed cgroups gone, 800 KiB freed",
		"trim percpu: 3.1 MiB freed",
		"unknown suffix \"MB\"",
		"reap /db: 3 of 3",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!says(l, lines[i]))
			return fails(l, "the undisturbed life does not say \"%s\"", lines[i]);
	if (l->pipe >= 0 && says(l, "watching cgroups by inotify"))
		return fails(l, "the undisturbed life does not get its events by tracefs");
	return true;
}

/* A knob that vanished under us took its setting along: so it was told. */
static bool knob_vanished(const char *spec)
{
	return spec && (strstr(spec, ":ENOENT") || strstr(spec, ":ENODEV"));
}

/* The first byte of a knob: its values have one. */
static char shown(struct life *l, size_t i)
{
	char text[32];

	slurp(l->root, knobs[i].name, text, sizeof(text));
	return *text;
}

static bool put_back(struct life *l)
{
	char noted[4096], entry[120];

	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
		slurp(l->root, knobs[i].noted, noted, sizeof(noted));
		/* Of a cgroup there is its id: some number. */
		snprintf(entry, sizeof(entry), "/%s\t%c\t%c", knobs[i].name, knobs[i].found,
			 knobs[i].set);
		if (!strcmp(knobs[i].noted, CGROUPS))
			strcpy(entry, "\n");
		if (shown(l, i) != knobs[i].found && !strstr(noted, entry) &&
		    !knob_vanished(l->spec))
			return fails(l, "%s shows \"%c\" and nobody owns it (noted \"%s\")",
				     knobs[i].name, shown(l, i), noted);
	}
	return true;
}

static bool is_clean(struct life *l, bool vanished)
{
	char noted[4096], path[512];
	struct stat st;

	for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
		slurp(l->root, knobs[i].noted, noted, sizeof(noted));
		if ((shown(l, i) != knobs[i].found && !vanished) || *noted)
			return fails(l, "the next start does not clean up: %s \"%c\", noted \"%s\"",
				     knobs[i].name, shown(l, i), noted);
	}
	join(path, sizeof(path), l->root, LEDGER ".new");
	if (stat(path, &st) == 0)
		return fails(l, "the next start leaves ledger.new");
	return true;
}

/* The socket or memory fails for ever: it need not answer, but has to end. */
static bool is_mute(const char *spec)
{
	static const char *const calls[] = {
		"accept4:", "getsockopt:", "recv:", "send:", "malloc:", "calloc:", "realloc:",
	};

	for (size_t i = 0; spec && strchr(spec, '+') && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strncmp(spec, calls[i], strlen(calls[i])))
			return true;
	return false;
}

static bool one(struct life *l)
{
	bool vanished;

	l->mute = is_mute(l->spec);
	spawn(l);
	if (!await_answer(l)) {
		if (*l->why || !exit_is_fine(l, true))
			return false;
	} else {
		live(l);
		if (has_ended(l))
			return exit_is_fine(l, false) ? fails(l, "ended by itself") : false;
		kill(l->pid, SIGTERM);
		if (!await_end(l) || !exit_is_fine(l, false))
			return false;
		if (!l->spec && !did_all(l))
			return false;
	}
	if (!put_back(l))
		return false;

	/* The next one, undisturbed, finds whatever this one left. */
	vanished = knob_vanished(l->spec);
	l->spec = NULL;
	l->trace = NULL;
	l->socketless = l->mute = false;
	l->log_from = length(l->log);
	spawn(l);
	if (!await_answer(l))
		return *l->why ? false : fails(l, "the next start ends by itself");
	kill(l->pid, SIGTERM);
	return await_end(l) && exit_is_fine(l, false) && is_clean(l, vanished);
}

static bool whole_life(const char *scratch, unsigned int slot, const char *spec, const char *trace,
		       const char *about)
{
	struct life l = { .spec = spec, .trace = trace };
	char log[32768], pipe[512];
	bool fine;

	snprintf(l.root, sizeof(l.root), "%.200s/r%u", scratch, slot);
	snprintf(l.log, sizeof(l.log), "%.200s/log%u", scratch, slot);
	remove_tree(l.root);
	unlink(l.log);
	copy_tree(template, l.root);
	put(l.root, CONF, good);
	/* Also for reading: a pipe that nobody reads is one we must not be killed by. */
	join(pipe, sizeof(pipe), l.root, PIPE);
	l.pipe = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	fine = one(&l);
	if (l.pipe >= 0)
		close(l.pipe);
	if (l.ended < 0) {
		kill(l.pid, SIGKILL);
		waitpid(l.pid, NULL, 0);
	}
	if (!fine) {
		slurp("", l.log, log, sizeof(log));
		printf("FAILED  %-34s %s: %s\n%s", spec ? spec : "nothing fails", about, l.why, log);
	}
	fflush(stdout);
	return fine;
}

/* --- which faults --- */

struct fault {
	char spec[64];
	char about[160];
};

static struct fault *faults;
static size_t n_faults;

static void add(enum call call, unsigned int n, const char *onwards, const char *what, size_t len,
		const char *about)
{
	struct fault *f;

	faults = realloc(faults, (n_faults + 1) * sizeof(*faults));
	if (!faults)
		die("memory");
	f = &faults[n_faults++];
	snprintf(f->spec, sizeof(f->spec), "%s:%u%s:%.*s", call_names[call], n, onwards, (int)len, what);
	snprintf(f->about, sizeof(f->about), "%.150s", about);
}

#define CALL_FAULTS(id, name, faults) [CALL_##id] = faults,
static const char *const call_faults[N_CALLS] = { CALLS(CALL_FAULTS) };

static unsigned int n_words(const char *text)
{
	unsigned int n = 1;

	for (; *text; text++)
		n += *text == ' ';
	return n;
}

static const char *word(const char *text, unsigned int i, size_t *ret_len)
{
	while (i--)
		text = strchr(text, ' ') + 1;
	*ret_len = strcspn(text, " ");
	return text;
}

/* Has this call been made on this path before? Then quick leaves it out. */
static bool seen(enum call call, const char *path)
{
	static struct {
		enum call call;
		char path[160];
	} *known;
	static size_t n;

	for (size_t i = 0; i < n; i++)
		if (known[i].call == call && !strncmp(known[i].path, path, sizeof(known[i].path) - 1))
			return true;
	known = realloc(known, (n + 1) * sizeof(*known));
	if (!known)
		die("memory");
	known[n].call = call;
	snprintf(known[n].path, sizeof(known[n].path), "%.150s", path);
	n++;
	return false;
}

/* Interrupted, aborted, not yet, in pieces: no kernel says that for ever. */
static bool may_last(const char *what, size_t len)
{
	static const char *const passing[] = { "EINTR", "ECONNABORTED", "EAGAIN", "short" };

	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		if (len == strlen(passing[i]) && !strncmp(what, passing[i], len))
			return false;
	return true;
}

/*
 * Full: each call with each of its faults, and with those that last until somebody
 * mends them. Quick: the first call on each path, with one fault, another each time.
 */
static void choose(const char *trace, bool full)
{
	FILE *f = fopen(trace, "re");
	char name[32], path[700], line[800];
	unsigned int n, turn = 0;
	size_t len;

	if (!f)
		die(trace);
	while (fgets(line, sizeof(line), f)) {
		int c = 0;

		if (sscanf(line, "%31s %u %699s", name, &n, path) != 3)
			continue;
		while (c < N_CALLS && strcmp(call_names[c], name))
			c++;
		if (c == N_CALLS)
			continue;
		if (!full && (seen((enum call)c, path) && (*path != '-' || n % 7)))
			continue;
		for (unsigned int i = 0; i < n_words(call_faults[c]); i++) {
			const char *what = word(call_faults[c], i, &len);

			if (full || i == turn % n_words(call_faults[c]))
				add((enum call)c, n, "", what, len, path);
			if (full && n % 5 == 1 && may_last(what, len))
				add((enum call)c, n, "+", what, len, path);
		}
		turn++;
	}
	fclose(f);
}

/* --- many at once --- */

static int run_slot(const char *scratch, unsigned int slot, unsigned int slots)
{
	unsigned int bad_ones = 0;

	for (size_t i = slot; i < n_faults; i += slots)
		bad_ones += !whole_life(scratch, slot, faults[i].spec, NULL, faults[i].about);
	return bad_ones > 100 ? 100 : (int)bad_ones;
}

static unsigned int run_all(const char *scratch, unsigned int slots)
{
	unsigned int bad_ones = 0;
	int status;

	for (unsigned int slot = 0; slot < slots; slot++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0)
			_exit(run_slot(scratch, slot, slots));
	}
	while (wait(&status) > 0)
		bad_ones += WIFEXITED(status) ? (unsigned int)WEXITSTATUS(status) : 1;
	return bad_ones;
}

int main(int argc, char **argv)
{
	const char *jobs = getenv("JOBS");
	char trace[300];
	unsigned int bad_ones;

	if (argc < 5)
		return 2;
	daemon_path = argv[1];
	template = argv[2];
	if (strchr(argv[4], ':'))
		return whole_life(argv[3], 0, argv[4], NULL, "") ? 0 : 1;
	snprintf(trace, sizeof(trace), "%s/trace", argv[3]);
	if (!whole_life(argv[3], 0, NULL, trace, ""))
		return 1;
	choose(trace, !strcmp(argv[4], "full"));
	bad_ones = run_all(argv[3], jobs ? (unsigned int)atoi(jobs) : 6);
	printf("fault: %s: %zu lives, %u failed\n", strrchr(template, '/') + 1, n_faults + 1, bad_ones);
	return bad_ones ? 1 : 0;
}
