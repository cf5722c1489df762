// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the table of metrics (metrics_table.c) from what the daemon said. */
#include "client/metrics.h"

#include <string.h>

#include "client/get.h"

#define PREFIX "pcpu_reclaimd_"

/* "a.b" below o; o itself for "". */
static const json_t *below(const json_t *o, const char *path)
{
	while (o && *path) {
		size_t n = strcspn(path, ".");
		char key[32];

		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		o = json_object_get(o, key);
		path += n + (path[n] == '.');
	}
	return o;
}

static u64 suffixed(const json_t *o, const char *key, const char *suffix)
{
	char name[64];

	snprintf(name, sizeof(name), "%s%s", key, suffix);
	return pcr_get_u64(o, name);
}

static u64 product(u64 a, u64 b)
{
	u64 ret;

	return !pcr_has(a) || !pcr_has(b) || __builtin_mul_overflow(a, b, &ret) ? PCR_ABSENT : ret;
}

static u64 rate(u64 bytes, u64 usec)
{
	unsigned __int128 a_second = (unsigned __int128)bytes * PCR_SEC;

	return !pcr_has(bytes) || !pcr_has(usec) || usec == 0 || a_second / usec >= PCR_ABSENT ?
		PCR_ABSENT : (u64)(a_second / usec);
}

/* The value times *ret_scale; PCR_ABSENT: nothing to be said. */
static u64 value_of(const struct pcr_metric *m, const json_t *o, u64 *ret_scale)
{
	*ret_scale = 1;
	if (!json_is_object(o))
		return PCR_ABSENT;
	switch (m->form) {
	case PCR_METRIC_COUNT:
		return pcr_get_u64(o, m->key);
	case PCR_METRIC_USEC:
		*ret_scale = PCR_SEC;
		return pcr_get_u64(o, m->key);
	case PCR_METRIC_BP:
		*ret_scale = 10000;
		return pcr_get_u64(o, m->key);
	case PCR_METRIC_FLAG:
		return json_is_boolean(json_object_get(o, m->key)) ? pcr_get_bool(o, m->key) :
								     PCR_ABSENT;
	case PCR_METRIC_THERE:
		return json_object_get(o, m->key) != NULL;
	case PCR_METRIC_LENGTH:
		return json_is_array(json_object_get(o, m->key)) ?
			json_array_size(json_object_get(o, m->key)) : PCR_ABSENT;
	case PCR_METRIC_UNITS:
		return product(pcr_get_u64(o, m->key), product(pcr_get_u64(o, "page_bytes"),
							       pcr_get_u64(o, "nr_units")));
	case PCR_METRIC_RATE:
		return rate(suffixed(o, m->key, "_bytes"), suffixed(o, m->key, "_usec"));
	case PCR_METRIC_AHEAD:
		*ret_scale = PCR_SEC;
		return pcr_has(suffixed(o, m->key, "_ago_usec")) ? 0 :
			suffixed(o, m->key, "_in_usec");
	case PCR_METRIC_INFO:
		return 1;
	}
	return PCR_ABSENT;
}

/* name="value", and nothing for what is not there: an empty label is none. */
static void print_label(FILE *out, const char *name, const json_t *value, const char **sep)
{
	const char *text = json_string_value(value);

	if (!text && !json_is_integer(value))
		return;
	fprintf(out, "%s%s=\"", *sep, name);
	if (!text)
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	for (; text && *text; text++) {
		if (*text == '\n')
			fputs("\\n", out);
		else
			fprintf(out, *text == '\\' || *text == '"' ? "\\%c" : "%c", *text);
	}
	fputc('"', out);
	*sep = ",";
}

/* The next name of a list with commas; false at its end. */
static bool next_name(const char **list, char name[static 32])
{
	size_t n = strcspn(*list, ",");

	snprintf(name, 32, "%.*s", (int)n, *list);
	*list += n + ((*list)[n] == ',');
	return n > 0;
}

