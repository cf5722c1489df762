// SPDX-License-Identifier: GPL-2.0-or-later
/* trace_pipe's text for the cgroup events; see trace_line.h. */
#include "read/trace_line.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"

struct text {
	const char *at;
	size_t n;
};

static const struct {
	const char *mark;
	enum pcr_trace_kind kind;
} events[] = {
	{ "cgroup_mkdir: root=", PCR_TRACE_MKDIR },
	{ "cgroup_rmdir: root=", PCR_TRACE_RMDIR },
	{ "cgroup_release: root=", PCR_TRACE_RELEASE },
	{ "cgroup_rename: root=", PCR_TRACE_RENAME },
};

static bool take(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if (t->n < n || memcmp(t->at, word, n) != 0)
		return false;
	t->at += n;
	t->n -= n;
	return true;
}

static bool take_u64(struct text *t, u64 *ret_value)
{
	size_t n = 0;

	while (n < t->n && t->at[n] >= '0' && t->at[n] <= '9')
		n++;
	if (pcr_parse_u64(t->at, n, ret_value) < 0)
		return false;
	t->at += n;
	t->n -= n;
	return true;
}

/* "CPU:1 [LOST 312 EVENTS]", and without the number where it is not known. */
static int lost_line(struct text t, struct pcr_trace_event *ret_event)
{
	u64 cpu, lost = PCR_ABSENT;

	if (!take_u64(&t, &cpu) || !take(&t, " [LOST "))
		return PCR_NONE;
	if (!take(&t, "EVENTS]") && !(take_u64(&t, &lost) && take(&t, " EVENTS]")))
		return PCR_NONE;
	*ret_event = (struct pcr_trace_event){ .kind = PCR_TRACE_LOST, .path = t.at, .lost = lost };
	return 0;
}

static int event_line(struct text t, enum pcr_trace_kind kind, struct pcr_trace_event *ret_event)
{
	struct pcr_trace_event e = { .kind = kind, .lost = PCR_ABSENT };
	u64 hierarchy, level;

	if (!take_u64(&t, &hierarchy) || hierarchy > UINT32_MAX || !take(&t, " id=") ||
	    !take_u64(&t, &e.id) || !take(&t, " level=") || !take_u64(&t, &level) ||
	    !take(&t, " path=/"))
		return -EBADMSG;
	if (e.id == 0 || memchr(t.at, '\0', t.n))
		return -EBADMSG;
	e.hierarchy = (u32)hierarchy;
	e.path = t.at;
	e.n = t.n;
	*ret_event = e;
	return 0;
}

int pcr_trace_line(const char *line, size_t n, struct pcr_trace_event *ret_event)
{
	struct text t = { line, n };
	const char *p = line;

	if (take(&t, "CPU:"))
		return lost_line(t, ret_event);
	while ((p = memchr(p, 'c', (size_t)(line + n - p)))) {
		for (size_t i = 0; i < PCR_ARRAY_SIZE(events); i++) {
			t = (struct text){ p, (size_t)(line + n - p) };
			if (take(&t, events[i].mark))
				return event_line(t, events[i].kind, ret_event);
		}
		p++;
	}
	return PCR_NONE;
}
