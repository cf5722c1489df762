// SPDX-License-Identifier: GPL-2.0-or-later
/* What the daemon would do, from one sample to the next. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/agenda.h"
#include "model/model.h"
#include "model/tree.h"
#include "pcr/knobs.h"
#include "policy/policy.h"
#include "trace/internal.h"

/* The recorded daemon looked when it was due and a little after; not waited for longer. */
#define LATE (250 * PCR_MSEC)
/* As in loop/crank.c: an older sample is read again before an action leans on it. */
#define FRESH (500 * PCR_MSEC)
/* A step, and each page of it: of the kernel's time. */
#define STEP_USEC PCR_MSEC
#define PAGE_USEC 1
#define PAGE 4096u

static void ended(struct pcr_replay *r, const struct pcr_record *record)
{
	r->ops->record(r->ops->data, r->now - PCR_REPLAY_START, record);
	r->changed = true;
}

/* --- samples --- */

/*
 * What was sampled is of one target: unless policy wants to act on it now, the plan for all
 * others stays what it was.
 */
static void consider(struct pcr_replay *r, const struct pcr_decision *d)
{
	r->changed |= d->act;
	if (!d->act)
		r->next = pcr_min_u64(r->next, d->evidence.until_usec);
}

/* When one is looked at if nothing is recorded of it meanwhile. */
static u64 due_of(const struct pcr_reap *reap)
{
	if (!reap || reap->in_flight || reap->sample_usec == PCR_NEVER)
		return PCR_NEVER;
	return reap->settling ? reap->sample_usec : pcr_add_u64(reap->sample_usec, LATE);
}

static u64 percpu_due(const struct pcr_replay *r)
{
	return pcr_add_u64(r->st.trim.sample_usec, LATE);
}

void pcr_replay_find_due(struct pcr_replay *r)
{
	const struct pcr_agenda *a = &r->st.agenda[PCR_AGENDA_LOOK];
	u64 due = percpu_due(r);

	for (u32 i = pcr_agenda_first(a, due); i < a->n; i = pcr_agenda_next(a, i, due))
		due = pcr_min_u64(due, due_of(a->entry[i].reap));
	r->look_due = due;
}

void pcr_replay_note_due(struct pcr_replay *r, const struct pcr_node *node)
{
	r->look_due = pcr_min_u64(r->look_due, percpu_due(r));
	if (node)
		r->look_due = pcr_min_u64(r->look_due, due_of(node->reap));
}

/* As the sampler does: what is asked for a step that was just made is judged with it. */
int pcr_replay_look(struct pcr_replay *r, struct pcr_node *node)
{
	struct pcr_reap_sample sample;
	struct pcr_record record;
	struct pcr_decision d;

	if (node->reap)
		pcr_reap_look_at(&r->st, node->reap, PCR_NEVER);
	if (!pcr_world_look(&r->world, node->id, &sample)) {
		if (!node->reap)
			return 0;
		memset(&sample, 0xff, sizeof(sample));
		sample.dying = 0;
	}
	if (pcr_state_reap_sample(&r->st, r->set, node, &sample, r->now) < 0)
		return -ENOMEM;
	if (node->reap && node->reap->settling &&
	    pcr_state_settled(&r->st, r->set, node->reap, r->now, &record))
		ended(r, &record);
	pcr_policy_reap(&r->st, r->set, node, r->now, &d);
	consider(r, &d);
	pcr_replay_note_due(r, node);
	return 0;
}

void pcr_replay_look_percpu(struct pcr_replay *r)
{
	struct pcr_percpu_sample sample;
	struct pcr_decision d;

	if (!pcr_world_percpu(&r->world, &sample)) {
		r->st.trim.sample_usec = PCR_NEVER;
		return;
	}
	pcr_state_percpu_sample(&r->st, &sample, r->now);
	pcr_policy_trim(&r->st, r->set, r->now, &d);
	consider(r, &d);
	pcr_replay_note_due(r, NULL);
}

/* --- the worker --- */

static u64 duration(const struct pcr_decision *d)
{
	return STEP_USEC + (d->action == PCR_ACT_REAP ? d->amount / PAGE * PAGE_USEC : 0);
}

static void submit(struct pcr_replay *r, const struct pcr_decision *d)
{
	char path[PCR_PATH_MAX] = "";
	const struct pcr_node *node = pcr_tree_by_id(&r->st.tree, d->target);

	if (r->jobs == PCR_REPLAY_JOBS)
		return;
	if (d->action == PCR_ACT_REAP)
		pcr_node_path(node, path, sizeof(path));
	else if (d->action == PCR_ACT_TRIM && !r->st.trim.now.knob)
		strcpy(path, "spare");
	if (!d->dry_run)
		r->ops->write(r->ops->data, r->now - PCR_REPLAY_START, d, path);
	pcr_state_started(&r->st, r->set, d, r->now);
	if (!r->jobs)
		r->done_usec = r->now + duration(d);
	r->job[r->jobs++] = *d;
}

