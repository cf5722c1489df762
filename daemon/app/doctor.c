// SPDX-License-Identifier: GPL-2.0-or-later
/* Every knob and source, looked at now: present, usable, why not, and what follows. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/app.h"
#include "base/text.h"
#include "model/tree.h"
#include "pcr/knobs.h"
#include "read/machine.h"
#include "read/slabinfo.h"

struct sheet {
	struct pcr_finding *f;
	size_t n;
};

__attribute__((format(printf, 4, 5)))
static void say(struct sheet *s, enum pcr_finding_kind kind, const char *subject, const char *fmt, ...)
{
	struct pcr_finding *f;
	va_list ap;

	if (s->n == PCR_FINDINGS_MAX)
		return;
	f = &s->f[s->n++];
	f->kind = kind;
	snprintf(f->subject, sizeof(f->subject), "%s", subject);
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

static void cgroups(const struct pcr_app *app, struct sheet *s)
{
	switch (app->root.mode) {
	case PCR_CGROUP_V2:
		say(s, PCR_FINDING_OK, "cgroups", "cgroup v2 at %s, memory controller on",
		    app->root.cgroup_mount);
		break;
	case PCR_CGROUP_V2_BARE:
		say(s, PCR_FINDING_PROBLEM, "cgroups",
		    "cgroup v2 at %s has no memory controller (cgroup_disable=memory?): nothing can be reaped",
		    app->root.cgroup_mount);
		break;
	case PCR_CGROUP_HYBRID:
		say(s, PCR_FINDING_HINT, "cgroups",
		    "memory is on cgroup v1 at %s: dying cgroups are counted for the machine only, and reaping takes living pages too (ForceEmpty= in a policy). Boot with systemd.unified_cgroup_hierarchy=1 for all of it",
		    app->root.cgroup_mount);
		break;
	default:
		say(s, PCR_FINDING_PROBLEM, "cgroups", "no cgroup mount found: nothing can be reaped");
	}
}

static void lifecycle(const struct pcr_app *app, struct sheet *s)
{
	static const enum pcr_source kinds[] = {
		PCR_SOURCE_TRACEFS, PCR_SOURCE_FANOTIFY, PCR_SOURCE_INOTIFY, PCR_SOURCE_WALK,
	};
	char subject[32], why[256];

	if (!app->lc)
		return;
	for (size_t i = 0; i < PCR_ARRAY_SIZE(kinds); i++) {
		bool used = pcr_lifecycle_source(app->lc) == kinds[i];

		snprintf(subject, sizeof(subject), "lifecycle %s", pcr_source_name(kinds[i]));
		why[0] = '\0';
		if (used && pcr_lifecycle_healthy(app->lc, why, sizeof(why)))
			say(s, PCR_FINDING_OK, subject, "in use");
		else if (used)
			say(s, PCR_FINDING_PROBLEM, subject, "switched off by another program: %s",
			    why);
		else if (pcr_lifecycle_probe(&app->root, kinds[i], why, sizeof(why)) == 0)
			say(s, PCR_FINDING_OK, subject, "could be used instead");
		else
			say(s, PCR_FINDING_ABSENT, subject, "%s", why);
	}
	if (*pcr_lifecycle_why(app->lc))
		say(s, PCR_FINDING_HINT, "lifecycle", "%s", pcr_lifecycle_why(app->lc));
}

static void watches(const struct pcr_app *app, struct sheet *s)
{
	u64 max;

	if (!app->lc || pcr_lifecycle_source(app->lc) != PCR_SOURCE_INOTIFY)
		return;
	if (pcr_slurp_u64(&app->root, "/proc/sys/fs/inotify/max_user_watches", &max))
		return;
	say(s, max < 2 * (u64)app->st.tree.n ? PCR_FINDING_HINT : PCR_FINDING_OK, "inotify watches",
	    "%u held, %llu allowed by fs.inotify.max_user_watches", app->st.tree.n,
	    (unsigned long long)max);
}

static void pressure(const struct pcr_app *app, struct sheet *s)
{
	const struct pcr_health *h = &app->health;

	if (!app->set->pressure.enabled)
		say(s, PCR_FINDING_ABSENT, "pressure", "switched off by Pressure=no");
	else if (!h->psi)
		say(s, PCR_FINDING_HINT, "pressure",
		    "/proc/pressure/memory is absent: boot with psi=1 to have actions hurried under pressure");
	else if (h->triggers)
		say(s, PCR_FINDING_OK, "pressure", "%u trigger%s armed%s%s", h->triggers,
		    h->triggers == 1 ? "" : "s", *h->psi_why ? "; " : "", h->psi_why);
	else
		say(s, PCR_FINDING_HINT, "pressure", "read every %llu s instead of triggers: %s",
		    (unsigned long long)(app->set->pressure.poll_usec / PCR_SEC), h->psi_why);
}

static void slices(const struct pcr_app *app, struct sheet *s)
{
	const struct pcr_pressure_rule *rule = &app->set->pressure;
	char why[224];

	for (u32 i = 0; app->health.psi && i < rule->n_slices; i++)
		if (pcr_app_pressure_missing(app, i, why, sizeof(why)))
			say(s, PCR_FINDING_HINT, "pressure", "%.90s: %s", rule->slices[i], why);
}

static void memevents(const struct pcr_app *app, struct sheet *s)
{
	struct pcr_memevents_stats m;

	pcr_memevents_stats(app->memevents, &m);
	if (m.left_out)
		say(s, PCR_FINDING_HINT, "memory.events",
		    "%u policy cgroups watched, %u left out: %s", m.watched, m.left_out,
		    *m.why ? m.why : "the memory controller is not on for them");
	else if (m.watched)
		say(s, PCR_FINDING_OK, "memory.events", "%u policy cgroups watched", m.watched);
}

/* A knob that is not there is no fault of anybody's; one that can't be written is. */
static void knob(struct sheet *s, const char *subject, const char *path, bool usable,
		 const char *why, bool present)
{
	if (usable)
		say(s, PCR_FINDING_OK, subject, "%s can be written", path);
	else
		say(s, present ? PCR_FINDING_PROBLEM : PCR_FINDING_ABSENT, subject, "%s", why);
}

