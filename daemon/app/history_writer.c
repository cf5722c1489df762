// SPDX-License-Identifier: GPL-2.0-or-later
#include "app/history_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "act/replace.h"
#include "base/cleanup.h"

#define LAST_WORDS 1	/* seconds */

struct text {
	char *bytes;
	size_t n;
	bool whole;
};

struct pcr_history_writer {
	char dir[256];
	void (*notify)(void *data);
	void *data;
	pthread_t thread;
	u64 size;			/* the thread's own: of the file, as it left it */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* below the lock */
	bool stop;
	struct text waiting;
	bool unwritten;			/* lines were lost: nothing is appended before the whole is written */
	bool told;
	struct pcr_history_news news;
};

/* What could not be appended must not stay half: the next line would follow on it. */
static int append(struct pcr_history_writer *w, const struct text *text)
{
	char path[320];
	struct stat st;
	PCR_AUTOCLOSE int fd = -1;
	int r = pcr_file_in(w->dir, "history", path, sizeof(path));

	if (r < 0)
		return r;
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno != ENOENT)
		return -errno;
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (u64)st.st_size != w->size)
		return PCR_GONE;
	r = pcr_write_all(fd, text->bytes, text->n);
	if (r < 0 && ftruncate(fd, st.st_size) < 0)
		return r;
	if (r == 0)
		w->size += text->n;
	return r;
}

static int replace(struct pcr_history_writer *w, const struct text *text)
{
	int r = pcr_replace_file(w->dir, "history", text->bytes, text->n);

	if (r == 0)
		w->size = text->n;
	return r;
}

/* Called with the lock held, which it lets go meanwhile. */
static void write_out(struct pcr_history_writer *w)
{
	struct text text = w->waiting;
	int r;

	w->waiting = (struct text){ 0 };
	pthread_mutex_unlock(&w->lock);
	r = text.whole ? replace(w, &text) : append(w, &text);
	free(text.bytes);
	pthread_mutex_lock(&w->lock);
	if (r != 0 && !w->waiting.whole) {
		w->unwritten = true;
		free(w->waiting.bytes);
		w->waiting = (struct text){ 0 };
	}
	if (r == 0 && !w->news.err)
		return;
	w->news.whole |= r != 0;
	w->news.err = r < 0 ? -r : 0;
	w->told = false;
}

static void *write_all(void *data)
{
	struct pcr_history_writer *w = data;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->waiting.n && !w->stop)
			pthread_cond_wait(&w->wake, &w->lock);
		if (!w->waiting.n)
			break;
		write_out(w);
		if (!w->told && !w->stop)
			w->notify(w->data);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int pcr_history_writer_start(const char *dir, u64 size, void (*notify)(void *data), void *data,
			     struct pcr_history_writer **ret_writer)
{
	struct pcr_history_writer *w = calloc(1, sizeof(*w));
	sigset_t all, old;
	int r;

	if (!w)
		return -ENOMEM;
	snprintf(w->dir, sizeof(w->dir), "%s", dir);
	w->notify = notify;
	w->data = data;
	w->size = size;
	w->told = true;
	w->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	w->wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&w->thread, NULL, write_all, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r != 0) {
		free(w);
		return -r;
	}
	pthread_setname_np(w->thread, "pcr-history");
	*ret_writer = w;
	return 0;
}

struct pcr_history_writer *pcr_history_writer_stop(struct pcr_history_writer *w)
{
	struct timespec end;

	if (!w)
		return NULL;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += LAST_WORDS;
	/* Stuck for good: the process ends, and the thread with it. */
	if (pthread_timedjoin_np(w->thread, NULL, &end) != 0)
		return NULL;
	free(w->waiting.bytes);
	free(w);
	return NULL;
}

static int add(struct text *text, const char *bytes, size_t n)
{
	char *more;

	if (text->n + n > PCR_HISTORY_WAITING)
		return PCR_FULL;
	more = realloc(text->bytes, text->n + n);
	if (!more)
		return -ENOMEM;
	memcpy(more + text->n, bytes, n);
	text->bytes = more;
	text->n += n;
	return 0;
}

int pcr_history_writer_put(struct pcr_history_writer *w, const char *text, size_t n, bool whole)
{
	struct text anew = { .whole = true };
	int r;

	pthread_mutex_lock(&w->lock);
	if (whole) {
		r = add(&anew, text, n);
		if (r == 0) {
			free(w->waiting.bytes);
			w->waiting = anew;
			w->unwritten = false;
		}
	} else {
		r = w->unwritten ? PCR_FULL : add(&w->waiting, text, n);
		w->unwritten |= r != 0;
	}
	if (r == 0)
		pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	return r;
}

bool pcr_history_writer_news(struct pcr_history_writer *w, struct pcr_history_news *ret_news)
{
	bool any;

	pthread_mutex_lock(&w->lock);
	any = !w->told;
	if (any)
		*ret_news = w->news;
	w->told = true;
	w->news.whole = false;
	pthread_mutex_unlock(&w->lock);
	return any;
}
