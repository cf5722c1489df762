// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens in a scenario: cgroups, samples, pressure, outcomes, reloads. */
#include "scn/scn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "conf/conf.h"
#include "model/tree.h"

void scn_ended(struct scn *s, const struct pcr_record *rec)
{
	if (s->n_rec == SCN_RECORDS)
		scn_fail(s, "more actions ended than were expected to");
	else
		s->rec[s->n_rec++] = *rec;
}

static bool path_is(struct scn *s, const char *path)
{
	return *path == '/' || scn_fail(s, "\"%s\" is no absolute path", path);
}

/* made ID /path */
static bool made(struct scn *s, const struct scn_line *l)
{
	const char *slash = l->n == 3 ? strrchr(l->word[2], '/') : NULL;
	struct pcr_node *parent, *node;
	u64 id;

	if (!slash)
		return scn_fail(s, "made ID /path");
	if (!path_is(s, l->word[2]) || !scn_value(s, SCN_NUMBER, l->word[1], &id))
		return false;
	parent = pcr_tree_lookup(&s->st.tree, l->word[2], (size_t)(slash - l->word[2]));
	if (!parent)
		return scn_fail(s, "%s has no parent yet", l->word[2]);
	return pcr_state_made(&s->st, s->set, parent, id, slash + 1, strlen(slash + 1), s->now,
			      &node) == 0 || scn_fail(s, "%s can't be made", l->word[2]);
}

/* removed /path */
static bool removed(struct scn *s, const struct scn_line *l)
{
	struct pcr_node *node = l->n == 2 ? scn_node(s, l->word[1]) : NULL;

	if (!node)
		return scn_fail(s, "removed /path");
	pcr_state_removed(&s->st, node, s->now);
	return true;
}

/* sample /path dying=N [pinned= shmem= residue= refaults= stall=] */
static bool sample(struct scn *s, const struct scn_line *l)
{
	struct pcr_reap_sample v;
	struct scn_key keys[] = {
		{ "dying", SCN_NUMBER, &v.dying },	 { "pinned", SCN_SIZE, &v.pinned_bytes },
		{ "shmem", SCN_SIZE, &v.shmem_bytes },	 { "residue", SCN_SIZE, &v.residue_bytes },
		{ "refaults", SCN_NUMBER, &v.refaults }, { "stall", SCN_SPAN, &v.stall_usec },
	};
	struct pcr_node *node = l->n >= 2 ? scn_node(s, l->word[1]) : NULL;
	struct pcr_record rec;

	memset(&v, 0xff, sizeof(v));
	v.dying = 0;
	if (!node || !scn_keys(s, l, 2, keys, PCR_ARRAY_SIZE(keys)))
		return scn_fail(s, "sample /path dying=N ...");
	if (node->reap)
		node->reap->sample_usec = PCR_NEVER;	/* as the sampler does */
	if (pcr_state_reap_sample(&s->st, s->set, node, &v, s->now))
		return scn_fail(s, "no memory");
	if (node->reap && pcr_state_settled(&s->st, s->set, node->reap, s->now, &rec))
		scn_ended(s, &rec);
	return true;
}

/* percpu [empty=N isolated=N low=N high=N percent=N units=N page=SIZE bytes=SIZE metadata=SIZE knob=yes
	  spare=no] */
