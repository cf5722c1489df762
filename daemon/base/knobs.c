// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of kernel settings: their files and their keys. */
#include "pcr/knobs.h"

#define NODE(n) PCR_BATCH_QUEUE #n "/max_active"
#define NODES(t) NODE(t##0), NODE(t##1), NODE(t##2), NODE(t##3), NODE(t##4), NODE(t##5), \
		 NODE(t##6), NODE(t##7), NODE(t##8), NODE(t##9)

static const char *const node_knobs[] = {
	NODES(), NODES(1), NODES(2), NODES(3), NODES(4), NODES(5), NODE(60), NODE(61), NODE(62),
	NODE(63),
};
_Static_assert(PCR_ARRAY_SIZE(node_knobs) == PCR_NODES_MAX, "one a node");

static const struct {
	const char *knob, *key;
} settings[_PCR_SETTING_MAX] = {
	[PCR_SETTING_LOW] = { PCR_PERCPU_LOW, "EmptyPagesLow" },
	[PCR_SETTING_HIGH] = { PCR_PERCPU_HIGH, "EmptyPagesHigh" },
	[PCR_SETTING_PERCENT] = { PCR_PERCPU_PERCENT, "ReclaimMinPercent" },
	[PCR_SETTING_SCAN_SLEEP] = { PCR_KHUGEPAGED_SLEEP, "KhugepagedScanSleep" },
	[PCR_SETTING_SCAN_PAGES] = { PCR_KHUGEPAGED_PAGES, "KhugepagedPages" },
	[PCR_SETTING_TASK_COLLAPSE] = { PCR_TASK_COLLAPSE_ENABLED, "Collapse" },
	[PCR_SETTING_MIN_RSS] = { PCR_BATCH_MIN_RSS, "MinRSS" },
	[PCR_SETTING_MAX_PENDING] = { PCR_BATCH_MAX_PENDING, "MaxPending" },
	[PCR_SETTING_BATCH] = { PCR_BATCH_ENABLED, "Enabled" },
};

const char *pcr_setting_knob(u32 which)
{
	return pcr_setting_of_node(which) ? node_knobs[which - PCR_SETTING_NODE] :
					    settings[which].knob;
}

const char *pcr_setting_key(u32 which)
{
	return pcr_setting_of_node(which) ? "MaxActive" : settings[which].key;
}
