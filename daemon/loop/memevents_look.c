// SPDX-License-Identifier: GPL-2.0-or-later
/* What they say: which files have news, and whether it is a limit that was met. */
#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "loop/memevents_internal.h"
#include "model/model.h"
#include "model/tree.h"
#include "read/event_buf.h"
#include "read/memcg.h"
#include "read/memory_events.h"

/* Events without a name are 16 bytes: 2048 of them before the loop goes on. */
#define READ_SIZE 4096
#define READS 8

static bool all_dirty(struct pcr_memevents *m)
{
	for (u32 i = 0; i < m->n; i++)
		m->watch[i].dirty = true;
	return m->n;
}

/* True when something is to be read. */
static bool one_event(struct pcr_memevents *m, const struct pcr_inotify_record *rec)
{
	struct pcr_memwatch *w = pcr_memevents_by_wd(m, rec->wd);

	if (rec->mask & IN_Q_OVERFLOW)
		return all_dirty(m);
	/* Also the answer to every removal of ours: then the watch is not known any more. */
	if (!w)
		return false;
	if (rec->mask & IN_IGNORED) {
		pcr_memevents_drop(m, w);
		return false;
	}
	w->dirty = true;
	return true;
}

static bool take_events(struct pcr_memevents *m, const char *data, size_t n)
{
	struct pcr_event_buf buf = { data, n };
	struct pcr_inotify_record rec;
	bool news = false;
	int r;

	while ((r = pcr_inotify_next(&buf, &rec)) == 0)
		news |= one_event(m, &rec);
	return r == -EBADMSG ? all_dirty(m) : news;
}

void pcr_memevents_ready(struct pcr_memevents *m, u64 now)
{
	char buf[READ_SIZE];
	bool news = false;

	if (!m || m->fd < 0)
		return;
	/* What is left behind, or could not be read now, makes the descriptor ready again. */
	for (int i = 0; i < READS; i++) {
		ssize_t got = read(m->fd, buf, sizeof(buf));

		if (got <= 0)
			break;
		news |= take_events(m, buf, (size_t)got);
	}
	if (!news)
		return;
	m->rest_usec = now + PCR_MEMEVENTS_REST;
	pcr_memevents_tell_fd(m, -1);
}

static void look(struct pcr_memevents *m, struct pcr_memwatch *w, u64 now)
{
	const struct pcr_node *node = pcr_tree_by_id(&m->st->tree, w->id);
	struct pcr_memory_events events;
	char path[PCR_PATH_MAX];
	u64 sum;

	w->dirty = false;
	if (!node)
		return;
	pcr_node_path(node, path, sizeof(path));
	/* Gone, and the lifecycle will say so; or odd, and then what was seen last stands. */
	if (pcr_read_memory_events(m->root, path, &events))
		return;
	sum = pcr_memory_events_sum(&events);
	if (pcr_has(w->seen) && sum > w->seen)
		pcr_state_cgroup_pressure(m->st, w->id, now);
	w->seen = sum;
}

int pcr_memevents_tick(struct pcr_memevents *m, u64 now)
{
	u32 budget = PCR_MEMEVENTS_BUDGET;

	if (!m)
		return 0;
	if (m->rescan)
		pcr_memevents_scan(m);
	if (m->rest_usec && now >= m->rest_usec) {
		m->rest_usec = 0;
		pcr_memevents_tell_fd(m, m->fd);
	}
	for (u32 i = 0; i < m->n; i++) {
		if (!m->watch[i].dirty)
			continue;
		if (!budget--)
			return PCR_PART;
		look(m, &m->watch[i], now);
	}
	return 0;
}

u64 pcr_memevents_due(const struct pcr_memevents *m)
{
	if (!m)
		return PCR_NEVER;
	if (m->rescan)
		return 0;
	return m->rest_usec ? m->rest_usec : PCR_NEVER;
}
