// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The screen of top, from replies as the daemon makes them: tests/golden/ctl/top-*.txt
 * (PCR_GOLDEN_UPDATE=1 writes them anew). That a terminal shows it, and what keys do, is
 * the integration case "top".
 */
#include "unit.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "client/show.h"

#define GOLDEN "tests/golden/ctl/"

static json_t *status, *cgroups, *history;

static json_t *load(const char *name)
{
	char path[128];
	json_t *reply;

	snprintf(path, sizeof(path), GOLDEN "%s.json", name);
	reply = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(reply, "%s", path);
	return reply;
}

static void set_up(void)
{
	status = load("status-batch");
	cgroups = load("cgroups");
	history = load("history");
}

static void tear_down(void)
{
	json_decref(status);
	json_decref(cgroups);
	json_decref(history);
}

static struct pcr_top whole(void)
{
	return (struct pcr_top){ .status = status, .cgroups = cgroups, .history = history,
				 .sort = "pinned", .interval_sec = 2 };
}

static char *screen(const struct pcr_top *top, u32 columns, u32 rows)
{
	char *text = NULL;
	size_t n;
	struct pcr_style style = { .columns = columns, .out = open_memstream(&text, &n) };

	pcr_show_top(top, &style, rows);
	fclose(style.out);
	return text;
}

static void golden(const char *name, const struct pcr_top *top, u32 columns, u32 rows)
{
	char path[128], want[1 << 14] = "", *text = screen(top, columns, rows);
	FILE *f;

	snprintf(path, sizeof(path), GOLDEN "top-%s.txt", name);
	if (getenv("PCR_GOLDEN_UPDATE")) {
		f = fopen(path, "w");
		ck_assert_ptr_nonnull(f);
		fputs(text, f);
		fclose(f);
	}
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	want[fread(want, 1, sizeof(want) - 1, f)] = '\0';
	fclose(f);
	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(test_golden)
{
	struct pcr_top top = whole();

	golden("80x24", &top, 80, 24);
	golden("40x10", &top, 40, 10);
	golden("160x50", &top, 160, 50);
	top.paused = true;
	top.trouble = "pcpu-reclaimd is not running; figures of 12 s ago; asks again";
	golden("trouble", &top, 80, 12);
	top.keys = true;
	golden("keys", &top, 80, 12);
}
END_TEST

/* Exactly as many lines as there are, at any size, and whatever is known. */
START_TEST(test_every_size)
{
	for (u32 rows = 1; rows <= 70; rows++) {
		for (u32 i = 0; i < 8; i++) {
			struct pcr_top top = whole();
			char *text;
			u32 lines = 1;

			top.status = i & 1 ? status : NULL;
			top.cgroups = i & 2 ? cgroups : NULL;
			top.history = i & 4 ? history : NULL;
			text = screen(&top, 1 + rows * 3, rows);
			for (const char *p = text; *p; p++)
				lines += *p == '\n';
			ck_assert_msg(lines == rows, "%u lines of %u (%u):\n%s", lines, rows, i, text);
			free(text);
		}
	}
}
END_TEST

/* The list of keys and the manual page name the same. */
START_TEST(test_keys)
{
	static const char *const keys[] = { "q", "s", "space", "+", "-", "\\&?" };
	static char man[1 << 16];
	FILE *f = fopen("man/pcpu-reclaimctl.1", "r");
	struct pcr_top top = { .keys = true };
	char *text = screen(&top, 80, 24), word[32];

	ck_assert_ptr_nonnull(f);
	man[fread(man, 1, sizeof(man) - 1, f)] = '\0';
	fclose(f);
	for (size_t i = 0; i < PCR_ARRAY_SIZE(keys); i++) {
		const char *key = keys[i] + strspn(keys[i], "\\&");

		snprintf(word, sizeof(word), "\n.It Li %s\n", keys[i]);
		ck_assert_msg(strstr(man, word), "the manual page lacks %s", key);
		snprintf(word, sizeof(word), "  %s  ", key);
		ck_assert_msg(strstr(text, word), "the list lacks %s", key);
	}
	free(text);
}
END_TEST

PCR_UNIT_FIXTURE("client_top", set_up, tear_down, test_golden, test_every_size, test_keys)
