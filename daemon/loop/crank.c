// SPDX-License-Identifier: GPL-2.0-or-later
/* The crank: events and samples → model → policy → plan → worker. */
#include "loop/crank.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
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
}

/* --- kernel settings, under the ledger --- */

static void adopt(struct pcr_crank *c, enum pcr_setting which)
{
	const char *knob = pcr_setting_knob(which);
	const struct pcr_ledger_entry *e = pcr_ledger_find(c->ledger, knob);
	struct pcr_setting_state *s = &c->st->setting[which];
	int r = e && !pcr_has(s->seen) ? pcr_slurp_u64(c->root, knob, &s->seen) : 0;

	/* Whose value it is can't be told yet: what it was stays known until it can. */
	c->unread[which] = r < 0;
	if (!e || r < 0)
		return;
	if (pcr_ledger_owns(e, s->seen)) {
		s->base = e->old;
		s->set = s->seen;
		(void)pcr_ledger_settle(c->ledger, knob, s->seen);
		return;
	}
	/* Never written, put back already, or changed by somebody else since: not ours. */
	if (s->seen != e->old)
		pcr_log_notice("%s is no longer what a previous run left: kept as it is", knob);
	(void)pcr_ledger_drop(c->ledger, knob);
}

void pcr_crank_adopt(struct pcr_crank *c)
{
	for (u32 i = 0; i < _PCR_SETTING_MAX; i++)
		adopt(c, i);
}

/* Policy is not to find a value of a predecessor's before it is known to be one. */
static void adopt_unread(struct pcr_crank *c)
{
	for (u32 i = 0; i < _PCR_SETTING_MAX; i++)
		if (c->unread[i] && pcr_has(c->st->setting[i].seen))
			adopt(c, i);
}

/* What came of each that is still in the ledger. */
struct left {
	enum pcr_restore how;
	int err;
};

/* Each in turn, from the last on. Returns how many are not as they should be. */
static u32 restore_all(struct pcr_crank *c, struct left left[static PCR_LEDGER_MAX])
{
	char knob[sizeof(c->ledger->entry[0].knob)];
	u32 failed = 0;

	for (u32 i = c->ledger->n; i-- > 0;) {
		memcpy(knob, c->ledger->entry[i].knob, sizeof(knob));
		left[i].how = pcr_ledger_restore(c->ledger, c->root, knob, &left[i].err);
		if (left[i].how == PCR_RESTORE_NOT_OURS)
			pcr_log_notice("%s was changed by another program: left alone", knob);
		failed += left[i].how == PCR_RESTORE_FAILED;
		/* One that is gone has given its place to the last. */
		if (left[i].how <= PCR_RESTORE_NOT_OURS)
			left[i] = left[c->ledger->n];
	}
	return failed;
}

/*
 * Some can be put back only after another one: the kernel holds the low end of the float
 * below the high end at any time. So those that fail are tried again while others succeed.
 */
void pcr_crank_restore(struct pcr_crank *c)
{
	struct left left[PCR_LEDGER_MAX];
	u32 failed = PCR_LEDGER_MAX + 1, before;

	do {
		before = failed;
		failed = restore_all(c, left);
	} while (failed && failed < before);
	/* The old file, on a full disk, would claim values that somebody sets later. */
	if (c->ledger->n && !failed && pcr_ledger_end(c->ledger) == 0)
		return;
	for (u32 i = 0; i < c->ledger->n; i++)
		pcr_log_err(left[i].how == PCR_RESTORE_FAILED ?
			    "%s can't be put back: %s; the next start tries again" :
			    "%s is put back, but the ledger can't be told: %s",
			    c->ledger->entry[i].knob, strerror(left[i].err));
}

