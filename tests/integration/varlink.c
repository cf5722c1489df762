// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * varlink INTERFACE - reads an interface description from standard input and holds it
 * against the grammar of the Varlink specification, all of it: what any client may be
 * written with. Prints the name of each type, method and error. Exit status: 0; 1 and
 * where it went wrong.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 18];
static const char *at = text;

static void wrong(const char *wanted)
{
	printf("%s wanted at: %.60s\n", wanted, at);
	exit(1);
}

/* Blanks, line ends and comments may stand between any two tokens. */
static void skip(void)
{
	for (;;) {
		at += strspn(at, " \t\r\n");
		if (*at != '#')
			return;
		at += strcspn(at, "\n");
	}
}

static bool take(const char *token)
{
	size_t n = strlen(token);

	skip();
	/* a keyword ends where a name would */
	if (strncmp(at, token, n) != 0 || (isalpha((unsigned char)*token) && isalnum((unsigned char)at[n])))
		return false;
	at += n;
	return true;
}

static void need(const char *token)
{
	if (!take(token))
		wrong(token);
}

/* [A-Za-z](_?[A-Za-z0-9])*, or for types [A-Z][A-Za-z0-9]* */
static void name(bool type, char ret[static 64])
{
	size_t n = 0;

	skip();
	if (type ? !isupper((unsigned char)*at) : !isalpha((unsigned char)*at))
		wrong(type ? "a type's name" : "a field's name");
	while (isalnum((unsigned char)at[n]) ||
	       (!type && n && at[n] == '_' && isalnum((unsigned char)at[n + 1])))
		n++;
	if (n > 63 || at[n] == '_')
		wrong("a shorter or plainer name");
	memcpy(ret, at, n);
	ret[n] = '\0';
	at += n;
}

static void structure(void);

static void type(void)
{
	static const char *const basic[] = { "bool", "int", "float", "string", "object" };
	char ret[64];

	if (take("?")) {
		if (take("?"))
			wrong("no second ?");
	}
	while (take("[]") || take("[string]"))
		;
	for (size_t i = 0; i < sizeof(basic) / sizeof(basic[0]); i++)
		if (take(basic[i]))
			return;
	skip();
	if (*at == '(')
		structure();
	else
		name(true, ret);
}

/* A struct, or an enum: no field of it has a type. */
static void structure(void)
{
	int typed = 0, bare = 0;
	char ret[64];

	need("(");
	if (take(")"))
		return;
	do {
		name(false, ret);
		if (take(":")) {
			type();
			typed++;
		} else {
			bare++;
		}
	} while (take(","));
	need(")");
	if (typed && bare)
		wrong("either a struct or an enum");
}

static void interface_name(const char *wanted)
{
	size_t n = strlen(wanted);

	need("interface");
	skip();
	if (strncmp(at, wanted, n) != 0 || !strchr("\n #", at[n]))
		wrong(wanted);
	at += n;
}

static void member(void)
{
	bool method = take("method");
	char ret[64];

	if (!method && !take("type") && !take("error"))
		wrong("method, type or error");
	name(true, ret);
	structure();
	if (method) {
		need("->");
		structure();
	}
	puts(ret);
}

int main(int argc, char **argv)
{
	size_t n = fread(text, 1, sizeof(text) - 1, stdin);

	if (argc != 2 || n == 0)
		return 1;
	interface_name(argv[1]);
	for (skip(); *at; skip())
		member();
	return 0;
}
