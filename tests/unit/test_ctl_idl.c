// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interface text is what other clients are written against: it has to be well
 * formed, and every reply has to be what it says. The grammar is kept to what every
 * Varlink implementation reads: comments on lines of their own, a field a line or
 * several in one, named types only.
 */
#include "unit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "ctl_fixture.h"

#define MAX_FIELDS 64
#define MAX_SYMBOLS 64

struct field {
	char name[48], type[48];
	bool optional, array;
};

struct symbol {
	char kind[12], name[48];
	struct field in[MAX_FIELDS], out[MAX_FIELDS];
	u32 n_in, n_out;
};

static struct symbol symbols[MAX_SYMBOLS];
static u32 n_symbols;
static const char *p;

static void skip_blanks(void)
{
	while (isspace((unsigned char)*p))
		p++;
}

static bool take(const char *token)
{
	size_t n = strlen(token);

	skip_blanks();
	if (strncmp(p, token, n) != 0)
		return false;
	p += n;
	return true;
}

static void word(char *buf, size_t size)
{
	size_t n = 0;

	skip_blanks();
	while (isalnum((unsigned char)*p) || *p == '_' || *p == '.' || *p == '-') {
		ck_assert_uint_lt(n + 1, size);
		buf[n++] = *p++;
	}
	buf[n] = '\0';
	ck_assert_msg(n > 0, "a name at: %.40s", p);
}

static u32 fields(struct field *list)
{
	u32 n = 0;

	ck_assert_msg(take("("), "( at: %.40s", p);
	while (!take(")")) {
		struct field *f = &list[n++];

		ck_assert_uint_le(n, MAX_FIELDS);
		word(f->name, sizeof(f->name));
		/* no leading digit, no double or trailing underscore */
		ck_assert(isalpha((unsigned char)f->name[0]) && !strstr(f->name, "__") &&
			  f->name[strlen(f->name) - 1] != '_');
		ck_assert_msg(take(":"), ": at: %.40s", p);
		f->optional = take("?");
		f->array = take("[]");
		word(f->type, sizeof(f->type));
		for (u32 i = 0; i + 1 < n; i++)
			ck_assert_str_ne(list[i].name, f->name);
		if (!take(",")) {
			ck_assert_msg(take(")"), ") at: %.40s", p);
			break;
		}
		skip_blanks();
		ck_assert_msg(*p != ')', "a comma before )");
	}
	return n;
}

static void parse(const char *text, const char *interface)
{
	char name[64];

	p = text;
	n_symbols = 0;
	memset(symbols, 0, sizeof(symbols));
	while (take("#"))
		p += strcspn(p, "\n");
	ck_assert(take("interface"));
	word(name, sizeof(name));
	ck_assert_str_eq(name, interface);
	for (skip_blanks(); *p; skip_blanks()) {
		struct symbol *s = &symbols[n_symbols];

		if (take("#")) {
			p += strcspn(p, "\n");
			continue;
		}
		ck_assert_uint_lt(n_symbols++, MAX_SYMBOLS);
		word(s->kind, sizeof(s->kind));
		word(s->name, sizeof(s->name));
		ck_assert(isupper((unsigned char)s->name[0]));
		/* Types, methods and errors share their names. */
		for (const struct symbol *other = symbols; other < s; other++)
			ck_assert_str_ne(other->name, s->name);
		if (strcmp(s->kind, "method") == 0) {
			s->n_in = fields(s->in);
			ck_assert(take("->"));
			s->n_out = fields(s->out);
		} else {
			ck_assert(strcmp(s->kind, "type") == 0 || strcmp(s->kind, "error") == 0);
			s->n_out = fields(s->out);
			/* an empty type is neither struct nor enum */
			ck_assert(s->n_out > 0 || strcmp(s->kind, "error") == 0);
		}
	}
}

static const struct symbol *find(const char *kind, const char *name)
{
	for (u32 i = 0; i < n_symbols; i++)
		if (strcmp(symbols[i].kind, kind) == 0 && strcmp(symbols[i].name, name) == 0)
			return &symbols[i];
	return NULL;
}

static void check_struct(const char *where, const json_t *o, const struct field *list, u32 n);