static bool percpu(struct scn *s, const struct scn_line *l)
{
	struct pcr_percpu_sample v;
	u64 knob = 1, spare = 0;
	struct scn_key keys[] = {
		{"empty", SCN_NUMBER, &v.empty_pages},
		{"isolated", SCN_NUMBER, &v.isolated_empty_pages},
		{"low", SCN_NUMBER, &v.empty_pages_low},
		{"high", SCN_NUMBER, &v.empty_pages_high},
		{"percent", SCN_NUMBER, &v.reclaim_min_percent},
		{"units", SCN_NUMBER, &v.nr_units},
		{"page", SCN_SIZE, &v.page_bytes},
		{"bytes", SCN_SIZE, &v.percpu_bytes},
		{"metadata", SCN_SIZE, &v.metadata_bytes},
		{"knob", SCN_YES, &knob},
		{"spare", SCN_YES, &spare},
	};

	memset(&v, 0xff, sizeof(v));
	v.isolated_empty_pages = 0;
	v.empty_pages_low = 2;
	v.empty_pages_high = 4;
	v.reclaim_min_percent = 25;
	v.nr_units = 2;
	v.page_bytes = 4096;
	if (!scn_keys(s, l, 1, keys, PCR_ARRAY_SIZE(keys)))
		return false;
	v.knob = knob;
	v.spare = spare;
	pcr_state_percpu_sample(&s->st, &v, s->now);
	pcr_state_setting_sample(&s->st, PCR_SETTING_LOW, v.empty_pages_low);
	pcr_state_setting_sample(&s->st, PCR_SETTING_HIGH, v.empty_pages_high);
	pcr_state_setting_sample(&s->st, PCR_SETTING_PERCENT, v.reclaim_min_percent);
	return true;
}

/* batch [enabled=N min-rss=N max-pending=N cpu=BP exits=N]: machine-wide */
static bool batch(struct scn *s, const struct scn_line *l)
{
	u64 enabled = 0, min_rss = 64, max_pending = 64, cpu = PCR_ABSENT;
	struct scn_key keys[] = {
		{ "enabled", SCN_NUMBER, &enabled }, { "min-rss", SCN_NUMBER, &min_rss },
		{ "max-pending", SCN_NUMBER, &max_pending }, { "cpu", SCN_NUMBER, &cpu },
	};

	if (!scn_keys(s, l, 1, keys, PCR_ARRAY_SIZE(keys)))
		return false;
	s->st.batch.there = true;
	pcr_state_setting_sample(&s->st, PCR_SETTING_BATCH, enabled);
	pcr_state_setting_sample(&s->st, PCR_SETTING_MIN_RSS, min_rss);
	pcr_state_setting_sample(&s->st, PCR_SETTING_MAX_PENDING, max_pending);
	pcr_state_batch_cpu(&s->st, s->set, cpu, s->now);
	return true;
}

/* thp [sleep=N pages=N switch=N]: khugepaged's settings, and the switch of tasks that scan */
static bool thp(struct scn *s, const struct scn_line *l)
{
	u64 sleep = 10000, pages = 4096, on = PCR_ABSENT;
	struct scn_key keys[] = {
		{ "sleep", SCN_NUMBER, &sleep }, { "pages", SCN_NUMBER, &pages },
		{ "switch", SCN_NUMBER, &on },
	};

	if (!scn_keys(s, l, 1, keys, PCR_ARRAY_SIZE(keys)))
		return false;
	pcr_state_setting_sample(&s->st, PCR_SETTING_SCAN_SLEEP, sleep);
	pcr_state_setting_sample(&s->st, PCR_SETTING_SCAN_PAGES, pages);
	pcr_state_setting_sample(&s->st, PCR_SETTING_TASK_COLLAPSE, on);
	return true;
}

/*
 * exit NODE max=N [cpus=N pages=N usec=SPAN workers=SPAN times=N]: a node's counters after an
 * exit of so many pages, which took so long
 */
static bool an_exit(struct scn *s, const struct scn_line *l)
{
	u64 max = 2, cpus = 16, pages = 0, usec = 0, workers = 0, times = 1;
	struct scn_key keys[] = {
		{ "max", SCN_NUMBER, &max }, { "cpus", SCN_NUMBER, &cpus },
		{ "pages", SCN_NUMBER, &pages }, { "usec", SCN_SPAN, &usec },
		{ "workers", SCN_SPAN, &workers }, { "times", SCN_NUMBER, &times },
	};
	struct pcr_batch_sample sample;
	struct pcr_record rec;
	u32 setting, node;

	if (l->n < 2 || !scn_setting(l->word[1], &setting) || setting < PCR_SETTING_NODE ||
	    !scn_keys(s, l, 2, keys, PCR_ARRAY_SIZE(keys)))
		return scn_fail(s, "exit nodeN max=N ...");
	node = setting - PCR_SETTING_NODE;
	if (pcr_state_batch_nodes(&s->st, node + 1))
		return scn_fail(s, "no memory");
	for (; times; times--) {
		sample = s->st.batch.node[node].now;
		if (!s->st.batch.node[node].there)
			memset(&sample, 0, sizeof(sample));
		sample.max_active = max;
		sample.cpus = cpus;
		sample.exit_pages += pages;
		sample.exit_usec += usec;
		sample.worker_usec += workers;
		pcr_state_batch_node(&s->st, node, &sample, s->now);
		if (pcr_state_batch_climb(&s->st, s->set, node, s->now, &rec))
			scn_ended(s, &rec);
	}
	return true;
}

