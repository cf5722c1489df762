/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * daemon/loop/memevents*.c on a machine of plain files: inotify tells of writes to
 * those as the kernel does of memory.events. The clock moves when a test moves it.
 */
#ifndef PCR_TEST_MEMEVENTS_H
#define PCR_TEST_MEMEVENTS_H

#include "unit/fakeroot.h"

#include "conf/conf.h"
#include "loop/memevents_internal.h"
#include "model/model.h"
#include "model/tree.h"

#define EVENTS "low %llu\nhigh %llu\nmax %llu\noom %llu\noom_kill 0\noom_group_kill 0\n"
#define T0 (1000 * PCR_SEC)

static struct {
	struct pcr_state st;
	struct pcr_settings *set;
	const struct pcr_settings *read;
	struct pcr_memevents *m;
	u64 now;
	u64 next_id;
	int fd;			/* as told by on_fd */
} bed;

static inline void settings(const char *text)
{
	struct pcr_conf_report report = { 0 };

	bed.set = NULL;
	ck_assert_int_eq(pcr_conf_parse_text("bed.conf", text, strlen(text), &bed.set, &report), 0);
	pcr_conf_report_done(&report);
	bed.read = bed.set;
}

static inline void bed_make(const char *text)
{
	memset(&bed, 0, sizeof(bed));
	bed.fd = -1;
	bed.now = T0;
	bed.next_id = 2;
	fake_open_v2();
	settings(text);
	ck_assert_int_eq(pcr_state_init(&bed.st, 1), 0);
}

static inline void on_fd(void *data, int fd)
{
	ck_assert_ptr_eq(data, &bed);
	bed.fd = fd;
}

static inline void bed_open(void)
{
	ck_assert_int_eq(pcr_memevents_open(&fake.root, &bed.st, &bed.read, &bed.m), 0);
	pcr_memevents_on_fd(bed.m, on_fd, &bed);
}

static inline void bed_close(void)
{
	ck_assert_ptr_null(pcr_memevents_close(bed.m));
	ck_assert_int_eq(bed.fd, -1);
	pcr_state_clear(&bed.st);
	pcr_settings_free(bed.set);
	fake_close();
}

static inline void reload(const char *text)
{
	struct pcr_settings *old = bed.set;

	settings(text);
	pcr_state_rematch_start(&bed.st);
	while (pcr_state_rematch_next(&bed.st, bed.set) == PCR_PART)
		;
	pcr_memevents_rematch(bed.m);
	pcr_settings_free(old);
}

static inline const char *file_of(const char *cgroup)
{
	static char path[300];

	snprintf(path, sizeof(path), CG_MOUNT "/%s/memory.events", cgroup);
	return path;
}

static inline void write_events(const char *cgroup, u64 low, u64 high, u64 max, u64 oom)
{
	char content[256];

	snprintf(content, sizeof(content), EVENTS, (unsigned long long)low,
		 (unsigned long long)high, (unsigned long long)max, (unsigned long long)oom);
	fake_file(file_of(cgroup), content);
}

/* One component more than what is there. */
static inline struct pcr_node *cg_bare(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t dir = slash ? (size_t)(slash - path) : 0;
	struct pcr_node *parent = pcr_tree_lookup(&bed.st.tree, path, dir);
	struct pcr_node *node = NULL;

	ck_assert_ptr_nonnull(parent);
	ck_assert_int_eq(pcr_state_made(&bed.st, bed.set, parent, bed.next_id++, name, strlen(name),
					bed.now, &node), 0);
	if (node->policy >= 0)
		pcr_memevents_made(bed.m, node);
	return node;
}

static inline struct pcr_node *cg(const char *path)
{
	write_events(path, 0, 0, 0, 0);
	return cg_bare(path);
}

static inline void uncg(struct pcr_node *node)
{
	if (node->policy >= 0)
		pcr_memevents_gone(bed.m, node);
	pcr_state_removed(&bed.st, node, bed.now);
}

/* As the loop does it, and past the rest. */
static inline void turn(void)
{
	if (bed.fd >= 0)
		pcr_memevents_ready(bed.m, bed.now);
	while (pcr_memevents_tick(bed.m, bed.now) == PCR_PART)
		;
	while (pcr_memevents_due(bed.m) != PCR_NEVER) {
		bed.now = pcr_max_u64(bed.now, pcr_memevents_due(bed.m));
		pcr_memevents_tick(bed.m, bed.now);
	}
}

static inline bool pressed(const struct pcr_node *node)
{
	return pcr_state_pressed(&bed.st, bed.set, node, bed.now);
}

static inline struct pcr_memevents_stats stats(void)
{
	struct pcr_memevents_stats s;

	pcr_memevents_stats(bed.m, &s);
	return s;
}

/* Watches as the kernel counts them. */
static inline u32 kernel_watches(void)
{
	char path[64], line[256];
	u32 n = 0;
	FILE *f;

	if (bed.m->fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", bed.m->fd);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		n += !strncmp(line, "inotify wd:", 11);
	fclose(f);
	return n;
}

#define CI "[Policy ci]\nMatch=/ci /ci/**\n"

#endif
