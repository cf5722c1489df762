// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace: refused with a place in it, or replayed in its time, whatever is in it. What is
 * taken is written and read again as the same.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "conf/conf.h"
#include "trace/replay.h"

static u64 last;

static void on_write(void *data, u64 at, const struct pcr_decision *d, const char *path)
{
	(void)data;
	MUST(at >= last && d->act && !d->dry_run && path);
	last = at;
}

static void on_record(void *data, u64 at, const struct pcr_record *r)
{
	(void)data;
	MUST(at >= last && r->stop != PCR_STOP_NONE && r->end_usec >= r->start_usec);
	last = at;
}

static u32 lines(const uint8_t *data, size_t size)
{
	u32 n = 1;

	for (size_t i = 0; i < size; i++)
		n += data[i] == '\n';
	return n;
}

static void check_fault(const struct pcr_trace_fault *f, const uint8_t *data, size_t size)
{
	MUST(f->text && f->line >= 1 && f->line <= lines(data, size));
	MUST(f->column >= 1 && f->column <= size + 1);
}

static void again(const struct pcr_event *e, const struct pcr_trace *t)
{
	char text[2 * PCR_TRACE_LINE];
	struct pcr_trace_fault fault;
	struct pcr_trace back;
	size_t n = pcr_trace_head(text, t, "");

	n += pcr_trace_event(text + n, e, e->now);
	MUST(pcr_trace_parse(text, n, &back, &fault) == 0 && back.n == 1);
	MUST(back.event[0].kind == e->kind && back.event[0].now == e->now);
	MUST(!memcmp(back.event[0].value, e->value, sizeof(e->value)));
	MUST(!e->name == !back.event[0].name && (!e->name || !strcmp(e->name, back.event[0].name)));
	pcr_trace_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pcr_settings *set;
	const struct pcr_replay_ops ops = { .write = on_write, .record = on_record };
	struct pcr_replay_figures figures;
	struct pcr_trace_fault fault = { 0 };
	struct pcr_trace t;
	char *text = malloc(size + 1);
	int r;

	if (!set)
		set = pcr_settings_default();
	MUST(set && text);
	memcpy(text, data, size);
	r = pcr_trace_parse(text, size, &t, &fault);
	MUST(r == 0 || r == -EINVAL);
	if (r < 0) {
		check_fault(&fault, data, size);
		free(text);
		return 0;
	}
	for (u32 i = 0; i < t.n && i < 16; i++)
		if (t.event[i].kind != PCR_EVENT_SETTINGS)
			again(&t.event[i], &t);
	/* A year of one reap step after the other takes its time, and shows nothing new. */
	if (t.n && t.event[t.n - 1].now > PCR_HOUR) {
		pcr_trace_free(&t);
		free(text);
		return 0;
	}
	last = 0;
	r = pcr_replay(&t, (const struct pcr_settings *const[]){ set, set }, 2, &ops, &figures, &fault);
	MUST(r == 0 || r == -EINVAL);
	if (r < 0)
		check_fault(&fault, data, size);
	else
		MUST(figures.usec == (t.n ? t.event[t.n - 1].now : 0));
	pcr_trace_free(&t);
	free(text);
	return 0;
}
