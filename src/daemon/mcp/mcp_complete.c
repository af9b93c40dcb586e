/* SPDX-License-Identifier: ISC */
/* completion/complete: values for an argument of a prompt or a variable of a URI. */
#include <muxbus.h>
#include <stdio.h>
#include <string.h>

#include "daemon/job/job.h"
#include "daemon/mcp/mcp_prompt.h"
#include "daemon/queue/queue.h"
#include "daemon/server/daemon_parts.h"
#include "daemon/server/request.h"
#include "daemon/tmux/tmux.h"

#define VALUES_MAX 100 /* the maximum of MCP */

/* Values that begin with the typed text. */
struct complete_values {
	struct json_writer *writer;
	const char *begin;
	size_t total;
};

static void put_value(struct complete_values *values, const char *value)
{
	if (strncmp(value, values->begin, strlen(values->begin)) != 0)
		return;
	if (values->total++ < VALUES_MAX)
		json_put_str(values->writer, NULL, value);
}

static void put_panes(
    struct complete_values *values, const struct daemon *daemon, const char *format)
{
	const struct muxbus_model *model = daemon->tmux != NULL ? tmux_model(daemon->tmux) : NULL;
	const struct muxbus_pane *pane = NULL;
	while (model != NULL && (pane = muxbus_model_next_pane(model, pane)) != NULL) {
		char text[16];
		(void)snprintf(text, sizeof text, "%s%u", format, (unsigned)pane->id);
		put_value(values, text);
	}
}

static void put_jobs(struct complete_values *values, const struct daemon *daemon)
{
	const struct job *job = NULL;
	while (daemon->jobs != NULL && (job = job_next(daemon->jobs, job)) != NULL)
		if (!job->is_silent)
			put_value(values, job->id);
}

static void put_notes(struct complete_values *values, const struct daemon *daemon)
{
	const struct notification *note = NULL;
	while (daemon->queue != NULL && (note = queue_next(daemon->queue, note)) != NULL)
		put_value(values, note->id);
}

struct complete_args {
	const struct json *ref;
	const struct json *argument;
};

static const struct field complete_fields[] = {
    {FIELD_ROW(VALUE, struct complete_args, argument, "argument"), .flags = FIELD_REQUIRED},
    {FIELD_ROW(VALUE, struct complete_args, ref, "ref"), .flags = FIELD_REQUIRED},
    {.name = NULL},
};

/* A member that is a string, or NULL. */
static const char *string_of(const struct json *object, const char *name)
{
	const struct json *value = json_member(object, name);
	return value != NULL && value->type == JSON_STRING ? value->text : NULL;
}

/* The argument of a prompt, or the variable of a URI; false if there is neither. */
static bool find_values(struct complete_values *values, const struct mcp_exchange *exchange,
    const struct json *ref, const char *name)
{
	const struct daemon *daemon = exchange->mcp->daemon;
	const char *type = string_of(ref, "type");
	const char *prompt_name = string_of(ref, "name");
	const struct mcp_prompt *prompt =
	    prompt_name != NULL ? mcp_prompt_find(exchange, prompt_name) : NULL;
	if (type != NULL && strcmp(type, "ref/resource") == 0 && string_of(ref, "uri") != NULL) {
		if (strcmp(name, "pane") == 0)
			put_panes(values, daemon, "");
		else if (strcmp(name, "job") == 0)
			put_jobs(values, daemon);
		else if (strcmp(name, "id") == 0)
			put_notes(values, daemon);
		return true;
	}
	if (type == NULL || strcmp(type, "ref/prompt") != 0 || prompt == NULL)
		return false;
	for (const struct mcp_prompt_argument *a = prompt->arguments; a->name; a++)
		if (strcmp(a->name, name) == 0 && a->completion == MCP_COMPLETE_PANE)
			put_panes(values, daemon, "%");
	return true;
}

static void handle_complete(struct mcp_exchange *exchange, const void *data)
{
	const struct complete_args *args = data;
	const char *name = string_of(args->argument, "name");
	const char *begin = string_of(args->argument, "value");
	struct complete_values values;
	if (name == NULL || begin == NULL) {
		request_fail_field(exchange->request, "argument",
		    "must be an object with the strings name and value");
		return;
	}
	values = (struct complete_values){.writer = mcp_result(exchange), .begin = begin};
	json_object_begin(values.writer, "completion");
	json_array_begin(values.writer, "values");
	if (!find_values(&values, exchange, args->ref, name)) {
		request_fail_field(exchange->request, "ref",
		    "must be a ref/prompt with the name of a prompt, or a ref/resource with a "
		    "uri");
		return;
	}
	json_array_end(values.writer);
	json_put_int(values.writer, "total", (int64_t)values.total);
	json_put_bool(values.writer, "hasMore", values.total > VALUES_MAX);
	json_object_end(values.writer);
	request_done(exchange->request);
}

/* Keep alphabetized. */
const struct mcp_method mcp_methods_complete[] = {
    {.name = "completion/complete", .fields = complete_fields, .handle = handle_complete},
    {.name = NULL},
};
