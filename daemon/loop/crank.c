// SPDX-License-Identifier: GPL-2.0-or-later
/* The crank: events and samples → model → policy → plan → worker. */
#include "loop/crank.h"

#include <errno.h>

#include "base/log.h"
#include "loop/crank_internal.h"
#include "loop/reader.h"
#include "model/model.h"
#include "model/tree.h"
#include "pcr/knobs.h"
#include "policy/policy.h"
#include "read/memcg.h"
#include "read/psi_text.h"

/* A sample older than this is read again before an action leans on it. */
#define FRESH (500 * PCR_MSEC)
/* Reads of cgroup files hold a turn of the loop no longer than this. */
#define SAMPLER_SLICE (4 * PCR_MSEC)
/* The clock that counts sleep ran ahead by more than this: the machine was suspended. */
#define GAP (2 * PCR_SEC)

static void ended(void *data, const struct pcr_record *record)
{
	struct pcr_crank *c = data;

	c->record(c->data, record);
}

void pcr_crank_probe(struct pcr_crank *c)
{
	pcr_knobs_probe(c->root, &c->knobs);
	c->backend = pcr_backend_for(&c->knobs);
	c->st->v1 = pcr_root_v1(c->root);
	c->st->reap_knob = c->knobs.reap;
	c->sampler.root = c->root;
	c->sampler.st = c->st;
	c->sampler.set = c->set;
	c->sampler.slice_usec = SAMPLER_SLICE;
	c->sampler.trim_knob = c->knobs.trim;
	c->sampler.trim_spare = c->knobs.spare;
	c->sampler.ended = ended;
	c->sampler.data = c;
	c->suspended_usec = pcr_suspended_usec();
	pcr_state_settings_anew(c->st);
	pcr_crank_collapse_anew(c);
}

/* --- out to the worker --- */

static const struct pcr_backend *backend_for(const struct pcr_crank *c, const struct pcr_decision *d)
{
	if (d->dry_run)
		return &pcr_backend_dry_run;
	/* What there is of percpu knobs says nothing about the others. */
	if (d->action == PCR_ACT_SET && d->setting >= _PCR_SETTING_PERCPU)
		return &pcr_backend_patched;
	return c->backend;
}

static int start(struct pcr_crank *c, const struct pcr_decision *d, u64 now)
{
	const struct pcr_backend *backend = backend_for(c, d);
	const struct pcr_settings *set = *c->set;
	struct pcr_job job = {
		.decision = *d, .cgroup_v1 = c->st->v1, .trace_marker = set->daemon.trace_marker,
	};
	int r;

	if (d->action == PCR_ACT_REAP) {
		const struct pcr_node *node = pcr_tree_by_id(&c->st->tree, d->target);

		if (!node)
			return PCR_GONE;
		pcr_node_path(node, job.path, sizeof(job.path));
	}
	if (d->action == PCR_ACT_SET && !backend->set) {
		/* The file can be read, but the series' knobs can't be written here. */
		pcr_log_warning("%s is not changed: %s", pcr_setting_knob(d->setting),
				c->knobs.trim_why);
		pcr_state_setting_vain(c->st, d->setting, d->pressed, d->amount);
		return PCR_NONE;
	}
	if (d->action == PCR_ACT_SET && !d->dry_run && !pcr_crank_note_setting(c, d, now))
		return PCR_NONE;
	r = pcr_worker_submit(c->worker, backend, &job);
	if (r == 0)
		pcr_state_started(c->st, set, d, now);
	return r;
}

int pcr_crank_ask(struct pcr_crank *c, const struct pcr_decision *d, u64 now)
{
	const struct pcr_node *node;

	if (d->action == PCR_ACT_TRIM && c->st->trim.in_flight)
		return -EALREADY;
	if (d->action == PCR_ACT_REAP) {
		node = pcr_tree_by_id(&c->st->tree, d->target);
		if (node && node->reap && node->reap->series.running)
			return -EALREADY;
	}
	return start(c, d, now);
}

/* --- in from the worker --- */

static void fetch(struct pcr_crank *c, u64 now)
{
	struct pcr_outcome o;
	struct pcr_record record;

	while (pcr_worker_fetch(c->worker, &o)) {
		bool told = pcr_state_outcome(c->st, *c->set, &o, now, &record);

		if (o.action == PCR_ACT_SET && !o.dry_run)
			pcr_crank_settle_setting(c, &o);
		if (told)
			c->record(c->data, &record);
		if (o.action == PCR_ACT_SET && o.setting == PCR_SETTING_TASK_COLLAPSE)
			pcr_crank_collapse_anew(c);
	}
}

/* --- time --- */

static void notice_gap(struct pcr_crank *c, u64 now)
{
	u64 suspended = pcr_suspended_usec();

	if (suspended > c->suspended_usec + GAP)
		pcr_state_gap(c->st, now);
	c->suspended_usec = suspended;
}

void pcr_crank_poll_pressure(struct pcr_crank *c, bool on, u64 now)
{
	c->poll_usec = on ? now : PCR_NEVER;
}

static bool read_slice(const struct pcr_crank *c, u32 i, struct pcr_psi *ret_psi)
{
	u64 id = c->st->pressure[i].id;
	const struct pcr_node *node = i ? pcr_tree_by_id(&c->st->tree, id) : NULL;
	char path[PCR_PATH_MAX];

	if (i && !node)
		return false;
	if (node)
		pcr_node_path(node, path, sizeof(path));
	return pcr_read_pressure(c->root, node ? path : NULL, ret_psi) == 0;
}

