/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a text OpenMetrics 1.0, as far as this house writes it: gauges and counters, for
 * each HELP, TYPE and UNIT in this order, then its samples, once; names with their units
 * and suffixes; no series twice; # EOF at the end. Stricter than the specification where
 * that leaves a choice.
 */
#ifndef TESTS_OPENMETRICS_H
#define TESTS_OPENMETRICS_H

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OM_LINES 20000

struct om {
	char name[128], type[16], unit[32];	/* of the family that is being read */
	int stage;				/* 0: none, 1: HELP, 2: TYPE, 3: UNIT, 4: samples */
	size_t n_families, n_series;
	char **families, **series;
	char *why;
};

static bool om_fault(struct om *om, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(om->why, 256, format, args);
	va_end(args);
	return false;
}

static bool om_ends(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static size_t om_name(const char *text)
{
	size_t n = 0;

	while (isalpha((unsigned char)text[n]) || text[n] == '_' ||
	       (n && isdigit((unsigned char)text[n])))
		n++;
	return n;
}

static bool om_once(struct om *om, char **list, size_t *n, const char *what)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(list[i], what) == 0)
			return om_fault(om, "twice: %s", what);
	if (*n == OM_LINES)
		return om_fault(om, "too long");
	list[(*n)++] = strdup(what);
	return true;
}

/* A family is over: what was said of it has to fit its name. */
static bool om_close(struct om *om)
{
	static const char *const units[] = { "bytes", "seconds", "ratio", "pages",
					     "bytes_per_second" };
	static const char *const reserved[] = { "_total", "_created", "_count", "_sum", "_bucket" };
	char end[40];

	if (om->stage == 0)
		return true;
	if (om->stage != 4)
		return om_fault(om, "%s has no sample", om->name);
	snprintf(end, sizeof(end), "_%s", om->unit);
	if (*om->unit && !om_ends(om->name, end))
		return om_fault(om, "%s does not end in its unit %s", om->name, om->unit);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		snprintf(end, sizeof(end), "_%s", units[i]);
		if (om_ends(om->name, end) && strcmp(om->unit, units[i]) != 0)
			return om_fault(om, "%s has no unit %s", om->name, units[i]);
	}
	for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (om_ends(om->name, reserved[i]))
			return om_fault(om, "%s ends in %s", om->name, reserved[i]);
	om->stage = 0;
	return true;
}

/* "# HELP name text", "# TYPE name type" or "# UNIT name unit" */
static bool om_meta(struct om *om, const char *line)
{
	static const char *const words[] = { "HELP ", "TYPE ", "UNIT " };
	const char *text = line + 2;
	char name[128];
	int which = 0;
	size_t n;

	while (which < 3 && strncmp(text, words[which], 5) != 0)
		which++;
	n = which < 3 ? om_name(text + 5) : 0;
	if (!n || text[5 + n] != ' ' || !text[6 + n] || n >= sizeof(name))
		return om_fault(om, "no metadata: %s", line);
	snprintf(name, sizeof(name), "%.*s", (int)n, text + 5);
	text += 6 + n;
	if (which == 0) {
		if (!om_close(om) || !om_once(om, om->families, &om->n_families, name))
			return false;
		if (strncmp(name, "pcpu_reclaimd_", 14) != 0)
			return om_fault(om, "not one of ours: %s", name);
		strcpy(om->name, name);
		*om->type = *om->unit = '\0';
	} else if (om->stage == 0 || strcmp(name, om->name) != 0 || om->stage > which) {
		return om_fault(om, "out of order: %s", line);
	}
	if (which == 1)
		snprintf(om->type, sizeof(om->type), "%s", text);
	if (which == 1 && strcmp(text, "gauge") != 0 && strcmp(text, "counter") != 0)
		return om_fault(om, "neither gauge nor counter: %s", line);
	if (which == 2)
		snprintf(om->unit, sizeof(om->unit), "%s", text);
	om->stage = which + 1;
	return true;
}

/* {name="value",...}; the bytes of it, 0: not one. */
static size_t om_labels(const char *text)
{
	const char *p = text + 1;

	for (;;) {
		size_t n = om_name(p);

		if (!n || strncmp(p, "__", 2) == 0 || p[n] != '=' || p[n + 1] != '"')
			return 0;
		for (const char *q = text + 1; q < p; q++)
			if (strncmp(q, p, n + 2) == 0 && (q[-1] == ',' || q[-1] == '{'))
				return 0;
		for (p += n + 2; *p != '"'; p++) {
			if (!*p)
				return 0;
			if (*p == '\\' && !strchr("\\\"n", *++p))
				return 0;
		}
		if (*++p == '}')
			return (size_t)(p + 1 - text);
		if (*p++ != ',')
			return 0;
	}
}

static bool om_number(const char *p)
{
	size_t whole = strspn(p, "0123456789"), part;

	if (!whole || (whole > 1 && *p == '0'))
		return false;
	if (!p[whole])
		return true;
	part = strspn(p + whole + 1, "0123456789");
	return p[whole] == '.' && part && !p[whole + 1 + part];
}

static bool om_sample(struct om *om, const char *line)
{
	bool counter = strcmp(om->type, "counter") == 0;
	size_t n = om_name(line), labels = 0;
	char want[160], *series;
	bool ok;

	snprintf(want, sizeof(want), "%s%s", om->name, counter ? "_total" : "");
	if (om->stage < 2 || n != strlen(want) || strncmp(line, want, n) != 0)
		return om_fault(om, "no sample of %s: %s", om->name, line);
	if (line[n] == '{') {
		labels = om_labels(line + n);
		if (!labels)
			return om_fault(om, "labels: %s", line);
	}
	if (line[n + labels] != ' ' || !om_number(line + n + labels + 1))
		return om_fault(om, "value: %s", line);
	series = strndup(line, n + labels);
	ok = om_once(om, om->series, &om->n_series, series);
	free(series);
	om->stage = 4;
	return ok;
}

/* Whether text is as it should be; if not, why (256 bytes) says what is wrong. */
static bool openmetrics(const char *text, char *why)
{
	struct om om = { .why = why };
	bool ok = true, end = false;
	char line[1024];

	om.families = calloc(OM_LINES, sizeof(char *));
	om.series = calloc(OM_LINES, sizeof(char *));
	while (ok && *text) {
		size_t n = strcspn(text, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, text);
		if (end || !text[n] || n >= sizeof(line))
			ok = om_fault(&om, "%s: %s", end ? "after # EOF" : "line has no end", line);
		else if (strcmp(line, "# EOF") == 0)
			end = ok = om_close(&om);
		else
			ok = *line == '#' ? om_meta(&om, line) : om_sample(&om, line);
		text += n + (text[n] == '\n');
	}
	if (ok && !end)
		ok = om_fault(&om, "no # EOF");
	while (om.n_families)
		free(om.families[--om.n_families]);
	while (om.n_series)
		free(om.series[--om.n_series]);
	free(om.families);
	free(om.series);
	return ok;
}

#endif
