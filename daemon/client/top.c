// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * top: asks every few seconds and shows what it is told. The daemon does nothing for it
 * between two questions, and is none the worse for one that asks again after it was gone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "client/client.h"
#include "client/clock.h"
#include "client/get.h"
#include "client/link.h"
#include "client/screen.h"
#include "client/show.h"

/* Shorter than elsewhere: keys wait for it. */
#define ANSWER_MSEC 2000
#define ROWS_MAX 100

static const u32 intervals[] = { 1, 2, 5, 10, 30, 60 };
static const char *const sorts[] = { "pinned", "dying", "name" };

struct screenful {
	const struct pcr_options *options;
	struct pcr_top top;
	json_t *status, *cgroups, *history;	/* what top shows; owned here */
	u32 columns, rows;
	size_t interval;		/* index */
	size_t sort;
	s64 due;			/* the next question */
	s64 answered;			/* the last answer */
	char trouble[160];
};

/* One question on an open link. Takes params over; *reply is replaced. */
static int ask(struct pcr_link *link, const char *method, json_t *params, json_t **reply)
{
	json_t *message, *answer;
	int r = pcr_link_send(link, method, params, false);

	if (r == 0)
		r = pcr_link_receive(link, ANSWER_MSEC, &message);
	if (r < 0)
		return r;
	answer = json_incref(json_object_get(message, "parameters"));
	if (json_object_get(message, "error"))
		r = -EACCES;
	json_decref(message);
	if (r < 0 || !answer) {
		json_decref(answer);
		return r < 0 ? r : -EBADMSG;
	}
	json_decref(*reply);
	*reply = answer;
	return 0;
}

static int ask_all(struct screenful *s)
{
	json_int_t rows = s->rows < ROWS_MAX ? s->rows : ROWS_MAX;
	struct pcr_link link = { .fd = -1 };
	int r = pcr_link_open(s->options->socket, &link);

	if (r == 0)
		r = ask(&link, PCR_MANAGER "GetStatus", NULL, &s->status);
	if (r == 0)
		r = ask(&link, PCR_MANAGER "ListCgroups",
			json_pack("{s:s,s:I}", "sort", sorts[s->sort], "limit", rows), &s->cgroups);
	if (r == 0)
		r = ask(&link, PCR_MANAGER "GetHistory", json_pack("{s:I}", "limit", rows),
			&s->history);
	pcr_link_close(&link);
	return r;
}

static const char *because(int r)
{
	return r == -ENOENT || r == -ECONNREFUSED ? "is not running" :
	       r == -EACCES || r == -EPERM ? "does not permit it any more" :
	       r == -ETIMEDOUT ? "does not answer" :
	       r == -ECONNRESET ? "hung up" : "can't be asked";
}

static void refresh(struct screenful *s)
{
	int r = ask_all(s);
	s64 now = pcr_now_msec();
	char span[PCR_TEXT];

	s->due = now + (s64)intervals[s->interval] * 1000;
	s->top.trouble = r < 0 ? s->trouble : NULL;
	if (r == 0)
		s->answered = now;
	else
		snprintf(s->trouble, sizeof(s->trouble), "pcpu-reclaimd %s; figures of %s ago; asks again",
			 because(r), pcr_text_span(span, (u64)(now - s->answered) * PCR_MSEC));
}

static void draw(struct screenful *s)
{
	PCR_AUTOFREE char *text = NULL;
	struct pcr_style style = s->options->style;
	size_t n;

	pcr_screen_size(&s->columns, &s->rows);
	style.columns = s->columns;
	style.out = open_memstream(&text, &n);
	if (!style.out)
		return;
	s->top.status = s->status;
	s->top.cgroups = s->cgroups;
	s->top.history = s->history;
	s->top.sort = sorts[s->sort];
	s->top.interval_sec = intervals[s->interval];
	pcr_show_top(&s->top, &style, s->rows);
	if (fclose(style.out) == 0)
		pcr_screen_show(text);
}

/* false: it is time to go. */
static bool take_key(struct screenful *s, int key)
{
	switch (key) {
	case PCR_KEY_END:
	case 'q':
		return false;
	case 's':
		s->sort = (s->sort + 1) % PCR_ARRAY_SIZE(sorts);
		s->due = 0;
		break;
	case ' ':
		s->top.paused = !s->top.paused;
		s->due = 0;
		break;
	case '+':
		s->interval += s->interval + 1 < PCR_ARRAY_SIZE(intervals);
		s->due = pcr_now_msec() + (s64)intervals[s->interval] * 1000;
		break;
	case '-':
		s->interval -= s->interval > 0;
		s->due = 0;
		break;
	case '?':
		s->top.keys = !s->top.keys;
		break;
	}
	return true;
}

static void watch(struct screenful *s)
{
	int key = PCR_KEY_NONE;

	s->answered = pcr_now_msec();
	pcr_screen_size(&s->columns, &s->rows);
	do {
		s64 left;

		if (!s->top.paused && pcr_now_msec() >= s->due)
			refresh(s);
		draw(s);
		left = s->due - pcr_now_msec();
		key = pcr_screen_key(s->top.paused ? -1 : left > 0 ? left : 0);
	} while (take_key(s, key));
}

int pcr_run_top(const struct pcr_options *options)
{
	struct screenful s = { .options = options, .interval = 1 };
	int r;

	if (!pcr_screen_able()) {
		fputs("top needs a terminal. Without one: pcpu-reclaimctl status, cgroups, history "
		      "or metrics.\n", stderr);
		return PCR_EXIT_USAGE;
	}
	while (options->sort && strcmp(options->sort, sorts[s.sort]) != 0)
		s.sort++;
	/* what is wrong from the start is said as everywhere */
	r = pcr_ask(options, PCR_MANAGER "GetStatus", NULL, &s.status);
	if (r == 0) {
		pcr_screen_open();
		watch(&s);
		pcr_screen_close();
		pcr_screen_pass_signal();
	}
	json_decref(s.status);
	json_decref(s.cgroups);
	json_decref(s.history);
	return r;
}
