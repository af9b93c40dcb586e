/* SPDX-License-Identifier: ISC */
#include "wire/message.h"

static const struct message_error_info errors[] = {
    [MESSAGE_PARSE] = {-32700, "parse_error",
	"The line is not one JSON value; correct it and send it again."},
    [MESSAGE_REQUEST] = {-32600, "invalid_request",
	"The JSON is not a valid request; send one object with method and, if wanted, id and "
	"params."},
    [MESSAGE_METHOD] = {-32601, "no_such_method",
	"There is no method of that name; describe lists all of them."},
    [MESSAGE_PARAMS] = {-32602, "invalid_params",
	"A parameter is missing, unknown or wrong; data.field names it."},
    [MESSAGE_INTERNAL] = {-32603, "internal",
	"The daemon is at fault; its log says more, and a report is welcome.", true},
    [MESSAGE_NO_SUCH_PANE] = {1, "no_such_pane",
	"There is no such pane now; list_panes shows those that exist."},
    [MESSAGE_NO_SUCH_WINDOW] = {2, "no_such_window",
	"There is no such window now; list_windows shows those that exist."},
    [MESSAGE_NO_SUCH_SESSION] = {3, "no_such_session",
	"There is no such session now; list_sessions shows those that exist."},
    [MESSAGE_NO_SUCH_JOB] = {4, "no_such_job",
	"There is no job of that id or name; list_jobs shows the known jobs."},
    [MESSAGE_NO_SUCH_TIMER] = {5, "no_such_timer",
	"There is no waiting timer of that id; list_timers shows all."},
    [MESSAGE_NO_SUCH_WATCH] = {6, "no_such_watch",
	"There is no active watch of that id or file; list_watches shows all."},
    [MESSAGE_NO_SUCH_AGENT] = {7, "no_such_agent",
	"There is no agent of that name; list_agents shows the known agents."},
    [MESSAGE_NO_SUCH_SUBSCRIPTION] = {8, "no_such_subscription",
	"This connection has no subscription of that id."},
    [MESSAGE_AMBIGUOUS_TARGET] = {9, "ambiguous_target",
	"The target names more than one thing; name it by its id."},
    [MESSAGE_TMUX_ERROR] = {10, "tmux_error",
	"tmux refused the command; the message is its own, unchanged.", true},
    [MESSAGE_TMUX_UNAVAILABLE] = {11, "tmux_unavailable",
	"There is no connection to the tmux server now; start it, or wait until it is back.", true},
    [MESSAGE_TIMEOUT] = {12, "timeout", "The timeout passed before the request was done.", true},
    [MESSAGE_CANCELLED] = {13, "cancelled", "The request was cancelled before it was done.", true},
    [MESSAGE_REFUSED] = {14, "refused",
	"A guard refused a request that could do harm; the message says how to force it, if "
	"possible."},
    [MESSAGE_NOT_READY] = {15, "not_ready",
	"The pane or agent cannot accept the request now; the message says why."},
    [MESSAGE_LIMIT] = {16, "limit",
	"A limit was reached; the message names it, and the setting that changes it.", true},
    [MESSAGE_BUSY] = {17, "busy",
	"The object is in use; try again when the other request is done."},
    [MESSAGE_GONE] = {18, "gone", "The pane, job or other object of the request has ended.", true},
    [MESSAGE_TOOL_FAILED] = {19, "tool_failed",
	"The program or server behind a declared tool failed; the message is its own.", true},
    [MESSAGE_FORBIDDEN] = {20, "forbidden",
	"The role of this connection does not allow it, and nothing was done; no parameter helps."},
    [MESSAGE_PROTOCOL_VERSION] = {-32022, "protocol_version",
	"The request names an unsupported revision of MCP; data.supported lists the supported "
	"ones."},
    [MESSAGE_RESOURCE] = {-32002, "no_such_resource",
	"There is no resource of this URI now; resources/list shows those that exist."},
};

_Static_assert(sizeof errors / sizeof *errors == MESSAGE_ERROR_COUNT_, "a row for each error");

const struct message_error_info *message_error_info(enum message_error error)
{
	return &errors[error];
}

enum message_error message_error_of(const struct json *code)
{
	int64_t number;
	if (json_int(code, &number))
		for (int error = 0; error < MESSAGE_ERROR_COUNT_; error++)
			if (message_error_info((enum message_error)error)->code == number)
				return (enum message_error)error;
	return MESSAGE_INTERNAL;
}

