// SPDX-License-Identifier: GPL-2.0-or-later
/* What the loader has to say, one line a finding, in the shape of a compiler's. */
#include "conf/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static struct pcr_conf_line *new_line(struct pcr_conf_report *report)
{
	if (report->n == report->cap) {
		size_t cap = report->cap ? 2 * report->cap : 8;
		struct pcr_conf_line *lines = realloc(report->lines, cap * sizeof(*lines));

		if (!lines)
			return NULL;
		report->lines = lines;
		report->cap = cap;
	}
	return &report->lines[report->n];
}

static char *with_place(const struct pcr_conf_place *at, bool error, const char *text)
{
	const char *kind = error ? "" : "warning: ";
	char *line;
	int r;

	if (at->line > 0)
		r = asprintf(&line, "%s:%u:%u: %s%s", at->path, at->line, at->column, kind,
			     text);
	else
		r = asprintf(&line, "%s: %s%s", at->path, kind, text);
	return r < 0 ? NULL : line;
}

__attribute__((format(printf, 4, 0)))
static void add(struct pcr_conf_report *report, const struct pcr_conf_place *at, bool error,
		const char *fmt, va_list ap)
{
	PCR_AUTOFREE char *text = NULL;
	struct pcr_conf_line *line;
	char *whole = NULL;

	if (error)
		report->n_errors++;
	else
		report->n_warnings++;
	if (report->n >= PCR_CONF_LINES_MAX)
		return;
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	line = text ? new_line(report) : NULL;
	if (line)
		whole = with_place(at, error, text);
	if (!whole) {
		report->nomem = true;
		return;
	}
	*line = (struct pcr_conf_line){ .text = whole,
					.error = error,
					.file = at->file,
					.line = at->line,
					.column = at->column };
	report->n++;
}

void pcr_conf_error(struct pcr_conf_report *report, const struct pcr_conf_place *at,
		    const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(report, at, true, fmt, ap);
	va_end(ap);
}

void pcr_conf_warn(struct pcr_conf_report *report, const struct pcr_conf_place *at,
		   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(report, at, false, fmt, ap);
	va_end(ap);
}

static bool after(const struct pcr_conf_line *a, const struct pcr_conf_line *b)
{
	if (a->file != b->file)
		return a->file > b->file;
	if (a->line != b->line)
		return a->line > b->line;
	return a->column > b->column;
}

/* By insertion: stable, short, and nearly in order already. */
void pcr_conf_report_sort(struct pcr_conf_report *report)
{
	for (size_t i = 1; i < report->n; i++) {
		struct pcr_conf_line line = report->lines[i];
		size_t j = i;

		for (; j > 0 && after(&report->lines[j - 1], &line); j--)
			report->lines[j] = report->lines[j - 1];
		report->lines[j] = line;
	}
}

void pcr_conf_report_done(struct pcr_conf_report *report)
{
	for (size_t i = 0; i < report->n; i++)
		free(report->lines[i].text);
	free(report->lines);
	*report = (struct pcr_conf_report){};
}

char *pcr_conf_report_text(const struct pcr_conf_report *report)
{
	size_t size, hidden = report->n_errors + report->n_warnings - report->n;
	char *text = NULL;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < report->n; i++)
		fprintf(f, "%s\n", report->lines[i].text);
	if (hidden > 0)
		fprintf(f, "and %zu more\n", hidden);
	fprintf(f, "%u error%s", report->n_errors, report->n_errors == 1 ? "" : "s");
	if (report->n_warnings > 0)
		fprintf(f, ", %u warning%s", report->n_warnings, report->n_warnings == 1 ? "" : "s");
	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* Bytes of the UTF-8 sequence that text begins with, 0: none. Lenient about its range. */
static size_t utf8_len(const unsigned char *text, size_t n)
{
	size_t len = *text >= 0xf0 && *text < 0xf8 ? 4 : *text >= 0xe0 ? 3 : 2;

	if (*text < 0xc2 || *text >= 0xf8 || n < len)
		return 0;
	/* U+0080 to U+009F are control characters as well. */
	if (*text == 0xc2 && text[1] < 0xa0)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

const char *pcr_conf_quote(char buf[static PCR_CONF_QUOTE], const char *text, size_t n)
{
	const unsigned char *in = (const unsigned char *)text;
	size_t at = 0;

	for (size_t i = 0; i < n;) {
		size_t len = in[i] >= 0x80 ? utf8_len(in + i, n - i) : in[i] >= 0x20 && in[i] != 0x7f;

		/* Room for the longest step, the dots and the end. */
		if (at + 4 + 3 + 1 > PCR_CONF_QUOTE) {
			memcpy(buf + at, "...", 3);
			at += 3;
			break;
		}
		if (len == 0) {
			at += (size_t)snprintf(buf + at, 5, "\\x%02x", in[i]);
			i++;
			continue;
		}
		memcpy(buf + at, in + i, len);
		at += len;
		i += len;
	}
	buf[at] = '\0';
	return buf;
}