/* A setting that the kernel does not let be set is a problem only where a key names a value. */
static void setting(const struct pcr_app *app, struct sheet *s, enum pcr_setting which)
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
		say(s, unusable, subjects[which], "kernel has no %s", pcr_setting_knob(which));
	else if (pcr_app_knob_missing(&app->root, pcr_setting_knob(which), why, sizeof(why)))
		say(s, unusable, subjects[which], "%llu %s; %s", seen, unit, why);
	else
		say(s, PCR_FINDING_OK, subjects[which], "%llu %s, can be set", seen, unit);
	if (state->foreign)
		say(s, PCR_FINDING_HINT, subjects[which],
		    "another program set it to %llu after us: left alone", seen);
}

static void knobs(struct pcr_app *app, struct sheet *s)
{
	const struct pcr_knobs *k = &app->crank.knobs;

	knob(s, "reap", app->st.v1 ? "memory.force_empty" : "memory.reclaim", k->reap, k->reap_why,
	     strstr(k->reap_why, "can't be written") != NULL);
	knob(s, "percpu trim", "/sys/kernel/mm/percpu/reclaim", k->trim, k->trim_why,
	     strstr(k->trim_why, "can't be written") != NULL);
	if (!k->trim)
		say(s, k->spare ? PCR_FINDING_OK : PCR_FINDING_ABSENT, "percpu spare chunk", "%s",
		    k->spare ? "can be driven out after a reap" : k->spare_why);
	for (u32 i = 0; i < _PCR_SETTING_THP; i++)
		if (i != PCR_SETTING_TASK_COLLAPSE || pcr_has(app->st.setting[i].seen))
			setting(app, s, i);
}

