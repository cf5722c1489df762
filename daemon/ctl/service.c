// SPDX-License-Identifier: GPL-2.0-or-later
/* org.varlink.service: who answers here, and what may be asked. */
#include "ctl/call.h"

#include <errno.h>
#include <string.h>

int pcr_handle_info(struct pcr_call *call)
{
	json_t *interfaces = json_array(), *o = call->reply;
	bool bad = !interfaces;

	bad |= pcr_put_text(o, "vendor", "pcpu-reclaimd");
	bad |= pcr_put_text(o, "product", "pcpu-reclaimd");
	bad |= pcr_put_text(o, "version", call->view->health->version);
	/* the specification wants the field; the project has no address yet */
	bad |= pcr_put_new(o, "url", json_string(""));
	bad |= json_array_append_new(interfaces, json_string(PCR_SERVICE)) < 0;
	bad |= json_array_append_new(interfaces, json_string(PCR_INTERFACE)) < 0;
	bad |= pcr_put_new(o, "interfaces", interfaces);
	return bad ? -ENOMEM : 0;
}

int pcr_handle_description(struct pcr_call *call)
{
	const char *name = pcr_call_string(call, "interface");
	const char *text;

	if (strcmp(name, PCR_INTERFACE) == 0)
		text = pcr_interface_manager;
	else if (strcmp(name, PCR_SERVICE) == 0)
		text = pcr_interface_service;
	else
		return pcr_call_refuse(call, PCR_E_INTERFACE, "interface", name);
	return pcr_put_text(call->reply, "description", text) ? -ENOMEM : 0;
}
