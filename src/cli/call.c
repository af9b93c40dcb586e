/* SPDX-License-Identifier: ISC */
/* A method as a command: arguments become parameters, the result is printed. */
#include "cli/call.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/ask.h"
#include "cli/link.h"
#include "wire/json.h"

#define PARAMS_MAX ((size_t)64 * 1024 * 1024)

/* Adds key=value, a string, or key:=JSON. */
static enum cli_status add(struct json_writer *writer, const char *method, const char *arg)
{
	char name[128];
	const char *equals = strchr(arg, '=');
	bool is_json = equals && equals > arg && equals[-1] == ':';
	size_t len = equals ? (size_t)(equals - arg) - is_json : 0;
	if (len == 0 || len >= sizeof(name))
		return cli_usage(NULL, "%s: \"%s\" is not of the form key=value", method, arg);
	(void)snprintf(name, sizeof(name), "%.*s", (int)len, arg);
	if (is_json)
		json_put_raw(writer, name, equals + 1, strlen(equals + 1));
	else
		(void)json_put_text(writer, name, equals + 1, strlen(equals + 1));
	return CLI_DONE;
}

enum cli_status call_run(struct cli *cli, int argc, char **argv)
{
	struct json_writer writer;
	struct buf params;
	enum cli_status status = CLI_DONE;
	buf_init(&params, PARAMS_MAX);
	json_writer_init(&writer, &params);
	json_object_begin(&writer, NULL);
	for (int i = 1; i < argc && status == CLI_DONE; i++)
		if (!cli_option(cli, argv[i]))
			status = add(&writer, argv[0], argv[i]);
	json_object_end(&writer);
	struct link *link = status == CLI_DONE ? ask_connect(cli, false) : NULL;
	if (status == CLI_DONE && !link)
		status = CLI_UNREACHABLE;
	if (link) {
		const struct json *result;
		status = ask_result(link, argv[0], (const char *)params.data, -1, &result);
		if (status == CLI_DONE) {
			buf_clear(&params);
			json_writer_init(&writer, &params);
			json_put_value(&writer, NULL, result);
			(void)puts((const char *)params.data); /* cli_flush() looks */
		}
	}
	link_close(link);
	buf_finish(&params);
	return cli_flush(status);
}
