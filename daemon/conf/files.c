// SPDX-License-Identifier: GPL-2.0-or-later
#include "conf/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "conf/table.h"
#include "sys/inside.h"

static void closedirp(DIR **d)
{
	if (*d)
		closedir(*d);
}

/* Drop-ins by name; a later directory's replaces an earlier one's. */
struct dropins {
	char **names;
	u32 n_names;
	char **paths;		/* paths[i] belongs to names[i] */
	u32 n_paths;
};

static bool is_dropin(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && n > 5 && strcmp(name + n - 5, ".conf") == 0;
}

static int add_dropin(struct dropins *drop, const char *dir, const char *name)
{
	PCR_AUTOFREE char *path = NULL;
	int r;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	for (u32 i = 0; i < drop->n_names; i++) {
		if (strcmp(drop->names[i], name) == 0) {
			free(drop->paths[i]);
			drop->paths[i] = PCR_TAKE_PTR(path);
			return 0;
		}
	}
	if (drop->n_names >= PCR_CONF_FILES_MAX)
		return -E2BIG;
	r = pcr_strv_push(&drop->paths, &drop->n_paths, path, strlen(path));
	if (r == 0)
		r = pcr_strv_push(&drop->names, &drop->n_names, name, strlen(name));
	return r;
}

static int list_dropins(struct dropins *drop, const char *dir)
{
	__attribute__((cleanup(closedirp))) DIR *d = opendir(dir);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return errno == ENOENT ? 0 : -errno;
	for (errno = 0; r == 0 && (entry = readdir(d)); errno = 0) {
		if (is_dropin(entry->d_name))
			r = add_dropin(drop, dir, entry->d_name);
	}
	return r < 0 ? r : -errno;
}

/* By name, each path along with its own. */
static void sort_dropins(struct dropins *drop)
{
	for (u32 i = 1; i < drop->n_names; i++) {
		for (u32 j = i; j > 0 && strcmp(drop->names[j - 1], drop->names[j]) > 0; j--) {
			char *name = drop->names[j], *path = drop->paths[j];

			drop->names[j] = drop->names[j - 1];
			drop->paths[j] = drop->paths[j - 1];
			drop->names[j - 1] = name;
			drop->paths[j - 1] = path;
		}
	}
}

