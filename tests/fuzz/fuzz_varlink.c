// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a peer of the control socket may send: any bytes, cut into messages at NULs as
 * the server does. Whatever is asked, in whatever words, the answer is one message of
 * bounded size, valid JSON, and nothing that only root may do is done for others.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "ctl/call.h"
#include "ctl/name.h"
#include "model/model.h"
#include "model/tree.h"

#define ANSWER_MAX (1024 * 1024)

static struct {
	struct pcr_settings *settings;
	struct pcr_state state;
	struct pcr_health health;
	struct pcr_lifecycle_stats lifecycle;
	struct pcr_view_ops ops;
	struct pcr_view view;
	u64 changes;
} m;

static int reload(void *data, char **ret_errors)
{
	m.changes++;
	*ret_errors = strdup("x.conf:1:1: bad\n");
	return *ret_errors ? -EINVAL : -ENOMEM;
}

static int reap(void *data, u64 id, u64 bytes)
{
	MUST(pcr_tree_by_id(&m.state.tree, id) && bytes > 0);
	m.changes++;
	return 0;
}

static int trim(void *data, u64 bytes)
{
	MUST(bytes > 0);
	m.changes++;
	return -EALREADY;
}

static void log_level(void *data, u32 level)
{
	MUST(level >= 3 && level <= 7);
	m.changes++;
}

static size_t doctor(void *data, struct pcr_finding findings[static PCR_FINDINGS_MAX])
{
	findings[0] = (struct pcr_finding){ PCR_FINDING_PROBLEM, "a\xff", "b\x1b\n" };
	return 1;
}

static void add_tree(void)
{
	static const char conf[] = "[Policy p]\nMatch=/a/**\nReapAbove=2\n";
	static const char *const names[] = { "a", "b\xff", "c\\x2d", "\\xe9", "d\n" };
	struct pcr_conf_report report = {};
	struct pcr_node *node;
	struct pcr_reap_sample sample = { .dying = 3, .pinned_bytes = 1 << 20,
					  .shmem_bytes = PCR_ABSENT, .refaults = PCR_ABSENT,
					  .stall_usec = PCR_ABSENT };

	MUST(pcr_conf_parse_text("x.conf", conf, strlen(conf), &m.settings, &report) == 0);
	MUST(pcr_state_init(&m.state, 1) == 0);
	node = m.state.tree.root;
	for (u64 i = 0; i < PCR_ARRAY_SIZE(names); i++) {
		struct pcr_node *parent = i < 2 ? node : m.state.tree.root;

		MUST(pcr_state_made(&m.state, m.settings, parent, 2 + i, names[i],
				    strlen(names[i]), PCR_SEC, &node) == 0);
	}
	(void)pcr_state_reap_sample(&m.state, m.settings, pcr_tree_by_id(&m.state.tree, 2), &sample,
				    PCR_SEC);
}

static void set_up(void)
{
	add_tree();
	m.health = (struct pcr_health){ .version = "0", .cgroup_mount = "/sys/fs/cgroup",
					.lifecycle = &m.lifecycle, .backend = "stock" };
	m.ops = (struct pcr_view_ops){ .reload = reload, .reap = reap, .trim = trim,
				       .log_level = log_level, .doctor = doctor };
	m.view = (struct pcr_view){ .settings = m.settings, .state = &m.state,
				    .health = &m.health, .ops = &m.ops };
}

static void check_answer(const struct pcr_call *call)
{
	json_t *message = pcr_call_message(call), *back;
	char *text;

	MUST(message);
	text = json_dumps(message, JSON_COMPACT);
	MUST(text && strlen(text) < ANSWER_MAX);
	back = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	MUST(json_equal(message, back));
	MUST(!call->error || !(call->continues || call->watch));
	json_decref(back);
	json_decref(message);
	free(text);
}

static void ask(const char *text, size_t n, bool root)
{
	struct pcr_call call = { .view = &m.view, .clock = { 100 * PCR_SEC, PCR_NEVER / 4 },
				 .may_change = root, .group = "g" };
	u64 before = m.changes;

	MUST(pcr_call_answer(&call, text, n) == 0);
	MUST(root || m.changes == before);
	if (call.oneway)
		MUST(!pcr_call_message(&call));
	else
		check_answer(&call);
	pcr_call_clear(&call);
}

/* A name of any bytes is JSON once written, and these bytes once read. */
static void check_name(const char *bytes, size_t n)
{
	char text[PCR_NAME_SIZE(256)], back[sizeof(text)];
	size_t len;
	json_t *json;

	if (n > 256)
		n = 256;
	len = pcr_name_write(bytes, n, text);
	MUST(len < sizeof(text));
	json = json_stringn(text, len);
	MUST(json);
	json_decref(json);
	MUST(pcr_name_read(text, len, back) == n && memcmp(back, bytes, n) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;

	if (!m.settings)
		set_up();
	check_name(text, size);
	if (size > PCR_MESSAGE_MAX)
		return 0;
	while (size) {
		const char *nul = memchr(text, '\0', size);
		size_t n = nul ? (size_t)(nul - text) : size;

		ask(text, n, false);
		ask(text, n, true);
		size -= n + (nul != NULL);
		text += n + (nul != NULL);
	}
	return 0;
}
