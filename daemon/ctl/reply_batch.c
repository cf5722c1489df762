// SPDX-License-Identifier: GPL-2.0-or-later
/* Help for exits: of the machine for GetStatus, of one node for Explain. */
#include <limits.h>

#include "conf/conf.h"
#include "ctl/call.h"
#include "model/climber.h"
#include "model/model.h"

static json_t *done(json_t *o, bool bad)
{
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

static const char *phase_name(const struct pcr_climber *c)
{
	static const char *const names[] = {
		[PCR_CLIMB_BASE] = "measuring", [PCR_CLIMB_UP] = "trying-more",
		[PCR_CLIMB_DOWN] = "trying-fewer", [PCR_CLIMB_WITHOUT] = "trying-none",
		[PCR_CLIMB_AGAIN] = "measuring", [PCR_CLIMB_SETTLED] = "settled",
	};

	return names[c->phase];
}

static json_t *tried(const struct pcr_clock *clock, const struct pcr_climb_level *l, u64 limit,
		     bool held)
{
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_u64(o, "max_active", limit);
	bad |= pcr_put_u64(o, "rate_pages_sec", pcr_climb_rate(l));
	bad |= pcr_put_u64(o, "worker_usec_mpages", pcr_climb_cpu(l));
	bad |= pcr_put_u64(o, "exits", l->n);
	bad |= pcr_put_bool(o, "held", held);
	bad |= pcr_put_past(o, clock, "last", l->last_usec);
	return done(o, bad);
}

static bool put_search(json_t *o, const struct pcr_clock *clock, const struct pcr_climber *c)
{
	bool bad = false;

	bad |= pcr_put_text(o, "search", phase_name(c));
	bad |= pcr_put_past(o, clock, "search_since", c->since_usec);
	bad |= pcr_put_u64(o, "search_exits", c->exits);
	bad |= pcr_put_u64(o, "next_search_exits", c->phase == PCR_CLIMB_SETTLED ?
			   pcr_sub_u64(c->rest, c->exits) : PCR_ABSENT);
	return bad;
}

static bool put_tried(json_t *o, const struct pcr_clock *clock, const struct pcr_climber *c)
{
	json_t *list = json_array();
	bool bad = !list;

	if (c->without.last_usec)
		bad |= json_array_append_new(list, tried(clock, &c->without, 0, c->idle)) < 0;
	for (u32 i = 0; i < c->n_levels; i++)
		if (c->level[i].last_usec)
			bad |= json_array_append_new(list, tried(clock, &c->level[i],
								 pcr_climb_limit(c, i),
								 i == c->at && !c->idle)) < 0;
	return bad | pcr_put_new(o, "tried", list);
}

json_t *pcr_reply_batch_node(const struct pcr_view *view, const struct pcr_clock *clock, u32 node,
			     bool whole)
{
	const struct pcr_batch_node *n = &view->state->batch.node[node];
	const struct pcr_batch_sample *s = &n->now;
	bool automatic = view->settings->batch.enabled &&
			 !pcr_node_workers(view->settings, node)->max_active;
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_u64(o, "node", node);
	bad |= pcr_put_bool(o, "auto", automatic);
	bad |= pcr_put_u64(o, "max_active", s->max_active);
	bad |= pcr_put_u64(o, "cpus", s->cpus);
	bad |= pcr_put_u64(o, "exits", s->exits);
	bad |= pcr_put_u64(o, "exit_pages", s->exit_pages);
	bad |= pcr_put_u64(o, "exit_usec", s->exit_usec);
	bad |= pcr_put_u64(o, "worker_usec", s->worker_usec);
	bad |= pcr_put_u64(o, "offloaded_pages", s->offloaded_pages);
	bad |= pcr_put_u64(o, "inline_pages", s->inline_pages);
	bad |= pcr_put_u64(o, "helped_pages", s->helped_pages);
	bad |= pcr_put_u64(o, "local_pages", s->local_pages);
	bad |= pcr_put_u64(o, "pending_pages", s->pending_pages);
	bad |= pcr_put_u64(o, "workers_running", s->workers_running);
	if (automatic && n->climber.cap)
		bad |= put_search(o, clock, &n->climber);
	if (automatic && n->climber.cap && whole)
		bad |= put_tried(o, clock, &n->climber);
	return done(o, bad);
}

json_t *pcr_reply_batch(const struct pcr_view *view, const struct pcr_clock *clock)
{
	const struct pcr_batch *b = &view->state->batch;
	json_t *o = json_object(), *nodes = json_array(), *foreign = json_array();
	bool bad = !o || !nodes || !foreign;

	bad |= pcr_put_bool(o, "available", b->there);
	bad |= pcr_put_bool(o, "enabled", view->settings->batch.enabled);
	bad |= pcr_put_u64(o, "exits", b->there ? b->exits : PCR_ABSENT);
	bad |= pcr_put_u64(o, "cpu_some_avg10_bp", b->cpu_bp);
	bad |= pcr_put_u64(o, "cgroups_off", view->health->batch_cgroups);
	bad |= pcr_put_past(o, clock, "paused", b->paused_usec);
	bad |= pcr_put_past(o, clock, "sampled", b->there ? b->sampled_usec : 0);
	for (u32 i = 0; i < b->n_nodes; i++)
		if (b->node[i].there)
			bad |= json_array_append_new(nodes, pcr_reply_batch_node(view, clock, i,
								   false)) < 0;
	for (u32 i = _PCR_SETTING_THP; i < pcr_settings_end(view->state); i++)
		if (view->state->setting[i].foreign)
			bad |= json_array_append_new(foreign,
						     json_string(pcr_setting_knob(i))) < 0;
	bad |= pcr_put_new(o, "nodes", nodes);
	bad |= pcr_put_new(o, "foreign", foreign);
	return done(o, bad);
}

static json_t *key(const struct pcr_settings *set, size_t i, u32 node)
{
	char value[PCR_KEY_TEXT], where[PATH_MAX + 16];
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_text(o, "key", pcr_key_name(i));
	bad |= pcr_put_text(o, "value", pcr_key_node_value(i, set, node, value));
	if (pcr_origin_text(set, pcr_key_node_origin(i, set, node), where, sizeof(where)))
		bad |= pcr_put_text(o, "where", where);
	return done(o, bad);
}

json_t *pcr_reply_node_keys(const struct pcr_settings *set, u32 node)
{
	json_t *list = json_array();
	bool bad = !list;

	bad |= json_array_append_new(list, key(set, (size_t)pcr_key_index("BatchFree", "Enabled"),
					       node)) < 0;
	for (size_t i = 0; i < pcr_key_count(); i++)
		if (pcr_key_in_node(i))
			bad |= json_array_append_new(list, key(set, i, node)) < 0;
	return done(list, bad);
}
