// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files are read, in which order, and what stands in place of one. */
#include "unit/test_conf.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "conf/files.h"

static char top[] = "/tmp/pcr-conf-XXXXXX";

static void make_dirs(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* A path below the test's own root. */
static const char *below(char buf[static 256], const char *path)
{
	snprintf(buf, 256, "%s%s", top, path);
	make_dirs(buf);
	return buf;
}

static void put(const char *path, const char *text)
{
	char buf[256];
	PCR_AUTOFCLOSE FILE *f = fopen(below(buf, path), "we");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
}

static struct loaded load(void)
{
	struct pcr_conf_report report = {};
	struct pcr_settings *s = NULL;
	int r = pcr_conf_load(top, NULL, &s, &report);

	return loaded_from(r, s, &report);
}

static int drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static void begin(void)
{
	strcpy(top + strlen(top) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(top));
}

static void end(void)
{
	nftw(top, drop, 8, FTW_DEPTH | FTW_PHYS);
}

/* The message, with the root in front of each place. */
static void said(struct loaded *l, const char *want)
{
	char buf[1024];

	snprintf(buf, sizeof(buf), "%s%s", *want == '/' ? top : "", want);
	ck_assert_str_eq(l->text, buf);
}

START_TEST(nothing_there_is_the_default)
{
	struct loaded l;

	begin();
	l = load();
	ck_assert_int_eq(l.r, 0);
	ck_assert_uint_eq(l.s->n_files, 0);
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "100");
	unload(&l);
	end();
}
END_TEST

START_TEST(later_over_earlier)
{
	static const char *const order[] = {
		"/usr/lib/pcpu-reclaimd/pcpu-reclaimd.conf",
		"/run/pcpu-reclaimd/pcpu-reclaimd.conf",
		"/etc/pcpu-reclaimd/pcpu-reclaimd.conf",
		"/etc/pcpu-reclaimd/conf.d/10-a.conf",
		"/usr/lib/pcpu-reclaimd/conf.d/20-b.conf",
		"/run/pcpu-reclaimd/conf.d/30-c.conf",
	};
	struct loaded l;

	begin();
	/* Backwards, so that the order of directories on disk is none. */
	for (size_t i = PCR_ARRAY_SIZE(order); i-- > 0;) {
		char text[100];

		snprintf(text, sizeof(text), "[Percpu]\nReapAbove=%zu\n", i + 1);
		put(order[i], text);
	}
	l = load();
	ck_assert_str_eq(l.text, "0 errors");
	ck_assert_uint_eq(l.s->n_files, PCR_ARRAY_SIZE(order));
	for (size_t i = 0; i < PCR_ARRAY_SIZE(order); i++)
		ck_assert_str_eq(l.s->files[i] + strlen(top), order[i]);
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "6");
	ck_assert_uint_eq(l.s->origin[pcr_key_index("Percpu", "ReapAbove")].file, 5);
	unload(&l);
	end();
}
END_TEST

START_TEST(a_name_in_a_later_directory_replaces)
{
	struct loaded l;

	begin();
	put("/usr/lib/pcpu-reclaimd/conf.d/10-a.conf", "[Percpu]\nReapAbove=1\nReap=no\n");
	put("/run/pcpu-reclaimd/conf.d/10-a.conf", "[Percpu]\nReapAbove=2\nTrim=no\n");
	put("/etc/pcpu-reclaimd/conf.d/10-a.conf", "[Percpu]\nReapAbove=3\n");
	l = load();
	ck_assert_uint_eq(l.s->n_files, 1);
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "3");
	VALUE_IS(l.s, -1, "Percpu", "Reap", "yes");
	VALUE_IS(l.s, -1, "Percpu", "Trim", "yes");
	unload(&l);
	end();
}
END_TEST

START_TEST(dev_null_and_empty_files_mask)
{
	char buf[256];
	struct loaded l;

	begin();
	put("/usr/lib/pcpu-reclaimd/conf.d/10-a.conf", "[Percpu]\nReapAbove=1\n");
	put("/usr/lib/pcpu-reclaimd/conf.d/20-b.conf", "[Percpu]\nReap=no\n");
	ck_assert_int_eq(symlink("/dev/null", below(buf, "/etc/pcpu-reclaimd/conf.d/10-a.conf")), 0);
	put("/run/pcpu-reclaimd/conf.d/20-b.conf", "");
	l = load();
	ck_assert_str_eq(l.text, "0 errors");
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "100");
	VALUE_IS(l.s, -1, "Percpu", "Reap", "yes");
	unload(&l);
	end();
}
END_TEST

