// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/escape.h"
#include "base/parse.h"
#include "conf/conf.h"
#include "model/tree.h"
#include "trace/trace.h"

/* --- lines that wait --- */

static bool make_room(struct pcr_recorder *r, size_t n)
{
	size_t waiting = r->end - r->start, cap = r->cap ? r->cap : 65536;
	char *bytes;

	if (waiting + n > PCR_RECORDER_MAX)
		return false;
	if (r->end + n <= r->cap)
		return true;
	if (r->start) {
		memmove(r->bytes, r->bytes + r->start, waiting);
		r->start = 0;
		r->end = waiting;
	}
	while (cap < r->end + n)
		cap *= 2;
	if (cap == r->cap)
		return true;
	bytes = realloc(r->bytes, cap);
	if (!bytes)
		return false;
	r->bytes = bytes;
	r->cap = cap;
	return true;
}

static void put(struct pcr_recorder *r, const char *text, size_t n)
{
	r->lost |= !make_room(r, n);
	if (r->lost)
		return;
	memcpy(r->bytes + r->end, text, n);
	r->end += n;
}

/* Those who tell no time tell of now; some tell of a moment ago. */
static void on_event(void *data, const struct pcr_event *e)
{
	struct pcr_recorder *r = data;
	char line[PCR_TRACE_LINE];

	r->last_usec = pcr_max_u64(r->last_usec, pcr_sub_u64(e->now, r->began_usec));
	put(r, line, pcr_trace_event(line, e, r->last_usec));
}

/* --- what is known when it begins --- */

static void put_settings(struct pcr_recorder *r, const char *text)
{
	char escaped[PCR_ESCAPED(8192)], one[8192];
	const char *line;
	size_t n = strlen(text), len;

	while (pcr_next_line(&text, &n, &line, &len)) {
		/* Longer than any line that is taken from a file. */
		snprintf(one, sizeof(one), "%.*s", (int)len, line);
		len = pcr_escape(escaped, one);
		escaped[len++] = '\n';
		put(r, escaped, len);
	}
}

static int put_head(struct pcr_recorder *r, const struct pcr_state *st,
		    const struct pcr_settings *set)
{
	struct pcr_trace head = {
		.version = PCR_VERSION, .root = st->tree.root->id, .v1 = st->v1,
		.reap_knob = st->reap_knob,
	};
	PCR_AUTOFREE char *settings = pcr_settings_text(set);
	time_t now = time(NULL);
	struct utsname uts;
	char text[PCR_TRACE_LINE];
	struct tm tm;

	if (!settings)
		return -ENOMEM;
	if (!gmtime_r(&now, &tm) || !strftime(head.date, sizeof(head.date), "%FT%TZ", &tm))
		strcpy(head.date, "-");
	snprintf(head.kernel, sizeof(head.kernel), "%.60s", uname(&uts) == 0 ? uts.release : "-");
	for (char *c = head.kernel; *c; c++)
		if ((u8)*c <= 0x20 || (u8)*c >= 0x7f)
			*c = '?';
	put(r, text, pcr_trace_head(text, &head, settings));
	put_settings(r, settings);
	return 0;
}

static void put_look(struct pcr_recorder *r, const struct pcr_reap *reap)
{
	on_event(r, &(struct pcr_event){
		.kind = PCR_EVENT_LOOK, .now = r->began_usec,
		.value = { reap->node->id, reap->dying, reap->pinned_bytes, reap->shmem_bytes,
			   reap->residue_bytes, reap->percpu_bytes, reap->dirty_bytes,
			   reap->refaults, reap->stall_usec },
	});
}

static void put_machine(struct pcr_recorder *r, const struct pcr_state *st)
{
	const struct pcr_percpu_sample *s = &st->trim.now;
	u64 now = r->began_usec;

	if (pcr_has(st->dying))
		on_event(r, &(struct pcr_event){ .kind = PCR_EVENT_DYING, .now = now,
						 .value = { st->dying } });
	if (pcr_has(st->swap_free_bytes))
		on_event(r, &(struct pcr_event){ .kind = PCR_EVENT_SWAP, .now = now,
						 .value = { st->swap_free_bytes } });
	/* As it was found, where the value is ours. */
	for (u32 i = 0; i < _PCR_SETTING_PAIRS; i++)
		if (pcr_has(st->setting[i].seen))
			on_event(r, &(struct pcr_event){
				.kind = PCR_EVENT_SETTING, .now = now, .name = pcr_setting_knob(i),
				.value = { pcr_has(st->setting[i].base) && !st->setting[i].foreign ?
					   st->setting[i].base : st->setting[i].seen },
			});
	if (st->trim.sampled_usec)
		on_event(r, &(struct pcr_event){
			.kind = PCR_EVENT_PERCPU, .now = now,
			.value = { s->knob, s->spare, s->percpu_bytes, s->page_bytes, s->nr_units,
				   s->populated_pages, s->empty_pages, s->isolated_empty_pages,
				   s->empty_pages_low, s->empty_pages_high, s->reclaim_min_percent,
				   s->metadata_bytes },
		});
}

static void put_tree(struct pcr_recorder *r, const struct pcr_state *st)
{
	const struct pcr_list *pos;

	for (struct pcr_node *n = pcr_tree_next(st->tree.root); n; n = pcr_tree_next(n))
		on_event(r, &(struct pcr_event){
			.kind = PCR_EVENT_MADE, .now = r->began_usec,
			.value = { n->id, n->parent->id }, .name = n->name,
		});
	pcr_list_for(pos, &st->reaps)
		put_look(r, pcr_container_of(pos, struct pcr_reap, link));
}

int pcr_recorder_start(struct pcr_recorder *r, struct pcr_state *st, const struct pcr_settings *set,
		       u64 now)
{
	int e;

	if (r->on)
		return -EALREADY;
	*r = (struct pcr_recorder){ .on = true, .began_usec = now };
	e = put_head(r, st, set);
	put_machine(r, st);
	put_tree(r, st);
	if (e < 0 || r->lost) {
		pcr_recorder_stop(r, st);
		return -ENOMEM;
	}
	r->tap = (struct pcr_tap){ .event = on_event, .data = r };
	st->tap = &r->tap;
	return 0;
}

void pcr_recorder_settings(struct pcr_recorder *r, const struct pcr_settings *set, u64 now)
{
	PCR_AUTOFREE char *text = r->on ? pcr_settings_text(set) : NULL;
	struct pcr_event e = { .kind = PCR_EVENT_SETTINGS, .now = now };

	if (!r->on)
		return;
	r->lost |= !text;
	for (const char *c = text; c && (c = strchr(c, '\n')); c++)
		e.value[0]++;
	on_event(r, &e);
	if (text)
		put_settings(r, text);
}

void pcr_recorder_stop(struct pcr_recorder *r, struct pcr_state *st)
{
	st->tap = NULL;
	free(r->bytes);
	*r = (struct pcr_recorder){ 0 };
}

bool pcr_recorder_waits(const struct pcr_recorder *r)
{
	return r->on && (r->lost || r->start < r->end);
}

int pcr_recorder_take(struct pcr_recorder *r, size_t max, const char **ret_text, size_t *ret_n)
{
	const char *text = r->bytes + r->start;
	size_t n = r->end - r->start;

	if (r->lost)
		return -ENOBUFS;
	if (!n)
		return PCR_NONE;
	if (n > max) {
		const char *end = memrchr(text, '\n', max);

		/* No line is so long. */
		if (!end)
			return -ENOBUFS;
		n = (size_t)(end - text) + 1;
	}
	*ret_text = text;
	*ret_n = n;
	r->start += n;
	return 0;
}
