/* SPDX-License-Identifier: ISC */
#include "cli/cli.h"

#include "cli/screen_text.h"
#include "wire/shell_word.h"

enum { USAGE_MAX = 4096 };

static const char usage_text[] =
    "usage: muxbus [--fleet] [--host name] [-L name | -S path] [-s socket]\n"
    "              [--json | --text] [--color=when] verb [argument ...]\n"
    "       muxbus [option ...] method [key=value | key:=json] ...\n"
    "muxbus help lists verbs and methods\n";

static int output_error; /* errno of the first failed write to standard output; 0 if none */

void cli_keep_error(bool is_written)
{
	if (!is_written && output_error == 0)
		output_error = errno;
}

static void __attribute__((format(printf, 1, 0))) say(const char *format, va_list args)
{
	char text[4096];
	(void)vsnprintf(text, sizeof text, format, args);
	cli_keep_error(fflush(stdout) == 0); /* print earlier output first */
	(void)fputs("muxbus: ", stderr);
	screen_print_line(stderr, text);
	(void)fputc('\n', stderr);
}

void cli_error(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say(format, args);
	va_end(args);
}

enum cli_status cli_fail(enum cli_status status, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say(format, args);
	va_end(args);
	return status;
}

void cli_hint(struct buf *out, const struct cli *cli, const char *text)
{
	static const char name[] = "muxbus ";
	size_t remote = strlen(REMOTE_PREFIX);
	const char *host =
	    strncmp(cli->socket, REMOTE_PREFIX, remote) == 0 ? cli->socket + remote : "";
	const char *option = cli->is_fleet ? "--fleet "
	    : cli->has_socket              ? "-s "
	    : cli->tmux_name != NULL       ? "-L "
	    : cli->tmux_path != NULL       ? "-S "
					   : "";
	const char *value = cli->has_socket ? cli->socket
	    : cli->tmux_name != NULL        ? cli->tmux_name
					    : cli->tmux_path;
	const char *at;
	while ((*option != '\0' || *host != '\0') && (at = strstr(text, name)) != NULL) {
		(void)buf_append(out, text, (size_t)(at - text) + strlen(name));
		text = at + strlen(name);
		if (*text == '-') /* the command already has an option here */
			continue;
		if (*host != '\0')
			(void)buf_printf(out, "--host %.*s ", (int)strcspn(host, " "), host);
		(void)buf_append_str(out, option);
		if (*option == '-' && !cli->is_fleet) {
			(void)shell_word(out, value);
			(void)buf_append_byte(out, ' ');
		}
	}
	(void)buf_append_str(out, text);
}

static void print_verb_usage(FILE *stream, const struct verb *verb)
{
	int fd = fileno(stream);
	struct buf out = BUF(USAGE_MAX);
	(void)buf_printf(&out, "usage: muxbus %s", verb->name);
	screen_text_wrap(&out, verb->usage, isatty(fd) ? (size_t)screen_columns(fd) : 0,
	    strlen("usage: "), out.len);
	(void)fwrite(out.data, 1, out.len, stream);
	buf_finish(&out);
}

static void print_usage(FILE *stream, const char *name)
{
	const struct verb *verb = name != NULL ? verb_find(name) : NULL;
	if (verb != NULL)
		print_verb_usage(stream, verb);
	else
		(void)fputs(usage_text, stream);
}

enum cli_status cli_usage(const char *verb, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say(format, args);
	va_end(args);
	print_usage(stderr, verb);
	return CLI_USAGE;
}

bool cli_help(const char *verb, const char *arg)
{
	const struct verb *row;
	if (strcmp(arg, "--help") != 0 && strcmp(arg, "-h") != 0)
		return false;
	print_usage(stdout, verb);
	row = verb_find(verb);
	if (verb_text(verb) != NULL)
		(void)printf("\n%s", verb_text(verb));
	else if (row != NULL && row->summary != NULL)
		(void)printf("\n%s. See muxbus(1).\n", row->summary);
	return true;
}

void cli_print(struct buf *out)
{
	cli_keep_error(fwrite(buf_text(out), 1, out->len, stdout) == out->len);
	buf_finish(out);
}

void cli_write(const void *bytes, size_t len)
{
	cli_keep_error(len == 0 || fwrite(bytes, 1, len, stdout) == len);
	cli_keep_error(fflush(stdout) == 0);
}

enum cli_status cli_flush(enum cli_status status)
{
	cli_keep_error(fflush(stdout) == 0);
	cli_keep_error(!ferror(stdout));
	if (output_error == 0)
		return status;
	if (output_error != EPIPE)
		cli_error("standard output: %s", strerror(output_error));
	return status == CLI_DONE ? CLI_NO : status;
}

bool cli_set_color(struct cli *cli, const char *when)
{
	if (strcmp(when, "always") == 0)
		cli->has_color = true;
	else if (strcmp(when, "never") == 0)
		cli->has_color = false;
	else if (strcmp(when, "auto") == 0)
		cli->has_color = screen_has_color(STDOUT_FILENO);
	else
		return false;
	return true;
}

bool cli_option(struct cli *cli, const char *arg)
{
	static const char color[] = "--color=";
	bool is_text = strcmp(arg, "--text") == 0;
	if (is_text || strcmp(arg, "--json") == 0) {
		cli->wants_text = is_text;
		cli->wants_json = !is_text;
		return true;
	}
	return strncmp(arg, color, strlen(color)) == 0 && cli_set_color(cli, arg + strlen(color));
}
