// SPDX-License-Identifier: GPL-2.0-or-later
/* ListTasks, and what status and explain say of huge pages for tasks. */
#include "ctl/call.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "model/model.h"
#include "model/tree.h"
#include "policy/policy.h"

static json_t *done(json_t *o, bool bad)
{
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

static const char *how_name(enum pcr_how how)
{
	static const char *const names[_PCR_HOW_MAX] = {
		[PCR_HOW_TASK] = "task", [PCR_HOW_MADVISE] = "madvise",
	};

	return how < _PCR_HOW_MAX ? names[how] : NULL;
}

static bool put_memory(json_t *o, const struct pcr_task *t, const struct pcr_thp *thp)
{
	bool bad = false;

	bad |= pcr_put_u64(o, "anon_bytes", t->anon_bytes);
	bad |= pcr_put_u64(o, "huge_bytes", t->huge_bytes);
	if (pcr_has(t->huge_bytes))
		bad |= pcr_put_u64(o, "eligible_bytes", pcr_collapse_worth(t, thp));
	bad |= pcr_put_u64(o, "scanned_bytes", t->scanned_bytes);
	bad |= pcr_put_u64(o, "made_bytes", t->made_bytes);
	if (t->scanned_bytes >= thp->huge_bytes && t->scanned_bytes / 10000)
		bad |= pcr_put_u64(o, "success_bp", pcr_min_u64(t->made_bytes /
								(t->scanned_bytes / 10000), 10000));
	return bad;
}

static bool put_cgroup(json_t *o, const struct pcr_state *st, u64 id)
{
	const struct pcr_node *node = pcr_tree_by_id(&st->tree, id);
	char path[PCR_PATH_MAX];

	if (!node)
		return false;
	pcr_node_path(node, path, sizeof(path));
	return pcr_put_path(o, "cgroup", path);
}

static json_t *task_row(const struct pcr_view *view, const struct pcr_clock *clock,
			const struct pcr_task *t)
{
	const struct pcr_state *st = view->state;
	struct pcr_decision d;
	json_t *o = json_object();
	bool bad = !o;

	pcr_policy_collapse(st, view->settings, t, clock->now, &d);
	bad |= pcr_put_u64(o, "pid", (u64)t->pid);
	bad |= pcr_put_text(o, "name", t->comm);
	bad |= put_cgroup(o, st, t->cgroup);
	bad |= pcr_put_text(o, "policy", pcr_policy_label(view->settings, t->policy));
	bad |= put_memory(o, t, &st->collapse.thp);
	bad |= pcr_put_bool(o, "running", t->running);
	bad |= pcr_put_bool(o, "working", t->working);
	bad |= pcr_put_text(o, "how", how_name(t->how));
	if (t->working) {
		bad |= pcr_put_u64(o, "share_bytes", t->share_bytes);
		bad |= pcr_put_u64(o, "rate_bytes", t->rate_bytes);
	}
	if (t->err) {
		bad |= pcr_put_u64(o, "errno", (u64)t->err);
		bad |= pcr_put_text(o, "error", strerror(t->err));
	}
	bad |= pcr_put_past(o, clock, "start", t->born_usec);
	bad |= pcr_put_new(o, "decision", pcr_reply_decision(view, clock, &d));
	return done(o, bad);
}

json_t *pcr_reply_collapse(const struct pcr_view *view, const struct pcr_clock *clock)
{
	const struct pcr_collapse *c = &view->state->collapse;
	json_t *o = json_object();
	bool bad = !o;
	u64 working = 0;

	for (u32 i = 0; i < c->n; i++)
		working += c->task[i].working;
	bad |= pcr_put_bool(o, "task", c->ready[PCR_HOW_TASK]);
	bad |= pcr_put_bool(o, "madvise", c->ready[PCR_HOW_MADVISE]);
	bad |= pcr_put_u64(o, "tasks", c->n);
	bad |= pcr_put_u64(o, "working", working);
	bad |= pcr_put_u64(o, "left_out", c->left_out);
	bad |= pcr_put_u64(o, "scanned_bytes", c->scanned_bytes);
	bad |= pcr_put_u64(o, "made_bytes", c->made_bytes);
	bad |= pcr_put_u64(o, "budget_bytes", view->settings->collapse.budget_bytes);
	bad |= pcr_put_u64(o, "budget_usec", view->settings->collapse.budget_usec);
	if (c->machine_usec) {
		bad |= pcr_put_u64(o, "some_avg10_bp", c->some_bp);
		bad |= pcr_put_u64(o, "free_huge_pages", c->free_huge);
	}
	if (c->paused != PCR_WHY_NOTHING) {
		bad |= pcr_put_text(o, "paused", pcr_reason_name(c->paused));
		bad |= pcr_put_past(o, clock, "paused", c->paused_usec);
	}
	return done(o, bad);
}

int pcr_handle_tasks(struct pcr_call *call)
{
	call->cursor.left = call->more ? pcr_call_int(call, "limit", PCR_ABSENT) :
					 pcr_min_u64(pcr_call_int(call, "limit", 20),
						     PCR_PIECE_ROWS);
	return pcr_put_new(call->reply, "collapse", pcr_reply_collapse(call->view, &call->clock)) ?
		       -ENOMEM : 0;
}

/* By pid: that of the last row is kept, so that tasks may come and go between two pieces. */
int pcr_piece_tasks(const struct pcr_view *view, const struct pcr_clock *clock,
		    struct pcr_cursor *cursor, json_t *reply, bool *ret_end)
{
	const struct pcr_collapse *c = &view->state->collapse;
	json_t *rows = json_array();
	bool bad = !rows;
	u64 given = 0;
	u32 i = 0;

	while (i < c->n && cursor->started && (u64)c->task[i].pid <= cursor->id)
		i++;
	for (; i < c->n && cursor->left && given < PCR_PIECE_ROWS && !bad; i++, given++) {
		bad |= json_array_append_new(rows, task_row(view, clock, &c->task[i])) < 0;
		cursor->id = (u64)c->task[i].pid;
		cursor->started = true;
		cursor->left--;
	}
	bad |= pcr_put_u64(reply, "total", c->n);
	bad |= pcr_put_new(reply, "tasks", rows);
	*ret_end = i >= c->n || !cursor->left;
	return bad ? -ENOMEM : 0;
}

/* --- explain PID --- */

const struct pcr_task *pcr_target_task(const struct pcr_view *view, const char *name)
{
	u64 pid;

	if (pcr_parse_u64(name, strlen(name), &pid) < 0 || pid > INT32_MAX)
		return NULL;
	return pcr_task_find(&view->state->collapse, (s32)pid);
}

bool pcr_reply_task(json_t *reply, const struct pcr_view *view, const struct pcr_clock *clock,
		    const struct pcr_task *t)
{
	return pcr_put_new(reply, "task", task_row(view, clock, t));
}
