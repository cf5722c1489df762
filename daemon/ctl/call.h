/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request and what is answered: from the bytes of a message to the JSON of a
 * reply, without a socket in sight. Tests and the fuzzer stand here.
 */
#ifndef PCR_CALL_H
#define PCR_CALL_H

#include <jansson.h>

#include "ctl/reply.h"
#include "pcr/view.h"

#define PCR_INTERFACE "org.pcpu-reclaimd.Manager"
#define PCR_SERVICE "org.varlink.service"

/* A message, its NUL not counted. */
#define PCR_MESSAGE_MAX (64 * 1024)
/* A reply in pieces: so many rows a piece at most, fewer when they are long. */
#define PCR_PIECE_ROWS 100
#define PCR_PIECE_BYTES (128 * 1024)

/* What a handler says beside 0 (call->reply is complete) and -errno. */
enum pcr_call_ret {
	PCR_CALL_REFUSED = 16,	/* call->error is set */
};

enum pcr_sort {
	PCR_SORT_PINNED,
	PCR_SORT_DYING,
	PCR_SORT_NAME,
};

/*
 * How far a reply in pieces has come. It holds no pointer into the state: between
 * two pieces the daemon goes on, cgroups come and go, settings are exchanged.
 */
struct pcr_cursor {
	u64 left;		/* rows still wanted */
	bool started;
	enum pcr_sort sort;
	u64 key;		/* of the last row given ... */
	u64 id;			/* ... its cgroup id or sequence number */
	char *path;		/* ... its path, where rows are ordered by that */
	u32 index;		/* next policy */
	u64 target;		/* history of this cgroup only; PCR_ABSENT: of all */
};

struct pcr_method;

struct pcr_call {
	/* in */
	const struct pcr_view *view;
	struct pcr_clock clock;
	bool may_change;	/* the peer is root */
	const char *group;	/* that may ask, for messages; NULL: none */
	/* from the message */
	json_t *message;	/* owned */
	json_t *params;		/* borrowed from it; NULL: none given */
	const struct pcr_method *method;
	bool more;
	bool oneway;
	/* out, owned */
	json_t *reply;
	const char *error;	/* static text; reply then holds its parameters */
	struct pcr_cursor cursor;
	bool continues;		/* more pieces follow */
	bool watch;		/* nothing follows now, but whatever happens */
	bool hang_up;		/* not a Varlink message: close after the answer */
};

struct pcr_param {
	const char *name;
	enum { PCR_PARAM_STRING, PCR_PARAM_INT } type;
	bool required;
};
#define PCR_PARAMS_MAX 2

struct pcr_method {
	const char *name;	/* with its interface */
	bool change;		/* root only */
	bool only_more;		/* makes no sense as a single reply */
	struct pcr_param params[PCR_PARAMS_MAX];
	int (*handle)(struct pcr_call *call);
	/* Replies in pieces: the next one. *ret_end: it was the last. */
	int (*piece)(const struct pcr_view *view, const struct pcr_clock *clock,
		     struct pcr_cursor *cursor, json_t *reply, bool *ret_end);
	/*
	 * One that may have nothing to say now (.piece returns PCR_NONE), and goes on until
	 * the caller does or this is called.
	 */
	void (*stop)(const struct pcr_view *view);
};

extern const struct pcr_method pcr_methods[];
const struct pcr_method *pcr_method_find(const char *name);

/*
 * Answers one message. The caller has zeroed the call and filled in its first
 * part. 0: call holds the answer. -errno: hang up.
 */
int pcr_call_answer(struct pcr_call *call, const char *text, size_t n);
/* The whole message to send; NULL when nothing is to be said or memory is out. */
json_t *pcr_call_message(const struct pcr_call *call);
void pcr_call_clear(struct pcr_call *call);