/* Of a recorded machine: its links are its own. */
START_TEST(links_that_lead_out_are_refused)
{
	char buf[256], said[1024];
	struct loaded l;

	begin();
	put("/usr/lib/pcpu-reclaimd/conf.d/10-a.conf", "[Percpu]\nReapAbove=1\n");
	ck_assert_int_eq(symlink("../../../usr/lib/pcpu-reclaimd/conf.d/10-a.conf",
				 below(buf, "/etc/pcpu-reclaimd/conf.d/20-b.conf")), 0);
	l = load();
	ck_assert_str_eq(l.text, "0 errors");
	unload(&l);
	ck_assert_int_eq(symlink("/etc/passwd", below(buf, "/etc/pcpu-reclaimd/conf.d/30-c.conf")), 0);
	l = load();
	ck_assert_int_eq(l.r, -EINVAL);
	snprintf(said, sizeof(said), "%s: a symbolic link leads out of ", buf);
	ck_assert_msg(strncmp(l.text, said, strlen(said)) == 0, "%s", l.text);
	unload(&l);
	end();
}
END_TEST

START_TEST(only_conf_files_are_drop_ins)
{
	struct loaded l;

	begin();
	put("/etc/pcpu-reclaimd/conf.d/README", "not settings\n");
	put("/etc/pcpu-reclaimd/conf.d/.10-a.conf.swp", "not settings\n");
	put("/etc/pcpu-reclaimd/conf.d/.hidden.conf", "not settings\n");
	put("/etc/pcpu-reclaimd/conf.d/10-a.conf~", "not settings\n");
	put("/etc/pcpu-reclaimd/conf.d/.conf", "not settings\n");
	l = load();
	ck_assert_str_eq(l.text, "0 errors");
	ck_assert_uint_eq(l.s->n_files, 0);
	unload(&l);
	end();
}
END_TEST

/* inih reads a directory as an empty file, and would wait for ever on a FIFO. */
START_TEST(what_is_no_file_is_an_error)
{
	char buf[256];
	struct loaded l;

	begin();
	mkdir(below(buf, "/etc/pcpu-reclaimd/pcpu-reclaimd.conf"), 0755);
	l = load();
	ck_assert_int_eq(l.r, -EINVAL);
	said(&l, "/etc/pcpu-reclaimd/pcpu-reclaimd.conf: a directory in place of a file\n1 error");
	unload(&l);
	rmdir(buf);

	ck_assert_int_eq(mkfifo(buf, 0644), 0);
	l = load();
	ck_assert_int_eq(l.r, -EINVAL);
	said(&l, "/etc/pcpu-reclaimd/pcpu-reclaimd.conf: not a regular file\n1 error");
	unload(&l);
	unlink(buf);

	ck_assert_int_eq(symlink("/nonexistent", buf), 0);
	l = load();
	ck_assert_int_eq(l.r, -ENOENT);
	said(&l, "/etc/pcpu-reclaimd/pcpu-reclaimd.conf: No such file or directory\n1 error");
	unload(&l);
	end();
}
END_TEST

START_TEST(a_file_in_place_of_a_directory_is_an_error)
{
	struct loaded l;

	begin();
	put("/etc/pcpu-reclaimd", "");
	l = load();
	ck_assert_int_eq(l.r, -ENOTDIR);
	ck_assert_ptr_nonnull(strstr(l.text, "/etc/pcpu-reclaimd/conf.d: Not a directory"));
	unload(&l);
	end();
}
END_TEST

START_TEST(sizes_are_bounded)
{
	char buf[256];
	struct loaded l;

	begin();
	put("/etc/pcpu-reclaimd/pcpu-reclaimd.conf", "\n");
	below(buf, "/etc/pcpu-reclaimd/pcpu-reclaimd.conf");
	ck_assert_int_eq(truncate(buf, PCR_CONF_FILE_MAX + 1), 0);
	l = load();
	ck_assert_int_eq(l.r, -EINVAL);
	said(&l, "/etc/pcpu-reclaimd/pcpu-reclaimd.conf: larger than 1 MiB\n1 error");
	unload(&l);
	end();
}
END_TEST

