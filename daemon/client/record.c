// SPDX-License-Identifier: GPL-2.0-or-later
/* record: a trace into a file, until the time is over or somebody interrupts. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/parse.h"
#include "client/client.h"
#include "client/get.h"
#include "client/show.h"
#include "client/utf8.h"

static struct {
	volatile sig_atomic_t stopped;
	volatile int fd;	/* the link's; -1 */
	FILE *out;
	int err;		/* of a write; 0 */
	bool lost;
	u64 began_usec;		/* by CLOCK_MONOTONIC; PCR_ABSENT */
	u64 usec;		/* for so long; PCR_NEVER */
} rec = { .fd = -1 };

/* Whoever waits for the daemon sees the end of the connection. */
static void stop(int signal_number)
{
	int saved = errno;

	rec.stopped = 1;
	if (rec.fd >= 0)
		(void)shutdown(rec.fd, SHUT_RDWR);
	errno = saved;
}

/* From its beginning on, whatever it took to get there. */
static void start_timer(void)
{
	struct itimerval timer = {
		.it_value = { (time_t)(rec.usec / PCR_SEC), (suseconds_t)(rec.usec % PCR_SEC) },
	};

	if (rec.usec != PCR_NEVER)
		(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static void each(const struct pcr_options *options, const json_t *reply)
{
	const char *text = pcr_get_text(reply, "text");
	u64 began = pcr_get_u64(reply, "monotonic_usec");

	if (pcr_has(began)) {
		rec.began_usec = began;
		start_timer();
	}
	rec.lost |= pcr_get_bool(reply, "lost");
	/* Whole lines at a time: what is in the file is a trace, whatever ends us. */
	if (!rec.err && (fputs(text, rec.out) == EOF || fflush(rec.out) != 0)) {
		rec.err = errno ? errno : EIO;
		stop(0);
	}
}

static void put_end(void)
{
	struct timespec ts;
	u64 now;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = (u64)ts.tv_sec * PCR_SEC + (u64)ts.tv_nsec / 1000;
	if (pcr_has(rec.began_usec) && !rec.lost)
		fprintf(rec.out, "%llu end\n", (unsigned long long)pcr_sub_u64(now, rec.began_usec));
}

static void set_signals(void)
{
	struct sigaction act = { .sa_handler = stop };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGALRM, &act, NULL);
}

static int say(const char *name, int err)
{
	fputs("pcpu-reclaimctl: ", stderr);
	pcr_utf8_print(stderr, name);
	fprintf(stderr, ": %s\n", strerror(err));
	return PCR_EXIT_FINDING;
}

/* An exit code; *ret_usec: PCR_NEVER where none is said. */
static int how_long(const struct pcr_options *options, u64 *ret_usec)
{
	const char *text = options->n_args > 1 ? options->args[1] : "infinity";

	if (pcr_parse_span(text, strlen(text), ret_usec) == 0 && *ret_usec)
		return 0;
	fputs("Not a time (such as 10min): ", stderr);
	pcr_utf8_print(stderr, text);
	fputc('\n', stderr);
	return PCR_EXIT_USAGE;
}

int pcr_run_record(const struct pcr_options *options)
{
	const char *name = options->args[0];
	int r = how_long(options, &rec.usec);

	if (r != 0)
		return r;
	rec.began_usec = PCR_ABSENT;
	/* It names what runs here: not for everybody to read. */
	rec.fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	rec.out = rec.fd >= 0 ? fdopen(rec.fd, "w") : NULL;
	rec.fd = -1;
	if (!rec.out)
		return say(name, errno);
	set_signals();
	r = pcr_ask_until(options, PCR_MANAGER "RecordTrace", each, &rec.stopped, &rec.fd);
	if (rec.stopped)
		r = 0;
	put_end();
	if (fclose(rec.out) != 0 && !rec.err)
		rec.err = errno;
	if (rec.err)
		return say(name, rec.err);
	if (rec.lost) {
		fputs("The daemon went ahead of us and gave up: the trace is cut off.\n", stderr);
		return PCR_EXIT_FINDING;
	}
	return r;
}
