// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of cgroups in requests. */
#include "ctl/target.h"

#include <string.h>

#include "ctl/name.h"
#include "model/tree.h"

/* Longer names than this, written out, name no cgroup that can exist. */
#define WRITTEN_MAX PCR_NAME_SIZE(PCR_PATH_MAX)

static struct pcr_node *lookup(const struct pcr_tree *tree, const char *path, size_t n)
{
	while (n && path[n - 1] == '/')
		n--;
	while (n && *path == '/') {
		path++;
		n--;
	}
	return pcr_tree_lookup(tree, path, n);
}

/* The part below the mount point, or the name as it is. */
static const char *below_mount(const struct pcr_view *view, const char *name)
{
	const char *mount = view->health->cgroup_mount;
	size_t n = strlen(mount);

	if (n && strncmp(name, mount, n) == 0 && (name[n] == '/' || name[n] == '\0'))
		return name + n;
	return name;
}

struct pcr_node *pcr_target_cgroup(const struct pcr_view *view, const char *name)
{
	char bytes[PCR_PATH_MAX + 1];
	struct pcr_node *node = NULL;
	size_t n;

	name = below_mount(view, name);
	n = strlen(name);
	if (n > WRITTEN_MAX || !view->state->tree.root)
		return NULL;
	if (n <= PCR_PATH_MAX)	/* reading never makes it longer */
		node = lookup(&view->state->tree, bytes, pcr_name_read(name, n, bytes));
	/* Typed as it stands on disk, where \x5c and its like may be meant literally. */
	return node ? node : lookup(&view->state->tree, name, n);
}