/* pressure [/slice] */
static bool pressure(struct scn *s, const struct scn_line *l)
{
	u32 i = 0;

	if (l->n > 1)
		for (i = 1; i < s->st.n_pressure; i++)
			if (!strcmp(s->set->pressure.slices[i - 1], l->word[1]))
				break;
	if (i == s->st.n_pressure)
		return scn_fail(s, "Slices= does not name %s", l->word[1]);
	if (i) {
		struct pcr_node *node = scn_node(s, l->word[1]);

		s->st.pressure[i].id = node ? node->id : 0;
	}
	pcr_state_pressure_event(&s->st, i, s->now);
	return true;
}

/* knob yes|no; swap SIZE; v1 yes|no; dying N (what the root counts) */
static bool machine(struct scn *s, const struct scn_line *l)
{
	u64 v;

	if (!strcmp(l->word[0], "gap")) {
		pcr_state_gap(&s->st, s->now);
		return true;
	}
	if (l->n != 2)
		return scn_fail(s, "%s wants one word", l->word[0]);
	if (!strcmp(l->word[0], "swap"))
		return scn_value(s, SCN_SIZE, l->word[1], &s->st.swap_free_bytes);
	if (!strcmp(l->word[0], "dying"))
		return scn_value(s, SCN_NUMBER, l->word[1], &s->st.dying);
	if (!scn_value(s, SCN_YES, l->word[1], &v))
		return false;
	if (!strcmp(l->word[0], "v1"))
		s->st.v1 = v;
	else
		s->st.reap_knob = v;
	return true;
}

static int errno_of(const char *name)
{
	for (int e = 1; e < 200; e++)
		if (strerrorname_np(e) && !strcmp(strerrorname_np(e), name))
			return e;
	return 0;
}

static bool outcome_words(struct scn *s, const struct scn_line *l, u32 from, struct pcr_outcome *o)
{
	struct scn_key keys[] = {
		{ "freed", SCN_SIZE, &o->freed_bytes }, { "took", SCN_SPAN, &o->took_usec },
		{ "asked", SCN_NUMBER, &o->asked },
	};

	for (u32 i = from; i < l->n; i++) {
		struct scn_line one = { .n = 1, .word = { l->word[i] } };

		if (!strcmp(l->word[i], "part"))
			o->part = true;
		else if (!strcmp(l->word[i], "gone"))
			o->gone = true;
		else if (!strcmp(l->word[i], "refused"))
			o->refused = true;
		else if (scn_after(l->word[i], "err"))
			o->err = errno_of(scn_after(l->word[i], "err"));
		else if (!scn_keys(s, &one, 0, keys, PCR_ARRAY_SIZE(keys)))
			return false;
	}
	return true;
}

/* low, high, percent, scan-sleep, scan-pages, switch, min-rss, max-pending, batch, or a node's limit: node0 */
bool scn_setting(const char *word, u32 *ret_setting)
{
	static const char *const words[_PCR_SETTING_MAX] = {
		[PCR_SETTING_LOW] = "low", [PCR_SETTING_HIGH] = "high",
		[PCR_SETTING_PERCENT] = "percent", [PCR_SETTING_SCAN_SLEEP] = "scan-sleep",
		[PCR_SETTING_SCAN_PAGES] = "scan-pages", [PCR_SETTING_TASK_COLLAPSE] = "switch",
		[PCR_SETTING_MIN_RSS] = "min-rss",
		[PCR_SETTING_MAX_PENDING] = "max-pending", [PCR_SETTING_BATCH] = "batch",
	};
	const char *number = strncmp(word, "node", 4) ? "" : word + 4;
	u64 node;

	if (!pcr_parse_u64(number, strlen(number), &node) && node < PCR_NODES_MAX) {
		*ret_setting = PCR_SETTING_NODE + (u32)node;
		return true;
	}
	for (u32 i = 0; i < _PCR_SETTING_MAX; i++) {
		if (strcmp(word, words[i]))
			continue;
		*ret_setting = i;
		return true;
	}
	return false;
}

