// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finished actions: told to the journal and to those who watch, and kept in a file over
 * restarts. The file is a line that says what it is and a line a record, oldest first; it
 * is written when an action ended and at no other time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "act/replace.h"
#include "app/app.h"
#include "app/journal.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/text.h"
#include "model/model.h"
#include "model/tree.h"
#include "sys/inside.h"

#define HEAD "pcpu-reclaimd history 1\n"
/* Where it is written anew with the newest PCR_HISTORY of them. */
#define LINES_MAX (2 * PCR_HISTORY)
#define FILE_MAX (sizeof(HEAD) + (size_t)LINES_MAX * PCR_RECORD_LINE)

/* --- where --- */

static int choose_dir(struct pcr_app *app)
{
	struct pcr_app_history *h = &app->history;
	const char *given = app->args.runtime;
	int n;

	if (!given && !app->args.root)
		given = secure_getenv("STATE_DIRECTORY");
	n = snprintf(h->dir, sizeof(h->dir), "%s%s", given ? given : app->root.prefix,
		     given ? "" : "/var/lib/pcpu-reclaimd");
	if (n < 0 || (size_t)n >= sizeof(h->dir))
		return -ENAMETOOLONG;
	/* What is written for a recorded machine stays in it. */
	if (!given && pcr_stays_inside(app->root.prefix, "/var/lib/pcpu-reclaimd") == -EXDEV)
		return -EXDEV;
	return mkdir(h->dir, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

static void read_boot(struct pcr_app *app)
{
	struct pcr_app_history *h = &app->history;
	char text[PCR_BOOT_ID + 1];
	size_t n = 0;

	snprintf(h->boot, sizeof(h->boot), "-");
	if (pcr_slurp(&app->root, "/proc/sys/kernel/random/boot_id", text, sizeof(text), &n))
		return;
	n = strspn(text, "0123456789abcdef-");
	if (n && n < sizeof(h->boot))
		snprintf(h->boot, sizeof(h->boot), "%.*s", (int)n, text);
}

/* --- reading --- */

/* Where in the file it is damaged. */
struct place {
	u32 line, column;
};

/* All of its lines, for a look or (st) into the state. 0, -EINVAL. */
static int take_lines(const char *text, size_t n, const char *boot, struct pcr_state *st,
		      struct place *at)
{
	struct pcr_record rec;
	const char *line;
	size_t len;
	u64 next = 0;

	*at = (struct place){ 1, 1 };
	if (n < strlen(HEAD) || memcmp(text, HEAD, strlen(HEAD)))
		return -EINVAL;
	text += strlen(HEAD);
	n -= strlen(HEAD);
	while (pcr_next_line(&text, &n, &line, &len)) {
		*at = (struct place){ at->line + 1, 1 };
		if (at->line > 1 + LINES_MAX || pcr_record_read(line, len, boot, &rec, &at->column) ||
		    (next && rec.seq != next))
			return -EINVAL;
		next = rec.seq + 1;
		if (st && pcr_state_remember(st, &rec) < 0)
			return -EINVAL;
	}
	return 0;
}

/* The end of a file that a crash of the machine cut off is no damage. */
static size_t whole_lines(const char *text, size_t n)
{
	while (n && text[n - 1] != '\n')
		n--;
	return n;
}

static void load(struct pcr_app *app)
{
	struct pcr_app_history *h = &app->history;
	PCR_AUTOFREE char *text = NULL;
	char path[320];
	struct place at;
	size_t n = 0, whole;
	int r = pcr_file_in(h->dir, "history", path, sizeof(path));

	/* Unless all of it is good, the first action writes it anew. */
	h->anew = true;
	if (r == 0)
		r = pcr_slurp_file(path, O_NOFOLLOW, FILE_MAX, &text, &n);
	if (r == -ENOENT)
		return;
	if (r < 0) {
		pcr_log_warning("%s: %s; history starts anew", path, strerror(-r));
		return;
	}
	whole = whole_lines(text, n);
	if (take_lines(text, whole, h->boot, NULL, &at) < 0) {
		pcr_log_warning("%s:%u:%u: not as it was written; history starts anew", path, at.line,
				at.column);
		return;
	}
	(void)take_lines(text, whole, h->boot, &app->st, &at);
	h->lines = at.line - 1;
	h->size = whole;
	h->anew = whole != n;
}

/* --- writing --- */

static u64 real_end(const struct pcr_record *rec)
{
	struct timespec ts;

	if (rec->past == PCR_PAST_BOOT)
		return rec->end_real_usec;
	clock_gettime(CLOCK_REALTIME, &ts);
	return pcr_sub_u64((u64)ts.tv_sec * PCR_SEC + (u64)ts.tv_nsec / 1000,
			   pcr_sub_u64(pcr_now_usec(), rec->end_usec));
}

static int put_whole(struct pcr_app *app)
{
	struct pcr_app_history *h = &app->history;
	PCR_AUTOFREE char *text = malloc(sizeof(HEAD) + (size_t)app->st.n_history * PCR_RECORD_LINE);
	size_t at = strlen(HEAD);
	int r;

	if (!text)
		return -ENOMEM;
	memcpy(text, HEAD, at);
	for (u32 i = app->st.n_history; i--;) {
		const struct pcr_record *rec = pcr_state_history(&app->st, i);

		at += pcr_record_write(text + at, rec, h->boot, real_end(rec));
	}
	r = pcr_history_writer_put(h->writer, text, at, true);
	if (r == 0)
		h->lines = app->st.n_history;
	h->anew = r != 0;
	return r;
}

static void put(struct pcr_app *app, const struct pcr_record *rec)
{
	struct pcr_app_history *h = &app->history;
	char line[PCR_RECORD_LINE];
	size_t n;

	if (!h->writer)
		return;
	if (!h->anew && h->lines < LINES_MAX) {
		n = pcr_record_write(line, rec, h->boot, real_end(rec));
		if (pcr_history_writer_put(h->writer, line, n, false) == 0) {
			h->lines++;
			return;
		}
	}
	(void)put_whole(app);
}

void pcr_app_history_tick(struct pcr_app *app)
{
	struct pcr_app_history *h = &app->history;
	struct pcr_history_news news;

	if (!h->writer || !pcr_history_writer_news(h->writer, &news))
		return;
	/* Said once, however often it fails; and tried again when there is something new. */
	if (news.err && !h->failed)
		pcr_log_warning("%s/history can't be written: %s", h->dir, strerror(news.err));
	h->failed = news.err != 0;
	if (news.whole && !news.err)
		(void)put_whole(app);
}

void pcr_app_history_load(struct pcr_app *app)
{
	int r = choose_dir(app);

	app->history.usable = r == 0;
	/* A recorded machine need not have a disk. */
	if (r == -ENOENT && app->args.root)
		return;
	if (r < 0) {
		pcr_log_warning("history is not kept over a restart: %s: %s", app->history.dir,
				r == -EXDEV ? "a symbolic link leads out of --root" : strerror(-r));
		return;
	}
	read_boot(app);
	load(app);
}

void pcr_app_history_start(struct pcr_app *app)
{
	struct pcr_app_history *h = &app->history;
	int r = h->usable ? pcr_history_writer_start(h->dir, h->size, pcr_app_worker_notify, app,
						     &h->writer) : 0;

	if (r < 0)
		pcr_log_warning("history is not kept over a restart: no thread: %s", strerror(-r));
}

void pcr_app_history_stop(struct pcr_app *app)
{
	app->history.writer = pcr_history_writer_stop(app->history.writer);
}

/* --- telling --- */

/* Was that one action without effect too many? */
static bool suspended(const struct pcr_app *app, const struct pcr_record *rec)
{
	const struct pcr_node *node;

	if (rec->action == PCR_ACT_TRIM)
		return app->st.trim.suspended;
	node = rec->action == PCR_ACT_REAP ? pcr_tree_by_id(&app->st.tree, rec->target) : NULL;
	return node && node->reap && node->reap->suspended;
}

static void tell_suspended(const struct pcr_app *app, const struct pcr_record *rec)
{
	char text[2 * PCR_SHOWN + 160], span[PCR_TEXT];

	snprintf(text, sizeof(text),
		 "%s %s%s: suspended for %s after %llu actions without effect; pcpu-reclaimctl explain %s%s",
		 pcr_action_name(rec->action), rec->action == PCR_ACT_REAP ? "/" : "", rec->path,
		 pcr_text_span(span, app->set->daemon.suspend_usec),
		 (unsigned long long)app->set->daemon.suspend_after,
		 rec->action == PCR_ACT_REAP ? "/" : "", rec->path);
	pcr_journal_message(LOG_NOTICE, PCR_MSG_SUSPENDED, text);
}

void pcr_app_record(void *data, const struct pcr_record *rec)
{
	struct pcr_app *app = data;

	pcr_journal_record(rec, pcr_now_usec());
	if (suspended(app, rec))
		tell_suspended(app, rec);
	put(app, rec);
	if (app->server)
		pcr_server_notify_record(app->server, rec);
}
