// SPDX-License-Identifier: GPL-2.0-or-later
/* Actions on their way and done: series of reap steps, trims, settings. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/agenda.h"
#include "model/internal.h"
#include "model/model.h"
#include "model/tree.h"

/* A dry run says what it would do once, then holds its peace for so long. */
#define DRY_RUN_REST PCR_HOUR
/* SuspendFor= doubles up to this, where it is not longer to begin with. */
#define SUSPEND_MAX (24 * PCR_HOUR)

u64 pcr_backoff(u32 n)
{
	return pcr_min_u64((5 * PCR_SEC) << (2 * pcr_min_u64(n, 8)), PCR_HOUR);
}

static void name_policy(struct pcr_record *rec, const struct pcr_settings *set, s32 policy)
{
	if (policy >= 0 && (u32)policy < set->n_policies)
		snprintf(rec->policy, sizeof(rec->policy), "%s", set->policies[policy].name);
}

/* --- backing off --- */

/*
 * Ends in a row without effect: wait longer each time, and at last give it up for a
 * while. What is in vain even then is tried ever more rarely: nothing that stays as it
 * is may go on taking from the living, or writing into the journal.
 */
static void note_fruitless(const struct pcr_settings *set, u32 *fruitless, bool *suspended,
			   u64 *retry_usec, u64 now)
{
	u64 most = pcr_max_u64(set->daemon.suspend_usec, SUSPEND_MAX);
	u64 over = pcr_sub_u64(++*fruitless, set->daemon.suspend_after);
	u64 pause = set->daemon.suspend_usec << pcr_min_u64(over, 16);

	*suspended = *fruitless >= set->daemon.suspend_after;
	if (!*suspended)
		pause = pcr_backoff(*fruitless - 1);
	*retry_usec = pcr_add_u64(now, pcr_min_u64(pause, most));
}

/* --- reap --- */

/*
 * What the series is measured from. Figures of some time ago would put down to it what
 * others did since: then those that are being read now will do.
 */
static void start_from(struct pcr_reap *r, u64 now)
{
	bool fresh = now <= r->figures_usec + PCR_FIGURES_FRESH;

	r->series.refaults_start = fresh ? r->refaults : PCR_ABSENT;
	r->series.stall_start_usec = fresh ? r->stall_usec : PCR_ABSENT;
}

static void start_reap(struct pcr_state *st, struct pcr_reap *r, const struct pcr_rule *rule,
		       const struct pcr_decision *d, u64 now)
{
	pcr_reap_stir(st, r);
	if (!d->dry_run)
		pcr_reap_spend(r, rule, d->amount, now);
	st->n_in_flight += !r->in_flight;
	r->in_flight = true;
	r->settling = false;
	r->dying_before_step = r->dying;
	r->deaths_before_step = r->deaths;
	r->step_bytes = d->amount;
	if (!r->series.running) {
		r->series = (struct pcr_series){
			/* One that only waited for its budget goes on where it was. */
			.idle_steps = r->last_stop == PCR_STOP_BUDGET ? r->series.idle_steps : 0,
			.running = true, .why = d->why, .start_usec = now,
			.dying_start = r->dying, .deaths_start = r->deaths,
			.value = d->evidence.value, .threshold = d->evidence.threshold,
		};
		start_from(r, now);
	}
	r->series.asked = pcr_add_u64(r->series.asked, d->amount);
}

void pcr_state_started(struct pcr_state *st, const struct pcr_settings *set,
		       const struct pcr_decision *d, u64 now)
{
	struct pcr_node *node;

	switch (d->action) {
	case PCR_ACT_REAP:
		node = pcr_tree_by_id(&st->tree, d->target);
		if (node && pcr_reap_get(st, node))
			start_reap(st, node->reap, pcr_node_rule(set, node), d, now);
		break;
	case PCR_ACT_TRIM:
		st->trim.in_flight = true;
		st->trim.started = *d;
		break;
	case PCR_ACT_SET:
		st->setting[d->setting].in_flight = true;
		st->setting[d->setting].why = d->why;
		st->setting[d->setting].pressed = d->pressed;
		break;
	default:
		break;
	}
}

