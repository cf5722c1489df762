// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Between the daemon's objects and libc, by the linker's --wrap: the daemon itself has
 * no line of test code. Three things happen here, each only when it is asked for:
 *
 *   PCR_ROOT=DIR        calls below DIR (by path or descriptor) are counted by name
 *   PCR_FAULT=CALL:N:WHAT   the N-th of them fails: WHAT is an errno by name, "short"
 *                       or "empty"; "N+" makes all fail from there on
 *   PCR_TRACE=FILE      "CALL N PATH" of each goes to FILE
 *   PCR_KERNEL=1        writes to knobs do what the kernel would do, before they
 *                       return (integration/player.h)
 *   PCR_SPEED=K         time runs K times as fast, for the daemon and its timers
 *
 * At the end a descriptor that was not there at the start is a leak: exit status 99.
 */
#include <dirent.h>
#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fault/calls.h"
#include "integration/player.h"

#define FAULT_SHORT (-1)
#define FAULT_EMPTY (-2)

static struct {
	char root[512];
	size_t root_len;
	enum call call;		/* N_CALLS: none */
	unsigned int nth;
	bool onwards;
	int what;
	int trace;
	bool kernel;
	double speed;
	struct timespec start[2];
	unsigned char open_at_start[4096];
} me = { .call = N_CALLS, .trace = -1, .speed = 1 };

static atomic_uint counted[N_CALLS];

/* What is done in here is not the daemon's doing. */
static __thread bool inside;

/* --- setting up, before main() --- */

static int errno_of(const char *name)
{
	for (int e = 1; e < 134; e++)
		if (strerrorname_np(e) && !strcmp(strerrorname_np(e), name))
			return e;
	fprintf(stderr, "wrap: %s?\n", name);
	_exit(98);
}

static void parse_fault(char *spec)
{
	char *n = strchr(spec, ':');
	char *what = n ? strchr(n + 1, ':') : NULL;

	if (!what) {
		fprintf(stderr, "wrap: %s?\n", spec);
		_exit(98);
	}
	*n++ = *what++ = '\0';
	for (int c = 0; c < N_CALLS; c++)
		if (!strcmp(call_names[c], spec))
			me.call = (enum call)c;
	me.nth = (unsigned int)strtoul(n, &n, 10);
	me.onwards = *n == '+';
	me.what = !strcmp(what, "short") ? FAULT_SHORT : !strcmp(what, "empty") ? FAULT_EMPTY :
		  errno_of(what);
}

__attribute__((constructor))
static void set_up(void)
{
	const char *root = getenv("PCR_ROOT"), *fault = getenv("PCR_FAULT");
	const char *trace = getenv("PCR_TRACE"), *speed = getenv("PCR_SPEED");
	char copy[128];

	inside = true;
	me.root_len = (size_t)snprintf(me.root, sizeof(me.root), "%s", root ? root : "/nowhere");
	if (trace)
		me.trace = open(trace, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	me.kernel = getenv("PCR_KERNEL");
	if (speed)
		me.speed = atof(speed);
	clock_gettime(CLOCK_MONOTONIC, &me.start[0]);
	clock_gettime(CLOCK_BOOTTIME, &me.start[1]);
	if (fault) {
		snprintf(copy, sizeof(copy), "%s", fault);
		parse_fault(copy);
	}
	for (int fd = 0; fd < (int)sizeof(me.open_at_start); fd++)
		me.open_at_start[fd] = fcntl(fd, F_GETFD) >= 0;
	inside = false;
}

/* --- the end --- */

__attribute__((destructor))
static void count_descriptors(void)
{
	char link[64], to[512];
	bool leak = false;

	inside = true;
	for (int fd = 0; fd < (int)sizeof(me.open_at_start); fd++) {
		ssize_t n;

		if (me.open_at_start[fd] || fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, to, sizeof(to) - 1);
		to[n < 0 ? 0 : n] = '\0';
		fprintf(stderr, "wrap: leaked descriptor %d: %s\n", fd, to);
		leak = true;
	}
	if (leak)
		_exit(99);
}

/* --- whether a call is one that counts --- */

static bool below(const char *path)
{
	return !strncmp(path, me.root, me.root_len) &&
	       (path[me.root_len] == '/' || !path[me.root_len]);
}

static bool path_of_fd(int fd, char *buf, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, buf, size - 1);
	buf[n < 0 ? 0 : n] = '\0';
	return n > 0;
}

static void resolve(int dirfd, const char *path, char *buf, size_t size)
{
	size_t n;

	if (*path == '/' || dirfd == AT_FDCWD) {
		snprintf(buf, size, "%s", path);
		return;
	}
	path_of_fd(dirfd, buf, size);
	n = strlen(buf);
	snprintf(buf + n, size - n, "/%s", path);
}

