// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of methods: what may be asked, by whom, with what. */
#include "ctl/call.h"

#include <string.h>

const struct pcr_method pcr_methods[] = {
	{ .name = PCR_SERVICE ".GetInfo", .handle = pcr_handle_info },
	{ .name = PCR_SERVICE ".GetInterfaceDescription", .handle = pcr_handle_description,
	  .params = { { "interface", PCR_PARAM_STRING, true } } },
	{ .name = PCR_INTERFACE ".GetStatus", .handle = pcr_handle_status },
	{ .name = PCR_INTERFACE ".ListCgroups", .handle = pcr_handle_cgroups,
	  .piece = pcr_piece_cgroups,
	  .params = { { "sort", PCR_PARAM_STRING }, { "limit", PCR_PARAM_INT } } },
	{ .name = PCR_INTERFACE ".ListPolicies", .handle = pcr_handle_policies,
	  .piece = pcr_piece_policies },
	{ .name = PCR_INTERFACE ".Explain", .handle = pcr_handle_explain,
	  .params = { { "target", PCR_PARAM_STRING, true } } },
	{ .name = PCR_INTERFACE ".GetHistory", .handle = pcr_handle_history,
	  .piece = pcr_piece_history,
	  .params = { { "limit", PCR_PARAM_INT }, { "cgroup", PCR_PARAM_STRING } } },
	{ .name = PCR_INTERFACE ".ListTasks", .handle = pcr_handle_tasks,
	  .piece = pcr_piece_tasks, .params = { { "limit", PCR_PARAM_INT } } },
	{ .name = PCR_INTERFACE ".GetPlan", .handle = pcr_handle_plan },
	{ .name = PCR_INTERFACE ".Watch", .handle = pcr_handle_watch, .only_more = true },
	{ .name = PCR_INTERFACE ".RecordTrace", .handle = pcr_handle_record, .piece = pcr_piece_record,
	  .stop = pcr_stop_record, .only_more = true },
	{ .name = PCR_INTERFACE ".Doctor", .handle = pcr_handle_doctor },
	{ .name = PCR_INTERFACE ".Reap", .handle = pcr_handle_reap, .change = true,
	  .params = { { "cgroup", PCR_PARAM_STRING, true }, { "bytes", PCR_PARAM_INT } } },
	{ .name = PCR_INTERFACE ".Trim", .handle = pcr_handle_trim, .change = true,
	  .params = { { "bytes", PCR_PARAM_INT } } },
	{ .name = PCR_INTERFACE ".Reload", .handle = pcr_handle_reload, .change = true },
	{ .name = PCR_INTERFACE ".SetLogLevel", .handle = pcr_handle_log_level, .change = true,
	  .params = { { "level", PCR_PARAM_INT, true } } },
	{ .name = NULL },
};

const struct pcr_method *pcr_method_find(const char *name)
{
	for (const struct pcr_method *m = pcr_methods; m->name; m++)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}