/* DIR/pcpu-reclaimd.conf, if there is anything of that name. */
static int add_main(struct pcr_conf_files *files, const char *dir)
{
	PCR_AUTOFREE char *path = NULL;
	struct stat st;

	if (asprintf(&path, "%s/pcpu-reclaimd.conf", dir) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	/* What is there and can't be looked at is reported when it is read. */
	if (lstat(path, &st) < 0 && errno == ENOENT)
		return 0;
	return pcr_strv_push(&files->paths, &files->n, path, strlen(path));
}

static int keep_first(int r, int other, const char *path, struct pcr_conf_report *report)
{
	struct pcr_conf_place place = { .path = path };

	if (other < 0)
		pcr_conf_error(report, &place, "%s",
			       other == -E2BIG ? "too many files" : strerror(-other));
	return r < 0 ? r : other;
}

/* The settings of a recorded machine are its own; path begins with the prefix. */
static int check_inside(const char *prefix, const char *path, struct pcr_conf_report *report)
{
	struct pcr_conf_place place = { .path = path };
	char text[sizeof("/dev/null") + 1];
	ssize_t n = readlink(path, text, sizeof(text));

	/* That is no way out but how a name is masked. */
	if ((n == sizeof("/dev/null") - 1 && memcmp(text, "/dev/null", (size_t)n) == 0) ||
	    pcr_stays_inside(prefix, path + strlen(prefix)) == 0)
		return 0;
	pcr_conf_error(report, &place, "a symbolic link leads out of %s", prefix);
	return -EINVAL;
}

/* One of the directories: its main file now, its drop-ins for later. */
static int look_in(const char *prefix, const char *dir, struct pcr_conf_files *files,
		   struct dropins *drop, struct pcr_conf_report *report)
{
	PCR_AUTOFREE char *conf_d = NULL;
	int r;

	if (asprintf(&conf_d, "%s/conf.d", dir) < 0) {
		conf_d = NULL;
		return -ENOMEM;
	}
	r = check_inside(prefix, conf_d, report);
	if (r < 0)
		return r;
	r = keep_first(0, add_main(files, dir), dir, report);
	return keep_first(r, list_dropins(drop, conf_d), conf_d, report);
}

static int look_everywhere(const char *prefix, struct pcr_conf_files *files, struct dropins *drop,
			   struct pcr_conf_report *report)
{
	static const char *const dirs[] = { "/usr/lib", "/run", "/etc" };
	int r = 0;

	for (size_t i = 0; i < PCR_ARRAY_SIZE(dirs); i++) {
		PCR_AUTOFREE char *dir = NULL;
		int other;

		if (asprintf(&dir, "%s%s/pcpu-reclaimd", prefix, dirs[i]) < 0) {
			dir = NULL;
			return -ENOMEM;
		}
		other = look_in(prefix, dir, files, drop, report);
		r = r < 0 ? r : other;
	}
	return r;
}

int pcr_conf_find(const char *prefix, const char *dir, struct pcr_conf_report *report,
		  struct pcr_conf_files *ret_files)
{
	struct pcr_conf_files files = {};
	struct dropins drop = {};
	struct stat st;
	int r;

	if (!dir)
		r = look_everywhere(prefix, &files, &drop, report);
	else if (stat(dir, &st) < 0)
		/* Missing directories are fine, but not one that somebody asked for. */
		r = keep_first(0, -errno, dir, report);
	else
		r = look_in("", dir, &files, &drop, report);
	sort_dropins(&drop);
	for (u32 i = 0; i < drop.n_names; i++) {
		if (pcr_strv_push(&files.paths, &files.n, drop.paths[i], strlen(drop.paths[i])) < 0)
			r = -ENOMEM;
	}
	for (u32 i = 0; !dir && i < files.n; i++) {
		int other = check_inside(prefix, files.paths[i], report);

		r = r < 0 ? r : other;
	}
	pcr_strv_clear(&drop.names, &drop.n_names);
	pcr_strv_clear(&drop.paths, &drop.n_paths);
	*ret_files = files;
	return r;
}

void pcr_conf_files_done(struct pcr_conf_files *files)
{
	pcr_strv_clear(&files->paths, &files->n);
}

/* One read is not the file; what grows beyond the bound while we read is not either. */
static int read_all(int fd, char **ret_text, size_t *ret_n)
{
	PCR_AUTOFREE char *text = malloc(PCR_CONF_FILE_MAX + 1);
	size_t n = 0;

	if (!text)
		return -ENOMEM;
	while (n <= PCR_CONF_FILE_MAX) {
		ssize_t r = read(fd, text + n, PCR_CONF_FILE_MAX + 1 - n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			break;
		n += (size_t)r;
	}
	if (n > PCR_CONF_FILE_MAX)
		return -EFBIG;
	*ret_text = PCR_TAKE_PTR(text);
	*ret_n = n;
	return 0;
}

int pcr_conf_slurp(const char *path, char **ret_text, size_t *ret_n, const char **ret_what)
{
	/* O_NONBLOCK: a FIFO with nobody behind it must not stop the start. */
	PCR_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode)) {
		*ret_what = "a directory in place of a file";
		return -EINVAL;
	}
	if (!S_ISREG(st.st_mode) && !(S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3))) {
		*ret_what = "not a regular file";
		return -EINVAL;
	}
	r = read_all(fd, ret_text, ret_n);
	if (r == -EFBIG) {
		*ret_what = "larger than 1 MiB";
		return -EINVAL;
	}
	return r;
}