/* 0: let it through; else FAULT_x or an errno. */
static int count(enum call call, const char *path)
{
	unsigned int n = atomic_fetch_add(&counted[call], 1) + 1;
	char line[700];
	int len;

	if (me.trace >= 0) {
		len = snprintf(line, sizeof(line), "%s %u %.500s\n", call_names[call], n,
			       path + (below(path) ? me.root_len : 0));
		inside = true;
		(void)!write(me.trace, line, (size_t)len);
		inside = false;
	}
	if (call != me.call || (me.onwards ? n < me.nth : n != me.nth))
		return 0;
	return me.what;
}

static int count_path(enum call call, int dirfd, const char *path)
{
	char full[1200];
	int keep = errno, what = 0;

	if (inside)
		return 0;
	resolve(dirfd, path, full, sizeof(full));
	if (below(full))
		what = count(call, full);
	errno = keep;
	return what;
}

/*
 * Sockets and inotify count too: they have no path, but a kind. The eventfd between
 * two threads does not: within its bounds, nothing can fail there.
 */
static int count_fd(enum call call, int fd)
{
	char full[1200];
	int keep = errno, what = 0;

	if (inside)
		return 0;
	path_of_fd(fd, full, sizeof(full));
	if (below(full) || !strcmp(full, "anon_inode:inotify") || !strncmp(full, "socket:", 7))
		what = count(call, full);
	errno = keep;
	return what;
}

static int count_any(enum call call, const char *what)
{
	return inside ? 0 : count(call, what);
}

#define FAIL(what) do {					\
		int _what = (what);			\
		if (_what > 0) {			\
			errno = _what;			\
			return -1;			\
		}					\
	} while (0)

#define FAIL_NULL(what) do {				\
		int _what = (what);			\
		if (_what > 0) {			\
			errno = _what;			\
			return NULL;			\
		}					\
	} while (0)

/* --- files --- */

int __real_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...);
int __wrap_openat(int dirfd, const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	FAIL(count_path(CALL_OPENAT, dirfd, path));
	return __real_openat(dirfd, path, flags, mode);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	FAIL(count_path(CALL_OPEN, AT_FDCWD, path));
	return __real_open(path, flags, mode);
}

/* Half of what there is, one byte at least. */
static size_t cut_short(ssize_t n)
{
	return n > 1 ? (size_t)n / 2 : (size_t)n;
}

ssize_t __real_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size);
ssize_t __wrap_read(int fd, void *buf, size_t size)
{
	int what = count_fd(CALL_READ, fd);

	FAIL(what);
	if (what == FAULT_EMPTY)
		return 0;
	return __real_read(fd, buf, what == FAULT_SHORT ? cut_short((ssize_t)size) : size);
}

ssize_t __real_pread(int fd, void *buf, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at)
{
	int what = count_fd(CALL_PREAD, fd);
	ssize_t n;

	FAIL(what);
	if (what == FAULT_EMPTY)
		return 0;
	n = __real_pread(fd, buf, size, at);
	/* As a seq file does: the rest comes with the next call. */
	return what == FAULT_SHORT ? (ssize_t)cut_short(n) : n;
}

/* --- knobs --- */

static bool ends(const char *text, const char *with)
{
	size_t n = strlen(text), m = strlen(with);

	return n >= m && !strcmp(text + n - m, with);
}