static void check_value(const char *where, const json_t *v, const struct field *f)
{
	const struct symbol *type;

	if (strcmp(f->type, "string") == 0) {
		ck_assert_msg(json_is_string(v), "%s: no string", where);
	} else if (strcmp(f->type, "int") == 0) {
		ck_assert_msg(json_is_integer(v), "%s: no int", where);
	} else if (strcmp(f->type, "bool") == 0) {
		ck_assert_msg(json_is_boolean(v), "%s: no bool", where);
	} else {
		type = find("type", f->type);
		ck_assert_msg(type, "%s: unknown type %s", where, f->type);
		check_struct(where, v, type->out, type->n_out);
	}
}

static void check_struct(const char *where, const json_t *o, const struct field *list, u32 n)
{
	char name[256];
	const char *key;
	json_t *v, *item;
	size_t i;

	ck_assert_msg(json_is_object(o), "%s: no object", where);
	for (u32 k = 0; k < n; k++)
		ck_assert_msg(list[k].optional || json_object_get(o, list[k].name),
			      "%s.%s is missing", where, list[k].name);
	json_object_foreach((json_t *)o, key, v) {
		u32 k = 0;

		while (k < n && strcmp(list[k].name, key) != 0)
			k++;
		snprintf(name, sizeof(name), "%s.%s", where, key);
		ck_assert_msg(k < n, "%s is not in the interface", name);
		if (!list[k].array) {
			check_value(name, v, &list[k]);
			continue;
		}
		ck_assert_msg(json_is_array(v), "%s: no array", name);
		json_array_foreach(v, i, item)
			check_value(name, item, &list[k]);
	}
}

static void check_reply(struct fix *f, const char *method, const char *params)
{
	struct pcr_call call = { .view = &f->view, .clock = { FIX_NOW, FIX_REAL },
				 .may_change = true };
	const struct symbol *s;
	char text[512];

	snprintf(text, sizeof(text), "{\"method\":\"%s.%s\",\"more\":true,\"parameters\":{%s}}",
		 PCR_INTERFACE, method, params);
	ck_assert_int_eq(pcr_call_answer(&call, text, strlen(text)), 0);
	s = call.error ? find("error", strrchr(call.error, '.') + 1) : find("method", method);
	ck_assert_msg(s, "%s", call.error ? call.error : method);
	check_struct(method, call.reply, s->out, s->n_out);
	pcr_call_clear(&call);
}

/* One at work in each of the two ways, one at rest, one that nobody looked at yet. */
static void fill_tasks(struct fix *f)
{
	struct pcr_collapse *c = &f->state->collapse;
	struct pcr_node *node = pcr_tree_by_id(&f->state->tree, 3);
	struct pcr_record *r = &f->state->history[3];

	f->settings->policies[1].rule.collapse_bytes = 8 << 20;
	f->settings->policies[1].rule.collapse_usec = PCR_SEC;
	for (s32 pid = 4711; pid < 4715; pid++) {
		ck_assert_int_eq(pcr_state_task(f->state, node, pid, FIX_NOW), 0);
		pcr_task_find(c, pid)->policy = 1;
	}
	c->thp = (struct pcr_thp){ .huge_bytes = 2 << 20, .page_bytes = 4096 };
	c->ready[PCR_HOW_MADVISE] = true;
	c->paused = PCR_WHY_NO_HUGE;
	c->paused_usec = c->machine_usec = FIX_NOW;
	for (u32 i = 0; i < 3; i++) {
		c->task[i].anon_bytes = 64 << 20;
		c->task[i].huge_bytes = c->task[i].made_bytes = 2 << 20;
		c->task[i].scanned_bytes = 4 << 20;
		c->task[i].working = i < 2;
		c->task[i].how = PCR_HOW_TASK + i % 2;
		snprintf(c->task[i].comm, sizeof(c->task[i].comm), "job");
	}
	c->task[1].rate_bytes = 1 << 20;
	c->task[2].err = EPERM;
	c->task[2].rest = PCR_WHY_BACKOFF;
	c->task[2].rest_usec = FIX_NOW + PCR_SEC;
	fix_record(f, 4, 3, "4711 job");
	r->action = PCR_ACT_COLLAPSE;
	r->after = 2 << 20;
}

