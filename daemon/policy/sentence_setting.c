// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said of a kernel setting: which one, and why its value is or is not changed. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "policy/sentence.h"

/* The file without its directory; of a node, with its number. */
static void name_setting(char name[static 48], u32 which)
{
	const char *file = strrchr(pcr_setting_knob(which), '/') + 1;

	if (pcr_setting_of_node(which))
		snprintf(name, 48, "%.20s of node%u", file, which - PCR_SETTING_NODE);
	else
		snprintf(name, 48, "%s%.24s", which == PCR_SETTING_TASK_COLLAPSE ? "task_collapse/" : "",
			 file);
}

int pcr_setting_sentence(char *buf, size_t size, const struct pcr_decision *d)
{
	char name[48];
	bool passing = d->why == PCR_WHY_PRESSURE || d->evidence.until_usec != PCR_NEVER;
	const char *when = d->pressed && passing ? " under memory pressure" : "";
	char a[PCR_TEXT], b[PCR_TEXT];

	name_setting(name, d->setting);
	pcr_text_count(a, d->wanted.threshold);
	pcr_text_count(b, d->wanted.value);
	switch (d->why) {
	case PCR_WHY_SETTING:
	case PCR_WHY_PRESSURE:
		return snprintf(buf, size, "the settings want %s %s%s", name, a, when);
	case PCR_WHY_TRYING:
		return snprintf(buf, size, "tries %s %s", name, a);
	case PCR_WHY_SETTLED:
		return snprintf(buf, size, "%s %s, the best of those tried", name, a);
	case PCR_WHY_NO_GAIN:
		return snprintf(buf, size, "%s %s, since workers make no exit faster", name, a);
	case PCR_WHY_CPU_PRESSURE:
		return snprintf(buf, size, "%s %s, while tasks wait for CPUs", name, a);
	case PCR_WHY_RESTORE:
		return snprintf(buf, size, "%s %s again, as it was found", name, a);
	case PCR_WHY_OFF:
		return snprintf(buf, size, "the settings name no value for %s", name);
	case PCR_WHY_NO_KNOB:
		return snprintf(buf, size, "kernel has no %s",
				pcr_setting_knob(d->setting));
	case PCR_WHY_BUSY:
		return snprintf(buf, size, "under way");
	case PCR_WHY_FOREIGN:
		return snprintf(buf, size, "another program set %s to %s: left alone", name, b);
	case PCR_WHY_REFUSED:
		return snprintf(buf, size, "%s %s was refused by the kernel, or tried dry already",
				name, a);
	case PCR_WHY_ORDER:
		return snprintf(buf, size, "the other end of the float moves before %s", name);
	default:
		return snprintf(buf, size, "%s is %s, as the settings want it%s", name, b, when);
	}
}

void pcr_setting_line(struct pcr_line *l, const struct pcr_record *r)
{
	char a[PCR_TEXT], b[PCR_TEXT];

	pcr_line_add(l, "set %s: %s%s instead of %s", r->path, r->dry_run ? "would be " : "",
		     pcr_text_count(a, r->asked), pcr_text_count(b, r->before));
	if (r->why == PCR_WHY_PRESSURE)
		pcr_line_add(l, ", for memory pressure");
	else if (r->why == PCR_WHY_RESTORE)
		pcr_line_add(l, ", as it was found");
	else if (r->why == PCR_WHY_NO_GAIN)
		pcr_line_add(l, ", since workers make no exit faster");
	else if (r->why == PCR_WHY_CPU_PRESSURE)
		pcr_line_add(l, ", while tasks wait for CPUs");
	else if (r->why == PCR_WHY_SETTLED && r->steps)
		pcr_line_add(l, ", the best after %s exits", pcr_text_count(a, r->steps));
	if (r->stop != PCR_STOP_DONE && !r->dry_run)
		pcr_line_add(l, "; %s", pcr_stop_text(r->stop));
}
