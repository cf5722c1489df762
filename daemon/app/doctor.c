// SPDX-License-Identifier: GPL-2.0-or-later
/* Every source and the machine, looked at now: usable, why not, and what follows. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "app/doctor.h"
#include "base/text.h"
#include "read/machine.h"
#include "read/slabinfo.h"

void pcr_say(struct pcr_sheet *s, enum pcr_finding_kind kind, const char *subject,
	     const char *fmt, ...)
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

static void cgroups(const struct pcr_app *app, struct pcr_sheet *s)
{
	switch (app->root.mode) {
	case PCR_CGROUP_V2:
		pcr_say(s, PCR_FINDING_OK, "cgroups", "cgroup v2 at %s, memory controller on",
			app->root.cgroup_mount);
		break;
	case PCR_CGROUP_V2_BARE:
		pcr_say(s, PCR_FINDING_PROBLEM, "cgroups",
			"cgroup v2 at %s has no memory controller (cgroup_disable=memory?): nothing can be reaped",
			app->root.cgroup_mount);
		break;
	case PCR_CGROUP_HYBRID:
		pcr_say(s, PCR_FINDING_HINT, "cgroups",
			"memory is on cgroup v1 at %s: dying cgroups are counted for the machine only, and reaping takes living pages too (ForceEmpty= in a policy). Boot with systemd.unified_cgroup_hierarchy=1 for all of it",
			app->root.cgroup_mount);
		break;
	default:
		pcr_say(s, PCR_FINDING_PROBLEM, "cgroups",
			"no cgroup mount found: nothing can be reaped");
	}
}

static void lifecycle(const struct pcr_app *app, struct pcr_sheet *s)
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
			pcr_say(s, PCR_FINDING_OK, subject, "in use");
		else if (used)
			pcr_say(s, PCR_FINDING_PROBLEM, subject,
				"switched off by another program: %s", why);
		else if (pcr_lifecycle_probe(&app->root, kinds[i], why, sizeof(why)) == 0)
			pcr_say(s, PCR_FINDING_OK, subject, "could be used instead");
		else
			pcr_say(s, PCR_FINDING_ABSENT, subject, "%s", why);
	}
	if (*pcr_lifecycle_why(app->lc))
		pcr_say(s, PCR_FINDING_HINT, "lifecycle", "%s", pcr_lifecycle_why(app->lc));
}

static void watches(const struct pcr_app *app, struct pcr_sheet *s)
{
	u64 max;

	if (!app->lc || pcr_lifecycle_source(app->lc) != PCR_SOURCE_INOTIFY)
		return;
	if (pcr_slurp_u64(&app->root, "/proc/sys/fs/inotify/max_user_watches", &max))
		return;
	pcr_say(s, max < 2 * (u64)app->st.tree.n ? PCR_FINDING_HINT : PCR_FINDING_OK,
		"inotify watches", "%u held, %llu allowed by fs.inotify.max_user_watches",
		app->st.tree.n, (unsigned long long)max);
}

static void pressure(const struct pcr_app *app, struct pcr_sheet *s)
{
	const struct pcr_health *h = &app->health;

	if (!app->set->pressure.enabled)
		pcr_say(s, PCR_FINDING_ABSENT, "pressure", "switched off by Pressure=no");
	else if (!h->psi)
		pcr_say(s, PCR_FINDING_HINT, "pressure",
			"/proc/pressure/memory is absent: boot with psi=1 to have actions hurried under pressure");
	else if (h->triggers)
		pcr_say(s, PCR_FINDING_OK, "pressure", "%u trigger%s armed%s%s", h->triggers,
			h->triggers == 1 ? "" : "s", *h->psi_why ? "; " : "", h->psi_why);
	else
		pcr_say(s, PCR_FINDING_HINT, "pressure",
			"read every %llu s instead of triggers: %s",
			(unsigned long long)(app->set->pressure.poll_usec / PCR_SEC), h->psi_why);
}

static void slices(const struct pcr_app *app, struct pcr_sheet *s)
{
	const struct pcr_pressure_rule *rule = &app->set->pressure;
	char why[224];

	for (u32 i = 0; app->health.psi && i < rule->n_slices; i++)
		if (pcr_app_pressure_missing(app, i, why, sizeof(why)))
			pcr_say(s, PCR_FINDING_HINT, "pressure", "%.90s: %s", rule->slices[i], why);
}

static void memevents(const struct pcr_app *app, struct pcr_sheet *s)
{
	struct pcr_memevents_stats m;

	pcr_memevents_stats(app->memevents, &m);
	if (m.left_out)
		pcr_say(s, PCR_FINDING_HINT, "memory.events",
			"%u policy cgroups watched, %u left out: %s", m.watched, m.left_out,
			*m.why ? m.why : "the memory controller is not on for them");
	else if (m.watched)
		pcr_say(s, PCR_FINDING_OK, "memory.events", "%u policy cgroups watched", m.watched);
}

/* Worth a hint from this part of memory on, in percent. */
#define SLAB_HINT_PERCENT 1

