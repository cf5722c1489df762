// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program in a terminal of its own, and a script for who sits before it:
 *
 *   terminal COLUMNSxROWS COMMAND... <SCRIPT
 *
 *   wait TEXT | gone TEXT    until the screen shows it, or no longer (10 s)
 *   foot TEXT                until its last line begins so
 *   keys TEXT                types it; ^X is a control character
 *   size COLUMNSxROWS
 *   signal NUMBER
 *   show                     prints the screen
 *   stops                    it has stopped, and left the terminal as it was
 *   ends STATUS              it has ended, likewise; 128 and more: by a signal
 *
 * The terminal knows what the program may use and no more: another sequence, or a
 * character outside of the screen, is a fault.
 */
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>

#define MAX 200
#define TRIES 100	/* of 100 ms */

static char grid[MAX][MAX][5];
static int columns, rows, x, y;
static bool second, hidden, no_wrap;
static int master;
static pid_t child;
static struct termios before;
/* Until then a picture for the size before may still come, and is cut. */
static struct timespec grace;
static char line[256];	/* of the script */

static void show(void)
{
	for (int r = 0; r < rows; r++) {
		for (int c = 0; c < columns; c++)
			fputs(*grid[r][c] ? grid[r][c] : " ", stdout);
		putchar('\n');
	}
}

static void fault(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(" (%s), and the screen is:\n", line);
	show();
	if (child > 0)
		kill(child, SIGKILL);
	exit(1);
}

/* Outside of the screen: a fault, but for a moment. */
static void outside(const char *what)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec > grace.tv_sec)
		fault("%s", what);
}

static void clear_from(int r, int c)
{
	for (; r < rows; r++, c = 0)
		memset(grid[r][c], 0, (size_t)(columns - c) * sizeof(grid[r][c]));
}

static void sequence(const char *s)
{
	size_t n = strlen(s);

	if (s[n - 1] == 'm')
		return;
	if (strcmp(s, "[H") == 0)
		x = y = 0;
	else if (strcmp(s, "[K") == 0 && x < columns)
		memset(grid[y][x], 0, (size_t)(columns - x) * sizeof(grid[y][x]));
	else if (strcmp(s, "[J") == 0)
		clear_from(y, x < columns ? x : columns - 1);
	else if (strcmp(s, "[2J") == 0)
		clear_from(0, 0);
	else if (strcmp(s, "[?1049h") == 0 || strcmp(s, "[?1049l") == 0)
		second = s[n - 1] == 'h', clear_from(0, 0);
	else if (strcmp(s, "[?25h") == 0 || strcmp(s, "[?25l") == 0)
		hidden = s[n - 1] == 'l';
	else if (strcmp(s, "[?7h") == 0 || strcmp(s, "[?7l") == 0)
		no_wrap = s[n - 1] == 'l';
	else if (strcmp(s, "[K") != 0)
		fault("sequence ESC%s", s);
}

static void take(unsigned char c)
{
	static char held[16];
	static size_t n;

	if (n || c == 0x1b) {
		if (c != 0x1b)
			held[n - 1] = (char)c;
		n++;
		if (n == sizeof(held))
			fault("a sequence without an end");
		if (n > 2 && c >= '@' && c <= '~') {
			held[n - 1] = '\0';
			n = 0;
			sequence(held);
		}
		return;
	}
	if (c == '\r') {
		x = 0;
	} else if (c == '\n') {
		if (second && y + 1 >= rows)
			outside("a line below the screen");
		y += y + 1 < rows;
	} else if (c < 0x20 || c == 0x7f) {
		fault("control character %d", c);
	} else if (second) {
		char *cell;

		if ((c & 0xc0) == 0x80)
			x--;
		if (x < 0 || x >= columns) {
			outside("a character beside the screen");
			return;
		}
		cell = grid[y][x++];
		if ((c & 0xc0) != 0x80)
			*cell = '\0';
		if (strlen(cell) < 4)
			cell[strlen(cell) + 1] = '\0', cell[strlen(cell)] = (char)c;
	}
}

/* What has come within so many ms. */
static void pump(int msec)
{
	struct pollfd p = { .fd = master, .events = POLLIN };
	unsigned char buf[4096];
	ssize_t n;

	while (poll(&p, 1, msec) > 0) {
		n = read(master, buf, sizeof(buf));
		if (n <= 0)
			return;
		for (ssize_t i = 0; i < n; i++)
			take(buf[i]);
		msec = 20;
	}
}

