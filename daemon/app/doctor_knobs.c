// SPDX-License-Identifier: GPL-2.0-or-later
/* What the doctor says of files that are written: there, writable, and whether we are wanted. */
#include <string.h>

#include "app/doctor.h"
#include "base/text.h"
#include "pcr/knobs.h"

/* A knob that is not there is no fault of anybody's; one that can't be written is. */
static void knob(struct pcr_sheet *s, const char *subject, const char *path, bool usable,
		 const char *why, bool present)
{
	if (usable)
		pcr_say(s, PCR_FINDING_OK, subject, "%s can be written", path);
	else
		pcr_say(s, present ? PCR_FINDING_PROBLEM : PCR_FINDING_ABSENT, subject, "%s", why);
}

/* A setting that the kernel does not let be set is a problem only where a key names a value. */
static void setting(const struct pcr_app *app, struct pcr_sheet *s, enum pcr_setting which)
{
	static const char *const subjects[_PCR_SETTING_THP] = {
		[PCR_SETTING_LOW] = "percpu float low",
		[PCR_SETTING_HIGH] = "percpu float high",
		[PCR_SETTING_PERCENT] = "percpu threshold",
		[PCR_SETTING_SCAN_SLEEP] = "khugepaged sleep",
		[PCR_SETTING_SCAN_PAGES] = "khugepaged pages",
		[PCR_SETTING_TASK_COLLAPSE] = "collapse switch",
	};
	static const char *const units[_PCR_SETTING_THP] = {
		[PCR_SETTING_LOW] = "unit pages", [PCR_SETTING_HIGH] = "unit pages",
		[PCR_SETTING_PERCENT] = "% of a chunk", [PCR_SETTING_SCAN_SLEEP] = "ms",
		[PCR_SETTING_SCAN_PAGES] = "pages a scan", [PCR_SETTING_TASK_COLLAPSE] = "(0 is off)",
	};
	const struct pcr_setting_state *state = &app->st.setting[which];
	const struct pcr_pair *pair = &app->set->trim.kernel[which];
	const char *unit = units[which];
	bool named = which == PCR_SETTING_TASK_COLLAPSE ? pcr_policy_collapses(app->set) :
							  pair->calm || pair->pressed;
	enum pcr_finding_kind unusable = named ? PCR_FINDING_PROBLEM : PCR_FINDING_ABSENT;
	unsigned long long seen = state->seen;
	char why[128];

	if (!pcr_has(state->seen))
		pcr_say(s, unusable, subjects[which], "kernel has no %s", pcr_setting_knob(which));
	else if (pcr_app_knob_missing(&app->root, pcr_setting_knob(which), why, sizeof(why)))
		pcr_say(s, unusable, subjects[which], "%llu %s; %s", seen, unit, why);
	else
		pcr_say(s, PCR_FINDING_OK, subjects[which], "%llu %s, can be set", seen, unit);
	if (state->foreign)
		pcr_say(s, PCR_FINDING_HINT, subjects[which],
			"another program set it to %llu after us: left alone", seen);
}

void pcr_say_knobs(const struct pcr_app *app, struct pcr_sheet *s)
{
	const struct pcr_knobs *k = &app->crank.knobs;

	knob(s, "reap", app->st.v1 ? "memory.force_empty" : "memory.reclaim", k->reap, k->reap_why,
	     strstr(k->reap_why, "can't be written") != NULL);
	knob(s, "percpu trim", "/sys/kernel/mm/percpu/reclaim", k->trim, k->trim_why,
	     strstr(k->trim_why, "can't be written") != NULL);
	if (!k->trim)
		pcr_say(s, k->spare ? PCR_FINDING_OK : PCR_FINDING_ABSENT, "percpu spare chunk",
			"%s", k->spare ? "can be driven out after a reap" : k->spare_why);
	for (u32 i = 0; i < _PCR_SETTING_THP; i++)
		if (i != PCR_SETTING_TASK_COLLAPSE || pcr_has(app->st.setting[i].seen))
			setting(app, s, i);
}

