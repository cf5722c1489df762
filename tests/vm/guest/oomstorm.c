// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * oomstorm - processes killed for want of memory, one in each round
 *
 *   oomstorm CGROUP|- LARGE SMALL ROUNDS      sizes in MB
 *
 * One process takes LARGE and keeps it, then another takes SMALL. Both do not fit,
 * in the cgroup or (-) in the machine: the larger one has to be killed, and once it
 * is, there is enough. Then the small one is killed from here, and the next round
 * begins. Prints
 *
 *   killed=N innocent=N unharmed=N
 *
 * killed: rounds in which the large one was; innocent: in which the small one was,
 * too, although what the other had was enough; unharmed: in which there was room for both.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bigmem.h"
#include "guest.h"

static int cgroup = -1;

static void oom_score(const char *adjust)
{
	int ret = write_file("/proc/self/oom_score_adj", adjust);

	if (ret) {
		errno = -ret;
		die("oom_score_adj");
	}
}

/* A process with MB; *ready reads one byte when it has them, none when it died. */
static pid_t start(int mb, int *ready)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	pid = cgroup >= 0 ? fork_into(cgroup) : fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		oom_score("0");
		bigmem_touch("anon", mb);
		if (write(fds[1], "r", 1) != 1)
			die("pipe");
		for (;;)
			pause();
	}
	close(fds[1]);
	*ready = fds[0];
	return pid;
}

static bool got_ready(int fd)
{
	bool ready;
	char c;

	ready = read(fd, &c, 1) == 1;
	close(fd);
	return ready;
}

/* Its memory goes before the process itself does, on a kernel that checks itself by seconds. */
static bool is_gone(pid_t pid)
{
	uint64_t until = now_usec() + 20000000;

	while (waitpid(pid, NULL, WNOHANG) != pid) {
		if (now_usec() > until)
			return false;
		usleep(1000);
	}
	return true;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	if (waitpid(pid, NULL, 0) != pid)
		die("waitpid");
}

int main(int argc, char **argv)
{
	int i, rounds, large_mb, small_mb, killed = 0, innocent = 0, unharmed = 0;

	if (argc != 5) {
		errno = 0;
		die("usage: oomstorm CGROUP|- LARGE SMALL ROUNDS");
	}
	if (strcmp(argv[1], "-")) {
		cgroup = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (cgroup < 0)
			die("%s", argv[1]);
	}
	large_mb = number("LARGE", argv[2]);
	small_mb = number("SMALL", argv[3]);
	rounds = number("ROUNDS", argv[4]);
	oom_score("-1000");
	for (i = 0; i < rounds; i++) {
		int large_ready, small_ready;
		pid_t large, small;

		large = start(large_mb, &large_ready);
		if (!got_ready(large_ready))
			die("round %d: the large one was killed when it was alone", i);
		small = start(small_mb, &small_ready);
		if (!got_ready(small_ready))
			innocent++;
		if (is_gone(large)) {
			killed++;
		} else {
			unharmed++;
			end(large);
		}
		end(small);
	}
	printf("killed=%d innocent=%d unharmed=%d\n", killed, innocent, unharmed);
	return 0;
}