/* For handlers: refuse with one of the errors below; one string parameter or none. */
int pcr_call_refuse(struct pcr_call *call, const char *error, const char *key, const char *value);
/* Parameters by name; the checks of the table have been made. */
const char *pcr_call_string(const struct pcr_call *call, const char *name);
u64 pcr_call_int(const struct pcr_call *call, const char *name, u64 fallback);

#define PCR_E_PARAMETER PCR_SERVICE ".InvalidParameter"
#define PCR_E_METHOD PCR_SERVICE ".MethodNotFound"
#define PCR_E_METHOD_HERE PCR_SERVICE ".MethodNotImplemented"
#define PCR_E_INTERFACE PCR_SERVICE ".InterfaceNotFound"
#define PCR_E_DENIED PCR_SERVICE ".PermissionDenied"
#define PCR_E_MORE PCR_SERVICE ".ExpectedMore"
#define PCR_E_CGROUP PCR_INTERFACE ".NoSuchCgroup"
#define PCR_E_KNOB PCR_INTERFACE ".NoSuchKnob"
#define PCR_E_TASK PCR_INTERFACE ".NoSuchTask"
#define PCR_E_NOT_PERMITTED PCR_INTERFACE ".NotPermitted"
#define PCR_E_RUNNING PCR_INTERFACE ".AlreadyRunning"
#define PCR_E_SETTINGS PCR_INTERFACE ".SettingsRefused"
#define PCR_E_FAILED PCR_INTERFACE ".Failed"

/* The handlers, by topic. */
int pcr_handle_info(struct pcr_call *call);		/* service.c */
int pcr_handle_description(struct pcr_call *call);
int pcr_handle_status(struct pcr_call *call);		/* reply_status.c */
int pcr_handle_cgroups(struct pcr_call *call);		/* reply_cgroups.c */
int pcr_piece_cgroups(const struct pcr_view *view, const struct pcr_clock *clock,
		      struct pcr_cursor *cursor, json_t *reply, bool *ret_end);
int pcr_handle_policies(struct pcr_call *call);		/* reply_policies.c */
int pcr_piece_policies(const struct pcr_view *view, const struct pcr_clock *clock,
		       struct pcr_cursor *cursor, json_t *reply, bool *ret_end);
int pcr_handle_tasks(struct pcr_call *call);		/* reply_tasks.c */
int pcr_piece_tasks(const struct pcr_view *view, const struct pcr_clock *clock,
		    struct pcr_cursor *cursor, json_t *reply, bool *ret_end);
/* A task that is known, by its pid in digits; NULL. */
const struct pcr_task *pcr_target_task(const struct pcr_view *view, const char *name);
bool pcr_reply_task(json_t *reply, const struct pcr_view *view, const struct pcr_clock *clock,
		    const struct pcr_task *task);
int pcr_handle_history(struct pcr_call *call);		/* reply_history.c */
int pcr_piece_history(const struct pcr_view *view, const struct pcr_clock *clock,
		      struct pcr_cursor *cursor, json_t *reply, bool *ret_end);
int pcr_handle_watch(struct pcr_call *call);
int pcr_handle_record(struct pcr_call *call);		/* reply_record.c */
int pcr_piece_record(const struct pcr_view *view, const struct pcr_clock *clock,
		     struct pcr_cursor *cursor, json_t *reply, bool *ret_end);
void pcr_stop_record(const struct pcr_view *view);
int pcr_handle_explain(struct pcr_call *call);		/* reply_explain.c */
int pcr_handle_plan(struct pcr_call *call);		/* reply_plan.c */
int pcr_handle_doctor(struct pcr_call *call);		/* reply_doctor.c */
int pcr_handle_reap(struct pcr_call *call);		/* change.c */
int pcr_handle_trim(struct pcr_call *call);
int pcr_handle_reload(struct pcr_call *call);
int pcr_handle_log_level(struct pcr_call *call);

/* The interfaces as text (interface.c). */
extern const char pcr_interface_manager[];
extern const char pcr_interface_service[];

#endif