/* What was planned for it and is under way now. */
static bool set_outcome(struct scn *s, const char *word, struct pcr_outcome *o)
{
	u32 setting;

	if (!scn_setting(word, &setting) || !s->st.setting[setting].in_flight)
		return false;
	o->setting = setting;
	o->action = PCR_ACT_SET;
	o->asked = s->set_amount[o->setting];
	snprintf(o->knob, sizeof(o->knob), "%s", strrchr(pcr_setting_knob(o->setting), '/') + 1);
	return true;
}

/* outcome reap /path|trim|set low|high|percent [freed=SIZE took=SPAN err=NAME part gone refused] */
static bool outcome(struct scn *s, const struct scn_line *l)
{
	struct pcr_outcome o = { .freed_bytes = PCR_ABSENT };
	const struct pcr_node *node = NULL;
	struct pcr_record rec;

	if (l->n >= 3 && !strcmp(l->word[1], "reap")) {
		o.action = PCR_ACT_REAP;
		node = scn_node(s, l->word[2]);
		if (!node)
			return false;
		if (!node->reap || !node->reap->in_flight)
			return scn_fail(s, "nothing is under way in %s", l->word[2]);
		o.target = node->id;
		o.asked = node->reap->step_bytes;
	} else if (l->n >= 2 && !strcmp(l->word[1], "trim") && s->st.trim.in_flight) {
		o.action = PCR_ACT_TRIM;
		o.asked = s->st.trim.started.amount;
	} else if (l->n < 3 || strcmp(l->word[1], "set") || !set_outcome(s, l->word[2], &o)) {
		return scn_fail(s, "no such action is under way");
	}
	o.dry_run = s->dry[o.action];
	if (!outcome_words(s, l, o.action == PCR_ACT_TRIM ? 2 : 3, &o))
		return false;
	if (pcr_state_outcome(&s->st, s->set, &o, s->now, &rec))
		scn_ended(s, &rec);
	return true;
}

bool scn_reload(struct scn *s, const char *settings)
{
	struct pcr_conf_report report = { 0 };
	struct pcr_settings *new = NULL;
	int r = pcr_conf_parse_text("settings", settings, strlen(settings), &new, &report);
	char *text = pcr_conf_report_text(&report);

	if (r)
		scn_fail(s, "%s", text && *text ? text : strerror(-r));
	free(text);
	pcr_conf_report_done(&report);
	if (r)
		return false;
	if (s->set) {
		pcr_state_rematch_start(&s->st);
		while (pcr_state_rematch_next(&s->st, new) == PCR_PART)
			;
	}
	pcr_settings_free(s->set);
	s->set = new;
	s->st.n_pressure = 1 + new->pressure.n_slices;
	/* As the crank does, which looks for the knobs anew. */
	pcr_state_settings_anew(&s->st);
	return true;
}

bool scn_event(struct scn *s, const struct scn_line *l)
{
	static const struct {
		const char *word;
		bool (*fn)(struct scn *s, const struct scn_line *l);
	} events[] = {
		{"made", made},		{"removed", removed}, {"sample", sample},
		{"percpu", percpu},	{"swap", machine},    {"v1", machine},
		{"knob", machine},	{"gap", machine},     {"dying", machine},
		{"outcome", outcome},	{"pressure", pressure}, {"batch", batch},
		{"thp", thp},
		{"exit", an_exit},
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(events); i++)
		if (!strcmp(l->word[0], events[i].word)) {
			events[i].fn(s, l);
			return true;
		}
	return false;
}
