// SPDX-License-Identifier: GPL-2.0-or-later
/* The runtime directory: one daemon at a time, and what was changed in the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "base/log.h"
#include "sys/inside.h"

static int runtime_dir(struct pcr_app *app)
{
	const char *given = app->args.runtime;
	const char *service = secure_getenv("RUNTIME_DIRECTORY");
	int n;

	if (!given && !app->args.root)
		given = service;
	n = snprintf(app->runtime, sizeof(app->runtime), "%s%s", given ? given : app->root.prefix,
		     given ? "" : "/run/pcpu-reclaimd");
	return n < 0 || (size_t)n >= sizeof(app->runtime) ? -ENAMETOOLONG : 0;
}

/* What is written for a recorded machine stays in it. */
static int check_runtime(const struct pcr_app *app)
{
	const char *prefix = app->args.runtime ? "" : app->root.prefix;
	int r = pcr_stays_inside(prefix, "/run");

	if (r == 0)
		r = pcr_stays_inside(prefix, "/run/pcpu-reclaimd");
	if (r == -EXDEV)
		pcr_log_err("%s: a symbolic link leads out of %s; --runtime names another place",
			    app->runtime, prefix);
	return r;
}

static int make_dir(const char *path)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return -errno;
	return 0;
}

/* One daemon at a time: the lock goes with the process, whatever ends it. */
static int lock(struct pcr_app *app)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/lock", app->runtime);
	app->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (app->lock_fd < 0)
		return -errno;
	if (flock(app->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	return 0;
}

int pcr_app_runtime_open(struct pcr_app *app)
{
	u32 damaged = 0;
	int r = runtime_dir(app);

	if (r == 0)
		r = check_runtime(app);
	if (r == -EXDEV)
		return r;
	if (r == 0)
		r = make_dir(app->runtime);
	if (r == 0)
		r = lock(app);
	if (r == -EWOULDBLOCK) {
		pcr_log_err("another pcpu-reclaimd holds %s/lock", app->runtime);
		return r;
	}
	if (r == 0)
		r = pcr_ledger_open(&app->ledger, app->runtime, &damaged);
	if (r == 0)
		r = pcr_kept_open(&app->kept, app->runtime);
	if (r < 0)
		pcr_log_err("%s can't be used: %s", app->runtime, strerror(-r));
	if (damaged)
		pcr_log_warning("%s/ledger: %u damaged lines left out", app->runtime, damaged);
	return r;
}

static bool lock_stands(const struct pcr_app *app)
{
	char path[300];
	struct stat ours, st;

	snprintf(path, sizeof(path), "%s/lock", app->runtime);
	return fstat(app->lock_fd, &ours) == 0 && lstat(path, &st) == 0 &&
	       ours.st_dev == st.st_dev && ours.st_ino == st.st_ino;
}

/* The old one is kept until the new one is had. */
static int lock_again(struct pcr_app *app)
{
	int old = app->lock_fd, r;

	r = lock(app);
	if (r < 0 && app->lock_fd >= 0)
		close(app->lock_fd);
	if (r < 0)
		app->lock_fd = old;
	else
		close(old);
	return r;
}

void pcr_app_runtime_again(struct pcr_app *app)
{
	int r = check_runtime(app);

	/* A reload that comes first looks for both. */
	ev_timer_stop(app->loop, &app->emptied);
	if (r == -EXDEV)
		return;
	if (r == 0)
		r = make_dir(app->runtime);
	if (r == 0 && !lock_stands(app))
		r = lock_again(app);
	if (r == 0)
		r = pcr_ledger_again(&app->ledger);
	if (r == 0)
		r = pcr_kept_again(&app->kept);
	if (r < 0)
		pcr_log_err("%s was emptied and can't be used again: %s", app->runtime,
			    r == -EWOULDBLOCK ? "another pcpu-reclaimd holds its lock" :
						strerror(-r));
}

void pcr_app_runtime_close(struct pcr_app *app)
{
	pcr_kept_close(&app->kept);
	if (app->lock_fd >= 0)
		close(app->lock_fd);
}
