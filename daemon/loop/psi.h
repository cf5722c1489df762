/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pressure triggers, on a thread of their own.
 *
 * A trigger signals EPOLLPRI, which libev does not report, and polling one through
 * a nested epoll eats its events. So one thread sits in epoll_wait on them and
 * hands (slice, time) to the loop through a bounded queue. It also closes them: a
 * close waits for an RCU grace period.
 *
 * A trigger makes rmdir of its cgroup slow for the whole machine: only for
 * /proc/pressure/memory and the few long-lived slices that Slices= names.
 *
 *   psi.c         the loop's side
 *   psi_thread.c  the thread, the queue
 *   psi_arm.c     how one trigger is opened: capability, window, what to fall back to
 *   psi_due.c     when a slice is armed: not straight after its cgroup was made
 */
#ifndef PCR_LOOP_PSI_H
#define PCR_LOOP_PSI_H

#include "pcr/settings.h"
#include "pcr/types.h"

struct pcr_root;
struct pcr_psi_watch;

enum pcr_psi_state {
	PCR_PSI_ARMED,
	PCR_PSI_POLL,		/* the file is there, a trigger can't be had: read it now and then */
	PCR_PSI_GONE,		/* no such cgroup (yet), or not armed (yet) */
};

struct pcr_psi_event {
	u32 slice;		/* 0: the machine, i + 1: rule->slices[i] */
	bool gone;		/* not pressure: the cgroup was removed, its trigger closed */
	u64 usec;
};

struct pcr_psi_stats {
	u64 events;
	u64 false_first;	/* first events without the stall behind them: dropped */
	u64 dropped;		/* the queue was full */
	u64 gone;
};

/*
 * Opens a trigger for the machine, and starts the thread; the slices wait for
 * pcr_psi_rearm(). notify runs on that thread whenever the queue has become worth a look. The rule is not
 * kept. 0; PCR_NONE: this kernel shows no pressure (psi=0), said in why; -errno.
 */
int pcr_psi_open(const struct pcr_root *root, const struct pcr_pressure_rule *rule,
		 void (*notify)(void *data), void *data, char *why, size_t size,
		 struct pcr_psi_watch **ret_watch);
/* Waits for the thread, which closes the triggers (some 20 ms each). Takes NULL. */
struct pcr_psi_watch *pcr_psi_close(struct pcr_psi_watch *w);

/* The oldest event; false: none. */
bool pcr_psi_next(struct pcr_psi_watch *w, struct pcr_psi_event *ret_event);

/* Arms a slice, again when it was armed before: see psi_due.c for when. Its new state. */
enum pcr_psi_state pcr_psi_rearm(struct pcr_psi_watch *w, u32 slice);
enum pcr_psi_state pcr_psi_state(struct pcr_psi_watch *w, u32 slice);
u32 pcr_psi_armed(struct pcr_psi_watch *w);
/* Any slice without a trigger whose file can be read? */
bool pcr_psi_polls(struct pcr_psi_watch *w);
/* Why that is so, or why a window is wider than asked for; "" otherwise. */
const char *pcr_psi_why(const struct pcr_psi_watch *w);
/* The same of one slice. */
const char *pcr_psi_slice_why(const struct pcr_psi_watch *w, u32 slice);
void pcr_psi_stats(struct pcr_psi_watch *w, struct pcr_psi_stats *ret_stats);

/* --- psi_due.c --- */

/* Of one slice; {} with .due_usec PCR_NEVER to start with. */
struct pcr_psi_due {
	u64 id;			/* the cgroup it is about */
	u64 seen_usec;		/* since when */
	u64 due_usec;		/* try then, once; PCR_NEVER */
	u64 settle_usec;	/* how long this id had to live first */
	u64 retry_usec;		/* the last wait after a failure; 0 */
	u64 armed_usec;		/* when that last worked; 0 */
};

/*
 * The slice has this cgroup now (0: none) and is armed, or not. True: arm it, then
 * say how it went. settled: a cgroup not seen before is taken for old.
 */
bool pcr_psi_due(struct pcr_psi_due *d, u64 id, bool armed, bool settled, u64 now);
void pcr_psi_tried(struct pcr_psi_due *d, bool armed, u64 now);

/* --- psi_arm.c --- */

struct pcr_psi_way {
	u64 stall_usec;
	u64 window_usec;
	bool privileged;	/* with CAP_SYS_RESOURCE: any window, a kernel thread each */
};

#define PCR_PSI_WAYS 3

/* What to try, best first; returns how many. */
u32 pcr_psi_ways(u64 stall_usec, u64 window_usec, struct pcr_psi_way ret_ways[static PCR_PSI_WAYS]);
/* "some 150000 2000000"; its length, the NUL not counted. */
size_t pcr_psi_way_text(const struct pcr_psi_way *way, char *buf, size_t size);

struct pcr_psi_trigger {
	int fd;
	u64 total_usec;		/* some total= just before; PCR_ABSENT */
	struct pcr_psi_way way;
};

/*
 * slice NULL: the machine. 0; PCR_GONE: no such cgroup; PCR_NONE: no pressure file;
 * PCR_PART: there is one, but a trigger can't be had, for the reason in why.
 */
int pcr_psi_arm(const struct pcr_root *root, const char *slice, u64 stall_usec, u64 window_usec,
		char *why, size_t size, struct pcr_psi_trigger *ret_trigger);

/* --- the queue, for tests --- */

#define PCR_PSI_QUEUE 64

struct pcr_psi_queue {
	struct pcr_psi_event e[PCR_PSI_QUEUE];
	u32 head;
	u32 n;
};

/* 0, PCR_FULL. */
int pcr_psi_queue_put(struct pcr_psi_queue *q, const struct pcr_psi_event *e);
bool pcr_psi_queue_take(struct pcr_psi_queue *q, struct pcr_psi_event *ret_event);

/* Is there the stall behind a first event? PCR_ABSENT on either side: taken for granted. */
bool pcr_psi_believable(u64 total_then, u64 total_now, u64 stall_usec);

#endif
