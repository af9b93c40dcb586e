/* SPDX-License-Identifier: ISC */
/* muxbus hosts: lists the hosts of the fleet, tries them again, or edits the hosts file. */
#include "base/file.h"
#include "cli/call.h"
#include "cli/config_file.h"
#include "cli/verb.h"
#include "wire/address.h"
#include "wire/host_line.h"

enum { REASON_SIZE = PATH_MAX + 512, LINE_MAX_BYTES = 4096 };

/* Returns true if a line of the file is for the host. spec->server NULL matches any server. */
static bool is_line_of(const char *line, size_t len, const struct host_spec *spec)
{
	char *copy = xmemdup(line, len), reason[REASON_SIZE];
	struct host_spec found;
	bool is_it = host_line_read(copy, &found, reason, sizeof reason) > 0 &&
	    strcmp(found.name, spec->name) == 0 &&
	    (spec->server == NULL || strcmp(found.server, spec->server) == 0);
	mem_free(copy);
	return is_it;
}

/*
 * Copies the file. `line` replaces the lines of the host, or is appended if there are none; NULL
 * only removes them. Returns how many lines the host had.
 */
static unsigned replace(
    struct buf *out, const struct config_file *file, const struct host_spec *spec, const char *line)
{
	const char *at = buf_text(&file->text), *end = at + file->text.len;
	unsigned count = 0;
	while (at != NULL && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = newline != NULL ? (size_t)(newline - at) : (size_t)(end - at);
		if (!is_line_of(at, len, spec)) {
			(void)buf_append(out, at, len); /* fits: out has the limit of the file */
			(void)buf_append_byte(out, '\n');
		} else if (count++ == 0 && line != NULL) {
			(void)buf_printf(out, "%s\n", line);
		}
		at += len + 1;
	}
	if (count == 0 && line != NULL)
		(void)buf_printf(out, "%s\n", line);
	return count;
}

static enum cli_status change(const struct host_spec *spec, const char *line)
{
	char path[PATH_MAX], reason[REASON_SIZE] = "there is no home directory";
	struct config_file file;
	struct buf text = BUF(CONFIG_FILE_MAX);
	bool has_server = line == NULL && spec->server != NULL; /* the user named the server */
	const char *slash = has_server ? "/" : "", *server = has_server ? spec->server : "";
	unsigned count = 0;
	bool is_done;
	if (address_config(path, sizeof path, "hosts") < 0)
		return cli_fail(CLI_NO, "%s", reason);
	is_done = config_file_read(&file, path, reason, sizeof reason);
	if (is_done) {
		count = replace(&text, &file, spec, line);
		if (line != NULL && file.is_there) /* the fleet refuses an unsafe file */
			is_done = file_is_safe(path, &file.stat, reason, sizeof reason);
		if (line != NULL && text.len > HOSTS_FILE_BYTES)
			is_done =
			    str_refuse(reason, sizeof reason, "%s: longer than 1 MiB", path) == 0;
		if (is_done && (line != NULL || count > 0))
			is_done = config_file_write(&file, &text, true, reason, sizeof reason);
	}
	buf_finish(&file.text);
	buf_finish(&text);
	if (!is_done)
		cli_error("%s", reason);
	else if (line == NULL && count == 0)
		cli_error("%s has no host \"%s%s%s\"", path, spec->name, slash, server);
	else
		(void)printf("%s%s%s is %s %s\n", spec->name, slash, server,
		    line != NULL ? "in" : "no longer in", path);
	return is_done && (line != NULL || count > 0) ? cli_flush(CLI_DONE) : CLI_NO;
}

static enum cli_status add(int argc, char **argv)
{
	char line[LINE_MAX_BYTES] = "", copy[LINE_MAX_BYTES], reason[REASON_SIZE];
	struct host_spec spec;
	size_t len = 0;
	for (int i = 0; i < argc; i++) {
		if (argv[i][strcspn(argv[i], " \t\r\n")] != '\0')
			return cli_usage("hosts", "\"%s\" has a blank", argv[i]);
		len += (size_t)snprintf(
		    line + len, sizeof line - len, "%s%s", i > 0 ? " " : "", argv[i]);
		if (len >= sizeof line)
			return cli_usage("hosts", "the line is too long");
	}
	memcpy(copy, line, len + 1);
	if (argc == 0 || host_line_read(copy, &spec, reason, sizeof reason) <= 0)
		return cli_usage("hosts", "%s", argc > 0 ? reason : "the name is missing");
	return change(&spec, line);
}

static enum cli_status remove_host(int argc, char **argv)
{
	struct host_spec spec = {0};
	char *slash;
	if (argc != 1)
		return cli_usage("hosts", argc == 0 ? "the name is missing" : "one name at a time");
	slash = strchr(argv[0], '/');
	if (slash != NULL)
		*slash = '\0';
	spec.name = argv[0];
	spec.server = slash != NULL ? slash + 1 : NULL;
	return change(&spec, NULL);
}

enum cli_status hosts_run(struct cli *cli, int argc, char **argv)
{
	char *call[] = {(char *)"list_hosts", NULL, NULL}, *name = NULL;
	enum cli_status status;
	int count = 1, words = 1;
	for (int i = 1; i < argc; i++) {
		if (cli_help("hosts", argv[i]))
			return CLI_DONE;
		if (!cli_option(cli, argv[i]))
			argv[words++] = argv[i];
	}
	argc = words;
	if (argc > 1 && strcmp(argv[1], "add") == 0)
		return add(argc - 2, argv + 2);
	if (argc > 1 && strcmp(argv[1], "remove") == 0)
		return remove_host(argc - 2, argv + 2);
	if (argc > 1 && strcmp(argv[1], "retry") == 0 && argc <= 3) {
		call[0] = (char *)"retry_hosts";
		if (argc == 3)
			call[count++] = name = xasprintf("host=%s", argv[2]);
	} else if (argc > 1)
		return cli_usage("hosts", "unexpected argument \"%s\"", argv[1]);
	if (!cli->has_socket && locate_fleet(cli) < 0)
		return cli_fail(CLI_NO, "the path of the socket is too long");
	status = call_run(cli, count, call);
	mem_free(name);
	return status;
}
