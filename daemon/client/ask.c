// SPDX-License-Identifier: GPL-2.0-or-later
/* Questions to the daemon, and what people are told when there is no answer. */
#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "client/client.h"
#include "client/get.h"
#include "client/link.h"
#include "client/utf8.h"

/* Who may: the group that the socket belongs to. */
static void say_group(FILE *err, const char *path)
{
	struct group *group;
	struct stat st;

	if (stat(path, &st) < 0 || st.st_gid == 0 || !(st.st_mode & 0060)) {
		fputs("Only root may ask (SocketGroup= in pcpu-reclaimd.conf(5) names a group).\n",
		      err);
		return;
	}
	group = getgrgid(st.st_gid);
	if (group)
		fprintf(err, "Members of the group %s may ask: usermod -aG %s USER, then log in "
			"again. Or ask as root.\n", group->gr_name, group->gr_name);
	else
		fprintf(err, "Members of the group %u may ask. Or ask as root.\n",
			(unsigned int)st.st_gid);
}

/* r of link.h, as an exit code. */
static int say_broken(const struct pcr_options *options, int r)
{
	switch (r) {
	case -ENOENT:
	case -ECONNREFUSED:
		fprintf(stderr, "pcpu-reclaimd is not running: nobody serves %s.\n"
			"Start it: systemctl start pcpu-reclaimd\n", options->socket);
		return PCR_EXIT_NOT_RUNNING;
	case -EACCES:
	case -EPERM:
		fprintf(stderr, "Not permitted to ask at %s.\n", options->socket);
		say_group(stderr, options->socket);
		return PCR_EXIT_NOT_PERMITTED;
	case -ETIMEDOUT:
		fprintf(stderr, "pcpu-reclaimd does not answer at %s. See: journalctl -u "
			"pcpu-reclaimd\n", options->socket);
		return PCR_EXIT_NOT_RUNNING;
	case -ECONNRESET:
		fputs("pcpu-reclaimd hung up before it answered.\n", stderr);
		return PCR_EXIT_NOT_RUNNING;
	case -EBADMSG:
		fprintf(stderr, "What answers at %s is not pcpu-reclaimd.\n", options->socket);
		return PCR_EXIT_FINDING;
	case -EFBIG:
		fprintf(stderr, "The answer at %s has no end: given up after %d MiB. Ask for less, "
			"with --limit.\n", options->socket, PCR_ANSWER_MAX >> 20);
		return PCR_EXIT_FINDING;
	case -ENAMETOOLONG:
		fputs("The path of the socket is too long.\n", stderr);
		return PCR_EXIT_USAGE;
	default:
		fprintf(stderr, "%s: %s\n", options->socket, strerror(-r));
		return PCR_EXIT_FINDING;
	}
}

static bool is(const char *error, const char *name)
{
	const char *dot = strrchr(error, '.');

	return strcmp(dot ? dot + 1 : error, name) == 0;
}

static int refused(FILE *err, const char *what, const char *value)
{
	fputs(what, err);
	pcr_utf8_print_lines(err, value);
	if (!*value || value[strlen(value) - 1] != '\n')
		fputc('\n', err);
	return PCR_EXIT_FINDING;
}

/* What is wrong, and that nothing has changed. */
static int settings_refused(FILE *err, const json_t *params)
{
	const char *since = pcr_get_text(params, "since_at");
	int r = refused(err, "", pcr_get_text(params, "errors"));

	fputs("the settings in force ", err);
	if (*since) {
		char date[sizeof("2024-05-01T12:00:00")];

		/* to the second: a fraction says nothing to a reader */
		snprintf(date, sizeof(date), "%s", since);
		fputs("since ", err);
		pcr_utf8_print(err, date);
		fputs("Z ", err);
	}
	fputs("are kept\n", err);
	return r;
}

/* What an error reply means to people, on err; an exit code. */
static int say_error(FILE *err, const char *error, const json_t *params)
{
	const char *group = pcr_get_text(params, "group");

	if (is(error, "NotPermitted") || is(error, "PermissionDenied")) {
		fputs("Not permitted: root may change, ", err);
		if (*group)
			fputs("members of the group ", err);
		pcr_utf8_print(err, *group ? group : "nobody else");
		fputs(" may ask.\n", err);
		return PCR_EXIT_NOT_PERMITTED;
	}
	if (is(error, "NoSuchCgroup"))
		return refused(err, "No such cgroup: ", pcr_get_text(params, "cgroup"));
	if (is(error, "NoSuchKnob"))
		return refused(err, "Not on this machine: ", pcr_get_text(params, "knob"));
	if (is(error, "NoSuchTask"))
		return refused(err, "No task that a policy with Collapse= is for, and no cgroup: ",
			       pcr_get_text(params, "task"));
	if (is(error, "AlreadyRunning"))
		return refused(err, "Already under way.", "");
	if (is(error, "SettingsRefused"))
		return settings_refused(err, params);
	if (is(error, "Failed"))
		return refused(err, "Failed: ", pcr_get_text(params, "text"));
	if (is(error, "InvalidParameter"))
		return refused(err, "The daemon does not take this value of ",
			       pcr_get_text(params, "parameter"));
	if (is(error, "MethodNotFound") || is(error, "MethodNotImplemented"))
		return refused(err, "The daemon, of another version, does not know ",
			       pcr_get_text(params, "method"));
	return refused(err, "Refused: ", error);
}