static void collapse(const struct pcr_app *app, struct sheet *s)
{
	static const char *const subjects[_PCR_HOW_MAX] = {
		[PCR_HOW_TASK] = "collapse by tasks", [PCR_HOW_MADVISE] = "collapse by madvise",
	};
	const struct pcr_collapse_knobs *k = &app->crank.collapse;
	bool wanted = pcr_policy_collapses(app->set);
	u32 left_out = app->st.collapse.left_out;

	for (u32 i = PCR_HOW_TASK; i < _PCR_HOW_MAX; i++)
		say(s, k->ready[i] ? PCR_FINDING_OK :
		       wanted && strstr(k->why[i], "refused") ? PCR_FINDING_PROBLEM :
								PCR_FINDING_ABSENT,
		    subjects[i], "%s", k->ready[i] ? "can be used" : k->why[i]);
	if (wanted && app->st.collapse.thp.never)
		say(s, PCR_FINDING_HINT, "collapse",
		    PCR_THP_DIR "enabled is never: nothing is made huge");
	if (left_out)
		say(s, PCR_FINDING_HINT, "collapse", "%u tasks are left out: no more than %u are known",
		    left_out, PCR_TASKS_MAX);
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

static void batch_free(struct pcr_app *app, struct sheet *s)
{
	const struct pcr_batch *b = &app->st.batch;
	bool wanted = app->set->batch.enabled;
	char why[128], a[PCR_TEXT];
	u32 nodes = 0;

	if (!b->there) {
		say(s, PCR_FINDING_ABSENT, "batch free",
		    "kernel without the series; see pcpu-reclaimd(8), KERNEL");
		return;
	}
	for (u32 i = 0; i < b->n_nodes; i++)
		nodes += b->node[i].there;
	if (batch_broken(app, why, sizeof(why)))
		say(s, wanted ? PCR_FINDING_PROBLEM : PCR_FINDING_ABSENT, "batch free", "%s", why);
	else
		say(s, PCR_FINDING_OK, "batch free", "%u node%s, %s", nodes, nodes == 1 ? "" : "s",
		    wanted ? "in use" : "off by the settings");
	if (wanted && *app->batch.why)
		say(s, PCR_FINDING_HINT, "batch free",
		    "helped exits are seen only when something else happens: %s", app->batch.why);
	if (wanted && !pcr_has(b->cpu_bp))
		say(s, PCR_FINDING_HINT, "batch free",
		    "/proc/pressure/cpu is absent: it never pauses for CPU pressure (boot with psi=1)");
	else if (b->paused_usec)
		say(s, PCR_FINDING_OK, "batch free", "pauses: CPU pressure %s",
		    pcr_text_bp(a, b->cpu_bp));
	if (app->batch_cgroups.without)
		say(s, PCR_FINDING_HINT, "batch free",
		    "%u cgroups should be left alone and have no " PCR_MEMORY_BATCH_FREE,
		    app->batch_cgroups.without);
	for (u32 i = _PCR_SETTING_THP; i < pcr_settings_end(&app->st); i++)
		if (app->st.setting[i].foreign)
			say(s, PCR_FINDING_HINT, "batch free",
			    "another program set %s to %llu after us: left alone",
			    pcr_setting_knob(i), (unsigned long long)app->st.setting[i].seen);
}

/* Worth a hint from this part of memory on, in percent. */
#define SLAB_HINT_PERCENT 1

static void slab(const struct pcr_app *app, struct sheet *s)
{
	const struct pcr_footprint *f = &app->st.footprint;
	u64 lost;
	char a[PCR_TEXT];
	int r = pcr_read_slab_lost(&app->root, &lost);

	if (r) {
		say(s, PCR_FINDING_ABSENT, "slab", "/proc/slabinfo can't be read: %s",
		    r == PCR_NONE ? "there is none" : strerror(-r));
		return;
	}
	say(s, pcr_has(f->memory_bytes) && lost > f->memory_bytes * SLAB_HINT_PERCENT / 100 ?
	       PCR_FINDING_HINT : PCR_FINDING_OK, "slab",
	    "about %s lie empty in half-used slabs of the caches that cgroups are made from; nothing here can free that, restarting what has outlived the churn can",
	    pcr_text_bytes(a, lost));
}

static void cpus(const struct pcr_app *app, struct sheet *s)
{
	u64 possible, online;

	if (pcr_read_cpus(&app->root, "possible", &possible) ||
	    pcr_read_cpus(&app->root, "online", &online) || !possible)
		return;
	if (possible > online)
		say(s, PCR_FINDING_HINT, "cpus",
		    "%llu possible CPUs, %llu online: every cgroup pays for %llu. Boot with possible_cpus=%llu to save %llu %%",
		    (unsigned long long)possible, (unsigned long long)online,
		    (unsigned long long)possible, (unsigned long long)online,
		    (unsigned long long)((possible - online) * 100 / possible));
	else
		say(s, PCR_FINDING_OK, "cpus", "%llu possible, all online", (unsigned long long)possible);
}

static void limits(const struct pcr_app *app, struct sheet *s)
{
	struct rlimit rl;

	if (app->resident_err)
		say(s, PCR_FINDING_HINT, "own memory",
		    "its own code is read from disk again when memory is short: %s (RLIMIT_MEMLOCK below 16 MB, or mlock and mlock2 filtered?)",
		    strerror(-app->resident_err));
	else if (app->root.live)
		say(s, PCR_FINDING_OK, "own memory", "program and libraries stay in memory");
	if (getrlimit(RLIMIT_NOFILE, &rl) < 0)
		return;
	say(s, rl.rlim_cur < 256 ? PCR_FINDING_PROBLEM : PCR_FINDING_OK, "file descriptors",
	    "%llu allowed, fewer than 200 are ever used", (unsigned long long)rl.rlim_cur);
}

static void settings(const struct pcr_app *app, struct sheet *s)
{
	const char *error = app->health.settings_error;
	size_t line = strcspn(error, "\n");

	if (*error)
		say(s, PCR_FINDING_PROBLEM, "settings", "the last reload was refused: %.*s%s",
		    (int)pcr_min_u64(line, 240), error,
		    error[line] ? "; all of it: pcpu-reclaimd --check-config" : "");
	else
		say(s, PCR_FINDING_OK, "settings", "%u file%s, %u polic%s", app->set->n_files,
		    app->set->n_files == 1 ? "" : "s", app->set->n_policies,
		    app->set->n_policies == 1 ? "y" : "ies");
}

size_t pcr_app_doctor(void *data, struct pcr_finding findings[static PCR_FINDINGS_MAX])
{
	struct pcr_app *app = data;
	struct sheet s = { .f = findings };

	pcr_knobs_probe(&app->root, &app->crank.knobs);
	pcr_batch_look(&app->batch, pcr_now_usec());
	pcr_app_health(app);
	cgroups(app, &s);
	lifecycle(app, &s);
	watches(app, &s);
	pressure(app, &s);
	slices(app, &s);
	memevents(app, &s);
	knobs(app, &s);
	batch_free(app, &s);
	collapse(app, &s);
	slab(app, &s);
	cpus(app, &s);
	limits(app, &s);
	settings(app, &s);
	return s.n;
}
