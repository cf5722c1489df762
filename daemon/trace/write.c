// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "trace/trace.h"
#include "trace/words.h"

const struct pcr_trace_word pcr_trace_words[_PCR_EVENT_MAX] = {
	[PCR_EVENT_MADE] = { "made", .n = 2, .ids = 2, .name = true },
	[PCR_EVENT_REMOVED] = { "removed", .n = 1, .ids = 1 },
	[PCR_EVENT_LOOK] = { "look", .n = 9, .ids = 1, .needed = 2 },
	[PCR_EVENT_COUNT] = { "count", .n = 2, .ids = 1, .needed = 2 },
	[PCR_EVENT_DYING] = { "dying", .n = 1, .needed = 1 },
	[PCR_EVENT_SWAP] = { "swap", .n = 1 },
	[PCR_EVENT_PERCPU] = { "percpu", .n = 12, .needed = 2 },
	[PCR_EVENT_SETTING] = { "setting", .n = 1, .name = true },
	[PCR_EVENT_PRESSURE] = { "pressure", .n = 1, .ids = 1, .needed = 1 },
	[PCR_EVENT_LIMIT] = { "limit", .n = 1, .ids = 1, .needed = 1 },
	[PCR_EVENT_GAP] = { .word = "gap" },
	[PCR_EVENT_STEP] = { "step", .n = 4, .ids = 1, .needed = 2 },
	[PCR_EVENT_TRIM] = { "trim", .n = 3 },
	[PCR_EVENT_SETTINGS] = { "settings", .n = 1, .needed = 1, .lines = true },
	[PCR_EVENT_END] = { .word = "end" },
};

size_t pcr_trace_event(char buf[static PCR_TRACE_LINE], const struct pcr_event *event, u64 at)
{
	const struct pcr_trace_word *w = &pcr_trace_words[event->kind];
	size_t n = (size_t)sprintf(buf, "%llu %s", (unsigned long long)at, w->word);

	for (u32 i = 0; i < w->n; i++)
		n += pcr_has(event->value[i]) ?
		     (size_t)sprintf(buf + n, " %llu", (unsigned long long)event->value[i]) :
		     (size_t)sprintf(buf + n, " -");
	if (w->name) {
		buf[n++] = ' ';
		n += pcr_escape(buf + n, event->name);
	}
	buf[n++] = '\n';
	buf[n] = '\0';
	return n;
}

static u32 lines(const char *text)
{
	u32 n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

size_t pcr_trace_head(char buf[static PCR_TRACE_LINE], const struct pcr_trace *head,
		      const char *settings)
{
	return (size_t)snprintf(buf, PCR_TRACE_LINE,
				PCR_TRACE_FIRST "\nrecorded %.95s %.95s %.95s\nmachine %llu %d %d\n"
				"settings %u\n",
				head->date, head->version, head->kernel,
				(unsigned long long)head->root, head->v1, head->reap_knob,
				lines(settings));
}
