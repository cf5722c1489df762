// SPDX-License-Identifier: GPL-2.0-or-later
#include "loop/batch_cgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "model/model.h"
#include "model/tree.h"
#include "pcr/knobs.h"

/* Lines of cgroups that are gone, before the file is written anew. */
#define SLACK 256

static bool wanted(const struct pcr_batch_cgroups *c, const struct pcr_node *node)
{
	const struct pcr_settings *set = *c->set;

	return node->policy >= 0 && node->parent && set->batch.enabled && c->st->batch.there &&
	       !set->daemon.dry_run && !pcr_node_rule(set, node)->batch_free;
}

static int value_of(const struct pcr_batch_cgroups *c, const struct pcr_node *node, u64 *ret)
{
	char path[PCR_PATH_MAX];

	pcr_node_path(node, path, sizeof(path));
	return pcr_cgroup_slurp_u64(c->root, path, PCR_MEMORY_BATCH_FREE, ret);
}

/* A cgroup that vanished meanwhile wants nothing any more. */
static int write_to(struct pcr_batch_cgroups *c, const struct pcr_node *node, const char *value)
{
	char path[PCR_PATH_MAX];
	int r;

	pcr_node_path(node, path, sizeof(path));
	r = pcr_cgroup_store(c->root, path, PCR_MEMORY_BATCH_FREE, value);
	if (r < 0 && !c->said)
		pcr_log_err("/%s/" PCR_MEMORY_BATCH_FREE " can't be written: %s", path, strerror(-r));
	c->said |= r < 0;
	return r;
}

static void tidy(struct pcr_batch_cgroups *c)
{
	PCR_AUTOFREE u64 *id = malloc(((size_t)c->off + 1) * sizeof(*id));
	u32 n = 0;

	if (!id)
		return;
	for (struct pcr_node *node = c->off ? c->st->tree.root : NULL; node; node = pcr_tree_next(node))
		if (node->batch_off && n < c->off)
			id[n++] = node->id;
	/* Some may have gone while no policy was known for them, and nobody told. */
	c->off = n;
	/* A longer file than need be does no harm. */
	(void)pcr_ids_rewrite(&c->ids, id, n);
}

static void off(struct pcr_batch_cgroups *c, struct pcr_node *node)
{
	u64 value;
	int r = value_of(c, node, &value);

	if (r) {
		c->without++;
		return;
	}
	/* It was 0 before: somebody else's, and what is wanted. */
	if (!value)
		return;
	r = pcr_ids_add(&c->ids, node->id);
	if (r == 0)
		r = write_to(c, node, "0");
	if (r)
		return;
	node->batch_off = true;
	c->off++;
	if (c->ids.lines > 2 * c->off + SLACK)
		tidy(c);
}

static void on(struct pcr_batch_cgroups *c, struct pcr_node *node)
{
	u64 value;

	/* Another program has switched it on, or the cgroup is gone. */
	if (value_of(c, node, &value) == 0 && value == 0 && write_to(c, node, "1") < 0)
		return;
	node->batch_off = false;
	c->off--;
}

void pcr_batch_cgroups_made(struct pcr_batch_cgroups *c, const struct pcr_node *node)
{
	if (c->open && !node->batch_off && wanted(c, node))
		off(c, pcr_tree_by_id(&c->st->tree, node->id));
}

void pcr_batch_cgroups_gone(struct pcr_batch_cgroups *c, const struct pcr_node *node)
{
	if (!node->batch_off)
		return;
	pcr_tree_by_id(&c->st->tree, node->id)->batch_off = false;
	c->off--;
}

static bool any_policy(const struct pcr_settings *set)
{
	for (u32 i = 0; i < set->n_policies; i++)
		if (!set->policies[i].rule.batch_free)
			return true;
	return false;
}

void pcr_batch_cgroups_rematch(struct pcr_batch_cgroups *c)
{
	struct pcr_node *node = c->st->tree.root;

	c->said = false;
	c->without = 0;
	if (!c->open || (!c->off && !any_policy(*c->set)))
		return;
	for (; node; node = pcr_tree_next(node)) {
		bool want = wanted(c, node);

		if (want && !node->batch_off)
			off(c, node);
		else if (!want && node->batch_off)
			on(c, node);
	}
	tidy(c);
}

/* The memory controller may have been switched on for them after they were made. */
void pcr_batch_cgroups_retry(struct pcr_batch_cgroups *c, u64 now)
{
	if (!c->without || now < c->retry_usec)
		return;
	c->retry_usec = now + PCR_MIN;
	pcr_batch_cgroups_rematch(c);
}

/* Left by a predecessor, and ours as long as it is what we would write. */
static void inherit(void *data, u64 id)
{
	struct pcr_batch_cgroups *c = data;
	struct pcr_node *node = pcr_tree_by_id(&c->st->tree, id);
	u64 value;

	if (!node || node->batch_off || value_of(c, node, &value) || value)
		return;
	node->batch_off = true;
	c->off++;
}

int pcr_batch_cgroups_open(struct pcr_batch_cgroups *c, const char *runtime_dir)
{
	int r = pcr_ids_open(&c->ids, runtime_dir, "batch-off", inherit, c);

	c->open = r == 0;
	if (c->ids.lines && !c->off)
		tidy(c);
	pcr_batch_cgroups_rematch(c);
	return r;
}

void pcr_batch_cgroups_close(struct pcr_batch_cgroups *c)
{
	for (struct pcr_node *node = c->off ? c->st->tree.root : NULL; node; node = pcr_tree_next(node))
		if (node->batch_off)
			on(c, node);
	if (c->open && c->ids.lines)
		tidy(c);
	if (c->open)
		pcr_ids_close(&c->ids);
	c->open = false;
}
