// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source tracefs against a tracefs of plain files, with a FIFO for trace_pipe: what
 * is written at open, and what lines do. Lines are as Linux 6.1 and 6.12 print them.
 */
#include "unit/test_lifecycle.h"

#include <stdarg.h>

#define TRACING "sys/kernel/tracing"
#define INSTANCE TRACING "/instances/pcpu-reclaimd"

static int pipe_fd;

static void make(const char *path, const char *text)
{
	char full[256], *p;
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", bed.prefix, path);
	for (p = full + strlen(bed.prefix) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(full, 0755);
		*p = '/';
	}
	if (!text)
		return;
	f = fopen(full, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static const char *content(const char *path)
{
	static char text[64];
	size_t n;

	ck_assert_int_eq(pcr_slurp(&bed.root, path, text, sizeof(text), &n), 0);
	return text;
}

static void bed_tracefs(void)
{
	char fifo[256];

	bed_make();
	make(TRACING "/events/cgroup/cgroup_mkdir/enable", "0\n");
	make(INSTANCE "/events/cgroup/cgroup_mkdir/enable", "");
	make(INSTANCE "/events/cgroup/cgroup_rmdir/enable", "");
	make(INSTANCE "/events/cgroup/cgroup_release/enable", "");
	make(INSTANCE "/events/cgroup/cgroup_release/filter", "");
	make(INSTANCE "/events/cgroup/cgroup_rename/enable", "");
	make(INSTANCE "/options/context-info", "");
	make(INSTANCE "/buffer_size_kb", "");
	make(INSTANCE "/trace", "left by a predecessor\n");
	make(INSTANCE "/trace_clock", "");
	make(INSTANCE "/tracing_on", "");
	snprintf(fifo, sizeof(fifo), "%s/" INSTANCE "/trace_pipe", bed.prefix);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	bed_open(PCR_SOURCE_TRACEFS);
	pipe_fd = open(fifo, O_WRONLY);
	ck_assert_int_ge(pipe_fd, 0);
}

static void bed_tracefs_drop(void)
{
	close(pipe_fd);
	bed_drop();
}

__attribute__((format(printf, 1, 2)))
static void say(const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ck_assert_int_eq(write(pipe_fd, text, (size_t)n), n);
}

/* The tree, told without a disk behind it: no source looks at one unless it must. */
#define HAS(path, wanted) do { \
	struct pcr_node *node_ = node_of(path); \
	ck_assert_msg(node_ != NULL, "%s is missing", path); \
	ck_assert_uint_eq(node_->id, wanted); \
} while (0)
#define LACKS(path) ck_assert_ptr_null(node_of(path))

START_TEST(set_up)
{
	bed_tracefs();
	ck_assert_str_eq(content(INSTANCE "/events/cgroup/cgroup_mkdir/enable"), "1");
	ck_assert_str_eq(content(INSTANCE "/events/cgroup/cgroup_rmdir/enable"), "1");
	ck_assert_str_eq(content(INSTANCE "/events/cgroup/cgroup_release/enable"), "1");
	ck_assert_str_eq(content(INSTANCE "/events/cgroup/cgroup_release/filter"), "root == 0");
	ck_assert_str_eq(content(INSTANCE "/events/cgroup/cgroup_rename/enable"), "");
	ck_assert_str_eq(content(INSTANCE "/options/context-info"), "0");
	ck_assert_str_eq(content(INSTANCE "/trace_clock"), "global");
	ck_assert_str_eq(content(INSTANCE "/tracing_on"), "1");
	ck_assert_str_eq(content(INSTANCE "/trace"), "");
	ck_assert_int_ge(atoi(content(INSTANCE "/buffer_size_kb")), 64);
	ck_assert_int_le(atoi(content(INSTANCE "/buffer_size_kb")), 256);
	bed_tracefs_drop();
}
END_TEST

START_TEST(lines)
{
	bed_tracefs();
	say("cgroup_mkdir: root=0 id=101 level=1 path=/a\n"
	    "cgroup_mkdir: root=0 id=102 level=2 path=/a/b c\n"
	    "cgroup_mkdir: root=4 id=103 level=1 path=/of another hierarchy\n"
	    "cgroup_attach_task: dst_root=0 dst_id=101 dst_level=1 dst_path=/a pid=1 comm=x\n");
	turn();
	HAS("a", 101);
	HAS("a/b c", 102);
	ck_assert_uint_eq(bed.st.tree.n, 3);
	say("cgroup_rmdir: root=0 id=102 level=2 path=/a/b c\n"
	    "cgroup_mkdir: root=0 id=104 level=2 path=/a/b c\n"
	    "cgroup_release: root=0 id=102 level=2 path=/a/b c\n");
	turn();
	HAS("a/b c", 104);
	ck_assert_uint_eq(bed.st.totals.removed, 1);
	ck_assert_uint_eq(bed.st.totals.released, 1);
	ck_assert_uint_eq(bed.lc->stats.events, 5);
	ck_assert_uint_eq(bed.lc->stats.stale + bed.lc->stats.malformed, 0);
	bed_tracefs_drop();
}
END_TEST

/* From before the first walk, or from before the last: known, or of an earlier bearer. */
START_TEST(stale)
{
	bed_tracefs();
	say("cgroup_mkdir: root=0 id=205 level=1 path=/a\n"
	    "cgroup_mkdir: root=0 id=205 level=1 path=/a\n"
	    "cgroup_mkdir: root=0 id=201 level=1 path=/a\n"
	    "cgroup_rmdir: root=0 id=201 level=1 path=/a\n");
	turn();
	HAS("a", 205);
	ck_assert_uint_eq(bed.lc->stats.stale, 3);
	ck_assert_uint_eq(bed.st.totals.removed, 1);
	/* A removal that overtook its creation: per-CPU buffers are merged in passing. */
	say("cgroup_rmdir: root=0 id=300 level=1 path=/b\n"
	    "cgroup_mkdir: root=0 id=300 level=1 path=/b\n");
	turn();
	LACKS("b");
	ck_assert_uint_eq(bed.st.tree.n, 2);
	/* Its removal was lost: the newer one takes the place. */
	say("cgroup_mkdir: root=0 id=310 level=1 path=/a\n");
	turn();
	HAS("a", 310);
	ck_assert_uint_eq(bed.st.tree.n, 2);
	bed_tracefs_drop();
}
END_TEST

START_TEST(lost)
{
	bed_tracefs();
	mk("real");
	mk("real/too");
	say("cgroup_mkdir: root=0 id=9000000001 level=1 path=/ghost\nCPU:1 [LOST 312 EVENTS]\n");
	ck_assert_int_eq(pcr_lifecycle_ready(bed.lc), 0);
	HAS("ghost", 9000000001);
	ck_assert_uint_eq(bed.lc->stats.overflows, 1);
	ck_assert_uint_ne(pcr_lifecycle_due(bed.lc), PCR_NEVER);
	settle();
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.resyncs, 1);
	say("CPU:0 [LOST EVENTS]\n");
	settle();
	ck_assert_uint_eq(bed.lc->stats.resyncs, 2);
	bed_tracefs_drop();
}
END_TEST