/* Before the write, so that a death between the two is found by the next start. */
static bool note_setting(struct pcr_crank *c, const struct pcr_decision *d, u64 now)
{
	const struct pcr_setting_state *s = &c->st->setting[d->setting];
	const char *knob = pcr_setting_knob(d->setting);
	u64 base = pcr_has(s->base) ? s->base : s->seen;
	char why[64];
	int r;

	/* Putting back is what the entry is for: it stays as it is until that is done. */
	if (pcr_has(s->base) && d->amount == s->base)
		return true;
	snprintf(why, sizeof(why), "%s=%llu", pcr_setting_key(d->setting),
		 (unsigned long long)d->amount);
	r = pcr_ledger_note(c->ledger, knob, base, d->amount, why);
	if (r == 0)
		return true;
	pcr_log_err("%s is not changed: the ledger can't be written: %s", knob,
		    r < 0 ? strerror(-r) : "full");
	/* A disk that is full now may have room again before the settings are read anew. */
	pcr_state_setting_later(c->st, d->setting, now);
	return false;
}

/* Taken, but another value shows: ours all the same, and to be put back. */
static bool look_again(struct pcr_crank *c, enum pcr_setting which, u64 old)
{
	struct pcr_setting_state *s = &c->st->setting[which];

	/* Can't be read: the entry stays, for whoever can. */
	if (pcr_slurp_u64(c->root, pcr_setting_knob(which), &s->seen))
		return false;
	if (s->seen != old) {
		s->base = old;
		s->set = s->seen;
		s->foreign = false;
	}
	return true;
}

/* After the write: what stands now, and whether it is ours. */
static void settle_setting(struct pcr_crank *c, const struct pcr_outcome *o)
{
	const struct pcr_setting_state *s = &c->st->setting[o->setting];
	const char *knob = pcr_setting_knob(o->setting);
	const struct pcr_ledger_entry *e = pcr_ledger_find(c->ledger, knob);

	if (!e || (o->refused && !look_again(c, o->setting, e->old)))
		return;
	if (!pcr_has(s->base))
		(void)pcr_ledger_drop(c->ledger, knob);
	else
		(void)pcr_ledger_settle(c->ledger, knob, s->set);
}

/* Once for each time that another program writes. */
static void tell_foreign(struct pcr_crank *c, u64 now)
{
	struct pcr_decision d;
	char text[200];

	for (u32 i = 0; i < _PCR_SETTING_MAX; i++) {
		pcr_policy_setting(c->st, *c->set, i, now, &d);
		if (d.why != PCR_WHY_FOREIGN) {
			/* Theirs may be what we want for now, and is theirs all the same. */
			c->told_foreign[i] &= c->st->setting[i].foreign;
			continue;
		}
		if (!c->told_foreign[i])
			pcr_log_notice("%s", pcr_decision_text(text, sizeof(text), &d, now));
		c->told_foreign[i] = true;
	}
}

/* --- out to the worker --- */

static int start(struct pcr_crank *c, const struct pcr_decision *d, u64 now)
{
	const struct pcr_backend *backend = d->dry_run ? &pcr_backend_dry_run : c->backend;
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
	if (d->action == PCR_ACT_SET && !d->dry_run && !note_setting(c, d, now))
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
		if (!pcr_state_outcome(c->st, *c->set, &o, now, &record))
			continue;
		if (o.action == PCR_ACT_SET && !o.dry_run)
			settle_setting(c, &o);
		c->record(c->data, &record);
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

/*
 * All but those that would lean on an old sample of percpu memory: false. Of a setting as
 * well: has somebody else written it since?
 */
static bool start_all(struct pcr_crank *c, const struct pcr_plan *plan, u64 now)
{
	bool all = true;

	for (u32 i = 0; i < plan->n; i++)
		if (plan->d[i].action != PCR_ACT_REAP && now > c->st->trim.sampled_usec + FRESH)
			all = false;
		else
			(void)start(c, &plan->d[i], now);
	return all;
}

static void act(struct pcr_crank *c, struct pcr_plan *plan, u64 now)
{
	bool all;

	adopt_unread(c);
	pcr_policy_eval(c->st, *c->set, now, plan);
	if (refresh_reaps(c, plan, now))
		pcr_policy_eval(c->st, *c->set, now, plan);
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
		adopt_unread(c);
		pcr_policy_eval(c->st, *c->set, now, plan);
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
	tell_foreign(c, now);
	next = pcr_min_u64(plan.next_usec, pcr_sampler_due(&c->sampler));
	next = pcr_min_u64(next, percpu_due(c));
	return pcr_min_u64(next, c->poll_usec);
}
