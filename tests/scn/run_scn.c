// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs scenarios: run_scn FILE.scn... Says what failed where, and how many did not. */
#include "scn/scn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

/* Indented lines after "settings" and "reload". */
struct block {
	char text[4096];
	size_t n;
	bool open;
};

static bool begin(struct scn *s, const char *file)
{
	*s = (struct scn){ .file = file, .now = SCN_START };
	if (pcr_state_init(&s->st, 1) < 0)
		return scn_fail(s, "no memory");
	s->st.reap_knob = true;
	return scn_reload(s, "");
}

static void end(struct scn *s)
{
	pcr_state_clear(&s->st);
	pcr_settings_free(s->set);
}

static void keep(struct scn *s, struct block *b, const char *line)
{
	size_t n = strlen(line);

	if (b->n + n + 2 > sizeof(b->text)) {
		scn_fail(s, "too many settings");
		return;
	}
	memcpy(b->text + b->n, line, n);
	b->n += n;
	b->text[b->n++] = '\n';
	b->text[b->n] = '\0';
}

static void close_block(struct scn *s, struct block *b)
{
	if (b->open)
		scn_reload(s, b->text);
	*b = (struct block){ 0 };
}

/* "at 3s": the clock goes to it. The words after it are a line of their own. */
static void move_clock(struct scn *s, struct scn_line *l)
{
	u64 when;

	if (l->n < 2 || !scn_value(s, SCN_TIME, l->word[1], &when))
		return;
	if (when < s->now)
		scn_fail(s, "time does not go back to %s", l->word[1]);
	scn_close_plan(s);
	s->now = when;
	l->n -= 2;
	memmove(l->word, l->word + 2, l->n * sizeof(l->word[0]));
}

static void do_line(struct scn *s, struct scn_line *l, struct block *b)
{
	if (!strcmp(l->word[0], "at"))
		move_clock(s, l);
	if (s->failed || !l->n)
		return;
	if (!strcmp(l->word[0], "settings") || !strcmp(l->word[0], "reload")) {
		scn_close_plan(s);
		b->open = true;
		return;
	}
	if (scn_expect(s, l) || s->failed)
		return;
	if (!scn_event(s, l))
		scn_fail(s, "\"%s\" is not understood", l->word[0]);
}

static void take(struct scn *s, char *line, struct block *b)
{
	char copy[1024];
	struct scn_line l = { .text = copy };
	const char *rest;
	char *at;

	line[strcspn(line, "\n")] = '\0';
	if (b->open && (*line == '\t' || *line == ' ')) {
		keep(s, b, line + strspn(line, " \t"));
		return;
	}
	close_block(s, b);
	snprintf(copy, sizeof(copy), "%s", line);
	/* "expect line" takes the rest as it stands. */
	rest = strstr(copy, "expect line ");
	l.text = rest ? rest + strlen("expect line ") : "";
	for (char *word = strtok_r(line, " \t", &at); word; word = strtok_r(NULL, " \t", &at)) {
		if (*word == '#' && !rest)
			break;
		if (l.n == SCN_WORDS && rest)
			break;
		if (l.n == SCN_WORDS)
			scn_fail(s, "too many words");
		else
			l.word[l.n++] = word;
	}
	if (l.n)
		do_line(s, &l, b);
}

static bool run(const char *file)
{
	FILE *f = fopen(file, "re");
	struct block b = { 0 };
	char line[1024];
	struct scn s;

	if (!f) {
		printf("%s: %m\n", file);
		return false;
	}
	begin(&s, file);
	while (!s.failed && fgets(line, sizeof(line), f)) {
		s.line++;
		take(&s, line, &b);
	}
	if (!s.failed)
		close_block(&s, &b);
	scn_finish(&s);
	end(&s);
	fclose(f);
	return !s.failed;
}

int main(int argc, char **argv)
{
	int failed = 0;

	for (int i = 1; i < argc; i++)
		failed += !run(argv[i]);
	printf("scn: %d passed, %d failed\n", argc - 1 - failed, failed);
	return failed || argc < 2;
}