static void poll_slice(struct pcr_crank *c, u32 i, u64 now)
{
	const struct pcr_settings *set = *c->set;
	struct pcr_slice_pressure *p = &c->st->pressure[i];
	struct pcr_psi psi;

	if (!read_slice(c, i, &psi))
		return;
	/* The trigger's own condition, stretched to the period between two readings. */
	if (pcr_has(p->stall_usec) &&
	    pcr_sub_u64(psi.some_total_usec, p->stall_usec) >=
	    set->pressure.stall_usec * set->pressure.poll_usec / set->pressure.window_usec)
		pcr_state_pressure_event(c->st, i, now);
	p->stall_usec = psi.some_total_usec;
	p->some_avg10_bp = psi.some_avg10_bp;
}

static void poll_pressure(struct pcr_crank *c, u64 now)
{
	if (now < c->poll_usec)
		return;
	c->poll_usec = now + (*c->set)->pressure.poll_usec;
	for (u32 i = 0; i < c->st->n_pressure; i++)
		poll_slice(c, i, now);
}

void pcr_crank_look(struct pcr_crank *c, u64 now)
{
	struct pcr_psi psi;

	pcr_sampler_footprint(&c->sampler, now);
	pcr_reader_go(c->sampler.reader);
	pcr_sampler_percpu(&c->sampler, now);
	pcr_sampler_root(&c->sampler, now);
	for (u32 i = 0; i < c->st->n_pressure; i++)
		if (read_slice(c, i, &psi))
			c->st->pressure[i].some_avg10_bp = psi.some_avg10_bp;
}

/* A new sample may make the forecast another one; time alone does not. */
static void forecast(struct pcr_crank *c, u64 now)
{
	struct pcr_forecast f = { .reached_usec = PCR_NEVER };
	u64 left;

	if (c->forecast_usec == c->st->trim.sampled_usec)
		return;
	c->forecast_usec = c->st->trim.sampled_usec;
	left = pcr_policy_forecast(c->st, *c->set, now, &f) ? pcr_sub_u64(f.reached_usec, now) :
							      PCR_NEVER;
	if (pcr_state_forewarn(c->st, *c->set, left, now))
		c->forewarn(c->data, &f);
}

/* --- the turn --- */

/* True when something was read again, so that the plan must be made anew. */
static bool refresh_reaps(struct pcr_crank *c, const struct pcr_plan *plan, u64 now)
{
	bool any = false;

	for (u32 i = 0; i < plan->n; i++) {
		struct pcr_node *node = pcr_tree_by_id(&c->st->tree, plan->d[i].target);
		int r;

		if (plan->d[i].action != PCR_ACT_REAP || !node || !node->reap ||
		    now <= node->reap->sampled_usec + FRESH)
			continue;
		any = true;
		r = pcr_sampler_look(&c->sampler, node, false, now);
		/* A cgroup that can't be read is not acted on; its removal is on its way. */
		if (r && r != PCR_PART && node->reap)
			node->reap->cooldown_usec = now + PCR_MIN;
	}
	return any;
}

static bool stale(struct pcr_crank *c, const struct pcr_decision *d, u64 now)
{
	if (d->action == PCR_ACT_REAP)
		return false;
	/* Not part of that sample: one file, read now. */
	if (d->action == PCR_ACT_SET && d->setting >= _PCR_SETTING_PERCPU)
		return pcr_crank_setting_moved(c, d->setting);
	return now > c->st->trim.sampled_usec + FRESH;
}

/*
 * All but those that would lean on an old sample of percpu memory: false. Of a setting as
 * well: has somebody else written it since?
 */
static bool start_all(struct pcr_crank *c, const struct pcr_plan *plan, u64 now)
{
	bool all = true;

	for (u32 i = 0; i < plan->n; i++)
		if (stale(c, &plan->d[i], now))
			all = false;
		else
			(void)start(c, &plan->d[i], now);
	return all;
}

static void act(struct pcr_crank *c, struct pcr_plan *plan, u64 now)
{
	bool all;

	pcr_crank_adopt_unread(c);
	pcr_policy_replan(c->st, *c->set, now, plan);
	if (refresh_reaps(c, plan, now))
		pcr_policy_replan(c->st, *c->set, now, plan);
	all = start_all(c, plan, now);
	/* After what was started: it is in no hurry. */
	pcr_reader_go(c->sampler.reader);
	/*
	 * A dozen files, more than all the rest of the way from an event to a reap: not
	 * while the worker has something to do. No trim could begin, and the outcome that
	 * makes room for one may change what there is to trim.
	 */
	if (pcr_worker_queued(c->worker))
		return;
	if (!all || c->st->trim.sample_usec <= now) {
		pcr_sampler_percpu(&c->sampler, now);
		pcr_crank_adopt_unread(c);
		pcr_policy_replan(c->st, *c->set, now, plan);
		(void)start_all(c, plan, now);
	}
}

static u64 percpu_due(const struct pcr_crank *c)
{
	return pcr_worker_queued(c->worker) ? PCR_NEVER : c->st->trim.sample_usec;
}

u64 pcr_crank_turn(struct pcr_crank *c, u64 now)
{
	struct pcr_plan plan;
	u64 next;

	notice_gap(c, now);
	fetch(c, now);
	poll_pressure(c, now);
	pcr_sampler_run(&c->sampler, now);
	act(c, &plan, now);
	forecast(c, now);
	pcr_crank_tell_foreign(c, now);
	next = pcr_min_u64(plan.next_usec, pcr_sampler_due(&c->sampler));
	next = pcr_min_u64(next, percpu_due(c));
	next = pcr_min_u64(next, pcr_crank_collapse(c, now));
	return pcr_min_u64(next, c->poll_usec);
}