/* Every error of every file at once, in the order of the files. */
START_TEST(all_errors_are_told)
{
	struct loaded l;
	char want[1024];

	begin();
	put("/etc/pcpu-reclaimd/pcpu-reclaimd.conf", "[Percpu]\nReap=yse\nFish=1\n");
	put("/etc/pcpu-reclaimd/conf.d/10-a.conf", "[Policy a]\nReap=no\n");
	put("/etc/pcpu-reclaimd/conf.d/20-b.conf", "[Daemon]\nLogLevel=2\n");
	l = load();
	ck_assert_int_eq(l.r, -EINVAL);
	snprintf(want, sizeof(want),
		 "%1$s/pcpu-reclaimd.conf:2:6: Reap=yse: neither yes nor no; did you mean yes?\n"
		 "%1$s/pcpu-reclaimd.conf:3:1: Fish=1: unknown key in [Percpu]\n"
		 "%1$s/conf.d/10-a.conf:1:1: [Policy a]: no Match=: which cgroups is it for?\n"
		 "%1$s/conf.d/20-b.conf:2:10: LogLevel=2: must be err, warning, notice, info or debug,"
		 " or 3 to 7\n4 errors",
		 below((char[256]){}, "/etc/pcpu-reclaimd"));
	ck_assert_str_eq(l.text, want);
	unload(&l);
	end();
}
END_TEST

START_TEST(one_directory_instead_of_three)
{
	struct pcr_conf_report report = {};
	struct pcr_settings *s = NULL;
	char dir[256];
	struct loaded l;
	int r;

	begin();
	put("/etc/pcpu-reclaimd/pcpu-reclaimd.conf", "[Percpu]\nReap=no\n");
	put("/mine/pcpu-reclaimd.conf", "[Percpu]\nReapAbove=1\n");
	put("/mine/conf.d/a.conf", "[Percpu]\nReapAfter=1s\n");
	below(dir, "/mine");
	r = pcr_conf_load(top, dir, &s, &report);
	l = loaded_from(r, s, &report);
	ck_assert_uint_eq(l.s->n_files, 2);
	VALUE_IS(l.s, -1, "Percpu", "Reap", "yes");
	VALUE_IS(l.s, -1, "Percpu", "ReapAbove", "1");
	VALUE_IS(l.s, -1, "Percpu", "ReapAfter", "1s");
	unload(&l);
	/* asked for by name, so it has to be there */
	s = NULL;
	r = pcr_conf_load("", "/nonexistent", &s, &report);
	l = loaded_from(r, s, &report);
	ck_assert_int_eq(l.r, -ENOENT);
	ck_assert_str_eq(l.text, "/nonexistent: No such file or directory\n1 error");
	unload(&l);
	end();
}
END_TEST

/* A policy of the vendor's, changed in one key by the administrator. */
START_TEST(drop_ins_override_policies)
{
	struct loaded l;

	begin();
	put("/usr/lib/pcpu-reclaimd/conf.d/50-ci.conf",
	    "[Policy ci]\nMatch=/machine.slice/**\nReapAbove=20\nCooldown=1s\n");
	put("/etc/pcpu-reclaimd/conf.d/60-local.conf", "[Policy ci]\nReapAbove=40\n");
	l = load();
	ck_assert_str_eq(l.text, "0 errors");
	ck_assert_uint_eq(l.s->n_policies, 1);
	VALUE_IS(l.s, 0, "Policy", "Match", "/machine.slice/**");
	VALUE_IS(l.s, 0, "Policy", "ReapAbove", "40");
	VALUE_IS(l.s, 0, "Policy", "Cooldown", "1s");
	ck_assert_uint_eq(l.s->policies[0].origin[pcr_key_index("Policy", "ReapAbove")].file, 1);
	ck_assert_uint_eq(l.s->policies[0].where.file, 0);
	unload(&l);
	end();
}
END_TEST

PCR_UNIT("conf files", nothing_there_is_the_default, later_over_earlier,
	 a_name_in_a_later_directory_replaces, dev_null_and_empty_files_mask, links_that_lead_out_are_refused,
	 only_conf_files_are_drop_ins, what_is_no_file_is_an_error,
	 a_file_in_place_of_a_directory_is_an_error, sizes_are_bounded, all_errors_are_told,
	 one_directory_instead_of_three, drop_ins_override_policies)