/* A creation whose parent nobody told of, or whose path the kernel cut. */
START_TEST(asks_for_a_walk)
{
	char path[PCR_PATH_MAX];

	bed_tracefs();
	mk("p");
	mk("p/q");
	say("cgroup_mkdir: root=0 id=%llu level=2 path=/p/q\n", (unsigned long long)id_of("p/q"));
	settle();
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.resyncs, 1);
	memset(path, 'x', sizeof(path));
	say("cgroup_mkdir: root=0 id=9000000002 level=1 path=/%.1022s\n", path);
	settle();
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.resyncs, 2);
	ck_assert_uint_eq(bed.lc->stats.overflows, 0);
	bed_tracefs_drop();
}
END_TEST

/* Reads may end anywhere; comm may hold anything, a newline among it. */
START_TEST(pieces)
{
	const char *text =
		"           mkdir-391     [001] d..1.    39.315590: cgroup_mkdir: root=0 id=401 level=1 path=/q\n"
		"      a\ncgroup_mk-39 [001] d..1. 39.3: cgroup_mkdir: root=0 id=402 level=1 path=/r\n"
		"cgroup_mkdir: root=0 id=403 level=1 path=/cgroup_rmdir: root=0 id=401\n";

	bed_tracefs();
	for (; *text; text++) {
		say("%c", *text);
		/* its slice of time may be over, on a busy machine */
		while (pcr_lifecycle_ready(bed.lc) == PCR_PART)
			;
	}
	HAS("q", 401);
	HAS("r", 402);
	HAS("cgroup_rmdir: root=0 id=401", 403);
	ck_assert_uint_eq(bed.st.tree.n, 4);
	bed_tracefs_drop();
}
END_TEST

/* Report 10, kubernetes 94583: what can't be parsed is counted, and nothing grows. */
START_TEST(garbage)
{
	char noise[4000];

	bed_tracefs();
	memset(noise, 'c', sizeof(noise));
	for (int i = 0; i < 20; i++) {
		say("%.4000s", noise);
		turn();
	}
	say("\ncgroup_mkdir: root=0 id=501 level=1 path=/a\n"
	    "cgroup_mkdir: root=0 id=0 level=1 path=/zero\n"
	    "cgroup_mkdir: root=0 id=99999999999999999999999 level=1 path=/big\n"
	    "cgroup_mkdir: root=0 id=502 level=1 path=relative\n"
	    "cgroup_mkdir: root=\n\n\n");
	turn();
	HAS("a", 501);
	ck_assert_uint_eq(bed.st.tree.n, 2);
	ck_assert_uint_ge(bed.lc->stats.malformed, 5);
	bed_tracefs_drop();
}
END_TEST

