// SPDX-License-Identifier: GPL-2.0-or-later
/* Escape sequences that every terminal since the VT100 knows, and xterm's second screen. */
#include "client/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client/utf8.h"

/* The second screen, no cursor, lines that don't wrap; and back. */
#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[2J"
#define LEAVE "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

static struct termios found;
/* Signals come only while it waits or writes; elsewhere they are held back. */
static sigset_t open_mask;
static volatile sig_atomic_t woken, end_signal, stopped;

static void caught(int sig)
{
	woken = 1;
	if (sig == SIGTSTP)
		stopped = 1;
	else if (sig != SIGWINCH)
		end_signal = sig;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGWINCH, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				       SIGPIPE };
	struct sigaction action = { .sa_handler = caught };
	sigset_t all;

	sigemptyset(&all);
	for (size_t i = 0; i < PCR_ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], &action, NULL);
		sigaddset(&all, signals[i]);
	}
	sigprocmask(SIG_BLOCK, &all, &open_mask);
	for (size_t i = 0; i < PCR_ARRAY_SIZE(signals); i++)
		sigdelset(&open_mask, signals[i]);
}

/* A terminal that takes nothing holds up no signal. */
static void write_all(const char *text, size_t n)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, &open_mask, &mask);
	while (n && !end_signal) {
		ssize_t wrote = write(STDOUT_FILENO, text, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote < 0)
			break;
		text += wrote;
		n -= (size_t)wrote;
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

static void enter(void)
{
	struct termios raw = found;

	/* ^C and ^Z stay what they are; ^S would leave it waiting. */
	raw.c_lflag &= (tcflag_t)~(ICANON | ECHO);
	raw.c_iflag &= (tcflag_t)~IXON;
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	write_all(ENTER, strlen(ENTER));
}

static void leave(void)
{
	/* whatever the end was, this is for whoever comes after */
	(void)!write(STDOUT_FILENO, LEAVE, strlen(LEAVE));
	tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
}

bool pcr_screen_able(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb") != 0 && tcgetattr(STDIN_FILENO, &found) == 0;
}

void pcr_screen_open(void)
{
	catch_signals();
	enter();
}

void pcr_screen_close(void)
{
	leave();
}

void pcr_screen_pass_signal(void)
{
	if (!end_signal)
		return;
	signal(end_signal, SIG_DFL);
	raise(end_signal);
	sigprocmask(SIG_SETMASK, &open_mask, NULL);
}

void pcr_screen_size(u32 *ret_columns, u32 *ret_rows)
{
	struct winsize size;

	/* a serial line tells none */
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	*ret_columns = size.ws_col;
	*ret_rows = size.ws_row;
}

/* The next piece of a line: a colour, which takes no column, or a character. */
static size_t piece(const char *p, u32 *ret_width)
{
	char one[8] = "";
	u32 code;
	size_t n;

	*ret_width = 0;
	if (*p == '\x1b') {
		n = strcspn(p, "m\n");
		return n + (p[n] == 'm');
	}
	n = pcr_utf8_next(p, &code);
	memcpy(one, p, n);
	*ret_width = pcr_utf8_width(one);
	return n;
}

static u32 line_width(const char *line)
{
	u32 sum = 0, width;

	for (const char *p = line; *p && *p != '\n'; sum += width)
		p += piece(p, &width);
	return sum;
}

/* One line within so many columns; returns its end. */
static const char *put_line(FILE *out, const char *line, u32 columns)
{
	bool cut = line_width(line) > columns;
	u32 room = cut ? columns - 1 : columns, width;
	const char *p = line;

	while (*p && *p != '\n') {
		size_t n = piece(p, &width);

		if (width > room)
			break;
		fwrite(p, 1, n, out);
		room -= width;
		p += n;
	}
	fputs(cut ? "…\x1b[0m\x1b[K" : "\x1b[0m\x1b[K", out);
	return p + strcspn(p, "\n");
}

void pcr_screen_show(const char *text)
{
	PCR_AUTOFREE char *picture = NULL;
	u32 columns, rows;
	size_t n;
	FILE *out = open_memstream(&picture, &n);

	if (!out)
		return;
	pcr_screen_size(&columns, &rows);
	fputs("\x1b[H", out);
	for (u32 row = 0; row < rows && *text; row++) {
		fputs(row ? "\r\n" : "", out);
		text = put_line(out, text, columns);
		text += *text == '\n';
	}
	fputs("\x1b[J", out);
	if (fclose(out) == 0)
		write_all(picture, n);
}

static void stop_here(void)
{
	stopped = 0;
	leave();
	raise(SIGSTOP);
	enter();
}

int pcr_screen_key(s64 msec)
{
	struct timespec limit = { .tv_sec = msec / 1000, .tv_nsec = msec % 1000 * 1000000 };
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	char key, rest[64];
	/* it may have been during the last picture */
	int r = woken ? -1 : ppoll(&p, 1, msec < 0 ? NULL : &limit, &open_mask);

	woken = 0;
	if (end_signal)
		return PCR_KEY_END;
	if (stopped)
		stop_here();
	if (r < 0)
		return PCR_KEY_REDRAW;
	if (r == 0)
		return PCR_KEY_NONE;
	if (read(STDIN_FILENO, &key, 1) <= 0)
		return PCR_KEY_END;
	if (key != '\x1b')
		return (u8)key;
	/* an arrow or the like is no key of ours, nor are the letters it is made of */
	if (poll(&p, 1, 0) > 0)
		(void)!read(STDIN_FILENO, rest, sizeof(rest));
	return PCR_KEY_REDRAW;
}