static void end_series(struct pcr_state *st, const struct pcr_settings *set, struct pcr_reap *r,
		       enum pcr_stop stop, int err, u64 now, struct pcr_record *rec)
{
	const struct pcr_rule *rule = pcr_node_rule(set, r->node);
	struct pcr_series *s = &r->series;
	u64 gone = pcr_sub_u64(s->dying_start, r->dying);
	/* GONE: a file is missing. Where the cgroup is as well, r goes with it. */
	bool stuck = stop == PCR_STOP_NO_PROGRESS || stop == PCR_STOP_NO_SWAP ||
		     stop == PCR_STOP_REFAULT || stop == PCR_STOP_STALL ||
		     stop == PCR_STOP_ERROR || stop == PCR_STOP_GONE;

	*rec = (struct pcr_record){
		.action = PCR_ACT_REAP, .why = s->why, .stop = stop, .err = err,
		.dry_run = stop == PCR_STOP_DRY_RUN, .steps = s->steps, .target = r->node->id,
		.start_usec = s->start_usec, .end_usec = now, .took_usec = s->took_usec,
		.asked = s->asked, .freed_bytes = s->freed_bytes,
		.before = s->dying_start, .after = r->dying,
		.value = s->value, .threshold = s->threshold, .refault_pages = s->refault_pages,
	};
	name_policy(rec, set, r->node->policy);
	pcr_node_path(r->node, rec->path, sizeof(rec->path));
	pcr_record_keep(st, rec);

	s->running = false;
	r->settling = false;
	r->step_bytes = 0;
	r->last_stop = stop;
	r->cooldown_usec = now + rule->cooldown_usec;
	r->suspended = false;
	r->stuck = stuck ? r->dying : 0;
	if (stop == PCR_STOP_DRY_RUN) {
		/* Unless the settings meant it by the time the dry run was over. */
		r->retry_usec = rule->dry_run || set->daemon.dry_run ? now + DRY_RUN_REST : 0;
		r->stuck = r->dying;
		return;
	}
	if (gone) {
		st->totals.reap_cgroups += gone;
		st->totals.reap_freed_bytes += pcr_has(s->freed_bytes) ? s->freed_bytes : 0;
		st->trim.after_reap = true;
		st->trim.sample_usec = pcr_min_u64(st->trim.sample_usec, now + PCR_SETTLE_DEATH);
		r->fruitless = 0;
	}
	if (!stuck) {
		r->backoff = 0;
		r->retry_usec = 0;
	} else if (gone) {
		r->retry_usec = now + pcr_backoff(r->backoff++);
	} else {
		note_fruitless(set, &r->fruitless, &r->suspended, &r->retry_usec, now);
		r->suspended_usec = pcr_add_u64(now, set->daemon.suspend_usec);
	}
}

static bool reap_outcome(struct pcr_state *st, const struct pcr_settings *set,
			 const struct pcr_outcome *o, u64 now, struct pcr_record *rec)
{
	struct pcr_node *node = pcr_tree_by_id(&st->tree, o->target);
	struct pcr_reap *r = node ? node->reap : NULL;

	if (!o->dry_run)
		pcr_tap(st, .kind = PCR_EVENT_STEP, .now = now,
			.value = { o->target, o->asked, o->freed_bytes, (u64)o->err });
	if (!r || !r->in_flight) {
		/* The parent itself was removed while the step ran. */
		*rec = (struct pcr_record){
			.action = PCR_ACT_REAP, .stop = PCR_STOP_GONE, .steps = 1,
			.target = o->target, .dry_run = o->dry_run, .err = o->err,
			.start_usec = now - pcr_min_u64(now, o->took_usec), .end_usec = now,
			.took_usec = o->took_usec, .asked = o->asked,
			.freed_bytes = o->freed_bytes,
			.before = PCR_ABSENT, .after = PCR_ABSENT,
		};
		memcpy(rec->path, o->path, sizeof(rec->path));
		pcr_record_keep(st, rec);
		return true;
	}
	pcr_reap_stir(st, r);
	st->n_in_flight--;
	r->in_flight = false;
	r->series.steps++;
	r->series.took_usec += o->took_usec;
	/* Absent once is absent: a sum of what happened to be measured is none. */
	r->series.freed_bytes = pcr_add_u64(r->series.freed_bytes, o->freed_bytes);
	if (o->dry_run || o->err || o->gone) {
		end_series(st, set, r, o->dry_run ? PCR_STOP_DRY_RUN :
				       o->gone ? PCR_STOP_GONE : PCR_STOP_ERROR, o->err, now, rec);
		return true;
	}
	r->settling = true;
	pcr_reap_look_at(st, r, now + (PCR_SETTLE_STEP <<
				       (2 * pcr_min_u64(r->series.idle_steps, 3))));
	return false;
}

