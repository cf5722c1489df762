// SPDX-License-Identifier: GPL-2.0-or-later
/* GetHistory, newest first, and Watch, as it happens. */
#include "ctl/call.h"

#include <errno.h>

#include "ctl/target.h"
#include "model/model.h"

int pcr_handle_history(struct pcr_call *call)
{
	const char *cgroup = pcr_call_string(call, "cgroup");
	const struct pcr_node *node;

	call->cursor.left = pcr_call_int(call, "limit", call->more ? PCR_HISTORY : 20);
	call->cursor.target = PCR_ABSENT;
	if (!cgroup)
		return 0;
	node = pcr_target_cgroup(call->view, cgroup);
	if (!node)
		return pcr_call_refuse(call, PCR_E_CGROUP, "cgroup", cgroup);
	call->cursor.target = node->id;
	return 0;
}

static bool matches(const struct pcr_cursor *cursor, const struct pcr_record *record)
{
	return !pcr_has(cursor->target) || record->target == cursor->target;
}

static u64 count_matches(const struct pcr_state *st, const struct pcr_cursor *cursor)
{
	const struct pcr_record *record;
	u64 n = 0;

	for (u32 i = 0; (record = pcr_state_history(st, i)); i++)
		n += matches(cursor, record);
	return n;
}

int pcr_piece_history(const struct pcr_view *view, const struct pcr_clock *clock,
		      struct pcr_cursor *cursor, json_t *reply, bool *ret_end)
{
	const struct pcr_record *record;
	json_t *rows = json_array();
	u64 given = 0;
	bool bad = !rows;

	for (u32 i = 0; !bad && (record = pcr_state_history(view->state, i)); i++) {
		/* newer ones than the last one given may have come since */
		if (!matches(cursor, record) || (cursor->started && record->seq >= cursor->id))
			continue;
		if (cursor->left == 0 || given == PCR_PIECE_ROWS)
			break;
		bad |= json_array_append_new(rows, pcr_reply_record(clock, record)) < 0;
		cursor->started = true;
		cursor->id = record->seq;
		cursor->left--;
		given++;
	}
	bad |= pcr_put_u64(reply, "total", count_matches(view->state, cursor));
	bad |= pcr_put_new(reply, "records", rows);
	if (bad)
		return -ENOMEM;
	*ret_end = given < PCR_PIECE_ROWS || cursor->left == 0;
	return 0;
}

/* The first answer is the state of things; what follows is fed by the server. */
int pcr_handle_watch(struct pcr_call *call)
{
	call->watch = true;
	return pcr_put_new(call->reply, "status", pcr_reply_status(call->view, &call->clock)) ?
		-ENOMEM : 0;
}
