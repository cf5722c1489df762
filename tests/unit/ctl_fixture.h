/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small machine for tests of the control socket: a tree, two policies, one
 * cgroup with removed ones below it, and a daemon that notes what it was asked.
 */
#ifndef PCR_CTL_FIXTURE_H
#define PCR_CTL_FIXTURE_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "ctl/call.h"
#include "model/model.h"
#include "model/tree.h"
#include "pcr/view.h"

#define FIX_NOW (1000 * PCR_SEC)
/* 2024-05-01T12:00:00Z */
#define FIX_REAL (1714564800ULL * PCR_SEC)
#define FIX_PINNED (61 * 1024 * 1024ULL)

struct fix {
	struct pcr_settings *settings;
	struct pcr_state *state;
	struct pcr_health health;
	struct pcr_lifecycle_stats lifecycle;
	struct pcr_view_ops ops;
	struct pcr_view view;
	/* what the daemon was asked, and what it answers */
	int r;
	const char *errors;
	u64 asked_id, asked_bytes;
	u32 asked_level;
	u32 asked;
	bool refresh_removes;
};

static const char fix_conf[] =
	"[Daemon]\nSocketGroup=adm\n"
	"[Percpu]\nReapAbove=100\n"
	"[Policy ci]\nMatch=/machine.slice/**\nReapAbove=20\nDryRun=yes\n"
	"[Policy db]\nMatch=/system.slice/postgresql*.service\nReap=no\n";

static int fix_reload(void *data, char **ret_errors)
{
	struct fix *f = data;

	f->asked++;
	if (f->errors)
		*ret_errors = strdup(f->errors);
	return f->r;
}

static int fix_reap(void *data, u64 id, u64 bytes)
{
	struct fix *f = data;

	f->asked++;
	f->asked_id = id;
	f->asked_bytes = bytes;
	return f->r;
}

static int fix_trim(void *data, u64 bytes)
{
	struct fix *f = data;

	f->asked++;
	f->asked_bytes = bytes;
	return f->r;
}

static void fix_log_level(void *data, u32 level)
{
	struct fix *f = data;

	f->asked++;
	f->asked_level = level;
}

static size_t fix_doctor(void *data, struct pcr_finding findings[static PCR_FINDINGS_MAX])
{
	findings[0] = (struct pcr_finding){ PCR_FINDING_OK, "cgroup v2", "at /sys/fs/cgroup" };
	findings[1] = (struct pcr_finding){ PCR_FINDING_ABSENT, "percpu trim", "no knob" };
	findings[2] = (struct pcr_finding){ PCR_FINDING_PROBLEM, "reap", "read-only (EROFS)" };
	return 3;
}

static int fix_refresh(void *data, u64 id)
{
	struct fix *f = data;
	struct pcr_node *node = pcr_tree_by_id(&f->state->tree, id);

	if (!f->refresh_removes || !node)
		return 0;
	pcr_tree_remove(&f->state->tree, node);
	return PCR_GONE;
}

static struct pcr_node *fix_add(struct fix *f, struct pcr_node *parent, u64 id, const char *name)
{
	struct pcr_node *node;

	ck_assert_int_eq(pcr_state_made(f->state, f->settings, parent, id, name, strlen(name),
					FIX_NOW, &node), 0);
	return node;
}

static void fix_tree(struct fix *f)
{
	struct pcr_node *root = f->state->tree.root;
	struct pcr_node *machine = fix_add(f, root, 2, "machine.slice");
	struct pcr_node *ci = fix_add(f, machine, 3, "ci");
	struct pcr_node *system = fix_add(f, root, 4, "system.slice");
	struct pcr_reap_sample sample = {
		.dying = 37, .pinned_bytes = FIX_PINNED, .shmem_bytes = PCR_ABSENT,
		.refaults = 12, .stall_usec = PCR_ABSENT,
	};
	struct pcr_node *dead = fix_add(f, ci, 99, "dead");

	fix_add(f, system, 5, "postgresql@15-main.service");
	/* one whose name is no UTF-8, one that looks like an escape, one that rings */
	fix_add(f, system, 6, "caf\xe9");
	fix_add(f, system, 7, "foo\\x2dbar\\xe9.slice");
	fix_add(f, system, 8, "bell\a\x1b[31m");
	pcr_state_removed(f->state, dead, FIX_NOW - 60 * PCR_SEC);
	ck_assert_int_eq(pcr_state_reap_sample(f->state, f->settings, ci, &sample,
					       FIX_NOW - 10 * PCR_SEC), 0);
}

static void fix_record(struct fix *f, u64 seq, u64 target, const char *path)
{
	struct pcr_record *r = &f->state->history[(seq - 1) % PCR_HISTORY];

	*r = (struct pcr_record){
		.seq = seq, .action = PCR_ACT_REAP, .why = PCR_WHY_ABOVE,
		.stop = PCR_STOP_NO_SWAP, .steps = 3, .target = target,
		.start_usec = FIX_NOW - 40 * PCR_SEC, .end_usec = FIX_NOW - 39 * PCR_SEC,
		.took_usec = 900 * PCR_MSEC, .asked = 48 << 20, .freed_bytes = 48 << 20,
		.before = 1204, .after = 224, .value = 1204, .threshold = 20,
		.refault_pages = PCR_ABSENT,
	};
	snprintf(r->policy, sizeof(r->policy), "ci");
	snprintf(r->path, sizeof(r->path), "%s", path);
	f->state->next_seq = seq + 1;
	f->state->n_history = (u32)pcr_min_u64(seq, PCR_HISTORY);
}

static struct fix *fix_new(void)
{
	struct fix *f = calloc(1, sizeof(*f));
	struct pcr_conf_report report = { 0 };

	f->state = calloc(1, sizeof(*f->state));
	ck_assert_int_eq(pcr_conf_parse_text("/etc/pcpu-reclaimd/pcpu-reclaimd.conf", fix_conf,
					     strlen(fix_conf), &f->settings, &report), 0);
	pcr_conf_report_done(&report);
	ck_assert_int_eq(pcr_state_init(f->state, 1), 0);
	f->state->reap_knob = true;
	fix_tree(f);
	f->health = (struct pcr_health){
		.version = "0.1.0", .host = "web-17", .kernel = "6.12.117",
		.start_usec = 1 * PCR_SEC, .settings_usec = 2 * PCR_SEC, .cgroup_v2 = true,
		.memory_v2 = true, .cgroup_mount = "/sys/fs/cgroup",
		.source = PCR_SOURCE_TRACEFS, .lifecycle = &f->lifecycle, .psi = true,
		.triggers = 1, .reap_knob = true, .backend = "stock", .log_level = 6,
		.trim_why = "kernel has no /sys/kernel/mm/percpu/reclaim",
	};
	f->ops = (struct pcr_view_ops){
		.reload = fix_reload, .reap = fix_reap, .trim = fix_trim,
		.log_level = fix_log_level, .doctor = fix_doctor, .refresh = fix_refresh,
	};
	f->view = (struct pcr_view){
		.settings = f->settings, .state = f->state, .health = &f->health,
		.ops = &f->ops, .data = f,
	};
	return f;
}

static void fix_free(struct fix *f)
{
	pcr_state_clear(f->state);
	pcr_settings_free(f->settings);
	free(f->state);
	free(f);
}

#endif
