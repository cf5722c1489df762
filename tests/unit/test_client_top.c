// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The screen of top, from replies as the daemon makes them. That a terminal shows it, and
 * what keys do, is the integration case "top".
 */
#include "unit/golden.h"

#include "client/show.h"

static json_t *status, *cgroups, *history;

static void set_up(void)
{
	status = golden_reply("status-batch");
	cgroups = golden_reply("cgroups");
	history = golden_reply("history");
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
	char file[64], *text = screen(top, columns, rows);

	snprintf(file, sizeof(file), "top-%s.txt", name);
	golden_is(file, text);
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
	struct pcr_top top = { .keys = true };
	char *man = golden_slurp("man/pcpu-reclaimctl.1");
	char *text = screen(&top, 80, 24), word[32];

	for (size_t i = 0; i < PCR_ARRAY_SIZE(keys); i++) {
		const char *key = keys[i] + strspn(keys[i], "\\&");

		snprintf(word, sizeof(word), "\n.It Li %s\n", keys[i]);
		ck_assert_msg(strstr(man, word), "the manual page lacks %s", key);
		snprintf(word, sizeof(word), "  %s  ", key);
		ck_assert_msg(strstr(text, word), "the list lacks %s", key);
	}
	free(text);
	free(man);
}
END_TEST

PCR_UNIT_FIXTURE("client_top", set_up, tear_down, test_golden, test_every_size, test_keys)
