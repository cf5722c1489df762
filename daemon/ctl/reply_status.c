// SPDX-License-Identifier: GPL-2.0-or-later
/* GetStatus: is it running, can it act, what did it give back, what comes next. */
#include "ctl/call.h"

#include <errno.h>
#include <string.h>

#include "model/model.h"
#include "model/tree.h"
#include "policy/policy.h"

static const char *source_name(enum pcr_source source)
{
	static const char *const names[_PCR_SOURCE_MAX] = {
		[PCR_SOURCE_AUTO] = "auto",	    [PCR_SOURCE_TRACEFS] = "tracefs",
		[PCR_SOURCE_FANOTIFY] = "fanotify", [PCR_SOURCE_INOTIFY] = "inotify",
		[PCR_SOURCE_WALK] = "walk",
	};

	return source < _PCR_SOURCE_MAX ? names[source] : "unknown";
}

/* Closes an object: it, or NULL when something was lost on the way. */
static json_t *done(json_t *o, bool bad)
{
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

static json_t *ability(const char *action, bool ready, bool enabled, const char *why)
{
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_text(o, "action", action);
	bad |= pcr_put_bool(o, "ready", ready);
	bad |= pcr_put_bool(o, "enabled", enabled);
	if (!ready)
		bad |= pcr_put_text(o, "why", why);
	return done(o, bad);
}

static json_t *abilities(const struct pcr_view *view)
{
	const struct pcr_health *h = view->health;
	bool reap = view->settings->rule.reap;
	json_t *a = json_array();
	bool bad = !a;

	for (u32 i = 0; i < view->settings->n_policies; i++)
		reap |= view->settings->policies[i].rule.reap;
	bad |= json_array_append_new(a, ability("reap", h->reap_knob, reap, h->reap_why)) < 0;
	bad |= json_array_append_new(a, ability("trim", h->trim_knob, view->settings->trim.trim,
						h->trim_why)) < 0;
	bad |= json_array_append_new(a, ability("batch-free", h->batch_knob,
						view->settings->batch.enabled, h->batch_why)) < 0;
	bad |= json_array_append_new(a, ability("collapse", h->collapse_ready,
						pcr_policy_collapses(view->settings),
						h->collapse_why)) < 0;
	return done(a, bad);
}

static json_t *watching(const struct pcr_view *view, const struct pcr_clock *clock)
{
	const struct pcr_health *h = view->health;
	const struct pcr_lifecycle_stats *l = h->lifecycle;
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_u64(o, "cgroups", view->state->tree.n);
	bad |= pcr_put_text(o, "source", source_name(h->source));
	bad |= pcr_put_text(o, "cgroup_mount", h->cgroup_mount);
	bad |= pcr_put_bool(o, "cgroup_v2", h->cgroup_v2);
	bad |= pcr_put_bool(o, "memory_v2", h->memory_v2);
	if (l) {
		bad |= pcr_put_u64(o, "events", l->events);
		bad |= pcr_put_u64(o, "stale", l->stale);
		bad |= pcr_put_u64(o, "overflows", l->overflows);
		bad |= pcr_put_u64(o, "resyncs", l->resyncs);
		bad |= pcr_put_u64(o, "audits", l->audits);
		bad |= pcr_put_u64(o, "repaired", l->repaired);
		bad |= pcr_put_u64(o, "malformed", l->malformed);
		bad |= pcr_put_u64(o, "watches", l->watches);
	}
	bad |= pcr_put_past(o, clock, "last_resync", h->last_resync_usec);
	return done(o, bad);
}

static json_t *reading(const struct pcr_view *view, const struct pcr_clock *clock, u32 i)
{
	const struct pcr_slice_pressure *p = &view->state->pressure[i];
	const struct pcr_node *node = p->id ? pcr_tree_by_id(&view->state->tree, p->id) : NULL;
	json_t *o = json_object();
	bool bad = !o;
	char path[PCR_PATH_MAX];

	if (node) {
		pcr_node_path(node, path, sizeof(path));
		bad |= pcr_put_path(o, "cgroup", path);
	}
	bad |= pcr_put_u64(o, "events", p->events);
	bad |= pcr_put_u64(o, "some_avg10_bp", p->some_avg10_bp);
	bad |= pcr_put_u64(o, "stall_usec", p->stall_usec);
	bad |= pcr_put_past(o, clock, "last_event", p->last_usec);
	return done(o, bad);
}

static json_t *pressure(const struct pcr_view *view, const struct pcr_clock *clock)
{
	const struct pcr_health *h = view->health;
	json_t *o = json_object(), *readings = json_array();
	bool bad = !o || !readings;

	bad |= pcr_put_bool(o, "available", h->psi);
	bad |= pcr_put_bool(o, "enabled", view->settings->pressure.enabled);
	bad |= pcr_put_u64(o, "triggers", h->triggers);
	bad |= pcr_put_bool(o, "polled", h->psi_polled);
	bad |= pcr_put_text(o, "why", h->psi_why);
	for (u32 i = 0; i < view->state->n_pressure; i++)
		bad |= json_array_append_new(readings, reading(view, clock, i)) < 0;
	bad |= pcr_put_new(o, "readings", readings);
	return done(o, bad);
}

json_t *pcr_reply_percpu(const struct pcr_clock *clock, const struct pcr_trim *trim)
{
	const struct pcr_percpu_sample *s = &trim->now;
	json_t *o = json_object();
	bool bad = !o;

	if (trim->sampled_usec == 0)
		return done(o, bad);
	bad |= pcr_put_u64(o, "percpu_bytes", s->percpu_bytes);
	bad |= pcr_put_u64(o, "metadata_bytes", s->metadata_bytes);
	bad |= pcr_put_u64(o, "page_bytes", s->page_bytes);
	bad |= pcr_put_u64(o, "nr_units", s->nr_units);
	bad |= pcr_put_u64(o, "populated_pages", s->populated_pages);
	bad |= pcr_put_u64(o, "empty_pages", s->empty_pages);
	bad |= pcr_put_u64(o, "isolated_empty_pages", s->isolated_empty_pages);
	bad |= pcr_put_u64(o, "empty_pages_low", s->empty_pages_low);
	bad |= pcr_put_u64(o, "empty_pages_high", s->empty_pages_high);
	bad |= pcr_put_u64(o, "reclaim_min_percent", s->reclaim_min_percent);
	bad |= pcr_put_u64(o, "depopulated_pages", s->depopulated_pages);
	bad |= pcr_put_u64(o, "repopulated_pages", s->repopulated_pages);
	bad |= pcr_put_u64(o, "trim_runs", s->trim_runs);
	bad |= pcr_put_u64(o, "surplus_bytes", pcr_percpu_surplus(s));
	bad |= pcr_put_past(o, clock, "sampled", trim->sampled_usec);
	return done(o, bad);
}

static json_t *settings(const struct pcr_view *view, const struct pcr_clock *clock)
{
	const struct pcr_settings *set = view->settings;
	json_t *o = json_object(), *files = json_array();
	u64 dry = 0;
	bool bad = !o || !files;

	for (u32 i = 0; i < set->n_policies; i++)
		dry += set->policies[i].rule.dry_run;
	/* a directory of drop-ins has no bound of its own; the first ones tell the place */
	for (u32 i = 0; i < set->n_files && i < 64; i++)
		bad |= json_array_append_new(files, pcr_text_json(set->files[i])) < 0;
	bad |= pcr_put_past(o, clock, "since", view->health->settings_usec);
	bad |= pcr_put_text(o, "error", view->health->settings_error);
	bad |= pcr_put_u64(o, "policies", set->n_policies);
	bad |= pcr_put_u64(o, "dry_run_policies", dry);
	bad |= pcr_put_new(o, "files", files);
	return done(o, bad);
}

/* Percpu memory in all, and what removed cgroups left in slabs. */
static json_t *footprint(const struct pcr_state *st, const struct pcr_clock *clock)
{
	const struct pcr_percpu_sample *s = &st->trim.now;
	const struct pcr_footprint *f = &st->footprint;
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_u64(o, "payload_bytes", s->percpu_bytes);
	bad |= pcr_put_u64(o, "metadata_bytes", s->metadata_bytes);
	/* Half a sum would be none. */
	if (pcr_has(s->metadata_bytes))
		bad |= pcr_put_u64(o, "total_bytes", pcr_percpu_footprint(s));
	bad |= pcr_put_u64(o, "charged_bytes", f->charged_bytes);
	bad |= pcr_put_u64(o, "memory_bytes", f->memory_bytes);
	bad |= pcr_put_u64(o, "slab_lost_bytes", f->slab_lost_bytes);
	bad |= pcr_put_past(o, clock, "sampled", f->sampled_usec);
	return done(o, bad);
}

static bool put_forecast(json_t *reply, const struct pcr_view *view, const struct pcr_clock *clock)
{
	struct pcr_forecast f;
	json_t *o;
	bool bad;

	if (!pcr_policy_forecast(view->state, view->settings, clock->now, &f))
		return false;
	o = json_object();
	bad = !o;
	bad |= pcr_put_u64(o, "footprint_bytes", f.bytes);
	bad |= pcr_put_u64(o, "slope_bytes_hour", f.slope_bytes_hour);
	bad |= pcr_put_u64(o, "share_bp", view->settings->forecast.share_bp);
	bad |= pcr_put_u64(o, "limit_bytes", f.limit_bytes);
	bad |= pcr_put_time(o, clock, "reached", f.reached_usec);
	return bad | pcr_put_new(reply, "forecast", o);
}

/* When a decision will be an action, as far as can be told: now, then, or PCR_NEVER. */
static u64 due(const struct pcr_decision *d)
{
	if (d->act)
		return 0;
	/* What waits without a reason to act will find none when the wait is over. */
	if (!pcr_held_back(d) && d->why != PCR_WHY_BELOW)
		return PCR_NEVER;
	return d->evidence.until_usec ? d->evidence.until_usec : PCR_NEVER;
}

/* The action that comes next, if one is in sight. */
static bool next_action(const struct pcr_view *view, u64 now, struct pcr_decision *ret_decision)
{
	const struct pcr_state *st = view->state;
	struct pcr_decision best, d;
	const struct pcr_list *link;

	pcr_policy_trim(st, view->settings, now, &best);
	pcr_list_for(link, &st->reaps) {
		const struct pcr_reap *reap = pcr_container_of(link, struct pcr_reap, link);

		pcr_policy_reap(st, view->settings, reap->node, now, &d);
		if (due(&d) < due(&best))
			best = d;
	}
	if (due(&best) == PCR_NEVER)
		return false;
	*ret_decision = best;
	return true;
}

static bool put_self(json_t *o, const struct pcr_view *view, const struct pcr_clock *clock)
{
	const struct pcr_health *h = view->health;
	bool bad = false;

	bad |= pcr_put_text(o, "version", h->version);
	bad |= pcr_put_text(o, "host", h->host);
	bad |= pcr_put_text(o, "kernel", h->kernel);
	bad |= pcr_put_past(o, clock, "start", h->start_usec);
	bad |= pcr_put_text(o, "backend", h->backend);
	bad |= pcr_put_bool(o, "dry_run", h->dry_run);
	bad |= pcr_put_u64(o, "log_level", h->log_level);
	bad |= pcr_put_u64(o, "loop_lag_max_usec", h->loop_lag_max_usec);
	bad |= pcr_put_u64(o, "wakeups", h->wakeups);
	bad |= pcr_put_u64(o, "queue", h->queue_len);
	bad |= pcr_put_u64(o, "cpu_usec", h->cpu_usec);
	bad |= pcr_put_u64(o, "rss_bytes", h->rss_bytes);
	return bad;
}

/* A kernel setting of ours that somebody else changed: it is left alone, and said. */
static bool put_setting(json_t *o, const struct pcr_state *st, enum pcr_setting which)
{
	const struct pcr_setting_state *s = &st->setting[which];
	json_t *setting;
	bool bad;

	if (!pcr_has(s->seen))
		return false;
	setting = json_object();
	bad = !setting;
	bad |= pcr_put_text(setting, "knob", pcr_setting_knob(which));
	bad |= pcr_put_u64(setting, "value", s->seen);
	bad |= pcr_put_u64(setting, "found", s->base);
	bad |= pcr_put_u64(setting, "set", s->set);
	bad |= pcr_put_bool(setting, "foreign", s->foreign);
	return bad | pcr_put_new(o, which == PCR_SETTING_TASK_COLLAPSE ? "task_collapse_enabled" :
				     strrchr(pcr_setting_knob(which), '/') + 1, setting);
}

json_t *pcr_reply_status(const struct pcr_view *view, const struct pcr_clock *clock)
{
	const struct pcr_state *st = view->state;
	struct pcr_decision next;
	json_t *o = json_object();
	bool bad = !o;

	bad |= put_self(o, view, clock);
	bad |= pcr_put_new(o, "actions", abilities(view));
	bad |= pcr_put_new(o, "watching", watching(view, clock));
	bad |= pcr_put_new(o, "pressure", pressure(view, clock));
	bad |= pcr_put_new(o, "totals", pcr_reply_totals(&st->totals));
	bad |= pcr_put_new(o, "percpu", pcr_reply_percpu(clock, &st->trim));
	bad |= pcr_put_new(o, "footprint", footprint(st, clock));
	bad |= put_forecast(o, view, clock);
	bad |= pcr_put_u64(o, "dying", st->dying);
	bad |= pcr_put_u64(o, "reaps", st->n_reaps);
	for (u32 i = 0; i < _PCR_SETTING_THP; i++)
		bad |= put_setting(o, st, i);
	bad |= pcr_put_new(o, "batch_free", pcr_reply_batch(view, clock));
	if (pcr_policy_collapses(view->settings))
		bad |= pcr_put_new(o, "collapse", pcr_reply_collapse(view, clock));
	bad |= pcr_put_new(o, "settings", settings(view, clock));
	if (next_action(view, clock->now, &next))
		bad |= pcr_put_new(o, "next", pcr_reply_decision(view, clock, &next));
	return done(o, bad);
}

int pcr_handle_status(struct pcr_call *call)
{
	const struct pcr_view *view = call->view;
	json_t *status;

	if (view->ops && view->ops->refresh)
		(void)view->ops->refresh(view->data, 0);
	status = pcr_reply_status(view, &call->clock);
	if (!status)
		return -ENOMEM;
	json_decref(call->reply);
	call->reply = status;
	return 0;
}