static void slab(const struct pcr_app *app, struct pcr_sheet *s)
{
	const struct pcr_footprint *f = &app->st.footprint;
	u64 lost;
	char a[PCR_TEXT];
	int r = pcr_read_slab_lost(&app->root, &lost);

	if (r) {
		pcr_say(s, PCR_FINDING_ABSENT, "slab", "/proc/slabinfo can't be read: %s",
			r == PCR_NONE ? "there is none" : strerror(-r));
		return;
	}
	pcr_say(s, pcr_has(f->memory_bytes) && lost > f->memory_bytes * SLAB_HINT_PERCENT / 100 ?
		   PCR_FINDING_HINT : PCR_FINDING_OK, "slab",
		"about %s lie empty in half-used slabs of the caches that cgroups are made from; nothing here can free that, restarting what has outlived the churn can",
		pcr_text_bytes(a, lost));
}

static void cpus(const struct pcr_app *app, struct pcr_sheet *s)
{
	u64 possible, online;

	if (pcr_read_cpus(&app->root, "possible", &possible) ||
	    pcr_read_cpus(&app->root, "online", &online) || !possible)
		return;
	if (possible > online)
		pcr_say(s, PCR_FINDING_HINT, "cpus",
			"%llu possible CPUs, %llu online: every cgroup pays for %llu. Boot with possible_cpus=%llu to save %llu %%",
			(unsigned long long)possible, (unsigned long long)online,
			(unsigned long long)possible, (unsigned long long)online,
			(unsigned long long)((possible - online) * 100 / possible));
	else
		pcr_say(s, PCR_FINDING_OK, "cpus", "%llu possible, all online",
			(unsigned long long)possible);
}

static void limits(const struct pcr_app *app, struct pcr_sheet *s)
{
	struct rlimit rl;

	if (app->resident_err)
		pcr_say(s, PCR_FINDING_HINT, "own memory",
			"its own code is read from disk again when memory is short: %s (RLIMIT_MEMLOCK below 16 MB, or mlock and mlock2 filtered?)",
			strerror(-app->resident_err));
	else if (app->root.live)
		pcr_say(s, PCR_FINDING_OK, "own memory", "program and libraries stay in memory");
	if (getrlimit(RLIMIT_NOFILE, &rl) < 0)
		return;
	pcr_say(s, rl.rlim_cur < 256 ? PCR_FINDING_PROBLEM : PCR_FINDING_OK, "file descriptors",
		"%llu allowed, fewer than 200 are ever used", (unsigned long long)rl.rlim_cur);
}

static void settings(const struct pcr_app *app, struct pcr_sheet *s)
{
	const char *error = app->health.settings_error;
	size_t line = strcspn(error, "\n");

	if (*error)
		pcr_say(s, PCR_FINDING_PROBLEM, "settings", "the last reload was refused: %.*s%s",
			(int)pcr_min_u64(line, 240), error,
			error[line] ? "; all of it: pcpu-reclaimd --check-config" : "");
	else
		pcr_say(s, PCR_FINDING_OK, "settings", "%u file%s, %u polic%s", app->set->n_files,
			app->set->n_files == 1 ? "" : "s", app->set->n_policies,
			app->set->n_policies == 1 ? "y" : "ies");
}

size_t pcr_app_doctor(void *data, struct pcr_finding findings[static PCR_FINDINGS_MAX])
{
	struct pcr_app *app = data;
	struct pcr_sheet s = { .f = findings };

	pcr_knobs_probe(&app->root, &app->crank.knobs);
	pcr_batch_look(&app->batch, pcr_now_usec());
	pcr_app_health(app);
	cgroups(app, &s);
	lifecycle(app, &s);
	watches(app, &s);
	pressure(app, &s);
	slices(app, &s);
	memevents(app, &s);
	pcr_say_knobs(app, &s);
	pcr_say_batch_free(app, &s);
	pcr_say_collapse(app, &s);
	slab(app, &s);
	cpus(app, &s);
	limits(app, &s);
	settings(app, &s);
	return s.n;
}
