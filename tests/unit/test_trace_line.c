// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/read/trace_line.c: lines as Linux 6.1 and 6.12 gave them, and spoilt ones. */
#include "unit/unit.h"

#include <errno.h>
#include <string.h>

#include "read/trace_line.h"

struct good {
	const char *line;
	enum pcr_trace_kind kind;
	u32 hierarchy;
	u64 id;
	const char *path;
};

START_TEST(events)
{
	static const struct good cases[] = {
		{ "cgroup_mkdir: root=0 id=636775 level=1 path=/z", PCR_TRACE_MKDIR, 0, 636775, "z" },
		{ "cgroup_rmdir: root=0 id=636758 level=2 path=/q/r", PCR_TRACE_RMDIR, 0, 636758, "q/r" },
		{ "cgroup_release: root=1 id=11613 level=2 path=/s80/n0", PCR_TRACE_RELEASE, 1, 11613,
		  "s80/n0" },
		{ "cgroup_rename: root=1 id=20008 level=1 path=/p", PCR_TRACE_RENAME, 1, 20008, "p" },
		{ "cgroup_mkdir: root=2 id=1 level=0 path=/", PCR_TRACE_MKDIR, 2, 1, "" },
		{ "           mkdir-392     [000] d..1.    39.332509: cgroup_mkdir: root=0 id=636758 level=2 "
		  "path=/q/r", PCR_TRACE_MKDIR, 0, 636758, "q/r" },
		{ "     kworker/0:2-40      [000] d....    33.211241: cgroup_release: root=0 id=657987 "
		  "level=2 path=/q/r", PCR_TRACE_RELEASE, 0, 657987, "q/r" },
		/* Names hold anything but '/' and NUL. */
		{ "cgroup_mkdir: root=0 id=7 level=1 path=/a b=c path=/x", PCR_TRACE_MKDIR, 0, 7,
		  "a b=c path=/x" },
		{ "cgroup_mkdir: root=0 id=7 level=1 path=/cgroup_rmdir: root=0 id=8 level=1 path=/y",
		  PCR_TRACE_MKDIR, 0, 7, "cgroup_rmdir: root=0 id=8 level=1 path=/y" },
		{ "cgroup_mkdir: root=0 id=7 level=1 path=/dev-\\x2d\xc3\xa4\x01", PCR_TRACE_MKDIR, 0, 7,
		  "dev-\\x2d\xc3\xa4\x01" },
		/* comm is what its owner likes, up to 15 bytes */
		{ "cgroup_mkdir: r-392     [000] d..1.    39.3: cgroup_rmdir: root=0 id=9 level=1 path=/k",
		  PCR_TRACE_RMDIR, 0, 9, "k" },
		{ "cgroup_mkdir: root=4294967295 id=18446744073709551615 level=253 path=/max",
		  PCR_TRACE_MKDIR, UINT32_MAX, UINT64_MAX, "max" },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_trace_event e;

		ck_assert_int_eq(pcr_trace_line(cases[i].line, strlen(cases[i].line), &e), 0);
		ck_assert_int_eq(e.kind, cases[i].kind);
		ck_assert_uint_eq(e.hierarchy, cases[i].hierarchy);
		ck_assert_uint_eq(e.id, cases[i].id);
		ck_assert_uint_eq(e.n, strlen(cases[i].path));
		ck_assert_mem_eq(e.path, cases[i].path, e.n);
	}
}
END_TEST

START_TEST(losses)
{
	static const struct {
		const char *line;
		int ret;
		u64 lost;
	} cases[] = {
		{ "CPU:1 [LOST 312 EVENTS]", 0, 312 },
		{ "CPU:0 [LOST EVENTS]", 0, PCR_ABSENT },
		{ "CPU:127 [LOST 18446744073709551614 EVENTS]", 0, UINT64_MAX - 1 },
		{ "CPU:1 [LOST ", PCR_NONE, 0 },
		{ "CPU:1 [LOST 3 EVENT", PCR_NONE, 0 },
		{ "CPU:x [LOST 3 EVENTS]", PCR_NONE, 0 },
		{ "CPU:", PCR_NONE, 0 },
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_trace_event e = { .lost = 0 };

		ck_assert_int_eq(pcr_trace_line(cases[i].line, strlen(cases[i].line), &e), cases[i].ret);
		if (cases[i].ret == 0) {
			ck_assert_int_eq(e.kind, PCR_TRACE_LOST);
			ck_assert_uint_eq(e.lost, cases[i].lost);
		}
	}
}
END_TEST

START_TEST(nothing_of_ours)
{
	static const char *const cases[] = {
		"", " ", "c", "cgroup_", "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION",
		"cgroup_attach_task: dst_root=0 dst_id=101 dst_level=1 dst_path=/a pid=1 comm=x",
		"cgroup_mkdir root=0 id=1 level=1 path=/a", "cgroup_mkdir: id=1 level=1 path=/a",
		" [LOST 3 EVENTS]",
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_trace_event e;

		ck_assert_int_eq(pcr_trace_line(cases[i], strlen(cases[i]), &e), PCR_NONE);
	}
}
END_TEST

START_TEST(malformed)
{
	static const char *const cases[] = {
		"cgroup_mkdir: root=", "cgroup_mkdir: root=0", "cgroup_mkdir: root=0 id=",
		"cgroup_mkdir: root=0 id=5 level=1 path=", "cgroup_mkdir: root=0 id=5 level=1 path=rel",
		"cgroup_mkdir: root=0 id=5 level= path=/a", "cgroup_mkdir: root=-1 id=5 level=1 path=/a",
		"cgroup_mkdir: root=4294967296 id=5 level=1 path=/a",
		"cgroup_mkdir: root=0 id=18446744073709551616 level=1 path=/a",
		"cgroup_mkdir: root=0 id=0 level=1 path=/a", "cgroup_mkdir: root=0  id=5 level=1 path=/a",
		"cgroup_mkdir: root=0 id=5x level=1 path=/a",
	};

	for (size_t i = 0; i < PCR_ARRAY_SIZE(cases); i++) {
		struct pcr_trace_event e;

		ck_assert_msg(pcr_trace_line(cases[i], strlen(cases[i]), &e) == -EBADMSG, "%s", cases[i]);
	}
}
END_TEST

/* Cut anywhere, a line is malformed, nothing, or a shorter path; never read beyond its end. */
START_TEST(cut_short)
{
	static const char line[] = "x-1 [0] 1.0: cgroup_rmdir: root=0 id=636758 level=2 path=/q/r";

	for (size_t n = 0; n < sizeof(line) - 1; n++) {
		char *copy = malloc(n ? n : 1);
		struct pcr_trace_event e;
		int r;

		memcpy(copy, line, n);
		r = pcr_trace_line(copy, n, &e);
		ck_assert(r == PCR_NONE || r == -EBADMSG || (r == 0 && e.n < 3 && e.id == 636758));
		free(copy);
	}
}
END_TEST

PCR_UNIT("trace_line", events, losses, nothing_of_ours, malformed, cut_short)
