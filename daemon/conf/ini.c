// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The only file with inih. It splits keys from values; lines are ours: the reader
 * below hands them over one at a time, counts them, and puts an empty one in place
 * of each that inih would misread, so that one mistake never becomes two.
 *
 * The library passes the line number to the handler although its header denies it,
 * so the handler is declared with that argument, and a self test finds out whether
 * it is really there. If so, the two counts must agree at every key: they part when
 * inih splits a line in two, which is the fault that must not pass in silence. If
 * not, our own count stands alone.
 */
#define INI_HANDLER_LINENO 1

#include "conf/ini.h"

#include <errno.h>
#include <ini.h>
#include <string.h>

#include "base/parse.h"
#include "conf/lines.h"

struct reader {
	const char *rest;
	size_t left;
	u32 number;		/* of the line handed over last */
	struct pcr_line line;
	bool skip;		/* below a section that was refused */
	bool lines_told;
	const struct pcr_ini_sink *sink;
};

/* Every option there is, whatever the build's defaults are. */
static void set_options(void)
{
	ini_allow_multiline = false;	/* an indented line would be the previous value's next */
	ini_allow_bom = true;
	ini_start_comment_prefixes = (char *)";#";
	ini_allow_inline_comments = true;
	ini_inline_comment_prefixes = (char *)";";
	ini_use_stack = true;
	ini_max_line = PCR_LINE_MAX + 96;
	ini_allow_realloc = false;
	ini_initial_alloc = PCR_LINE_MAX + 96;
	ini_stop_on_first_error = false;
	ini_allow_no_value = false;
}

/* Whether inih may see the line as it is. */
static bool admit(struct reader *r)
{
	const struct pcr_line *line = &r->line;

	switch (line->kind) {
	case PCR_LINE_BAD:
		r->sink->error(r->sink->data, r->number, line->column, line->what);
		/* What follows a broken header is not the previous section's. */
		r->skip |= line->header;
		return false;
	case PCR_LINE_SECTION:
		r->skip = !r->sink->section(r->sink->data, r->number, line->column, line->name,
					    line->name_len);
		return !r->skip;
	case PCR_LINE_KEY:
		return !r->skip;
	case PCR_LINE_BLANK:
		break;
	}
	return false;
}

/* fgets() to inih: the next line with its newline, NULL at the end. */
static char *next_line(char *buf, int size, void *stream)
{
	struct reader *r = stream;
	const char *line;
	size_t len;

	if (!pcr_next_line(&r->rest, &r->left, &line, &len))
		return NULL;
	r->number++;
	r->line = pcr_line_look(line, len, r->number == 1);
	/* Looked at already, so a line that is let through fits; never rely on it. */
	if (!admit(r) || len + 2 > (size_t)size)
		len = 0;
	memcpy(buf, line, len);
	memcpy(buf + len, "\n", 2);
	return buf;
}

static int on_key(void *user, const char *section, const char *name, const char *value, int number)
{
	struct reader *r = user;
	struct pcr_ini_key key = { .name = name,
				   .value = value,
				   .line = r->number,
				   .column = r->line.column,
				   .value_column = r->line.value_column };

	if (r->line.kind != PCR_LINE_KEY || (r->lines_told && (u32)number != r->number))
		r->sink->error(r->sink->data, r->number, 1, "inih has lost count of the lines");
	else
		r->sink->key(r->sink->data, &key);
	return 1;
}

/* The self test: what inih made of three known lines. */
struct probe {
	u32 seen;
	bool wrong;		/* names or values */
	bool untold;		/* line numbers */
};

static int on_probe(void *user, const char *section, const char *name, const char *value,
		    int number)
{
	static const struct {
		const char *section, *name, *value;
		int number;
	} want[] = { { "a", "b", "1;2", 2 }, { "c d", "b", "", 6 }, { "c d", "e", "f # g", 7 } };
	struct reader *r = user;
	struct probe *p = r->sink->data;
	u32 i = p->seen++;

	if (i >= PCR_ARRAY_SIZE(want) || strcmp(section, want[i].section) != 0 ||
	    strcmp(name, want[i].name) != 0 || strcmp(value, want[i].value) != 0 ||
	    r->number != (u32)want[i].number) {
		p->wrong = true;
		return 1;
	}
	p->untold |= number != want[i].number;
	return 1;
}

static bool any_section(void *data, u32 line, u32 column, const char *name, size_t n)
{
	return true;
}

static void any_error(void *data, u32 line, u32 column, const char *what)
{
	((struct probe *)data)->wrong = true;
}

static bool self_test(bool *ret_lines_told)
{
	static const char text[] = "[a]\nb = 1;2 ; x\n\n# y\n[c d] ; z\nb= ;\n\te =f # g\r\n";
	struct probe p = {};
	const struct pcr_ini_sink sink = { .data = &p, .section = any_section, .error = any_error };
	struct reader r = { .rest = text, .left = sizeof(text) - 1, .sink = &sink };

	if (ini_parse_stream(next_line, &r, on_probe, &r) != 0 || p.wrong || p.seen != 3)
		return false;
	*ret_lines_told = !p.untold;
	return true;
}

int pcr_ini_parse(const char *text, size_t n, const struct pcr_ini_sink *sink)
{
	struct reader r = { .rest = text, .left = n, .sink = sink };
	int bad;

	set_options();
	if (!self_test(&r.lines_told))
		return -ENOTSUP;
	bad = ini_parse_stream(next_line, &r, on_key, &r);
	/* Whatever inih refuses should have been refused before. */
	if (bad != 0)
		sink->error(sink->data, bad > 0 ? (u32)bad : r.number, 1, "inih can't read this line");
	return 0;
}
