// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One Varlink call, for tests: smaller than the client, and no part of it, so that
 * a fault of the client does not hide one of the daemon.
 *
 *   ask [-t SECONDS] [-m] [-g PATH] [-f FIELDS] SOCKET METHOD [PARAMETERS]
 *
 * Prints the reply's parameters, or what PATH names in them: "watching.cgroups",
 * "actions.[action=trim].ready". Several with -m, one a line. -f a,b: of a list, these
 * fields of each element, a line each, tabs between them. Exit status: 0; 1 an
 * error reply (printed); 2 usage; 3 nobody listens; 4 no answer in time or a broken
 * one; 5 PATH names nothing (absent).
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define INTERFACE "org.pcpu-reclaimd.Manager."

static int connect_to(const char *path, int seconds)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval tv = { .tv_sec = seconds };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof(a.sun_path))
		return -1;
	strcpy(a.sun_path, path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	if (connect(fd, (const struct sockaddr *)&a, sizeof(a)) < 0) {
		fprintf(stderr, "ask: %s: %s\n", path, strerror(errno));
		close(fd);
		return -1;
	}
	return fd;
}

static int put_call(int fd, const char *method, const char *params, int more)
{
	json_t *call = json_object(), *p = NULL;
	char name[128];
	char *text;
	int r;

	snprintf(name, sizeof(name), "%s%s", strchr(method, '.') ? "" : INTERFACE, method);
	json_object_set_new(call, "method", json_string(name));
	if (params) {
		p = json_loads(params, 0, NULL);
		if (!p) {
			fprintf(stderr, "ask: %s is no JSON\n", params);
			exit(2);
		}
		json_object_set_new(call, "parameters", p);
	}
	if (more)
		json_object_set_new(call, "more", json_true());
	text = json_dumps(call, JSON_COMPACT);
	r = send(fd, text, strlen(text) + 1, MSG_NOSIGNAL) == (ssize_t)strlen(text) + 1 ? 0 : -1;
	free(text);
	json_decref(call);
	return r;
}

/* What is beyond one message is kept for the next. */
static json_t *get_reply(int fd)
{
	static char *buf;
	static size_t n, size;
	char *nul;

	while (!(nul = n ? memchr(buf, '\0', n) : NULL)) {
		ssize_t got;

		if (n == size) {
			size = size ? 2 * size : 65536;
			buf = realloc(buf, size);
			if (!buf)
				return NULL;
		}
		got = recv(fd, buf + n, size - n, 0);
		if (got <= 0)
			return NULL;
		n += (size_t)got;
	}
	{
		json_t *reply = json_loads(buf, JSON_REJECT_DUPLICATES, NULL);
		size_t used = (size_t)(nul - buf) + 1;

		memmove(buf, buf + used, n - used);
		n -= used;
		return reply;
	}
}

static int matches(json_t *element, const char *key, size_t len, const char *value)
{
	char name[64];
	const char *is;

	snprintf(name, sizeof(name), "%.*s", (int)len, key);
	is = json_string_value(json_object_get(element, name));
	return is && strcmp(is, value) == 0;
}

/* "[key=value]", or an index. */
static json_t *element_of(json_t *array, char *word)
{
	char *equals = strchr(word, '=');
	size_t n = strlen(word);

	if (*word == '[' && equals && n && word[n - 1] == ']') {
		word[n - 1] = '\0';
		for (size_t i = 0; i < json_array_size(array); i++)
			if (matches(json_array_get(array, i), word + 1, (size_t)(equals - word - 1),
				    equals + 1))
				return json_array_get(array, i);
		return NULL;
	}
	return json_array_get(array, strtoul(word, NULL, 10));
}

static json_t *find(json_t *at, const char *path)
{
	char copy[256], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *word = strtok_r(copy, ".", &save); word && at; word = strtok_r(NULL, ".", &save))
		at = json_is_array(at) ? element_of(at, word) : json_object_get(at, word);
	return at;
}

/* Of -f; NULL: the whole of it. */
static const char *fields;

static void show_fields(json_t *element)
{
	char copy[256], *save = NULL;
	const char *tab = "";

	snprintf(copy, sizeof(copy), "%s", fields);
	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		const char *text = json_string_value(json_object_get(element, word));

		printf("%s%s", tab, text ? text : "-");
		tab = "\t";
	}
	putchar('\n');
}

static int show(json_t *what)
{
	char *text;

	if (!what)
		return 5;
	if (fields && json_is_array(what)) {
		for (size_t i = 0; i < json_array_size(what); i++)
			show_fields(json_array_get(what, i));
		return 0;
	}
	if (json_is_string(what)) {
		printf("%s\n", json_string_value(what));
		return 0;
	}
	text = json_dumps(what, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
	printf("%s\n", text);
	free(text);
	return 0;
}

static int show_reply(json_t *reply, const char *path)
{
	json_t *params = json_object_get(reply, "parameters");
	json_t *error = json_object_get(reply, "error");

	if (!json_is_object(reply))
		return 4;
	if (error) {
		printf("%s ", json_string_value(error));
		show(params);
		return 1;
	}
	return show(path ? find(params, path) : params);
}

int main(int argc, char **argv)
{
	const char *path = NULL;
	int seconds = 10, more = 0, c, fd, r;

	while ((c = getopt(argc, argv, "t:g:f:m")) != -1) {
		if (c == 't')
			seconds = atoi(optarg);
		else if (c == 'g')
			path = optarg;
		else if (c == 'f')
			fields = optarg;
		else if (c == 'm')
			more = 1;
		else
			return 2;
	}
	if (argc - optind < 2)
		return 2;
	fd = connect_to(argv[optind], seconds);
	if (fd < 0)
		return 3;
	/* One that is turned away may find the door shut before it has spoken, and an answer. */
	(void)put_call(fd, argv[optind + 1], argv[optind + 2], more);
	for (;;) {
		json_t *reply = get_reply(fd);
		int on = reply && json_is_true(json_object_get(reply, "continues"));

		r = reply ? show_reply(reply, path) : 4;
		fflush(stdout);
		json_decref(reply);
		if (r != 0 || !on)
			break;
	}
	close(fd);
	return r;
}
