// SPDX-License-Identifier: GPL-2.0-or-later
/* Doctor: every knob and source, looked at now. */
#include "ctl/call.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"

static const char *const kinds[] = {
	[PCR_FINDING_OK] = "ok",
	[PCR_FINDING_ABSENT] = "absent",
	[PCR_FINDING_HINT] = "hint",
	[PCR_FINDING_PROBLEM] = "problem",
};

static json_t *finding(const struct pcr_finding *f)
{
	json_t *o = json_object();
	bool bad = !o;

	bad |= pcr_put_text(o, "kind", kinds[f->kind]);
	bad |= pcr_put_text(o, "subject", f->subject);
	bad |= pcr_put_text(o, "text", f->text);
	if (!bad)
		return o;
	json_decref(o);
	return NULL;
}

int pcr_handle_doctor(struct pcr_call *call)
{
	const struct pcr_view *view = call->view;
	PCR_AUTOFREE struct pcr_finding *findings = calloc(PCR_FINDINGS_MAX, sizeof(*findings));
	u64 count[PCR_ARRAY_SIZE(kinds)] = { 0 };
	json_t *list, *o = call->reply;
	size_t n;
	bool bad;

	if (!view->ops || !view->ops->doctor)
		return pcr_call_refuse(call, PCR_E_METHOD_HERE, "method", call->method->name);
	if (!findings)
		return -ENOMEM;
	n = pcr_min_u64(view->ops->doctor(view->data, findings), PCR_FINDINGS_MAX);
	list = json_array();
	bad = !list;
	for (size_t i = 0; i < n; i++) {
		if (findings[i].kind >= PCR_ARRAY_SIZE(kinds))
			continue;
		count[findings[i].kind]++;
		bad |= json_array_append_new(list, finding(&findings[i])) < 0;
	}
	bad |= pcr_put_new(o, "findings", list);
	bad |= pcr_put_u64(o, "ok", count[PCR_FINDING_OK]);
	bad |= pcr_put_u64(o, "absent", count[PCR_FINDING_ABSENT]);
	bad |= pcr_put_u64(o, "hints", count[PCR_FINDING_HINT]);
	bad |= pcr_put_u64(o, "problems", count[PCR_FINDING_PROBLEM]);
	return bad ? -ENOMEM : 0;
}
