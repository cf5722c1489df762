// SPDX-License-Identifier: GPL-2.0-or-later
/* What the control socket may ask for; see include/pcr/view.h. */
#include <errno.h>

#include "app/app.h"
#include "app/journal.h"
#include "model/model.h"
#include "model/tree.h"
#include "policy/policy.h"

static int reload(void *data, char **ret_errors)
{
	return pcr_app_reload(data, ret_errors);
}

static int asked(struct pcr_app *app, struct pcr_decision *d)
{
	int r;

	d->want = d->why = PCR_WHY_ASKED;
	d->act = true;
	d->policy = -1;
	d->evidence.threshold = d->evidence.since_usec = PCR_ABSENT;
	d->evidence.until_usec = PCR_NEVER;
	r = pcr_crank_ask(&app->crank, d, pcr_now_usec());
	if (r == PCR_FULL)
		return -EBUSY;
	if (r == PCR_GONE)
		return -ENOENT;
	return r > 0 ? -EOPNOTSUPP : r;
}

static int reap(void *data, u64 id, u64 bytes)
{
	struct pcr_app *app = data;
	struct pcr_node *node = pcr_tree_by_id(&app->st.tree, id);
	const struct pcr_rule *rule;
	struct pcr_decision d = { .action = PCR_ACT_REAP, .target = id };
	int r;

	if (!node)
		return -ENOENT;
	if (!app->crank.knobs.reap)
		return -EOPNOTSUPP;
	/* Its policy may still be to come. */
	if (app->rematching)
		return -EBUSY;
	r = pcr_sampler_look(&app->crank.sampler, node, true, pcr_now_usec());
	if (r && r != PCR_PART)
		return -ENOENT;
	/* The turn has the rest read, and takes it in. */
	pcr_app_kick(app);
	rule = pcr_node_rule(app->set, node);
	/* On v1 it takes living pages as well: only where a policy says so. */
	if (app->st.v1 && !rule->force_empty)
		return -EPERM;
	d.dry_run = rule->dry_run || app->set->daemon.dry_run;
	d.evidence.value = node->reap ? node->reap->dying : 0;
	if (!d.evidence.value && !pcr_has(bytes))
		return -ENODATA;
	d.amount = pcr_has(bytes) && bytes ? bytes : rule->reap_step_bytes;
	return asked(app, &d);
}

static int trim(void *data, u64 bytes)
{
	struct pcr_app *app = data;
	struct pcr_decision d = {
		.action = PCR_ACT_TRIM, .amount = bytes ? bytes : PCR_ABSENT,
		.dry_run = app->set->rule.dry_run || app->set->daemon.dry_run,
		.evidence.value = PCR_ABSENT,
	};

	if (!app->crank.knobs.trim && !app->crank.knobs.spare)
		return -EOPNOTSUPP;
	pcr_sampler_percpu(&app->crank.sampler, pcr_now_usec());
	d.evidence.value = pcr_percpu_surplus(&app->st.trim.now);
	return asked(app, &d);
}

static void log_level(void *data, u32 level)
{
	struct pcr_app *app = data;

	app->health.log_level = level;
	pcr_journal_level(level);
}

static int refresh(void *data, u64 id)
{
	struct pcr_app *app = data;
	struct pcr_node *node = pcr_tree_by_id(&app->st.tree, id);
	int r;

	if (!id) {
		pcr_crank_look(&app->crank, pcr_now_usec());
		pcr_batch_look(&app->batch, pcr_now_usec());
		/* What it told may want something written. */
		if (app->set->batch.enabled)
			pcr_app_kick(app);
		pcr_app_cost(app);
		return 0;
	}
	/* A step that is being measured is not disturbed. */
	if (!node || (node->reap && (node->reap->in_flight || node->reap->settling)))
		return node ? 0 : PCR_GONE;
	r = pcr_sampler_node(&app->crank.sampler, node, true, pcr_now_usec());
	pcr_app_kick(app);
	return r;
}

/* Whoever removes one file after the other may not be done yet. */
static void emptied(void *data)
{
	struct pcr_app *app = data;

	ev_timer_stop(app->loop, &app->emptied);
	ev_timer_set(&app->emptied, 1., 0.);
	ev_timer_start(app->loop, &app->emptied);
}

static int record_start(void *data)
{
	struct pcr_app *app = data;

	return pcr_recorder_start(&app->recorder, &app->st, app->set, pcr_now_usec());
}

static int record_take(void *data, size_t max, const char **ret_text, size_t *ret_n)
{
	struct pcr_app *app = data;

	return pcr_recorder_take(&app->recorder, max, ret_text, ret_n);
}

static void record_stop(void *data)
{
	struct pcr_app *app = data;

	pcr_recorder_stop(&app->recorder, &app->st);
}

const struct pcr_view_ops pcr_app_ops = {
	.reload = reload,
	.reap = reap,
	.trim = trim,
	.log_level = log_level,
	.doctor = pcr_app_doctor,
	.refresh = refresh,
	.record_start = record_start,
	.record_take = record_take,
	.record_stop = record_stop,
	.emptied = emptied,
};