/* Every key that the metric's label names, of one object. */
static void print_labels(FILE *out, const struct pcr_metric *m, const json_t *o)
{
	const char *sep = "{", *names = m->label ? m->label : "";
	char name[32];

	while (next_name(&names, name))
		print_label(out, name, json_object_get(o, name), &sep);
	fputs(*sep == ',' ? "}" : "", out);
}

/* A row without one of its labels could not be told from others. */
static bool labelled(const char *names, const json_t *o)
{
	char name[32];

	while (next_name(&names, name)) {
		const json_t *value = json_object_get(o, name);

		if (!json_is_string(value) && !json_is_integer(value))
			return false;
	}
	return true;
}

static void print_number(FILE *out, u64 value, u64 scale)
{
	u64 rest = value % scale;

	fprintf(out, "%llu", (unsigned long long)(value / scale));
	if (rest)
		fputc('.', out);
	while (rest) {
		scale /= 10;
		fputc((int)('0' + rest / scale), out);
		rest %= scale;
	}
}

static void print_head(FILE *out, const struct pcr_metric *m)
{
	fprintf(out, "# HELP " PREFIX "%s %s.\n", m->name, m->help);
	fprintf(out, "# TYPE " PREFIX "%s %s\n", m->name, m->counter ? "counter" : "gauge");
	if (m->unit)
		fprintf(out, "# UNIT " PREFIX "%s %s\n", m->name, m->unit);
}

static void print_sample(FILE *out, const struct pcr_metric *m, const json_t *o, bool *ret_headed)
{
	u64 scale, value = value_of(m, o, &scale);

	if (!pcr_has(value))
		return;
	if (!*ret_headed)
		print_head(out, m);
	*ret_headed = true;
	fprintf(out, PREFIX "%s%s", m->name, m->counter ? "_total" : "");
	print_labels(out, m, o);
	fputc(' ', out);
	print_number(out, value, scale);
	fputc('\n', out);
}

static void print_metric(FILE *out, const struct pcr_metric *m, const json_t *status)
{
	const json_t *of = below(status, m->of), *one;
	bool headed = false;
	size_t i;

	if (!m->label || m->form == PCR_METRIC_INFO) {
		print_sample(out, m, of, &headed);
		return;
	}
	json_array_foreach(of, i, one)
		if (labelled(m->label, one))
			print_sample(out, m, one, &headed);
}

/* The reading of pressure that names no cgroup is the machine's. */
static void add_machine(json_t *status)
{
	json_t *readings = json_object_get(json_object_get(status, "pressure"), "readings"), *one;
	size_t i;

	json_array_foreach(readings, i, one) {
		if (json_object_get(one, "cgroup"))
			continue;
		json_object_set(status, "machine", one);
		return;
	}
}

/* Kernel settings stand in the status one by one. */
static void add_settings(json_t *status)
{
	json_t *list = json_array(), *one;
	const char *name;

	json_object_foreach(status, name, one) {
		if (!json_object_get(one, "knob"))
			continue;
		json_object_set_new(one, "setting", json_string(name));
		json_array_append(list, one);
	}
	json_object_set_new(status, "kernel_settings", list);
}

/* Policies are labelled by their names. */
static void add_policies(json_t *status, const json_t *policies)
{
	json_t *list = json_array(), *row;
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(policies, "policies"), i, one) {
		row = json_copy((json_t *)one);
		json_object_set(row, "policy", json_object_get(one, "name"));
		json_array_append_new(list, row);
	}
	json_object_set_new(status, "policies", list);
}

void pcr_metrics_print(FILE *out, json_t *status, const json_t *policies)
{
	add_machine(status);
	add_settings(status);
	add_policies(status, policies);
	for (size_t i = 0; i < pcr_n_metrics; i++)
		print_metric(out, &pcr_metrics[i], status);
	fputs("# EOF\n", out);
}