bool pcr_state_settled(struct pcr_state *st, const struct pcr_settings *set, struct pcr_reap *reap,
		       u64 now, struct pcr_record *ret_record)
{
	const struct pcr_rule *rule = pcr_node_rule(set, reap->node);
	enum pcr_stop stop;

	if (!reap->settling)
		return false;
	pcr_reap_stir(st, reap);
	reap->settling = false;
	stop = pcr_reap_judge(st, set, reap, now);
	if (stop == PCR_STOP_NONE)
		return false;
	end_series(st, set, reap, stop, 0, now, ret_record);
	if (!reap->dying)
		pcr_reap_look_at(st, reap, pcr_min_u64(reap->sample_usec,
						       pcr_reap_kept_until(reap, rule)));
	return true;
}

/* --- trim --- */

/*
 * Frees come late: from work queues, after grace periods. What they leave behind a trim
 * may be too little to be worth one for itself, and nothing else would look at it again.
 */
static u64 look_for_late(const struct pcr_trim *t, u64 now)
{
	enum pcr_reason want = t->started.want;

	if (want != PCR_WHY_ABOVE && want != PCR_WHY_AFTER_REAP && want != PCR_WHY_AFTER_DEATHS)
		return 0;
	return pcr_max_u64(t->cooldown_usec, now + PCR_SETTLE_LATE);
}

static void trim_outcome(struct pcr_state *st, const struct pcr_settings *set,
			 const struct pcr_outcome *o, u64 now, struct pcr_record *rec)
{
	struct pcr_trim *t = &st->trim;
	bool fruitless = o->err || (pcr_has(o->freed_bytes) && !o->freed_bytes);

	if (!o->dry_run)
		pcr_tap(st, .kind = PCR_EVENT_TRIM, .now = now,
			.value = { o->asked, o->freed_bytes, (u64)o->err });
	*rec = (struct pcr_record){
		.action = PCR_ACT_TRIM, .why = t->started.why,
		.stop = o->dry_run ? PCR_STOP_DRY_RUN : o->err ? PCR_STOP_ERROR :
			fruitless ? PCR_STOP_NO_PROGRESS : PCR_STOP_DONE,
		.dry_run = o->dry_run, .err = o->err, .steps = 1,
		.start_usec = now - pcr_min_u64(now, o->took_usec), .end_usec = now,
		.took_usec = o->took_usec, .asked = o->asked, .freed_bytes = o->freed_bytes,
		.before = t->now.percpu_bytes,
		.after = pcr_has(o->freed_bytes) && pcr_has(t->now.percpu_bytes) ?
			 pcr_sub_u64(t->now.percpu_bytes, o->freed_bytes) : PCR_ABSENT,
		.value = t->started.evidence.value, .threshold = t->started.evidence.threshold,
	};
	snprintf(rec->path, sizeof(rec->path), "percpu");
	pcr_record_keep(st, rec);

	t->in_flight = false;
	t->last_stop = rec->stop;
	t->cooldown_usec = now + set->trim.cooldown_usec;
	t->deaths = 0;
	t->after_reap = false;
	t->suspended = false;
	t->sample_usec = now;
	t->late_usec = fruitless || o->dry_run ? 0 : look_for_late(t, now);
	if (o->dry_run) {
		t->retry_usec = now + DRY_RUN_REST;
	} else if (fruitless) {
		note_fruitless(set, &t->fruitless, &t->suspended, &t->retry_usec, now);
		t->suspended_usec = pcr_add_u64(now, set->daemon.suspend_usec);
		/* Wanted for removals, the surplus was too small to be wanted for itself. */
		t->stuck_bytes = t->started.wanted.value;
		if (t->started.want == PCR_WHY_AFTER_DEATHS)
			t->stuck_bytes = 0;
	} else {
		t->fruitless = 0;
		t->retry_usec = 0;
		st->totals.trim_freed_bytes += pcr_has(o->freed_bytes) ? o->freed_bytes : 0;
	}
}