static void fill(struct fix *f)
{
	struct pcr_reap *reap = pcr_tree_by_id(&f->state->tree, 3)->reap;
	struct pcr_record *r;

	f->state->dying = 37;
	f->state->trim.sampled_usec = FIX_NOW - PCR_SEC;
	f->state->trim.now = (struct pcr_percpu_sample){ true, false, 1, 4096, 2, 3, 4, 5, 6, 7, 25, 8, 9, 10, 11 };
	f->state->setting[PCR_SETTING_HIGH] =
		(struct pcr_setting_state){ .seen = 4, .base = 4, .set = 8 };
	f->state->footprint.memory_bytes = 1 << 20;
	f->state->footprint.charged_bytes = f->state->footprint.slab_lost_bytes = 1;
	f->state->footprint.sampled_usec = FIX_NOW;
	f->state->pressure[0].last_usec = FIX_NOW;
	f->health.last_resync_usec = FIX_NOW;
	snprintf(f->health.settings_error, sizeof(f->health.settings_error), "x");
	reap->cooldown_usec = FIX_NOW + PCR_SEC;
	reap->last_stop = PCR_STOP_NO_SWAP;
	reap->shmem_bytes = reap->stall_usec = 1;
	fix_record(f, 1, 3, "machine.slice/ci");
	fix_record(f, 2, 0, "/sys/kernel/mm/percpu/reclaim");
	f->state->history[1].action = PCR_ACT_TRIM;
	fix_record(f, 3, 0, "/sys/kernel/mm/percpu/empty_pages_high");
	r = &f->state->history[2];
	r->action = PCR_ACT_SET;
	r->err = EROFS;
	for (u32 i = _PCR_SETTING_PERCPU; i < _PCR_SETTING_THP; i++)
		f->state->setting[i] = (struct pcr_setting_state){ .seen = 4, .base = 4, .set = 8 };
	fill_tasks(f);
}

/* Two nodes: one whose limit is looked for, one with a number of its own. */
static void fill_batch(struct fix *f)
{
	struct pcr_batch_sample s;
	struct pcr_batch *b = &f->state->batch;

	memset(&s, 0, sizeof(s));
	s.max_active = 2;
	s.cpus = 4;
	f->settings->batch.enabled = true;
	f->health.batch_cgroups = 3;
	b->there = true;
	b->exits = 7;
	b->cpu_bp = 100;
	b->paused_usec = b->sampled_usec = FIX_NOW - PCR_SEC;
	ck_assert_int_eq(pcr_state_batch_nodes(f->state, 2), 0);
	for (u32 i = 0; i < 2; i++)
		pcr_state_batch_node(f->state, i, &s, FIX_NOW - PCR_SEC);
	b->node[0].climber.level[1] = (struct pcr_climb_level){ .n = 1, .last_usec = FIX_NOW };
	b->node[0].climber.without = (struct pcr_climb_level){ .last_usec = FIX_NOW };
	b->node[0].climber.phase = PCR_CLIMB_SETTLED;
	f->state->setting[PCR_SETTING_NODE] =
		(struct pcr_setting_state){ .seen = 5, .base = 2, .set = 4, .foreign = true };
}

static void check_batch(struct fix *f)
{
	check_reply(f, "GetStatus", "");
	check_reply(f, "Explain", "\"target\":\"node0\"");
	check_reply(f, "Explain", "\"target\":\"node1\"");
	check_reply(f, "Explain", "\"target\":\"node7\"");
	check_reply(f, "Explain", "\"target\":\"/sys/kernel/mm/batch_free/enabled\"");
	check_reply(f, "GetPlan", "");
}

