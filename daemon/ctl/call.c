// SPDX-License-Identifier: GPL-2.0-or-later
/* From the bytes of a message to a handler, and from what it says to a reply. */
#include "ctl/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pcr_call_refuse(struct pcr_call *call, const char *error, const char *key, const char *value)
{
	json_t *params = json_object();

	if (!params || (key && pcr_put_text(params, key, value))) {
		json_decref(params);
		return -ENOMEM;
	}
	json_decref(call->reply);
	call->reply = params;
	call->error = error;
	return PCR_CALL_REFUSED;
}

const char *pcr_call_string(const struct pcr_call *call, const char *name)
{
	return json_string_value(json_object_get(call->params, name));
}

u64 pcr_call_int(const struct pcr_call *call, const char *name, u64 fallback)
{
	const json_t *value = json_object_get(call->params, name);

	return json_is_integer(value) ? (u64)json_integer_value(value) : fallback;
}

static const struct pcr_param *find_param(const struct pcr_method *method, const char *name)
{
	for (size_t i = 0; i < PCR_PARAMS_MAX && method->params[i].name; i++)
		if (strcmp(method->params[i].name, name) == 0)
			return &method->params[i];
	return NULL;
}

/* Of the right type and sense; numbers here count or measure, so none is negative. */
static bool param_fits(const struct pcr_param *param, const json_t *value)
{
	if (json_is_null(value))
		return !param->required;
	if (param->type == PCR_PARAM_STRING)
		return json_is_string(value);
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static int check_params(struct pcr_call *call)
{
	const struct pcr_method *method = call->method;
	const char *name;
	json_t *value;

	json_object_foreach(call->params, name, value) {
		const struct pcr_param *param = find_param(method, name);

		if (!param || !param_fits(param, value))
			return pcr_call_refuse(call, PCR_E_PARAMETER, "parameter", name);
	}
	for (size_t i = 0; i < PCR_PARAMS_MAX && method->params[i].name; i++)
		if (method->params[i].required &&
		    !json_object_get(call->params, method->params[i].name))
			return pcr_call_refuse(call, PCR_E_PARAMETER, "parameter",
					       method->params[i].name);
	return 0;
}

/* An unknown method of a known interface is another error than an unknown interface. */
static int refuse_method(struct pcr_call *call, const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t n = dot ? (size_t)(dot - name) : 0;

	if ((n == strlen(PCR_INTERFACE) && strncmp(name, PCR_INTERFACE, n) == 0) ||
	    (n == strlen(PCR_SERVICE) && strncmp(name, PCR_SERVICE, n) == 0))
		return pcr_call_refuse(call, PCR_E_METHOD, "method", name);
	return pcr_call_refuse(call, PCR_E_INTERFACE, "interface", name);
}

static int flag(const json_t *message, const char *name, bool *ret_value)
{
	const json_t *value = json_object_get(message, name);

	if (value && !json_is_boolean(value) && !json_is_null(value))
		return -EBADMSG;
	*ret_value = json_is_true(value);
	return 0;
}

/* A message that is none: say so once, then hang up, for the framing can't be trusted. */
static int refuse_message(struct pcr_call *call)
{
	call->hang_up = true;
	call->oneway = false;
	return pcr_call_refuse(call, PCR_E_PARAMETER, "parameter", "message");
}

static int find_method(struct pcr_call *call)
{
	const char *name = json_string_value(json_object_get(call->message, "method"));
	json_t *params = json_object_get(call->message, "parameters");
	bool upgrade;

	if (!name || flag(call->message, "more", &call->more) < 0 ||
	    flag(call->message, "oneway", &call->oneway) < 0 ||
	    flag(call->message, "upgrade", &upgrade) < 0 || upgrade)
		return refuse_message(call);
	if (params && !json_is_object(params) && !json_is_null(params))
		return refuse_message(call);
	call->params = json_is_object(params) ? params : NULL;
	call->method = pcr_method_find(name);
	return call->method ? 0 : refuse_method(call, name);
}

static int run(struct pcr_call *call)
{
	const struct pcr_method *method = call->method;
	bool end = true;
	int r;

	if (method->change && !call->may_change)
		return pcr_call_refuse(call, PCR_E_NOT_PERMITTED, "group", call->group);
	r = check_params(call);
	if (r != 0)
		return r;
	if (method->only_more && !call->more)
		return pcr_call_refuse(call, PCR_E_MORE, NULL, NULL);
	call->reply = json_object();
	if (!call->reply)
		return -ENOMEM;
	r = method->handle(call);
	if (r != 0 || !method->piece)
		return r;
	r = method->piece(call->view, &call->clock, &call->cursor, call->reply, &end);
	call->continues = !end && call->more;
	return r;
}

int pcr_call_answer(struct pcr_call *call, const char *text, size_t n)
{
	json_error_t error;
	int r;

	call->message = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
	if (!json_is_object(call->message))
		r = refuse_message(call);
	else
		r = find_method(call);
	if (r == 0)
		r = run(call);
	return r < 0 ? r : 0;
}

json_t *pcr_call_message(const struct pcr_call *call)
{
	json_t *message;

	if (call->oneway)
		return NULL;
	message = json_object();
	if (!message || (call->error && pcr_put_text(message, "error", call->error)) ||
	    (call->reply && json_object_set(message, "parameters", call->reply) < 0) ||
	    (!call->error && (call->continues || call->watch) &&
	     pcr_put_bool(message, "continues", true))) {
		json_decref(message);
		return NULL;
	}
	return message;
}

void pcr_call_clear(struct pcr_call *call)
{
	json_decref(call->message);
	json_decref(call->reply);
	free(call->cursor.path);
	memset(call, 0, sizeof(*call));
}
