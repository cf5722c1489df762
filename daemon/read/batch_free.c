// SPDX-License-Identifier: GPL-2.0-or-later
/* One number a file, a directory a node; see the header. */
#include "read/batch_free.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "sys/root.h"

static bool node_number(const char *name, u64 *ret)
{
	return !strncmp(name, "node", 4) && !pcr_parse_u64(name + 4, strlen(name + 4), ret) &&
	       *ret < PCR_NODES_MAX;
}

int pcr_read_batch_nodes(const struct pcr_root *root, u64 *ret_nodes)
{
	u64 nodes = 0, number;
	struct dirent *e;
	int fd, r = pcr_root_openat(root, PCR_BATCH_DIR, O_RDONLY | O_DIRECTORY, &fd);
	DIR *dir;

	if (r)
		return r;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		close(fd);
		return r;
	}
	while ((e = readdir(dir)))
		if (node_number(e->d_name, &number))
			nodes |= 1ULL << number;
	closedir(dir);
	*ret_nodes = nodes;
	return 0;
}

/* A file of that node: in a directory that ends in the node's number. */
static const char *path_of(char path[static 128], const char *dir, u32 node, const char *file)
{
	snprintf(path, 128, "%s%u/%s", dir, node, file);
	return path;
}

static u64 number(const struct pcr_root *root, const char *dir, u32 node, const char *file)
{
	char path[128];
	u64 value;

	return pcr_slurp_u64(root, path_of(path, dir, node, file), &value) ? PCR_ABSENT : value;
}

static int read_mask(const struct pcr_root *root, const char *dir, u32 node, const char *file,
		     struct pcr_cpus *ret_cpus)
{
	char path[128], buf[4096];
	size_t n;
	int r = pcr_slurp(root, path_of(path, dir, node, file), buf, sizeof(buf), &n);

	return r ? r : pcr_cpumask_parse(buf, n, ret_cpus);
}

int pcr_read_node_cpus(const struct pcr_root *root, u32 node, struct pcr_cpus *ret_cpus)
{
	return read_mask(root, "/sys/devices/system/node/node", node, "cpumap", ret_cpus);
}

/* Those of the node that its workers may use; of a node without any, those they do use. */
static u64 worker_cpus(const struct pcr_root *root, u32 node)
{
	struct pcr_cpus queue, own, both;
	int r = read_mask(root, PCR_BATCH_QUEUE, node, "cpumask", &queue);

	if (pcr_read_node_cpus(root, node, &own))
		return r ? PCR_ABSENT : pcr_cpus_count(&queue);
	if (r)
		return pcr_cpus_count(&own);
	both = pcr_cpus_both(&queue, &own);
	return pcr_cpus_count(both.any ? &both : &queue);
}

void pcr_read_batch_node(const struct pcr_root *root, u32 node, struct pcr_batch_sample *ret_sample)
{
	static const struct {
		const char *file;
		size_t offset;
	} files[] = {
#define FILE_OF(name) { #name, offsetof(struct pcr_batch_sample, name) }
		FILE_OF(exits), FILE_OF(exit_pages), FILE_OF(exit_usec), FILE_OF(worker_usec),
		FILE_OF(offloaded_pages), FILE_OF(inline_pages), FILE_OF(helped_pages),
		FILE_OF(local_pages), FILE_OF(pending_pages), FILE_OF(workers_running),
#undef FILE_OF
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(files); i++)
		*(u64 *)((char *)ret_sample + files[i].offset) =
			number(root, PCR_BATCH_DIR "node", node, files[i].file);
	ret_sample->max_active = number(root, PCR_BATCH_QUEUE, node, "max_active");
	ret_sample->cpus = worker_cpus(root, node);
}

bool pcr_read_batch_again(const struct pcr_root *root, u32 node, struct pcr_batch_sample *sample)
{
	u64 pages = number(root, PCR_BATCH_DIR "node", node, "exit_pages");

	if (!pcr_has(pages) || pages != sample->exit_pages) {
		pcr_read_batch_node(root, node, sample);
		return true;
	}
	/* Whose value that is matters at any time. */
	sample->max_active = number(root, PCR_BATCH_QUEUE, node, "max_active");
	return false;
}
