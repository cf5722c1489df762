// SPDX-License-Identifier: GPL-2.0-or-later
/* RecordTrace: a trace as it is made, for as long as the caller stays. */
#include "ctl/call.h"

#include <errno.h>

int pcr_handle_record(struct pcr_call *call)
{
	const struct pcr_view *view = call->view;
	int r = view->ops->record_start(view->data);

	if (r == -EALREADY)
		return pcr_call_refuse(call, PCR_E_RUNNING, NULL, NULL);
	call->cursor.started = r == 0;
	return r < 0 ? r : pcr_put_u64(call->reply, "monotonic_usec", call->clock.now) ? -ENOMEM : 0;
}

int pcr_piece_record(const struct pcr_view *view, const struct pcr_clock *clock,
		     struct pcr_cursor *cursor, json_t *reply, bool *ret_end)
{
	const char *text;
	size_t n;
	int r = view->ops->record_take(view->data, PCR_PIECE_BYTES / 2, &text, &n);

	if (r == -ENOBUFS) {
		*ret_end = true;
		return pcr_put_bool(reply, "lost", true) ? -ENOMEM : 0;
	}
	if (r != 0)
		return r;
	*ret_end = false;
	return pcr_put_new(reply, "text", json_stringn(text, n)) ? -ENOMEM : 0;
}

void pcr_stop_record(const struct pcr_view *view)
{
	view->ops->record_stop(view->data);
}
