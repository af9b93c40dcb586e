/* SPDX-License-Identifier: ISC */
#include "wire/host_line.h"

enum { VALUE_MAX = 1024 }; /* bytes of one value of a line */

bool host_line_is_name(const char *text)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t len = strlen(text);
	return len > 0 && len <= HOST_NAME_BYTES && strspn(text, letters) == len && *text != '-' &&
	    *text != '.';
}

/* Reads the value of server=: a name, or a path that begins with "/". */
static int read_server(struct host_spec *spec, const char *value, char *ret_reason, size_t size)
{
	spec->server = str_last_part(value);
	if (spec->server != value)
		spec->tmux_path = value;
	else
		spec->tmux_name = value;
	if (!host_line_is_name(spec->server) || (spec->server != value && *value != '/'))
		return str_refuse(ret_reason, size,
		    "server: must be a name as for tmux -L, or the absolute path of a socket");
	return 0;
}

static int read_word(struct host_spec *spec, char *word, char *ret_reason, size_t size)
{
	char *value = strchr(word, '='), shown[STR_SHOWN_SIZE];
	if (value == NULL || value[1] == '\0')
		return str_refuse(ret_reason, size, "\"%s\" is not of the form name=value",
		    str_shown(word, strlen(word), shown));
	*value++ = '\0';
	if (strlen(value) > VALUE_MAX)
		return str_refuse(ret_reason, size, "a value is longer than %d bytes", VALUE_MAX);
	if (strcmp(word, "server") == 0)
		return read_server(spec, value, ret_reason, size);
	if (strcmp(word, "ssh") == 0 && *value == '-')
		return str_refuse(ret_reason, size, "ssh: a destination does not begin with \"-\"");
	if (strcmp(word, "ssh") == 0)
		spec->ssh = value;
	else if (strcmp(word, "muxbus") == 0)
		spec->program = value;
	else if (strcmp(word, "may") == 0 && strcmp(value, "notify") == 0)
		spec->may_notify = true;
	else if (strcmp(word, "may") == 0)
		return str_refuse(ret_reason, size, "may: must be notify, not \"%s\"",
		    str_shown(value, strlen(value), shown));
	else
		return str_refuse(ret_reason, size,
		    "there is no \"%s\"; a line is NAME [ssh=DESTINATION] [server=NAME|PATH] "
		    "[muxbus=PATH] [may=notify]",
		    str_shown(word, strlen(word), shown));
	return 0;
}

int host_line_read(char *line, struct host_spec *ret_spec, char *ret_reason, size_t size)
{
	static const char blanks[] = " \t\r\n";
	char *rest, *word, shown[STR_SHOWN_SIZE];
	*ret_spec = (struct host_spec){.server = "default"};
	word = strtok_r(line, blanks, &rest);
	if (word == NULL || *word == '#')
		return 0;
	if (!host_line_is_name(word))
		return str_refuse(ret_reason, size,
		    "\"%s\" is not a host name: up to %d letters, digits, \".\", \"_\" and \"-\"; "
		    "ssh=DESTINATION takes any other",
		    str_shown(word, strlen(word), shown), HOST_NAME_BYTES);
	ret_spec->name = word;
	while ((word = strtok_r(NULL, blanks, &rest)) != NULL && *word != '#')
		if (read_word(ret_spec, word, ret_reason, size) < 0)
			return -1;
	return 1;
}