static void carry_out(struct pcr_replay *r, const struct pcr_decision *d, struct pcr_outcome *o)
{
	if (d->action == PCR_ACT_REAP)
		o->freed_bytes = pcr_world_reap(&r->world, d->target, d->amount);
	else if (d->action == PCR_ACT_TRIM)
		o->freed_bytes = pcr_world_trim(&r->world, d->amount);
	else
		r->world.setting[d->setting] = d->amount;
}

static void finish(struct pcr_replay *r)
{
	struct pcr_decision d = r->job[0];
	struct pcr_record record;
	struct pcr_outcome o = {
		.action = d.action, .target = d.target, .asked = d.amount,
		.freed_bytes = PCR_ABSENT, .took_usec = duration(&d), .dry_run = d.dry_run,
		.setting = d.setting,
	};

	memmove(r->job, r->job + 1, --r->jobs * sizeof(r->job[0]));
	r->done_usec = r->jobs ? r->now + duration(&r->job[0]) : PCR_NEVER;
	if (d.action == PCR_ACT_SET)
		snprintf(o.knob, sizeof(o.knob), "%.120s", pcr_setting_knob(d.setting));
	if (!d.dry_run)
		carry_out(r, &d, &o);
	r->changed = true;
	if (pcr_state_outcome(&r->st, r->set, &o, r->now, &record))
		ended(r, &record);
	pcr_replay_find_due(r);
}

/* --- the turn --- */

static bool old(const struct pcr_replay *r, u64 sampled_usec)
{
	return r->now > sampled_usec + FRESH;
}

/* What is about to be leaned on, as it is now. 1: something was read, make the plan again. */
static int refresh(struct pcr_replay *r, const struct pcr_plan *plan)
{
	int any = 0;

	for (u32 i = 0; i < plan->n; i++) {
		struct pcr_node *node = pcr_tree_by_id(&r->st.tree, plan->d[i].target);

		if (plan->d[i].action == PCR_ACT_REAP && old(r, node->reap->sampled_usec)) {
			any = 1;
			if (pcr_replay_look(r, node) < 0)
				return -ENOMEM;
		} else if (plan->d[i].action == PCR_ACT_TRIM && old(r, r->st.trim.sampled_usec)) {
			any = 1;
			pcr_replay_look_percpu(r);
		}
	}
	return any;
}

int pcr_replay_decide(struct pcr_replay *r)
{
	struct pcr_plan plan;
	int again;

	r->changed = false;
	r->figures.turns++;
	pcr_policy_replan(&r->st, r->set, r->now, &plan);
	again = refresh(r, &plan);
	if (again < 0)
		return again;
	if (again)
		pcr_policy_replan(&r->st, r->set, r->now, &plan);
	for (u32 i = 0; i < plan.n; i++)
		submit(r, &plan.d[i]);
	/* What had no room is seen to when there is some. */
	r->next = plan.next_usec;
	return 0;
}

static u64 due(const struct pcr_replay *r)
{
	u64 when = pcr_min_u64(pcr_min_u64(r->next, r->done_usec), r->look_due);

	return pcr_max_u64(when, r->now);
}

/* One that is to be looked at now; NULL: none is. A look files it for later. */
static struct pcr_node *next_due(const struct pcr_replay *r)
{
	const struct pcr_agenda *a = &r->st.agenda[PCR_AGENDA_LOOK];
	u64 end = r->now + 1;

	for (u32 i = pcr_agenda_first(a, end); i < a->n; i = pcr_agenda_next(a, i, end))
		if (due_of(a->entry[i].reap) <= r->now)
			return a->entry[i].reap->node;
	return NULL;
}

static int look_all(struct pcr_replay *r)
{
	struct pcr_node *node;

	while ((node = next_due(r)))
		if (pcr_replay_look(r, node) < 0)
			return -ENOMEM;
	if (percpu_due(r) <= r->now)
		pcr_replay_look_percpu(r);
	pcr_replay_find_due(r);
	return 0;
}

/* Everything that is due at r->now. */
static int turn(struct pcr_replay *r)
{
	r->changed |= r->next <= r->now;
	if (r->done_usec <= r->now)
		finish(r);
	if (r->look_due <= r->now && look_all(r) < 0)
		return -ENOMEM;
	return r->changed ? pcr_replay_decide(r) : 0;
}

/* Up to that time. */
int pcr_replay_until(struct pcr_replay *r, u64 until)
{
	for (u64 when = due(r); when < until; when = due(r)) {
		int e;

		r->now = when;
		e = turn(r);
		if (e < 0)
			return e;
		/* A plan that is due now and starts nothing would be made for ever. */
		if (r->next <= r->now)
			r->next = r->now + PCR_SEC;
	}
	return 0;
}
