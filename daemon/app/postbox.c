// SPDX-License-Identifier: GPL-2.0-or-later
/* The thread that waits for journald, so that nobody else does. */
#include "app/postbox.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

/* A storm of actions is rate limited before it comes here; this is for a stuck journald. */
#define QUEUE 64
#define LAST_WORDS 1	/* seconds */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
	bool running;
	bool stop;
	u32 at, n;
	u64 lost;
	struct pcr_fields *queue[QUEUE];
} box = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

void pcr_field(struct pcr_fields *f, const char *fmt, ...)
{
	size_t room = sizeof(f->text) - f->at;
	va_list ap;
	int n;

	if (f->n == PCR_FIELDS_MAX || room < 2)
		return;
	va_start(ap, fmt);
	n = vsnprintf(f->text + f->at, room, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	f->start[f->n++] = f->at;
	f->at += (u32)pcr_min_u64((u64)n, room - 1) + 1;
}

void pcr_field_u64(struct pcr_fields *f, const char *name, u64 value)
{
	if (pcr_has(value))
		pcr_field(f, "%s=%llu", name, (unsigned long long)value);
}

/* Names of cgroups are anybody's: what could steer a terminal is not passed on. */
static void print_plain(const char *message)
{
	char line[1600];
	size_t n = (size_t)snprintf(line, sizeof(line), "pcpu-reclaimd: %s", message);

	for (size_t i = 0; i < n && i < sizeof(line) - 1; i++)
		if (((u8)line[i] < 0x20 && line[i] != '\n') || line[i] == 0x7f)
			line[i] = '?';
	fprintf(stderr, "%s\n", line);
}

static void send_entry(const struct pcr_fields *f)
{
	struct iovec iov[PCR_FIELDS_MAX];

	if (f->plain) {
		if (f->n)
			print_plain(f->text + f->start[f->n - 1] + strlen("MESSAGE="));
		return;
	}
	for (u32 i = 0; i < f->n; i++) {
		const char *text = f->text + f->start[i];

		iov[i] = (struct iovec){ .iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text) };
	}
	(void)sd_journal_sendv(iov, (int)f->n);
}

static void tell_lost(u64 lost, bool plain)
{
	char line[96];

	snprintf(line, sizeof(line), "%llu messages were lost: nobody took them in time",
		 (unsigned long long)lost);
	if (lost && plain)
		print_plain(line);
	else if (lost)
		(void)sd_journal_send("MESSAGE=%s", line, "PRIORITY=%i", LOG_WARNING,
				      "SYSLOG_IDENTIFIER=pcpu-reclaimd", NULL);
}

static void *post(void *data)
{
	(void)data;
	pthread_mutex_lock(&box.lock);
	for (;;) {
		struct pcr_fields *f;
		u64 lost;

		while (!box.n && !box.stop)
			pthread_cond_wait(&box.wake, &box.lock);
		if (!box.n)
			break;
		f = box.queue[box.at];
		box.at = (box.at + 1) % QUEUE;
		box.n--;
		lost = box.lost;
		box.lost = 0;
		pthread_mutex_unlock(&box.lock);
		send_entry(f);
		tell_lost(lost, f->plain);
		free(f);
		pthread_mutex_lock(&box.lock);
	}
	pthread_mutex_unlock(&box.lock);
	return NULL;
}

void pcr_postbox_start(void)
{
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	box.running = pthread_create(&box.thread, NULL, post, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (box.running)
		pthread_setname_np(box.thread, "pcr-postbox");
}

void pcr_postbox_stop(void)
{
	struct timespec end;

	if (!box.running)
		return;
	pthread_mutex_lock(&box.lock);
	box.stop = true;
	pthread_cond_signal(&box.wake);
	pthread_mutex_unlock(&box.lock);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += LAST_WORDS;
	/* Stuck for good: the process ends, and the thread with it. */
	if (pthread_timedjoin_np(box.thread, NULL, &end) == 0)
		box.running = box.stop = false;
}

/* Takes a copy of just the size it needs. */
static struct pcr_fields *copy(const struct pcr_fields *f)
{
	size_t size = offsetof(struct pcr_fields, text) + f->at;
	struct pcr_fields *c = malloc(size);

	if (c)
		memcpy(c, f, size);
	return c;
}

void pcr_postbox_put(const struct pcr_fields *f)
{
	struct pcr_fields *c;
	bool put = false;

	if (!box.running) {
		send_entry(f);
		return;
	}
	c = copy(f);
	pthread_mutex_lock(&box.lock);
	if (c && box.n < QUEUE) {
		box.queue[(box.at + box.n++) % QUEUE] = c;
		put = true;
	} else {
		box.lost++;
	}
	pthread_mutex_unlock(&box.lock);
	if (put)
		pthread_cond_signal(&box.wake);
	else
		free(c);
}