static void knob_written(const char *path, const char *text)
{
	struct player p = { .root = open(me.root, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	char cgroup[1000];
	const char *at = path + me.root_len + strlen("/" PLAYER_CG);

	if (ends(path, "/percpu/reclaim")) {
		player_trim(&p);
	} else {
		snprintf(cgroup, sizeof(cgroup), "%.*s",
			 (int)(strlen(at) > strlen("memory.reclaim") ?
			       strlen(at) - strlen("/memory.reclaim") : 0), at);
		player_reclaim(&p, cgroup, strtoull(text, NULL, 10));
	}
	close(p.root);
}

ssize_t __real_write(int fd, const void *buf, size_t size);
ssize_t __wrap_write(int fd, const void *buf, size_t size);
ssize_t __wrap_write(int fd, const void *buf, size_t size)
{
	int what = count_fd(CALL_WRITE, fd);
	char path[1200], text[64];
	ssize_t n;

	FAIL(what);
	if (what == FAULT_EMPTY)
		return 0;
	if (inside || !me.kernel || !path_of_fd(fd, path, sizeof(path)) || !below(path) ||
	    strncmp(path + me.root_len, "/sys/", 5))
		return __real_write(fd, buf, what == FAULT_SHORT ? cut_short((ssize_t)size) : size);

	/* A kernel file holds a value, not the remains of the last one. */
	inside = true;
	if (what == FAULT_SHORT)
		size = cut_short((ssize_t)size);
	snprintf(text, sizeof(text), "%.*s", (int)size, (const char *)buf);
	(void)!ftruncate(fd, 0);
	if (ends(path, "reclaim")) {
		n = (ssize_t)size;
		knob_written(path, text);
	} else {
		n = __real_write(fd, text, strlen(text));
	}
	inside = false;
	return n;
}

/* --- directories and names --- */

int __real_fstatat(int dirfd, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int dirfd, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	FAIL(count_path(CALL_FSTATAT, dirfd, path));
	return __real_fstatat(dirfd, path, st, flags);
}

int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st)
{
	FAIL(count_path(CALL_STAT, AT_FDCWD, path));
	return __real_stat(path, st);
}

int __real_lstat(const char *path, struct stat *st);
int __wrap_lstat(const char *path, struct stat *st);
int __wrap_lstat(const char *path, struct stat *st)
{
	FAIL(count_path(CALL_LSTAT, AT_FDCWD, path));
	return __real_lstat(path, st);
}

int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
	FAIL(count_fd(CALL_FSTAT, fd));
	return __real_fstat(fd, st);
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
	FAIL_NULL(count_path(CALL_OPENDIR, AT_FDCWD, path));
	return __real_opendir(path);
}

struct dirent *__real_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d);
struct dirent *__wrap_readdir(DIR *d)
{
	int what = count_fd(CALL_READDIR, dirfd(d));

	FAIL_NULL(what);
	return what == FAULT_EMPTY ? NULL : __real_readdir(d);
}

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode)
{
	FAIL(count_path(CALL_MKDIR, AT_FDCWD, path));
	return __real_mkdir(path, mode);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
{
	FAIL(count_path(CALL_RENAME, AT_FDCWD, from));
	return __real_rename(from, to);
}

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
{
	FAIL(count_path(CALL_UNLINK, AT_FDCWD, path));
	return __real_unlink(path);
}

int __real_mkdirat(int dirfd, const char *path, mode_t mode);
int __wrap_mkdirat(int dirfd, const char *path, mode_t mode);
int __wrap_mkdirat(int dirfd, const char *path, mode_t mode)
{
	FAIL(count_path(CALL_MKDIRAT, dirfd, path));
	return __real_mkdirat(dirfd, path, mode);
}

int __real_unlinkat(int dirfd, const char *path, int flags);
int __wrap_unlinkat(int dirfd, const char *path, int flags);
int __wrap_unlinkat(int dirfd, const char *path, int flags)
{
	FAIL(count_path(CALL_UNLINKAT, dirfd, path));
	return __real_unlinkat(dirfd, path, flags);
}

int __real_faccessat(int dirfd, const char *path, int mode, int flags);
int __wrap_faccessat(int dirfd, const char *path, int mode, int flags);
int __wrap_faccessat(int dirfd, const char *path, int mode, int flags)
{
	FAIL(count_path(CALL_FACCESSAT, dirfd, path));
	return __real_faccessat(dirfd, path, mode, flags);
}

int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __wrap_flock(int fd, int how)
{
	FAIL(count_fd(CALL_FLOCK, fd));
	return __real_flock(fd, how);
}

/* Only these two come this way below the root; the rest passes unseen. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	va_list ap;
	long a, b, c, d;

	va_start(ap, number);
	a = va_arg(ap, long);
	b = va_arg(ap, long);
	c = va_arg(ap, long);
	d = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_getdents64) {
		int what = count_fd(CALL_GETDENTS, (int)a);

		FAIL(what);
		if (what == FAULT_EMPTY)
			return 0;
	}
	if (number == SYS_openat2)
		FAIL(count_path(CALL_OPENAT, (int)a, (const char *)b));
	return __real_syscall(number, a, b, c, d);
}

/* --- inotify and other descriptors --- */

int __real_inotify_init1(int flags);
int __wrap_inotify_init1(int flags);
int __wrap_inotify_init1(int flags)
{
	FAIL(count_any(CALL_INOTIFY_INIT, "-"));
	return __real_inotify_init1(flags);
}

int __real_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask);
int __wrap_inotify_add_watch(int fd, const char *path, uint32_t mask)
{
	FAIL(count_path(CALL_INOTIFY_ADD, AT_FDCWD, path));
	return __real_inotify_add_watch(fd, path, mask);
}