static const char *id_fault(const struct json *id)
{
	if (id->type != JSON_STRING && id->type != JSON_NUMBER && id->type != JSON_NULL)
		return "id must be a string, a number or null";
	if (id->type == JSON_STRING && id->len > MESSAGE_ID_MAX)
		return "id is longer than 1024 bytes";
	return NULL;
}

_Static_assert(MESSAGE_ID_MAX == 1024, "as the text has it");

const struct json *message_lost_id(struct json_reader *reader, const struct lost_id *lost)
{
	const char *text = lost_id_get(lost);
	struct json_error error;
	const struct json *id = text != NULL ? json_read(reader, text, strlen(text), &error) : NULL;
	return id != NULL && id_fault(id) == NULL ? id : NULL;
}

static int refuse_type(enum json_type type, char *ret_reason, size_t size)
{
	if (type == JSON_ARRAY)
		return str_refuse(ret_reason, size,
		    "a batch is not accepted; send one request a line, without waiting for "
		    "answers");
	return str_refuse(ret_reason, size, "a request is an object, not %s", json_type_name(type));
}

int message_read(
    const struct json *value, struct message *ret_message, char *ret_reason, size_t size)
{
	const struct json *id, *version, *method, *params, *within;
	const char *fault;
	*ret_message = (struct message){0};
	if (value->type != JSON_OBJECT)
		return refuse_type(value->type, ret_reason, size);

	id = json_member(value, "id");
	fault = id != NULL ? id_fault(id) : NULL;
	if (fault != NULL)
		return str_refuse(ret_reason, size, "%s", fault);
	ret_message->id = id;

	version = json_member(value, "jsonrpc");
	if (version != NULL && (version->type != JSON_STRING || strcmp(version->text, "2.0") != 0))
		return str_refuse(ret_reason, size, "jsonrpc must be \"2.0\", or be left out");

	method = json_member(value, "method");
	ret_message->is_response =
	    method == NULL && (json_member(value, "result") || json_member(value, "error"));
	if (ret_message->is_response)
		return 0;
	if (method == NULL)
		return str_refuse(ret_reason, size, "method is missing");
	if (method->type != JSON_STRING)
		return str_refuse(ret_reason, size, "method must be a string");
	ret_message->method = method->text;
	within = json_member(value, "within");
	if (within != NULL && within->type != JSON_STRING && within->type != JSON_NULL)
		return str_refuse(ret_reason, size, "within must be a string or null");
	ret_message->within = within;
	ret_message->is_notification = version != NULL && id == NULL;

	params = json_member(value, "params");
	if (params != NULL && params->type == JSON_NULL)
		params = NULL;
	if (params != NULL && params->type != JSON_OBJECT)
		return str_refuse(ret_reason, size, "params must be an object");
	ret_message->params = params;
	return 0;
}

void message_write_id(struct json_writer *writer, const struct json *id)
{
	if (id != NULL)
		json_put_value(writer, NULL, id);
	else
		json_put_null(writer, NULL);
}

void message_begin(struct json_writer *writer, const char *id)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "jsonrpc", "2.0");
	json_put_raw(writer, "id", id, strlen(id));
}

void message_end(struct json_writer *writer)
{
	json_object_end(writer);
	json_end_line(writer);
}

void message_begin_notice(struct json_writer *writer, const char *method)
{
	json_object_begin(writer, NULL);
	json_put_str(writer, "jsonrpc", "2.0");
	json_put_str(writer, "method", method);
	json_object_begin(writer, "params");
}

void message_end_notice(struct json_writer *writer)
{
	json_object_end(writer);
	message_end(writer);
}

void message_begin_result(struct json_writer *writer, const char *id)
{
	message_begin(writer, id);
	json_object_begin(writer, "result");
}

void message_end_result(struct json_writer *writer)
{
	json_object_end(writer);
	message_end(writer);
}

void message_put_error(struct json_writer *writer, enum message_error code_of,
    enum message_error error, const char *text, const char *data)
{
	json_object_begin(writer, "error");
	json_put_int(writer, "code", message_error_info(code_of)->code);
	json_put_str(writer, "message", text);
	json_object_begin(writer, "data");
	json_put_str(writer, "kind", message_error_info(error)->kind);
	if (data != NULL && *data)
		json_put_raw(writer, NULL, data, strlen(data));
	json_object_end(writer);
	json_object_end(writer);
}

void message_write_error(struct json_writer *writer, const char *id, enum message_error error,
    const char *text, const char *data)
{
	message_begin(writer, id);
	message_put_error(writer, error, error, text, data);
	message_end(writer);
}

bool message_is_ending(const struct json *message)
{
	const struct json *data = json_member(json_member(message, "error"), "data");
	return json_get_bool(data, "daemon_ends", false);
}
