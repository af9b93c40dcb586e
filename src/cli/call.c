/* SPDX-License-Identifier: ISC */
/* Runs a method as a command: its schema types the arguments, and the result is printed. */
#include "cli/call.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/xalloc.h"
#include "cli/arguments.h"
#include "cli/ask.h"
#include "cli/link.h"
#include "cli/show.h"

#define VERBS_MAX 64

struct call {
	const char *method;
	const char **words;
	int count;
	bool wants_help;
	struct buf params;
	bool waits;
};

/* The verb with the nearest name. */
static const char *nearest_verb(const char *name)
{
	const char *names[VERBS_MAX + 1] = {NULL};
	size_t count = 0;
	for (const struct verb *verb = verbs; verb->name != NULL && count < VERBS_MAX; verb++)
		if (verb->summary != NULL)
			names[count++] = verb->name;
	return str_nearest(name, names);
}

/* Reports that the method does not exist, and suggests the nearest name. */
static enum cli_status say_unknown(const char *method, const struct json *error)
{
	const char *verb = nearest_verb(method);
	if (verb != NULL)
		cli_error("there is no \"%s\"; did you mean \"%s\"?", method, verb);
	else
		(void)ask_say_error(error);
	(void)fputs("See: muxbus help\n", stderr);
	return CLI_USAGE;
}

/* Gets the daemon's description of the method. */
static enum cli_status describe(struct link *link, const char *method, const struct json **ret_row)
{
	struct link_answer answer;
	struct json_writer writer;
	struct buf params;
	bool is_full;
	enum link_read read = LINK_LINE;
	buf_init(&params, 4096);
	json_writer_init(&writer, &params);
	json_object_begin(&writer, NULL);
	(void)json_put_text(&writer, "method", method, strlen(method));
	json_object_end(&writer);
	if (writer.is_cut)
		(void)cli_usage(NULL, "the name of the method is too long");
	else
		read =
		    link_ask(link, "describe", (const char *)params.data, ASK_TIMEOUT_MS, &answer);
	is_full = writer.is_cut;
	buf_finish(&params);
	if (is_full)
		return CLI_USAGE;
	if (read != LINK_LINE)
		return ask_say_read(read);
	if (answer.error != NULL)
		return say_unknown(method, answer.error);
	*ret_row = json_member(json_member(answer.result, "methods"), method);
	return *ret_row != NULL ? CLI_DONE : CLI_NO;
}

static void print_usage(FILE *stream, const char *method, const struct json *schema)
{
	struct buf usage;
	buf_init(&usage, ARGUMENTS_PARAMS_MAX);
	arguments_usage(&usage, method, schema);
	(void)fprintf(
	    stream, "usage: muxbus %s\nSee: muxbus help %s\n", (const char *)usage.data, method);
	buf_finish(&usage);
}

static enum cli_status make_params(struct call *call, const struct json *row)
{
	char reason[1024];
	const struct json *schema = json_member(row, "params");
	call->waits = ask_bool(row, "waits", false);
	if (call->wants_help) {
		print_usage(stdout, call->method, schema);
		return CLI_DONE;
	}
	if (arguments_write(
		&call->params, schema, call->count, call->words, reason, sizeof reason) == 0)
		return CLI_DONE;
	cli_error("%s: %s", call->method, reason);
	print_usage(stderr, call->method, schema);
	return CLI_USAGE;
}

/* The exit status for a result: a timeout has a status of its own. */
static enum cli_status status_of(const struct json *result)
{
	return ask_bool(result, "timed_out", false) ? CLI_TIMEOUT : CLI_DONE;
}

static enum cli_status run(struct cli *cli, struct call *call, struct link *link)
{
	const struct json *row, *result;
	enum cli_status status = describe(link, call->method, &row);
	if (status == CLI_DONE)
		status = make_params(call, row);
	if (status != CLI_DONE || call->wants_help)
		return status;
	status = ask_result(link, call->method, (const char *)call->params.data,
	    call->waits ? -1 : ASK_TIMEOUT_MS, &result);
	if (status != CLI_DONE)
		return status;
	show_result(cli, call->method, result);
	return status_of(result);
}

/* Removes the options; the other words are the arguments. */
static void sort_words(struct cli *cli, struct call *call, int argc, char **argv)
{
	bool is_verbatim = false;
	call->words = xcalloc((size_t)argc + 1, sizeof *call->words);
	for (int i = 1; i < argc; i++) {
		if (!is_verbatim && strcmp(argv[i], "--") == 0)
			is_verbatim = true;
		else if (!is_verbatim &&
		    (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
			call->wants_help = true;
			continue;
		} else if (!is_verbatim && cli_option(cli, argv[i])) {
			continue;
		}
		call->words[call->count++] = argv[i];
	}
}

enum cli_status call_run(struct cli *cli, int argc, char **argv)
{
	struct call call = {.method = argv[0]};
	enum cli_status status = CLI_UNREACHABLE;
	struct link *link;
	sort_words(cli, &call, argc, argv);
	buf_init(&call.params, ARGUMENTS_PARAMS_MAX);
	link = ask_connect(cli, false);
	if (link != NULL)
		status = run(cli, &call, link);
	link_close(link);
	buf_finish(&call.params);
	mem_free(call.words);
	return cli_flush(status);
}
