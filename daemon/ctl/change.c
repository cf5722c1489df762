// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests that change something. The table has made sure that root asks; the
 * daemon does it, through the view's ops.
 */
#include "ctl/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/cleanup.h"
#include "ctl/target.h"

/* What the daemon answered to a request, as an error of the interface. */
static int answered(struct pcr_call *call, int r, const char *cgroup, const char *knob)
{
	switch (r) {
	case 0:
		return 0;
	case PCR_GONE:
	case -ENOENT:
		return pcr_call_refuse(call, PCR_E_CGROUP, "cgroup", cgroup);
	case PCR_NONE:
	case -EOPNOTSUPP:
		return pcr_call_refuse(call, PCR_E_KNOB, "knob", knob);
	case -EALREADY:
		return pcr_call_refuse(call, PCR_E_RUNNING, NULL, NULL);
	case -EBUSY:
		return pcr_call_refuse(call, PCR_E_FAILED, "text",
				       "busy with new settings, or with what was asked before: "
				       "ask again in a moment");
	default:
		return pcr_call_refuse(call, PCR_E_FAILED, "text",
				       strerror(r < 0 ? -r : EAGAIN));
	}
}

int pcr_handle_reap(struct pcr_call *call)
{
	const struct pcr_view *view = call->view;
	const char *name = pcr_call_string(call, "cgroup");
	u64 bytes = pcr_call_int(call, "bytes", PCR_ABSENT);
	const struct pcr_node *node;
	int r;

	if (!view->ops || !view->ops->reap)
		return pcr_call_refuse(call, PCR_E_METHOD_HERE, "method", call->method->name);
	if (bytes == 0)
		return pcr_call_refuse(call, PCR_E_PARAMETER, "parameter", "bytes");
	node = pcr_target_cgroup(view, name);
	if (!node)
		return pcr_call_refuse(call, PCR_E_CGROUP, "cgroup", name);
	r = view->ops->reap(view->data, node->id, bytes);
	if (r == -ENODATA)
		return pcr_call_refuse(call, PCR_E_FAILED, "text",
				       "nothing is dying below it: a reclaim would only take from "
				       "the living");
	if (r == -EPERM)
		return pcr_call_refuse(call, PCR_E_FAILED, "text",
				       "memory is on cgroup v1, where a reap takes living pages "
				       "too: only with ForceEmpty=yes");
	return answered(call, r, name, "memory.reclaim");
}

int pcr_handle_trim(struct pcr_call *call)
{
	const struct pcr_view *view = call->view;
	u64 bytes = pcr_call_int(call, "bytes", PCR_ABSENT);

	if (!view->ops || !view->ops->trim)
		return pcr_call_refuse(call, PCR_E_METHOD_HERE, "method", call->method->name);
	if (bytes == 0)
		return pcr_call_refuse(call, PCR_E_PARAMETER, "parameter", "bytes");
	return answered(call, view->ops->trim(view->data, bytes), "/", PCR_PERCPU_RECLAIM);
}

/* What is wrong with the new ones, and since when the old ones are in force. */
static int refuse_settings(struct pcr_call *call, const char *errors)
{
	int r = pcr_call_refuse(call, PCR_E_SETTINGS, "errors", errors);

	if (r == PCR_CALL_REFUSED &&
	    pcr_put_past(call->reply, &call->clock, "since", call->view->health->settings_usec))
		return -ENOMEM;
	return r;
}

int pcr_handle_reload(struct pcr_call *call)
{
	const struct pcr_view *view = call->view;
	PCR_AUTOFREE char *errors = NULL;
	int r;

	if (!view->ops || !view->ops->reload)
		return pcr_call_refuse(call, PCR_E_METHOD_HERE, "method", call->method->name);
	r = view->ops->reload(view->data, &errors);
	if (r < 0)
		return refuse_settings(call, errors && *errors ? errors : strerror(-r));
	/* in force, and yet there may be something to say about them */
	return pcr_put_text(call->reply, "warnings", errors) ? -ENOMEM : 0;
}

int pcr_handle_log_level(struct pcr_call *call)
{
	const struct pcr_view *view = call->view;
	u64 level = pcr_call_int(call, "level", 0);

	if (!view->ops || !view->ops->log_level)
		return pcr_call_refuse(call, PCR_E_METHOD_HERE, "method", call->method->name);
	if (level < LOG_ERR || level > LOG_DEBUG)
		return pcr_call_refuse(call, PCR_E_PARAMETER, "parameter", "level");
	view->ops->log_level(view->data, (u32)level);
	return 0;
}
