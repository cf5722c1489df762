/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program: owns one of each, wires them to the loop, and takes them apart.
 *
 *   setup.c    build everything up, take everything down
 *   runtime.c  the lock, and what is kept in the runtime directory
 *   run.c      libev: what wakes us, and what is done then
 *   history.c  finished actions: told, and kept over restarts
 *   ops.c      what the control socket may ask for
 *   reload.c   swap the settings, or keep the old
 *   notes.c    keys that this kernel has no use for
 *   doctor.c   every source and the machine, looked at now; doctor_knobs.c: every knob
 *   journal.c  where messages go
 *   recorder.c a trace of what happens, for replay
 *   replay.c   a recorded trace under other settings; tally.c: what came of it
 *   status.c   what others see of us: health, sd_notify
 */
#ifndef PCR_APP_H
#define PCR_APP_H

#include <ev.h>

#include "act/kept.h"
#include "act/ledger.h"
#include "app/history_writer.h"
#include "app/recorder.h"
#include "ctl/server.h"
#include "loop/batch_cgroups.h"
#include "loop/batch_free.h"
#include "loop/crank.h"
#include "loop/lifecycle.h"
#include "loop/memevents.h"
#include "loop/psi.h"
#include "pcr/view.h"
#include "policy/record_line.h"

struct pcr_args {
	const char *root;	/* --root: prefix of kernel files, settings and runtime directory */
	const char *config;	/* --config: this directory instead of the three */
	const char *runtime;	/* --runtime: instead of /run/pcpu-reclaimd */
	const char *replay;	/* replay TRACE: nothing is watched or changed */
	bool check_config;
	bool version;
	bool help;
};

struct pcr_app_history {
	char dir[256];
	char boot[PCR_BOOT_ID];
	bool usable;			/* there is such a directory */
	struct pcr_history_writer *writer;	/* NULL: nothing is written */
	u64 size;			/* of the file found, as far as it is good */
	u32 lines;			/* records in the file */
	bool anew;			/* the next write is of the whole */
	bool failed;			/* the last write did, which was said */
};

struct pcr_app {
	struct pcr_args args;
	char runtime[256];
	struct pcr_root root;
	struct pcr_settings *settings;
	const struct pcr_settings *set;		/* the same, for those who only read */
	struct pcr_state st;
	struct pcr_health health;
	struct pcr_view view;
	struct pcr_ledger ledger;
	struct pcr_kept kept;
	struct pcr_app_history history;
	struct pcr_recorder recorder;
	struct pcr_crank crank;
	struct pcr_batch_watch batch;
	struct pcr_batch_cgroups batch_cgroups;
	struct pcr_lifecycle *lc;
	struct pcr_psi_watch *psi;		/* NULL: pressure is polled, or not at all */
	struct pcr_psi_due psi_due[PCR_SLICES_MAX];
	bool psi_started;			/* slices found from now on are new */
	struct pcr_memevents *memevents;	/* NULL: no cgroups to watch */
	struct pcr_server *server;
	int lock_fd;

	struct ev_loop *loop;
	ev_io lifecycle_io;
	ev_io memevents_io;
	ev_io batch_io;
	ev_async worker_async;
	ev_async psi_async;
	ev_timer due;				/* one shot, always re-armed after a turn */
	ev_timer watchdog;
	ev_timer emptied;			/* one shot, after the socket's file was removed */
	ev_signal term, intr, hup;
	ev_prepare prepare;
	ev_check check;
	u64 turn_start_usec;
	bool kicked;				/* a turn is wanted before the loop sleeps */
	bool rematching;			/* new settings do not hold for every cgroup yet */
	bool backlog;				/* events were left behind by the last read */
	u32 most_nodes;				/* in the tree since memory was given back */
	u32 most_peers;				/* at the socket, likewise */
	int resident_err;			/* of keeping our code in memory; 0 */
	char status[480];			/* as sd_notify last told it */
};

/* setup.c: 0 or an exit status, after saying why. */
int pcr_app_open(struct pcr_app *app, const struct pcr_args *args);
void pcr_app_close(struct pcr_app *app);

/* runtime.c: 0, or -errno after saying why. */
int pcr_app_runtime_open(struct pcr_app *app);
void pcr_app_runtime_close(struct pcr_app *app);
/* Lock and ledger back where they belong, if somebody has removed them. Logs what fails. */
void pcr_app_runtime_again(struct pcr_app *app);

/* history.c: before anything is done; when no more forks are to come; in each turn; at the end. */
void pcr_app_history_load(struct pcr_app *app);
void pcr_app_history_start(struct pcr_app *app);
void pcr_app_history_tick(struct pcr_app *app);
void pcr_app_history_stop(struct pcr_app *app);
/* An action ended; data is the app. */
void pcr_app_record(void *data, const struct pcr_record *rec);

/* replay.c: an exit status, after saying why. config NULL: this machine's settings. */
int pcr_app_replay(const char *path, const char *config);

/* run.c */
int pcr_app_wire(struct pcr_app *app);
void pcr_app_unwire(struct pcr_app *app);
void pcr_app_run(struct pcr_app *app);
/* On threads of others: they have something to be fetched. */
void pcr_app_worker_notify(void *data);
/* Makes the loop turn the crank soon, after something outside of it changed. */
void pcr_app_kick(struct pcr_app *app);

/* pressure.c: triggers, or polling; also after a reload. */
void pcr_app_pressure_open(struct pcr_app *app);
void pcr_app_pressure_close(struct pcr_app *app);
/* Events in the queue of the trigger thread. */
void pcr_app_pressure_fetch(struct pcr_app *app, u64 now);
/* Slices that appeared, vanished, or lost their trigger. When it wants to be called again. */
u64 pcr_app_pressure_rearm(struct pcr_app *app, u64 now);
/* Why the i-th slice has no trigger; false: it has one. */
bool pcr_app_pressure_missing(const struct pcr_app *app, u32 i, char *why, size_t size);

/* reload.c: 0, or -EINVAL with what the checker said (free()). */
int pcr_app_load(struct pcr_app *app, char **ret_errors);
int pcr_app_reload(struct pcr_app *app, char **ret_errors);
/* Holds more cgroups against new settings, for a moment; true when some are left. */
bool pcr_app_rematch(struct pcr_app *app);

/*
 * notes.c: each key that is set and has no effect on this machine. True with the reason
 * when a knob can't be written.
 */
bool pcr_app_knob_missing(const struct pcr_root *root, const char *knob, char *why, size_t size);
void pcr_app_notes(const struct pcr_root *root, const struct pcr_settings *set,
		   void (*tell)(const char *place, const char *text));
void pcr_app_log_note(const char *place, const char *text);

/* ops.c, doctor.c */
extern const struct pcr_view_ops pcr_app_ops;
size_t pcr_app_doctor(void *data, struct pcr_finding findings[static PCR_FINDINGS_MAX]);

/* status.c */
void pcr_app_health_init(struct pcr_app *app);
void pcr_app_health(struct pcr_app *app);
/* The part of it that changes from turn to turn, and costs nothing to look at. */
void pcr_app_health_turn(struct pcr_app *app);
/* What we cost so far: read when somebody asks. */
void pcr_app_cost(struct pcr_app *app);
void pcr_app_notify(struct pcr_app *app, const char *state);
void pcr_app_notify_status(struct pcr_app *app);

#endif