static const char *line_of(int r)
{
	static char text[MAX * 5];

	*text = '\0';
	for (int c = 0; c < columns; c++)
		strcat(text, *grid[r][c] ? grid[r][c] : " ");
	return text;
}

static bool shown(const char *text)
{
	for (int r = 0; r < rows; r++)
		if (strstr(line_of(r), text))
			return true;
	return false;
}

static void resize(const char *size)
{
	struct winsize w = { 0 };

	if (sscanf(size, "%dx%d", &columns, &rows) != 2 || columns > MAX || rows > MAX)
		fault("size %s", size);
	w.ws_col = (unsigned short)columns;
	w.ws_row = (unsigned short)rows;
	if (master) {
		ioctl(master, TIOCSWINSZ, &w);
		clock_gettime(CLOCK_MONOTONIC, &grace);
		grace.tv_sec++;
	}
	/* as a terminal may: what stood there is no longer to be relied on */
	clear_from(0, 0);
	x = y = 0;
}

static void restored(void)
{
	struct termios now;

	if (second || hidden || no_wrap)
		fault("left behind: %s%s%s", second ? "second screen " : "",
		      hidden ? "no cursor " : "", no_wrap ? "no wrapping" : "");
	if (tcgetattr(master, &now) < 0 || now.c_lflag != before.c_lflag ||
	    now.c_iflag != before.c_iflag || now.c_oflag != before.c_oflag)
		fault("left behind: modes of the terminal");
}

static int await(int flags)
{
	int status;

	for (int i = 0; i < TRIES; i++) {
		pump(100);
		if (waitpid(child, &status, WNOHANG | flags) == child) {
			pump(100);
			return status;
		}
	}
	fault("it goes on");
	return 0;
}

static void ends(int wanted)
{
	int status = await(0), got;

	child = 0;
	got = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (got != wanted)
		fault("it ended with %d, not %d", got, wanted);
	restored();
}

static void type(const char *text)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '^' && text[1])
			c = (char)(*++text & 0x1f);
		if (write(master, &c, 1) != 1)
			fault("keys");
	}
}

static void obey(const char *word, const char *rest)
{
	int tries = TRIES;
	bool wait = strcmp(word, "wait") == 0, gone = strcmp(word, "gone") == 0;

	if (wait || gone) {
		while (shown(rest) != wait && tries--)
			pump(100);
		if (tries < 0)
			fault("%s: %s", wait ? "never shown" : "still shown", rest);
	} else if (strcmp(word, "foot") == 0) {
		while (strncmp(line_of(rows - 1), rest, strlen(rest)) != 0 && tries--)
			pump(100);
		if (tries < 0)
			fault("not the last line: %s", rest);
	} else if (strcmp(word, "keys") == 0) {
		type(rest);
	} else if (strcmp(word, "size") == 0) {
		resize(rest);
	} else if (strcmp(word, "signal") == 0) {
		kill(child, atoi(rest));
	} else if (strcmp(word, "show") == 0) {
		pump(500);
		show();
	} else if (strcmp(word, "stops") == 0) {
		if (!WIFSTOPPED(await(WUNTRACED)))
			fault("it did not stop");
		restored();
	} else if (strcmp(word, "ends") == 0) {
		ends(atoi(rest));
	} else {
		fault("%s?", word);
	}
}

int main(int argc, char **argv)
{
	char name[64];
	struct winsize w;
	int slave;

	if (argc < 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	resize(argv[1]);
	w = (struct winsize){ .ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows };
	/* the other end stays open here, or the modes would go with the program */
	if (openpty(&master, &slave, name, NULL, &w) < 0)
		return 2;
	tcgetattr(master, &before);
	child = fork();
	if (child == 0) {
		close(master);
		login_tty(slave);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	while (fgets(line, sizeof(line), stdin)) {
		char word[16];
		const char *rest;

		line[strcspn(line, "\n")] = '\0';
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(line, " "), line);
		rest = line + strlen(word);
		if (*word)
			obey(word, rest + (*rest == ' '));
	}
	if (child > 0)
		fault("the script ended before the program");
	return 0;
}