/* For those who are not stopped. */
static const volatile sig_atomic_t never;

/* One message; *ret_params is a new reference to its parameters, {} when it has none. */
static int receive(const struct pcr_options *options, struct pcr_link *link, int msec,
		   const volatile sig_atomic_t *stopped, json_t **ret_params, bool *ret_more)
{
	json_t *message, *params;
	const char *error;
	int r = pcr_link_receive(link, msec, &message);

	if (r < 0)
		return *stopped ? PCR_EXIT_DONE : say_broken(options, r);
	params = json_incref(json_object_get(message, "parameters"));
	error = json_string_value(json_object_get(message, "error"));
	if (error) {
		fflush(stdout);
		r = say_error(stderr, error, params);
		json_decref(params);
	} else {
		*ret_more = pcr_get_bool(message, "continues");
		*ret_params = params ? params : json_object();
	}
	json_decref(message);
	return r;
}

static int start(const struct pcr_options *options, struct pcr_link *link, const char *method,
		 json_t *params, bool more)
{
	int r = pcr_link_open(options->socket, link);

	if (r == 0)
		r = pcr_link_send(link, method, json_incref(params), more);
	json_decref(params);
	return r < 0 ? say_broken(options, r) : 0;
}

int pcr_ask(const struct pcr_options *options, const char *method, json_t *params,
	    json_t **ret_reply)
{
	struct pcr_link link = { .fd = -1 };
	bool more;
	int r = start(options, &link, method, params, false);

	if (r == 0)
		r = receive(options, &link, PCR_ANSWER_MSEC, &never, ret_reply, &more);
	pcr_link_close(&link);
	return r;
}

/* The first piece becomes the whole: later ones add their rows to it. */
static int join(json_t **whole, json_t *piece, const char *list)
{
	int r;

	if (!*whole) {
		*whole = piece;
		return 0;
	}
	r = json_array_extend(json_object_get(*whole, list), json_object_get(piece, list));
	json_decref(piece);
	return r;
}

int pcr_ask_all(const struct pcr_options *options, const char *method, json_t *params,
		const char *list, json_t **ret_reply)
{
	struct pcr_link link = { .fd = -1 };
	json_t *whole = NULL, *piece;
	int r = start(options, &link, method, params, true);

	for (bool more = true; r == 0 && more;) {
		r = receive(options, &link, PCR_ANSWER_MSEC, &never, &piece, &more);
		if (r == 0 && join(&whole, piece, list) < 0)
			r = say_broken(options, -EBADMSG);
		else if (r == 0 && more && link.received > PCR_ANSWER_MAX)
			r = say_broken(options, -EFBIG);
	}
	pcr_link_close(&link);
	if (r == 0)
		*ret_reply = whole;
	else
		json_decref(whole);
	return r;
}

int pcr_ask_until(const struct pcr_options *options, const char *method,
		  void (*each)(const struct pcr_options *options, const json_t *reply),
		  const volatile sig_atomic_t *stopped, volatile int *ret_fd)
{
	struct pcr_link link = { .fd = -1 };
	int r = start(options, &link, method, NULL, true);
	int msec = PCR_ANSWER_MSEC;

	*ret_fd = link.fd;
	/* Before there was anything to shut down. */
	if (*stopped && link.fd >= 0)
		(void)shutdown(link.fd, SHUT_RDWR);
	for (bool more = true; r == 0 && more;) {
		json_t *reply = NULL;

		r = receive(options, &link, msec, stopped, &reply, &more);
		if (!reply)
			break;
		each(options, reply);
		json_decref(reply);
		msec = -1;	/* it lives; what happens next may take days */
	}
	*ret_fd = -1;
	pcr_link_close(&link);
	return r;
}

int pcr_ask_watch(const struct pcr_options *options, const char *method,
		  void (*each)(const struct pcr_options *options, const json_t *reply))
{
	volatile int fd;

	return pcr_ask_until(options, method, each, &never, &fd);
}
