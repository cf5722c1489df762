// SPDX-License-Identifier: GPL-2.0-or-later
/* daemon/app/history_writer.c: what is put is in the file, or the whole is asked for. */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/history_writer.h"
#include "base/cleanup.h"

static char dir[64], path[80];
static struct pcr_history_writer *w;
static struct pcr_history_news news;

static void notified(void *data)
{
	(void)data;
}

static void open_writer(u64 size)
{
	ck_assert_int_eq(pcr_history_writer_start(dir, size, notified, NULL, &w), 0);
}

static void set_up(void)
{
	snprintf(dir, sizeof(dir), "/tmp/pcr-history.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/history", dir);
	open_writer(0);
}

static void tear_down(void)
{
	w = pcr_history_writer_stop(w);
	unlink(path);
	ck_assert_int_eq(rmdir(dir), 0);
}

static int put(const char *text, bool whole)
{
	return pcr_history_writer_put(w, text, strlen(text), whole);
}

static void pause_a_bit(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
}

static bool file_is(const char *wanted)
{
	char text[128] = "";
	PCR_AUTOFCLOSE FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	return f && n == strlen(wanted) && !strcmp(text, wanted);
}

static void becomes(const char *wanted)
{
	for (int i = 0; i < 1000 && !file_is(wanted); i++)
		pause_a_bit();
	ck_assert(file_is(wanted));
}

static void get_news(void)
{
	int i = 0;

	while (!pcr_history_writer_news(w, &news) && i++ < 1000)
		pause_a_bit();
	ck_assert_int_lt(i, 1000);
}

START_TEST(written_and_appended)
{
	struct stat st;

	ck_assert_int_eq(put("a\n", true), 0);
	becomes("a\n");
	ck_assert_int_eq(put("b\n", false), 0);
	becomes("a\nb\n");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	/* What waits at the end is written. */
	ck_assert_int_eq(put("c\n", false), 0);
	w = pcr_history_writer_stop(w);
	ck_assert(file_is("a\nb\nc\n"));
	/* The next one goes on where that ended. */
	open_writer(6);
	ck_assert_int_eq(put("d\n", false), 0);
	becomes("a\nb\nc\nd\n");
	ck_assert(!pcr_history_writer_news(w, &news));
}
END_TEST

/* Removed, or written by somebody else: nothing is appended to that. */
START_TEST(another_file)
{
	ck_assert_int_eq(put("a\n", true), 0);
	becomes("a\n");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(put("b\n", false), 0);
	get_news();
	ck_assert(news.whole && news.err == 0);
	ck_assert_int_eq(put("c\n", false), PCR_FULL);
	ck_assert_int_eq(put("a\nb\nc\n", true), 0);
	becomes("a\nb\nc\n");
	ck_assert_int_eq(truncate(path, 3), 0);
	ck_assert_int_eq(put("d\n", false), 0);
	get_news();
	ck_assert(news.whole && file_is("a\nb"));
	ck_assert_int_eq(put("d\n", true), 0);
	becomes("d\n");
	ck_assert_int_eq(put("e\n", false), 0);
	becomes("d\ne\n");
}
END_TEST

/* A directory where nothing can be made; then it is there again. */
START_TEST(no_place)
{
	ck_assert_int_eq(rmdir(dir), 0);
	ck_assert_int_eq(put("a\n", true), 0);
	get_news();
	ck_assert(news.whole && news.err == ENOENT);
	ck_assert_int_eq(put("b\n", false), PCR_FULL);
	ck_assert_int_eq(put("a\nb\n", true), 0);
	get_news();
	ck_assert_int_eq(news.err, ENOENT);
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	ck_assert_int_eq(put("a\nb\nc\n", true), 0);
	becomes("a\nb\nc\n");
	get_news();
	ck_assert(!news.whole && news.err == 0);
}
END_TEST

/* A link in its place is not followed. */
START_TEST(no_link)
{
	char other[96];

	snprintf(other, sizeof(other), "%s/other", dir);
	ck_assert_int_eq(symlink(other, path), 0);
	ck_assert_int_eq(put("a\n", false), 0);
	get_news();
	ck_assert(news.whole && news.err == ELOOP);
	ck_assert_int_eq(access(other, F_OK), -1);
	ck_assert_int_eq(put("a\n", true), 0);
	becomes("a\n");
	ck_assert_int_eq(access(other, F_OK), -1);
}
END_TEST

START_TEST(no_more_than_so_much)
{
	static char much[PCR_HISTORY_WAITING + 1];

	ck_assert_int_eq(pcr_history_writer_put(w, much, sizeof(much), false), PCR_FULL);
	ck_assert_int_eq(put("a\n", false), PCR_FULL);
	ck_assert_int_eq(put("a\n", true), 0);
	becomes("a\n");
}
END_TEST

PCR_UNIT_FIXTURE("history-writer", set_up, tear_down, written_and_appended, another_file, no_place,
		 no_link, no_more_than_so_much)