static void check_all(struct fix *f)
{
	check_reply(f, "GetStatus", "");
	check_reply(f, "ListCgroups", "");
	check_reply(f, "ListPolicies", "");
	check_reply(f, "Explain", "\"target\":\"machine.slice/ci\"");
	check_reply(f, "Explain", "\"target\":\"system.slice\"");
	check_reply(f, "Explain", "\"target\":\"percpu\"");
	check_reply(f, "Explain", "\"target\":\"/sys/kernel/mm/percpu/reclaim\"");
	for (s32 pid = 4711; pid < 4716; pid++) {
		char target[32];

		snprintf(target, sizeof(target), "\"target\":\"%d\"", pid);
		check_reply(f, "Explain", target);
	}
	check_reply(f, "Explain", "\"target\":\"/sys/kernel/mm/transparent_hugepage/khugepaged/pages_to_scan\"");
	check_reply(f, "ListTasks", "");
	check_reply(f, "ListTasks", "\"limit\":1");
	check_reply(f, "GetHistory", "");
	check_reply(f, "GetPlan", "");
	check_reply(f, "Watch", "");
	check_reply(f, "Doctor", "");
	check_reply(f, "Reap", "\"cgroup\":\"/\"");
	check_reply(f, "Trim", "");
	check_reply(f, "Reload", "");
	check_reply(f, "SetLogLevel", "\"level\":5");
	check_reply(f, "Explain", "\"target\":\"nope\"");
	check_reply(f, "Explain", "\"target\":\"/sys/kernel/nope\"");
}

START_TEST(test_replies_are_what_they_say)
{
	struct fix *f = fix_new();

	parse(pcr_interface_service, PCR_SERVICE);
	ck_assert_ptr_nonnull(find("method", "GetInfo"));
	parse(pcr_interface_manager, PCR_INTERFACE);
	check_all(f);
	fill(f);
	check_all(f);
	check_batch(f);
	fill_batch(f);
	check_batch(f);
	f->r = -EALREADY;
	check_reply(f, "Trim", "");
	f->r = -EROFS;
	check_reply(f, "Trim", "");
	f->r = -EINVAL;
	f->errors = "x";
	check_reply(f, "Reload", "");
	fix_free(f);
}
END_TEST

/* Every method of the table is in the text with its parameters, and the other way round. */
START_TEST(test_table_and_text_agree)
{
	u32 n = 0, methods = 0;

	parse(pcr_interface_manager, PCR_INTERFACE);
	for (const struct pcr_method *m = pcr_methods; m->name; m++) {
		const struct symbol *s;
		u32 params = 0;

		if (strncmp(m->name, PCR_INTERFACE, strlen(PCR_INTERFACE)) != 0)
			continue;
		n++;
		s = find("method", strrchr(m->name, '.') + 1);
		ck_assert_msg(s, "%s", m->name);
		while (params < PCR_PARAMS_MAX && m->params[params].name) {
			ck_assert_str_eq(s->in[params].name, m->params[params].name);
			ck_assert_int_eq(s->in[params].optional, !m->params[params].required);
			params++;
		}
		ck_assert_uint_eq(params, s->n_in);
	}
	for (u32 i = 0; i < n_symbols; i++)
		methods += strcmp(symbols[i].kind, "method") == 0;
	ck_assert_uint_eq(n, methods);
}
END_TEST

/* The manual page names every method, every error, and every field. */
START_TEST(test_manual)
{
	char *man = calloc(1, 1 << 17);
	FILE *f = fopen("man/pcpu-reclaimctl.1", "r");

	ck_assert_ptr_nonnull(f);
	man[fread(man, 1, (1 << 17) - 1, f)] = '\0';
	fclose(f);
	parse(pcr_interface_manager, PCR_INTERFACE);
	for (u32 i = 0; i < n_symbols; i++) {
		if (strcmp(symbols[i].kind, "type") != 0)
			ck_assert_msg(strstr(man, symbols[i].name), "%s", symbols[i].name);
		for (u32 k = 0; k < symbols[i].n_out; k++) {
			static const char *const ends[] = { "_ago_usec", "_in_usec", "_at" };
			char name[48];

			/* a point in time is named once; a rule's values are the settings' own */
			strcpy(name, symbols[i].out[k].name);
			for (size_t e = 0; e < PCR_ARRAY_SIZE(ends); e++)
				if (strlen(name) > strlen(ends[e]) &&
				    strcmp(name + strlen(name) - strlen(ends[e]), ends[e]) == 0)
					name[strlen(name) - strlen(ends[e])] = '\0';
			if (strcmp(symbols[i].name, "Policy") == 0 ||
			    strcmp(symbols[i].name, "Percpu") == 0)
				continue;
			ck_assert_msg(strstr(man, name), "%s.%s", symbols[i].name, name);
		}
	}
	free(man);
}
END_TEST

PCR_UNIT("ctl_idl", test_replies_are_what_they_say, test_table_and_text_agree, test_manual)
