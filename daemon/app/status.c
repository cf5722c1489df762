// SPDX-License-Identifier: GPL-2.0-or-later
/* What others see of us: struct pcr_health for the socket, a line for the service manager. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <systemd/sd-daemon.h>

#include "app/app.h"
#include "base/cleanup.h"
#include "base/parse.h"
#include "base/text.h"
#include "read/machine.h"
#include "read/memcg.h"
#include "read/psi_text.h"

void pcr_app_health_init(struct pcr_app *app)
{
	struct pcr_health *h = &app->health;
	struct utsname uts;

	h->start_usec = h->settings_usec = pcr_now_usec();
	h->cpu_usec = h->rss_bytes = h->batch_cgroups = PCR_ABSENT;
	h->log_level = app->set->daemon.log_level;
	snprintf(h->version, sizeof(h->version), "%s", PCR_VERSION);
	if (uname(&uts) == 0) {
		snprintf(h->host, sizeof(h->host), "%.63s", uts.nodename);
		snprintf(h->kernel, sizeof(h->kernel), "%s", uts.release);
	}
	h->cgroup_v2 = app->root.mode == PCR_CGROUP_V2 || app->root.mode == PCR_CGROUP_V2_BARE;
	h->memory_v2 = app->root.mode == PCR_CGROUP_V2;
	snprintf(h->cgroup_mount, sizeof(h->cgroup_mount), "%s", app->root.cgroup_mount);
	if (pcr_read_cpus(&app->root, "possible", &app->st.possible_cpus))
		app->st.possible_cpus = PCR_ABSENT;
}

void pcr_app_health(struct pcr_app *app)
{
	struct pcr_health *h = &app->health;
	const struct pcr_knobs *k = &app->crank.knobs;
	struct pcr_psi psi;

	h->trim_knob = k->trim;
	h->reap_knob = k->reap;
	snprintf(h->trim_why, sizeof(h->trim_why), "%s", k->trim_why);
	snprintf(h->reap_why, sizeof(h->reap_why), "%s", k->reap_why);
	h->batch_knob = !pcr_app_knob_missing(&app->root, PCR_BATCH_ENABLED, h->batch_why,
					      sizeof(h->batch_why));
	if (!app->st.batch.there)
		snprintf(h->batch_why, sizeof(h->batch_why), "kernel without the series");
	else if (h->batch_knob)
		h->batch_why[0] = '\0';
	h->collapse_ready = app->crank.collapse.ready[PCR_HOW_TASK] ||
			    app->crank.collapse.ready[PCR_HOW_MADVISE];
	snprintf(h->collapse_why, sizeof(h->collapse_why), "%s",
		 app->crank.collapse.why[PCR_HOW_MADVISE]);
	h->backend = app->crank.backend->name;
	h->dry_run = app->set->daemon.dry_run;
	h->psi = pcr_read_pressure(&app->root, NULL, &psi) == 0;
	if (app->lc)
		h->lifecycle = pcr_lifecycle_stats(app->lc);
	pcr_app_health_turn(app);
}

void pcr_app_health_turn(struct pcr_app *app)
{
	struct pcr_health *h = &app->health;

	if (app->lc) {
		h->source = pcr_lifecycle_source(app->lc);
		h->last_resync_usec = app->lc->last_resync_usec;
	}
	h->batch_cgroups = app->batch_cgroups.off;
	if (app->crank.worker)
		h->queue_len = pcr_worker_queued(app->crank.worker);
}

static u64 usec(const struct timeval *tv)
{
	return (u64)tv->tv_sec * PCR_SEC + (u64)tv->tv_usec;
}

void pcr_app_cost(struct pcr_app *app)
{
	struct pcr_health *h = &app->health;
	char buf[4096];
	struct rusage ru;
	size_t n;
	u64 kb;
	PCR_AUTOCLOSE int fd = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);

	h->cpu_usec = getrusage(RUSAGE_SELF, &ru) == 0 ? usec(&ru.ru_utime) + usec(&ru.ru_stime) :
							 PCR_ABSENT;
	/* VmRSS reads low on 6.1; the rollup is exact. It is ours, so never below --root. */
	h->rss_bytes = fd >= 0 && !pcr_slurp_fd(fd, buf, sizeof(buf), &n) &&
		       !pcr_keyed_u64(buf, n, "Rss", &kb) ? kb * 1024 : PCR_ABSENT;
}

void pcr_app_notify(struct pcr_app *app, const char *state)
{
	char text[160];

	/* 253 and later want the time of a reload with it; 252 does not mind. */
	snprintf(text, sizeof(text), "%s\nMONOTONIC_USEC=%llu", state,
		 (unsigned long long)pcr_now_usec());
	sd_notify(0, text);
}

/* What somebody has to know who looks at the service manager alone; ends in a blank, or is empty. */
static void trouble(const struct pcr_app *app, char *buf, size_t size)
{
	const struct pcr_health *h = &app->health;
	const char *error = h->settings_error;

	buf[0] = '\0';
	if (*error)
		snprintf(buf, size, "Settings refused, those before are kept: %.*s. ",
			 (int)pcr_min_u64(strcspn(error, "\n"), 240), error);
	else if (!h->reap_knob)
		snprintf(buf, size, "Can't reap: %s. ", h->reap_why);
	else if (h->dry_run)
		snprintf(buf, size, "Dry run, nothing is changed. ");
}

void pcr_app_notify_status(struct pcr_app *app)
{
	const struct pcr_totals *t = &app->st.totals;
	char a[PCR_TEXT], b[PCR_TEXT], first[320], text[sizeof(app->status)];

	trouble(app, first, sizeof(first));
	/* Only what was done: the number of cgroups would change all the time. */
	snprintf(text, sizeof(text), "STATUS=%sGiven back %s (reap) and %s (trim) in %llu actions",
		 first, pcr_text_bytes(a, t->reap_freed_bytes),
		 pcr_text_bytes(b, t->trim_freed_bytes), (unsigned long long)t->actions);
	if (!strcmp(text, app->status))
		return;
	snprintf(app->status, sizeof(app->status), "%s", text);
	sd_notify(0, text);
}