/* Cgroup v1: a rename is told with the new path; what is below comes along. */
START_TEST(rename_v1)
{
	bed_tracefs();
	mk("o");
	mk("o/k");
	say("cgroup_mkdir: root=0 id=%llu level=1 path=/o\n", (unsigned long long)id_of("o"));
	say("cgroup_mkdir: root=0 id=%llu level=2 path=/o/k\n", (unsigned long long)id_of("o/k"));
	turn();
	same_as_disk();
	mv("o", "n");
	say("cgroup_rename: root=0 id=%llu level=1 path=/n\n", (unsigned long long)id_of("n"));
	turn();
	same_as_disk();
	ck_assert_uint_eq(bed.lc->stats.resyncs, 0);
	bed_tracefs_drop();
}
END_TEST

/* Without the files, or without the right to write them: not this source, and why. */
START_TEST(absent)
{
	char why[256] = "", gone[256];

	bed_tracefs();
	ck_assert_int_eq(pcr_lifecycle_probe(&bed.root, PCR_SOURCE_TRACEFS, why, sizeof(why)), 0);
	close(pipe_fd);
	bed.lc = pcr_lifecycle_close(bed.lc);
	snprintf(gone, sizeof(gone), "%s/" INSTANCE "/events/cgroup/cgroup_rmdir/enable", bed.prefix);
	ck_assert_int_eq(unlink(gone), 0);
	ck_assert_int_eq(pcr_lifecycle_open(&bed.root, &bed.st, &bed.settings, &bed.lc), 0);
	ck_assert_int_ne(pcr_lifecycle_source(bed.lc), PCR_SOURCE_TRACEFS);
	ck_assert_ptr_nonnull(strstr(pcr_lifecycle_why(bed.lc), "tracefs: "));
	bed_drop();
}
END_TEST

static void audit_soon(void)
{
	bed.set.daemon.audit_usec = PCR_SEC;
	bed.skew += 2 * PCR_SEC;
	turn();
	settle();
}

/* Another program's hand on our instance: set right once, and what was missed is found. */
START_TEST(switched_off)
{
	static const struct {
		const char *path, *text, *after;
	} off[] = {
		{ INSTANCE "/tracing_on", "0\n", "1" },
		{ INSTANCE "/events/cgroup/cgroup_mkdir/enable", "0\n", "1" },
		{ INSTANCE "/events/cgroup/cgroup_release/filter", "id > 7\n", "root == 0" },
	};
	char why[256], name[16];

	for (size_t i = 0; i < PCR_ARRAY_SIZE(off); i++) {
		bed_tracefs();
		ck_assert(pcr_lifecycle_healthy(bed.lc, why, sizeof(why)));
		make(off[i].path, off[i].text);
		ck_assert(!pcr_lifecycle_healthy(bed.lc, why, sizeof(why)));
		ck_assert_ptr_nonnull(strstr(why, off[i].path));
		snprintf(name, sizeof(name), "missed%zu", i);
		mk(name);
		audit_soon();
		same_as_disk();
		ck_assert_int_eq(strncmp(content(off[i].path), off[i].after,
					 strlen(off[i].after)), 0);
		ck_assert(pcr_lifecycle_healthy(bed.lc, why, sizeof(why)));
		ck_assert_int_eq(pcr_lifecycle_source(bed.lc), PCR_SOURCE_TRACEFS);
		ck_assert_uint_eq(bed.lc->stats.overflows, 1);
		/* An audit that finds it well: the next time is a first time again. */
		audit_soon();
		make(off[i].path, off[i].text);
		pcr_lifecycle_reload(bed.lc);
		ck_assert_int_eq(pcr_lifecycle_source(bed.lc), PCR_SOURCE_TRACEFS);
		ck_assert_uint_eq(bed.lc->stats.overflows, 2);
		settle();
		/* Off again before an audit: somebody means it. */
		make(off[i].path, off[i].text);
		mk("missed");
		audit_soon();
		ck_assert_int_ne(pcr_lifecycle_source(bed.lc), PCR_SOURCE_TRACEFS);
		ck_assert_ptr_nonnull(strstr(pcr_lifecycle_why(bed.lc), off[i].path));
		same_as_disk();
		bed_tracefs_drop();
	}
}
END_TEST

START_TEST(stays_off)
{
	char path[256];

	bed_tracefs();
	snprintf(path, sizeof(path), "%s/" INSTANCE "/tracing_on", bed.prefix);
	ck_assert_int_eq(unlink(path), 0);
	mk("missed");
	audit_soon();
	ck_assert_int_ne(pcr_lifecycle_source(bed.lc), PCR_SOURCE_TRACEFS);
	ck_assert_ptr_nonnull(strstr(pcr_lifecycle_why(bed.lc), "switched off by another program"));
	same_as_disk();
	bed_tracefs_drop();
}
END_TEST

PCR_UNIT("lifecycle, tracefs", set_up, lines, stale, lost, asks_for_a_walk, pieces, garbage,
	 rename_v1, absent, switched_off, stays_off)
