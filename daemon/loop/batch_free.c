// SPDX-License-Identifier: GPL-2.0-or-later
/* When to look at the counters of helped exits, and what at; see the header. */
#include "loop/batch_free.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/log.h"
#include "model/model.h"
#include "pcr/knobs.h"
#include "read/batch_free.h"
#include "read/psi_text.h"

static bool wanted(const struct pcr_batch_watch *w)
{
	return w->st->batch.there && (*w->set)->batch.enabled;
}

/* --- being told --- */

static void tell_fd(struct pcr_batch_watch *w, int fd)
{
	if (w->on_fd)
		w->on_fd(w->on_fd_data, fd);
}

static void listen(struct pcr_batch_watch *w)
{
	char path[512];
	int n = snprintf(path, sizeof(path), "%s" PCR_BATCH_EXITS, w->root->prefix);

	w->why[0] = '\0';
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd >= 0 && n < (int)sizeof(path) &&
	    inotify_add_watch(w->fd, path, IN_MODIFY | IN_DONT_FOLLOW) >= 0) {
		w->rest_usec = 0;
		tell_fd(w, w->fd);
		return;
	}
	snprintf(w->why, sizeof(w->why), "%s",
		 errno == ENOENT ? "the kernel does not notify of them" :
		 errno == EMFILE || errno == ENOSPC ? "no inotify watch to be had (sysctl fs.inotify)" :
						      strerror(errno));
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	pcr_log_notice("helped exits are seen only when something else happens: %s", w->why);
}

static void deafen(struct pcr_batch_watch *w)
{
	w->why[0] = '\0';
	w->rest_usec = 0;
	if (w->fd < 0)
		return;
	tell_fd(w, -1);
	close(w->fd);
	w->fd = -1;
}

void pcr_batch_on_fd(struct pcr_batch_watch *w, void (*on_fd)(void *data, int fd), void *data)
{
	w->on_fd = on_fd;
	w->on_fd_data = data;
	if (w->fd >= 0 && !w->rest_usec)
		tell_fd(w, w->fd);
}

void pcr_batch_ready(struct pcr_batch_watch *w, u64 now)
{
	char buf[512];

	if (w->fd < 0)
		return;
	/* What they say is always the same; what is left makes the descriptor ready again. */
	while (read(w->fd, buf, sizeof(buf)) == (ssize_t)sizeof(buf))
		;
	w->news = true;
	w->rest_usec = now + PCR_BATCH_REST;
	tell_fd(w, -1);
}

/* --- looking --- */

static u64 number(const struct pcr_batch_watch *w, const char *path)
{
	u64 value;

	return pcr_slurp_u64(w->root, path, &value) ? PCR_ABSENT : value;
}

static void look_at_knobs(struct pcr_batch_watch *w)
{
	for (u32 i = _PCR_SETTING_THP; i < _PCR_SETTING_MAX; i++)
		pcr_state_setting_sample(w->st, i, number(w, pcr_setting_knob(i)));
}

/* What came of the nodes that there were, and of new ones. */
struct news {
	bool moved;		/* something exited since */
	bool appeared;
};

static void look_at_nodes(struct pcr_batch_watch *w, bool all, struct news *news, u64 now)
{
	struct pcr_batch *b = &w->st->batch;
	u64 nodes;

	b->there = !pcr_read_batch_nodes(w->root, &nodes);
	if (!b->there)
		nodes = 0;
	if (nodes && pcr_state_batch_nodes(w->st, 64 - (u32)__builtin_clzll(nodes)))
		return;
	for (u32 i = 0; i < b->n_nodes; i++) {
		struct pcr_batch_sample s = b->node[i].now;

		if (!(nodes >> i & 1)) {
			if (b->node[i].there)
				pcr_state_batch_node_gone(w->st, i);
			continue;
		}
		if (all || !b->node[i].there)
			pcr_read_batch_node(w->root, i, &s);
		else
			(void)pcr_read_batch_again(w->root, i, &s);
		news->appeared |= pcr_has(s.max_active) && !pcr_has(b->node[i].now.max_active);
		pcr_state_batch_node(w->st, i, &s, now);
		news->moved |= b->node[i].moved_pages > 0;
	}
}

static void look_at_cpus(struct pcr_batch_watch *w, u64 now)
{
	char buf[512];
	struct pcr_psi psi = { .some_avg10_bp = PCR_ABSENT };
	size_t n;

	if (!pcr_slurp(w->root, "/proc/pressure/cpu", buf, sizeof(buf), &n))
		(void)pcr_psi_parse(buf, n, &psi);
	pcr_state_batch_cpu(w->st, *w->set, psi.some_avg10_bp, now);
}

/* Switched on or off since the last look, by us. */
static bool switched(const struct pcr_batch_watch *w)
{
	return w->st->setting[PCR_SETTING_BATCH].seen != w->enabled;
}

/* anew: the settings may be others; asked: somebody wants to see all of it. */
static void look(struct pcr_batch_watch *w, bool anew, bool asked, u64 now)
{
	struct pcr_batch *b = &w->st->batch;
	struct pcr_record record;
	struct news news = { 0 };

	w->news = false;
	look_at_nodes(w, anew || asked || switched(w), &news, now);
	if (news.appeared || anew)
		pcr_batch_workers(w);
	if (news.appeared && w->appeared)
		w->appeared(w->data);
	look_at_knobs(w);
	w->enabled = w->st->setting[PCR_SETTING_BATCH].seen;
	b->exits = number(w, PCR_BATCH_EXITS);
	b->sampled_usec = now;
	if (news.moved || b->paused_usec || asked)
		look_at_cpus(w, now);
	for (u32 i = 0; i < b->n_nodes; i++)
		if (pcr_state_batch_climb(w->st, *w->set, i, now, &record))
			w->record(w->data, &record);
}

void pcr_batch_look(struct pcr_batch_watch *w, u64 now)
{
	if (w->st->batch.there)
		look(w, false, true, now);
}

void pcr_batch_tick(struct pcr_batch_watch *w, u64 now)
{
	struct pcr_batch *b = &w->st->batch;

	if (!wanted(w))
		return;
	if (w->rest_usec && now >= w->rest_usec) {
		w->rest_usec = 0;
		tell_fd(w, w->fd);
	}
	if (w->news || switched(w) || now >= b->sample_usec ||
	    (w->fd < 0 && now >= b->sampled_usec + PCR_BATCH_SPACING))
		look(w, false, false, now);
}

u64 pcr_batch_due(const struct pcr_batch_watch *w)
{
	if (!wanted(w))
		return PCR_NEVER;
	if (switched(w))
		return 0;
	return pcr_min_u64(w->rest_usec ? w->rest_usec : PCR_NEVER, w->st->batch.sample_usec);
}

/* --- start, reload, end --- */

void pcr_batch_probe(struct pcr_batch_watch *w, u64 now)
{
	struct pcr_batch *b = &w->st->batch;

	look(w, true, false, now);
	if (!wanted(w)) {
		b->paused_usec = 0;
		b->sample_usec = PCR_NEVER;
		deafen(w);
	} else if (w->fd < 0) {
		listen(w);
	}
}

void pcr_batch_open(struct pcr_batch_watch *w)
{
	w->fd = -1;
	pcr_batch_probe(w, pcr_now_usec());
}

void pcr_batch_close(struct pcr_batch_watch *w)
{
	w->on_fd = NULL;
	deafen(w);
}