void pcr_say_collapse(const struct pcr_app *app, struct pcr_sheet *s)
{
	static const char *const subjects[_PCR_HOW_MAX] = {
		[PCR_HOW_TASK] = "collapse by tasks", [PCR_HOW_MADVISE] = "collapse by madvise",
	};
	const struct pcr_collapse_knobs *k = &app->crank.collapse;
	bool wanted = pcr_policy_collapses(app->set);
	u32 left_out = app->st.collapse.left_out;

	for (u32 i = PCR_HOW_TASK; i < _PCR_HOW_MAX; i++)
		pcr_say(s, k->ready[i] ? PCR_FINDING_OK :
			   wanted && strstr(k->why[i], "refused") ? PCR_FINDING_PROBLEM :
								    PCR_FINDING_ABSENT,
			subjects[i], "%s", k->ready[i] ? "can be used" : k->why[i]);
	if (wanted && app->st.collapse.thp.never)
		pcr_say(s, PCR_FINDING_HINT, "collapse",
			PCR_THP_DIR "enabled is never: nothing is made huge");
	if (left_out)
		pcr_say(s, PCR_FINDING_HINT, "collapse",
			"%u tasks are left out: no more than %u are known", left_out,
			PCR_TASKS_MAX);
}

/* The first file of [BatchFree] that can't be written; false: all can. */
static bool batch_broken(const struct pcr_app *app, char *why, size_t size)
{
	const struct pcr_batch *b = &app->st.batch;

	/* Work queues are made when help is first switched on. */
	bool queues = app->st.setting[PCR_SETTING_BATCH].seen == 1;

	for (u32 i = _PCR_SETTING_THP; i < pcr_settings_end(&app->st); i++)
		if ((!pcr_setting_of_node(i) || (queues && b->node[i - PCR_SETTING_NODE].there)) &&
		    pcr_app_knob_missing(&app->root, pcr_setting_knob(i), why, size))
			return true;
	return false;
}

void pcr_say_batch_free(const struct pcr_app *app, struct pcr_sheet *s)
{
	const struct pcr_batch *b = &app->st.batch;
	bool wanted = app->set->batch.enabled;
	char why[128], a[PCR_TEXT];
	u32 nodes = 0;

	if (!b->there) {
		pcr_say(s, PCR_FINDING_ABSENT, "batch free",
			"kernel without the series; see pcpu-reclaimd(8), KERNEL");
		return;
	}
	for (u32 i = 0; i < b->n_nodes; i++)
		nodes += b->node[i].there;
	if (batch_broken(app, why, sizeof(why)))
		pcr_say(s, wanted ? PCR_FINDING_PROBLEM : PCR_FINDING_ABSENT, "batch free", "%s",
			why);
	else
		pcr_say(s, PCR_FINDING_OK, "batch free", "%u node%s, %s", nodes,
			nodes == 1 ? "" : "s", wanted ? "in use" : "off by the settings");
	if (wanted && *app->batch.why)
		pcr_say(s, PCR_FINDING_HINT, "batch free",
			"helped exits are seen only when something else happens: %s",
			app->batch.why);
	if (wanted && !pcr_has(b->cpu_bp))
		pcr_say(s, PCR_FINDING_HINT, "batch free",
			"/proc/pressure/cpu is absent: it never pauses for CPU pressure (boot with psi=1)");
	else if (b->paused_usec)
		pcr_say(s, PCR_FINDING_OK, "batch free", "pauses: CPU pressure %s",
			pcr_text_bp(a, b->cpu_bp));
	if (app->batch_cgroups.without)
		pcr_say(s, PCR_FINDING_HINT, "batch free",
			"%u cgroups should be left alone and have no " PCR_MEMORY_BATCH_FREE,
			app->batch_cgroups.without);
	for (u32 i = _PCR_SETTING_THP; i < pcr_settings_end(&app->st); i++)
		if (app->st.setting[i].foreign)
			pcr_say(s, PCR_FINDING_HINT, "batch free",
				"another program set %s to %llu after us: left alone",
				pcr_setting_knob(i), (unsigned long long)app->st.setting[i].seen);
}