int __real_inotify_rm_watch(int fd, int wd);
int __wrap_inotify_rm_watch(int fd, int wd);
int __wrap_inotify_rm_watch(int fd, int wd)
{
	FAIL(count_any(CALL_INOTIFY_RM, "-"));
	return __real_inotify_rm_watch(fd, wd);
}

int __real_epoll_create1(int flags);
int __wrap_epoll_create1(int flags);
int __wrap_epoll_create1(int flags)
{
	FAIL(count_any(CALL_EPOLL_CREATE, "-"));
	return __real_epoll_create1(flags);
}

int __real_eventfd(unsigned int value, int flags);
int __wrap_eventfd(unsigned int value, int flags);
int __wrap_eventfd(unsigned int value, int flags)
{
	FAIL(count_any(CALL_EVENTFD, "-"));
	return __real_eventfd(value, flags);
}

/* --- the socket --- */

int __real_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol);
int __wrap_socket(int domain, int type, int protocol)
{
	FAIL(count_any(CALL_SOCKET, "-"));
	return __real_socket(domain, type, protocol);
}

int __real_bind(int fd, const struct sockaddr *a, socklen_t n);
int __wrap_bind(int fd, const struct sockaddr *a, socklen_t n);
int __wrap_bind(int fd, const struct sockaddr *a, socklen_t n)
{
	FAIL(count_any(CALL_BIND, "-"));
	return __real_bind(fd, a, n);
}

int __real_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog)
{
	FAIL(count_any(CALL_LISTEN, "-"));
	return __real_listen(fd, backlog);
}

int __real_chmod(const char *path, mode_t mode);
int __wrap_chmod(const char *path, mode_t mode);
int __wrap_chmod(const char *path, mode_t mode)
{
	FAIL(count_path(CALL_CHMOD, AT_FDCWD, path));
	return __real_chmod(path, mode);
}

int __real_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags);
int __wrap_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags);
int __wrap_accept4(int fd, struct sockaddr *a, socklen_t *n, int flags)
{
	FAIL(count_fd(CALL_ACCEPT, fd));
	return __real_accept4(fd, a, n, flags);
}

int __real_getsockopt(int fd, int level, int name, void *value, socklen_t *n);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *n);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *n)
{
	FAIL(count_fd(CALL_GETSOCKOPT, fd));
	return __real_getsockopt(fd, level, name, value, n);
}

ssize_t __real_recv(int fd, void *buf, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t size, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t size, int flags)
{
	int what = count_fd(CALL_RECV, fd);

	FAIL(what);
	if (what == FAULT_EMPTY)
		return 0;
	return __real_recv(fd, buf, what == FAULT_SHORT ? 1 : size, flags);
}

ssize_t __real_send(int fd, const void *buf, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t size, int flags);
ssize_t __wrap_send(int fd, const void *buf, size_t size, int flags)
{
	int what = count_fd(CALL_SEND, fd);

	FAIL(what);
	return __real_send(fd, buf, what == FAULT_SHORT ? 1 : size, flags);
}

/* --- memory --- */

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	FAIL_NULL(count_any(CALL_MALLOC, "-"));
	return __real_malloc(size);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	FAIL_NULL(count_any(CALL_CALLOC, "-"));
	return __real_calloc(n, size);
}

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	FAIL_NULL(count_any(CALL_REALLOC, "-"));
	return __real_realloc(p, size);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
	FAIL_NULL(count_any(CALL_STRDUP, "-"));
	return __real_strdup(text);
}

/* --- time --- */

int __real_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	int r = __real_clock_gettime(id, ts);
	const struct timespec *from = &me.start[id == CLOCK_BOOTTIME];
	double passed;

	if (inside || me.speed == 1. || (id != CLOCK_MONOTONIC && id != CLOCK_BOOTTIME))
		return r;
	passed = (double)(ts->tv_sec - from->tv_sec) + (double)(ts->tv_nsec - from->tv_nsec) / 1e9;
	passed = passed * me.speed + (double)from->tv_nsec / 1e9;
	ts->tv_sec = from->tv_sec + (time_t)passed;
	ts->tv_nsec = (long)((passed - (double)(time_t)passed) * 1e9);
	return r;
}

void __real_ev_timer_start(struct ev_loop *loop, ev_timer *w);
void __wrap_ev_timer_start(struct ev_loop *loop, ev_timer *w);
void __wrap_ev_timer_start(struct ev_loop *loop, ev_timer *w)
{
	w->at /= me.speed;
	w->repeat /= me.speed;
	__real_ev_timer_start(loop, w);
}
