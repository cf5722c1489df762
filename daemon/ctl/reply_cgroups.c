// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ListCgroups: any number of rows in bounded memory and bounded turns.
 *
 * The tree changes between two pieces, so nothing of it is kept: each piece goes
 * over all cgroups once and picks the first rows that come after the last one
 * given. A cgroup whose figures change meanwhile may be missed or told twice;
 * ordered by name, each living one is told exactly once.
 */
#include "ctl/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/tree.h"

struct row {
	const struct pcr_node *node;
	u64 key;		/* larger first */
	char *path;		/* where names decide */
};

struct pick {
	u32 n, max;
	struct row rows[PCR_PIECE_ROWS];
};

int pcr_handle_cgroups(struct pcr_call *call)
{
	static const char *const sorts[] = {
		[PCR_SORT_PINNED] = "pinned", [PCR_SORT_DYING] = "dying", [PCR_SORT_NAME] = "name",
	};
	const char *sort = pcr_call_string(call, "sort");

	call->cursor.left = pcr_call_int(call, "limit", call->more ? UINT64_MAX : PCR_PIECE_ROWS);
	if (!sort)
		return 0;
	for (size_t i = 0; i < PCR_ARRAY_SIZE(sorts); i++)
		if (strcmp(sort, sorts[i]) == 0) {
			call->cursor.sort = (enum pcr_sort)i;
			return 0;
		}
	return pcr_call_refuse(call, PCR_E_PARAMETER, "parameter", "sort");
}

static u64 known(u64 value)
{
	return pcr_has(value) ? value : 0;
}

static u64 key_of(enum pcr_sort sort, const struct pcr_node *node)
{
	if (!node->reap || sort == PCR_SORT_NAME)
		return 0;
	return sort == PCR_SORT_PINNED ? known(node->reap->pinned_bytes) : known(node->reap->dying);
}

/* Parents before their children, and these before any longer name: '/' is least. */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	if (!*a || !*b)
		return !*b - !*a;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (u8)*a < (u8)*b ? -1 : 1;
}

/* < 0: (key, id or path) comes before that of the row. */
static int compare(u64 key, u64 id, const char *path, u64 key2, u64 id2, const char *path2)
{
	if (key != key2)
		return key > key2 ? -1 : 1;
	if (path && path2)
		return compare_paths(path, path2);
	return id < id2 ? -1 : id > id2;
}

/* Puts a row where it belongs among the best so far. -ENOMEM. */
static int consider(struct pick *pick, const struct pcr_node *node, u64 key, const char *path)
{
	u32 at = pick->n;
	char *copy = NULL;

	while (at > 0 && compare(key, node->id, path, pick->rows[at - 1].key,
				 pick->rows[at - 1].node->id, pick->rows[at - 1].path) < 0)
		at--;
	if (at == pick->max)
		return 0;
	if (path && !(copy = strdup(path)))
		return -ENOMEM;
	if (pick->n == pick->max)
		free(pick->rows[--pick->n].path);
	memmove(&pick->rows[at + 1], &pick->rows[at], (pick->n - at) * sizeof(pick->rows[0]));
	pick->rows[at] = (struct row){ .node = node, .key = key, .path = copy };
	pick->n++;
	return 0;
}

static int pick_rows(const struct pcr_view *view, const struct pcr_cursor *cursor,
		     struct pick *pick)
{
	const struct pcr_node *node = view->state->tree.root;
	bool by_name = cursor->sort == PCR_SORT_NAME;
	char buf[PCR_PATH_MAX];
	const char *path = by_name ? buf : NULL;

	for (; node; node = pcr_tree_next(node)) {
		u64 key = key_of(cursor->sort, node);

		if (by_name)
			pcr_node_path(node, buf, sizeof(buf));
		if (cursor->started &&
		    compare(key, node->id, path, cursor->key, cursor->id, cursor->path) <= 0)
			continue;
		if (consider(pick, node, key, path) < 0)
			return -ENOMEM;
	}
	return 0;
}

static u64 pressure_of(const struct pcr_state *st, const struct pcr_node *node)
{
	for (u32 i = 1; i < st->n_pressure; i++)
		if (st->pressure[i].id == node->id)
			return st->pressure[i].some_avg10_bp;
	return PCR_ABSENT;
}

static json_t *cgroup_row(const struct pcr_view *view, const struct pcr_clock *clock,
			  const struct pcr_node *node, const char *path)
{
	const struct pcr_record *last = pcr_state_last(view->state, PCR_ACT_REAP, node->id);
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_path(o, "cgroup", path);
	bad |= pcr_put_u64(o, "id", node->id);
	bad |= pcr_put_u64(o, "children", node->n_children);
	bad |= pcr_put_text(o, "policy", pcr_policy_label(view->settings, node->policy));
	bad |= pcr_put_u64(o, "pressure_some_avg10_bp", pressure_of(view->state, node));
	if (node->reap) {
		bad |= pcr_put_u64(o, "dying", node->reap->dying);
		bad |= pcr_put_u64(o, "pinned_bytes", node->reap->pinned_bytes);
		bad |= pcr_put_u64(o, "shmem_bytes", node->reap->shmem_bytes);
		bad |= pcr_put_u64(o, "percpu_bytes", node->reap->percpu_bytes);
		bad |= pcr_put_past(o, clock, "sampled", node->reap->sampled_usec);
	} else if (pcr_has(view->state->dying)) {
		/* counted from the root down: what hangs nowhere is known to be none */
		bad |= pcr_put_u64(o, "dying", 0);
	}
	if (last)
		bad |= pcr_put_new(o, "last", pcr_reply_record(clock, last));
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

static int remember(struct pcr_cursor *cursor, const struct row *row, const char *path)
{
	if (cursor->sort == PCR_SORT_NAME) {
		free(cursor->path);
		cursor->path = strdup(path);
		if (!cursor->path)
			return -ENOMEM;
	}
	cursor->started = true;
	cursor->key = row->key;
	cursor->id = row->node->id;
	cursor->left--;
	return 0;
}

int pcr_piece_cgroups(const struct pcr_view *view, const struct pcr_clock *clock,
		      struct pcr_cursor *cursor, json_t *reply, bool *ret_end)
{
	struct pick pick = { .max = (u32)pcr_min_u64(cursor->left, PCR_PIECE_ROWS) };
	json_t *rows = json_array();
	int r = rows ? pick_rows(view, cursor, &pick) : -ENOMEM;
	char path[PCR_PATH_MAX];
	size_t bytes = 0;
	u32 i;

	for (i = 0; r == 0 && i < pick.n && bytes < PCR_PIECE_BYTES; i++) {
		/* escaped twice, each byte of a name takes five at worst */
		bytes += 512 + 5 * pcr_node_path(pick.rows[i].node, path, sizeof(path));
		if (json_array_append_new(rows, cgroup_row(view, clock, pick.rows[i].node,
							   path)) < 0)
			r = -ENOMEM;
		else
			r = remember(cursor, &pick.rows[i], path);
	}
	*ret_end = cursor->left == 0 || (i == pick.n && pick.n < PCR_PIECE_ROWS);
	for (u32 k = 0; k < pick.n; k++)
		free(pick.rows[k].path);
	if (pcr_put_u64(reply, "total", view->state->tree.n) | pcr_put_new(reply, "cgroups", rows))
		r = -ENOMEM;
	return r;
}