/* --- settings --- */

/* Says nothing about the value: there was no descriptor, no memory, or a signal. */
static bool passing(int err)
{
	return err == EMFILE || err == ENFILE || err == ENOMEM || err == EAGAIN || err == EINTR;
}

/* A step of a search is no news; what it comes to is. */
static bool passed_over(enum pcr_reason why)
{
	return why == PCR_WHY_TRYING || why == PCR_WHY_SETTLED;
}

/* True where it is to be told of. */
static bool set_outcome(struct pcr_state *st, const struct pcr_outcome *o, u64 now,
			struct pcr_record *rec)
{
	struct pcr_setting_state *s = &st->setting[o->setting];
	bool back = pcr_has(s->base) && o->asked == s->base, told;

	*rec = (struct pcr_record){
		.action = PCR_ACT_SET, .why = s->why, .setting = o->setting,
		.stop = o->dry_run ? PCR_STOP_DRY_RUN : o->err ? PCR_STOP_ERROR :
			o->refused ? PCR_STOP_REFUSED : PCR_STOP_DONE,
		.dry_run = o->dry_run, .err = o->err, .steps = 1,
		.start_usec = now, .end_usec = now,
		.took_usec = o->took_usec, .asked = o->asked, .freed_bytes = PCR_ABSENT,
		.before = s->seen, .after = o->err || o->refused || o->dry_run ? s->seen : o->asked,
		.value = s->seen, .threshold = o->asked,
	};
	snprintf(rec->path, sizeof(rec->path), "%.120s", o->knob);
	told = rec->stop != PCR_STOP_DONE || !passed_over(s->why);
	if (told)
		pcr_record_keep(st, rec);
	s->in_flight = false;
	if (passing(o->err)) {
		pcr_state_setting_later(st, o->setting, now);
		return told;
	}
	if (o->err || o->refused || o->dry_run) {
		pcr_state_setting_vain(st, o->setting, s->pressed, o->asked);
		if (pcr_setting_of_node(o->setting) && (o->refused || o->err == EINVAL))
			pcr_state_batch_bar(st, o->setting - PCR_SETTING_NODE, o->asked, now);
		return told;
	}
	s->failures = 0;
	if (!pcr_has(s->base))
		s->base = s->seen;
	s->seen = o->asked;
	s->foreign = false;
	s->set = back ? PCR_ABSENT : o->asked;
	s->base = back ? PCR_ABSENT : s->base;
	/* The float is another: so is what can be trimmed beyond it. */
	if (o->setting < _PCR_SETTING_PERCPU)
		st->trim.sample_usec = pcr_min_u64(st->trim.sample_usec, now);
	return told;
}

void pcr_state_setting_vain(struct pcr_state *st, enum pcr_setting which, bool pressed, u64 value)
{
	st->setting[which].vain[pressed] = value;
}

void pcr_state_setting_later(struct pcr_state *st, enum pcr_setting which, u64 now)
{
	struct pcr_setting_state *s = &st->setting[which];

	s->retry_usec = now + pcr_backoff(s->failures++);
}

void pcr_state_settings_anew(struct pcr_state *st)
{
	for (u32 i = 0; i < pcr_settings_end(st); i++) {
		struct pcr_setting_state *s = &st->setting[i];

		s->vain[0] = s->vain[1] = PCR_ABSENT;
		s->failures = 0;
		s->retry_usec = 0;
	}
	for (u32 i = 0; i < st->batch.n_nodes; i++)
		st->batch.node[i].barred = PCR_ABSENT;
}

bool pcr_state_outcome(struct pcr_state *st, const struct pcr_settings *set,
		       const struct pcr_outcome *o, u64 now, struct pcr_record *ret_record)
{
	switch (o->action) {
	case PCR_ACT_REAP:
		return reap_outcome(st, set, o, now, ret_record);
	case PCR_ACT_TRIM:
		trim_outcome(st, set, o, now, ret_record);
		return true;
	case PCR_ACT_SET:
		return set_outcome(st, o, now, ret_record);
	default:
		return false;
	}
}
