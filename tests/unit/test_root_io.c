// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * daemon/sys/root.c, where kernels do not answer as one would like. pread() and
 * write() are this program's own where a test has written them a script: what comes
 * once in a million times comes here at once.
 */
#include "unit/fakeroot.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* > 0: at most so many bytes; 0: end of file; < 0: that errno. Ended by STOP: the real call. */
#define STOP INT64_MIN
#define REPEAT (INT64_MIN + 1)	/* the step before, for ever */

static struct {
	const s64 *at;
	u32 calls;
} script;

static bool scripted(s64 *ret_step)
{
	if (!script.at || *script.at == STOP)
		return false;
	script.calls++;
	*ret_step = *script.at == REPEAT ? script.at[-1] : *script.at;
	if (*script.at != REPEAT)
		script.at++;
	return true;
}

ssize_t pread(int fd, void *buf, size_t n, off_t offset)
{
	s64 step;

	if (scripted(&step)) {
		if (step < 0) {
			errno = (int)-step;
			return -1;
		}
		n = pcr_min_u64(n, (u64)step);
	}
	return syscall(SYS_pread64, fd, buf, n, offset);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	s64 step;

	if (scripted(&step)) {
		if (step < 0) {
			errno = (int)-step;
			return -1;
		}
		n = pcr_min_u64(n, (u64)step);
	}
	return syscall(SYS_write, fd, buf, n);
}

static void play(const s64 *steps)
{
	script.at = steps;
	script.calls = 0;
}

/* systemd 38134, crun 539: a file of a removed cgroup answers ENODEV; and short, and empty. */
START_TEST(reads_as_kernels_answer_them)
{
	static const s64 bytes[] = { 1, 1, 1, 1, 1, STOP };
	static const s64 cut[] = { -EINTR, 2, -EINTR, -EINTR, 1, STOP };
	static const s64 gone[] = { 2, -ENODEV, STOP };
	static const s64 gone_at_once[] = { -ENODEV, STOP };
	static const s64 task_gone[] = { -ESRCH, STOP };
	static const s64 broken[] = { 3, -EIO, STOP };
	static const s64 signals[] = { -EINTR, REPEAT };
	static const struct {
		const s64 *steps;
		int machine, cgroup;
	} cases[] = {
		{ bytes, 0, 0 },
		{ cut, 0, 0 },
		{ gone, PCR_NONE, PCR_GONE },
		{ gone_at_once, PCR_NONE, PCR_GONE },
		{ task_gone, PCR_NONE, PCR_GONE },
		{ broken, -EIO, -EIO },
		{ signals, -EINTR, -EINTR },
	};
	u64 v;

	fake_open_v2();
	fake_file("/f", "4096\n");
	fake_file(CG_MOUNT "/f", "4096\n");
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		v = 5;
		play(cases[i].steps);
		ck_assert_int_eq(pcr_slurp_u64(&fake.root, "/f", &v), cases[i].machine);
		ck_assert_uint_eq(v, cases[i].machine ? 5 : 4096);
		ck_assert_uint_le(script.calls, 16);
		play(cases[i].steps);
		ck_assert_int_eq(pcr_cgroup_slurp_u64(&fake.root, "", "f", &v), cases[i].cgroup);
	}
	script.at = NULL;
	fake_close();
}
END_TEST

/* irqbalance 303, 301: a refused value must not be lost; each errno has its answer. */
START_TEST(writes_as_kernels_answer_them)
{
	static const s64 all[] = { 5, STOP };
	static const s64 part[] = { 3, STOP };
	static const s64 none[] = { 0, STOP };
	static const s64 signals2[] = { -EINTR, -EINTR, 5, STOP };
	static const s64 signals[] = { -EINTR, REPEAT };
	static const s64 again[] = { -EAGAIN, STOP };
	static const s64 later_again[] = { -EINTR, -EAGAIN, STOP };
	static const s64 gone[] = { -ENODEV, STOP };
	static const s64 inval[] = { -EINVAL, STOP };
	static const s64 rofs[] = { -EROFS, STOP };
	static const s64 perm[] = { -EPERM, STOP };
	static const s64 busy[] = { -EBUSY, STOP };
	static const struct {
		const s64 *steps;
		int machine, cgroup;
		u32 calls;
	} cases[] = {
		{all, 0, 0, 1},
		{part, -EIO, -EIO, 1}, /* half a value is none; the rest would be another */
		{none, -EIO, -EIO, 1},
		{signals2, 0, 0, 3},
		{signals, -EINTR, -EINTR, 3}, /* bounded */
		{again, PCR_PART, PCR_PART, 1},
		{later_again, PCR_PART, PCR_PART, 2},
		{gone, PCR_NONE, PCR_GONE, 1},
		{inval, -EINVAL, -EINVAL, 1},
		{rofs, -EROFS, -EROFS, 1},
		{perm, -EPERM, -EPERM, 1},
		{busy, -EBUSY, -EBUSY, 1},
	};

	fake_open_v2();
	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		fake_file("/f", "");
		fake_file(CG_MOUNT "/f", "");
		play(cases[i].steps);
		ck_assert_int_eq(pcr_store(&fake.root, "/f", "16384"), cases[i].machine);
		ck_assert_uint_eq(script.calls, cases[i].calls);
		play(cases[i].steps);
		ck_assert_int_eq(pcr_cgroup_store(&fake.root, "", "f", "16384"), cases[i].cgroup);
		script.at = NULL;
		if (cases[i].machine == 0)
			ck_assert_str_eq(fake_read("/f"), "16384");
	}
	fake_close();
}
END_TEST

static void on_alarm(int sig)
{
	(void)sig;
}

/* The same with real signals and a write that blocks for ever: a pipe nobody empties. */
START_TEST(a_blocked_write_can_be_interrupted)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct itimerval every = { { 0, 2000 }, { 0, 2000 } };
	char fill[4096] = "";
	int fd;

	fake_open();
	ck_assert_int_eq(mkfifo(fake_path("/f"), 0600), 0);
	fd = open(fake_path("/f"), O_RDWR | O_NONBLOCK);
	while (write(fd, fill, sizeof(fill)) > 0)
		;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	ck_assert_int_eq(pcr_store(&fake.root, "/f", "16384"), -EINTR);
	every = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &every, NULL);
	close(fd);
	fake_close();
}
END_TEST

/* A real half write: the file may only become three bytes long. */
START_TEST(a_cut_write_is_an_error)
{
	struct rlimit old, small;

	fake_open();
	fake_file("/f", "");
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 3;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	ck_assert_int_eq(pcr_store(&fake.root, "/f", "16384"), -EIO);
	setrlimit(RLIMIT_FSIZE, &old);
	fake_close();
}
END_TEST

PCR_UNIT("root, input and output", reads_as_kernels_answer_them, writes_as_kernels_answer_them,
	 a_blocked_write_can_be_interrupted, a_cut_write_is_an_error)
