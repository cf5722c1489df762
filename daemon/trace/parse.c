// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/parse.h"
#include "pcr/knobs.h"
#include "trace/trace.h"
#include "trace/words.h"

/* More than any machine has of anything; sums of a few stay far below 2^63. */
#define VALUE_MAX (1ULL << 58)
#define NAME_MAX_BYTES 256
#define TIME_MAX (366 * 24 * PCR_HOUR)

struct parser {
	char *at;		/* the line that comes next */
	size_t left;
	u32 line;
	char *text, *end;	/* the line being read */
	char *word;		/* the word being read, up to .stop */
	char *stop;
	struct pcr_trace *t;
	struct pcr_trace_fault *fault;
	u32 room;
	u64 last;
};

static int wrong(struct parser *p, const char *text)
{
	*p->fault = (struct pcr_trace_fault){
		.line = p->line, .column = (u32)(p->word - p->text) + 1, .text = text,
	};
	return -EINVAL;
}

/* A line that was cut off is none. */
static bool next_line(struct parser *p)
{
	char *end = memchr(p->at, '\n', p->left);

	if (!end)
		return false;
	p->text = p->word = p->stop = p->at;
	p->end = end;
	p->left -= (size_t)(end - p->at) + 1;
	p->at = end + 1;
	p->line++;
	return true;
}

/* The next word of the line; words are one blank apart. */
static bool next_word(struct parser *p)
{
	char *blank;

	if (p->stop == p->end && p->stop != p->text) {
		p->word = p->end;
		return false;
	}
	p->word = p->stop == p->text ? p->text : p->stop + 1;
	blank = memchr(p->word, ' ', (size_t)(p->end - p->word));
	p->stop = blank ? blank : p->end;
	return p->stop != p->word;
}

static size_t word_len(const struct parser *p)
{
	return (size_t)(p->stop - p->word);
}

static bool is(const struct parser *p, const char *word)
{
	return word_len(p) == strlen(word) && !memcmp(p->word, word, word_len(p));
}

static bool number(struct parser *p, u64 max, u64 *ret)
{
	return next_word(p) && !pcr_parse_u64(p->word, word_len(p), ret) && *ret <= max;
}

static bool line_ends(struct parser *p)
{
	if (p->stop == p->end)
		return true;
	p->word = p->stop + 1;
	return false;
}

/* --- the head --- */

static int head_word(struct parser *p, char to[static PCR_TRACE_WORD])
{
	if (!next_word(p) || word_len(p) >= PCR_TRACE_WORD)
		return wrong(p, "a date, a version and a kernel are wanted");
	for (const char *c = p->word; c < p->stop; c++)
		if ((u8)*c <= 0x20 || (u8)*c >= 0x7f)
			return wrong(p, "not a word as a trace has them");
	memcpy(to, p->word, word_len(p));
	to[word_len(p)] = '\0';
	return 0;
}

static int head_line(struct parser *p, const char *first)
{
	p->word = p->text;
	if (!next_line(p))
		return wrong(p, "the head of the trace is cut off");
	if (!next_word(p) || !is(p, first))
		return wrong(p, "not what the head of a trace has here");
	return 0;
}

static int recorded(struct parser *p)
{
	int r = head_line(p, "recorded");

	if (r == 0)
		r = head_word(p, p->t->date);
	if (r == 0)
		r = head_word(p, p->t->version);
	if (r == 0)
		r = head_word(p, p->t->kernel);
	return r == 0 && !line_ends(p) ? wrong(p, "too many words") : r;
}

static int machine(struct parser *p)
{
	u64 v1, reap;
	int r = head_line(p, "machine");

	if (r < 0)
		return r;
	if (!number(p, UINT64_MAX - 1, &p->t->root) || !p->t->root || !number(p, 1, &v1) || !number(p, 1, &reap))
		return wrong(p, "a cgroup id, 0 or 1, and 0 or 1 are wanted");
	p->t->v1 = v1;
	p->t->reap_knob = reap;
	return line_ends(p) ? 0 : wrong(p, "too many words");
}

/* So many lines, one after the other as they stood in a file. */
static int text_of(struct parser *p, u64 n, char **ret_text, size_t *ret_n)
{
	char *text = p->at, *to = text;

	for (; n; n--) {
		if (!next_line(p))
			return wrong(p, "the settings are cut off");
		/* Each no longer than it was. */
		if (pcr_unescape(to, (size_t)(p->end - p->text) + 1, p->text,
				 (size_t)(p->end - p->text)))
			return wrong(p, "not as a trace has settings");
		to += strlen(to);
		*to++ = '\n';
	}
	*ret_text = text;
	*ret_n = (size_t)(to - text);
	return 0;
}

static int settings(struct parser *p)
{
	char *text = NULL;
	u64 n;
	int r = head_line(p, "settings");

	if (r < 0)
		return r;
	if (!number(p, UINT32_MAX, &n))
		return wrong(p, "the number of lines of settings is wanted");
	if (!line_ends(p))
		return wrong(p, "too many words");
	r = text_of(p, n, &text, &p->t->settings_n);
	p->t->settings = text;
	return r;
}

static int head(struct parser *p)
{
	int r;

	p->text = p->word = p->at;
	if (!next_line(p) || (size_t)(p->end - p->text) != strlen(PCR_TRACE_FIRST) ||
	    memcmp(p->text, PCR_TRACE_FIRST, strlen(PCR_TRACE_FIRST))) {
		p->line = 1;
		return wrong(p, "not a trace of this version: \"" PCR_TRACE_FIRST "\" is wanted");
	}
	r = recorded(p);
	if (r == 0)
		r = machine(p);
	return r ? r : settings(p);
}

/* --- events --- */

static int value(struct parser *p, const struct pcr_trace_word *w, u32 i, u64 *ret)
{
	*ret = PCR_ABSENT;
	if (!next_word(p))
		return wrong(p, "a value is missing");
	if (is(p, "-"))
		return i < w->needed ? wrong(p, "this may not be absent") : 0;
	if (pcr_parse_u64(p->word, word_len(p), ret))
		return wrong(p, "not a number");
	if (*ret > (i < w->ids ? UINT64_MAX - 1 : VALUE_MAX))
		return wrong(p, "larger than anything is");
	/* Of pressure it is the machine. */
	if (!*ret && i < w->ids && w != &pcr_trace_words[PCR_EVENT_PRESSURE])
		return wrong(p, "no cgroup has the id 0");
	return 0;
}

static bool known_setting(const char *name)
{
	for (u32 i = 0; i < _PCR_SETTING_PAIRS; i++)
		if (!strcmp(pcr_setting_knob(i), name))
			return true;
	return false;
}

/* The rest of the line, blanks and all. */
static int name(struct parser *p, struct pcr_event *e)
{
	if (p->stop == p->end)
		return wrong(p, "a name is missing");
	p->word = p->stop + 1;
	p->stop = p->end;
	if (word_len(p) == 0 || pcr_unescape(p->word, NAME_MAX_BYTES, p->word, word_len(p)))
		return wrong(p, "not a name as a trace has them");
	e->name = p->word;
	if (e->kind == PCR_EVENT_SETTING && !known_setting(e->name))
		return wrong(p, "no such kernel setting");
	return 0;
}

/* Settings that are in force from now on. */
static int event_lines(struct parser *p, struct pcr_event *e)
{
	char *text = NULL;
	size_t n = 0;
	int r = text_of(p, e->value[0], &text, &n);

	if (n)
		text[n - 1] = '\0';
	e->name = n ? text : "";
	return r;
}

static int event(struct parser *p, struct pcr_event *e)
{
	const struct pcr_trace_word *w;
	u32 kind = 0;
	int r;

	*e = (struct pcr_event){ 0 };
	if (!number(p, TIME_MAX, &e->now))
		return wrong(p, "a time within a year is wanted");
	if (e->now < p->last)
		return wrong(p, "time goes back");
	p->last = e->now;
	if (!next_word(p))
		return wrong(p, "an event is wanted");
	while (kind < _PCR_EVENT_MAX && !is(p, pcr_trace_words[kind].word))
		kind++;
	if (kind == _PCR_EVENT_MAX)
		return wrong(p, "no such event");
	e->kind = (enum pcr_event_kind)kind;
	w = &pcr_trace_words[kind];
	for (u32 i = 0; i < w->n; i++) {
		r = value(p, w, i, &e->value[i]);
		if (r < 0)
			return r;
	}
	if (w->name)
		return name(p, e);
	if (!line_ends(p))
		return wrong(p, "too many words");
	return w->lines ? event_lines(p, e) : 0;
}

static int grow(struct parser *p)
{
	struct pcr_event *more;

	if (p->t->n < p->room)
		return 0;
	p->room = p->room ? 2 * p->room : 256;
	more = reallocarray(p->t->event, p->room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	p->t->event = more;
	return 0;
}

static int events(struct parser *p)
{
	p->t->first_line = p->line + 1;
	while (next_line(p)) {
		int r = grow(p);

		if (r == 0 && p->t->ended)
			r = wrong(p, "nothing may follow on the end");
		if (r == 0)
			r = event(p, &p->t->event[p->t->n]);
		if (r < 0)
			return r;
		p->t->ended = p->t->event[p->t->n++].kind == PCR_EVENT_END;
	}
	return 0;
}

int pcr_trace_parse(char *text, size_t n, struct pcr_trace *ret_trace,
		    struct pcr_trace_fault *ret_fault)
{
	struct pcr_trace t = { 0 };
	struct parser p = { .at = text, .left = n, .t = &t, .fault = ret_fault };
	int r = head(&p);

	if (r == 0)
		r = events(&p);
	if (r < 0) {
		pcr_trace_free(&t);
		return r;
	}
	*ret_trace = t;
	return 0;
}

u32 pcr_trace_event_line(const struct pcr_trace *trace, u32 i)
{
	u32 line = trace->first_line + i;

	while (i--)
		if (trace->event[i].kind == PCR_EVENT_SETTINGS)
			line += (u32)trace->event[i].value[0];
	return line;
}

void pcr_trace_free(struct pcr_trace *trace)
{
	free(trace->event);
	*trace = (struct pcr_trace){ 0 };
}
