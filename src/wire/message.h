/* SPDX-License-Identifier: ISC */
/* JSON-RPC 2.0 envelopes and their errors: muxbus-protocol(7), REQUESTS AND RESPONSES. */
#pragma once

#include "wire/json.h"
#include "wire/line.h"

/* All errors of responses. message.c has their codes. */
enum message_error {
	MESSAGE_PARSE,
	MESSAGE_REQUEST,
	MESSAGE_METHOD,
	MESSAGE_PARAMS,
	MESSAGE_INTERNAL,
	MESSAGE_NO_SUCH_PANE,
	MESSAGE_NO_SUCH_WINDOW,
	MESSAGE_NO_SUCH_SESSION,
	MESSAGE_NO_SUCH_JOB,
	MESSAGE_NO_SUCH_TIMER,
	MESSAGE_NO_SUCH_WATCH,
	MESSAGE_NO_SUCH_AGENT,
	MESSAGE_NO_SUCH_SUBSCRIPTION,
	MESSAGE_AMBIGUOUS_TARGET,
	MESSAGE_TMUX_ERROR,
	MESSAGE_TMUX_UNAVAILABLE,
	MESSAGE_TIMEOUT,
	MESSAGE_CANCELLED,
	MESSAGE_REFUSED,
	MESSAGE_NOT_READY,
	MESSAGE_LIMIT,
	MESSAGE_BUSY,
	MESSAGE_GONE,
	MESSAGE_TOOL_FAILED,
	MESSAGE_FORBIDDEN,
	MESSAGE_PROTOCOL_VERSION,
	MESSAGE_RESOURCE,
	MESSAGE_ERROR_COUNT_,
};

struct message_error_info {
	int code;
	const char *kind; /* data.kind, such as "no_such_pane" */
	const char *help; /* cause and remedy in one sentence */
	bool may_have_effect; /* a request with this error may already have had an effect */
};

const struct message_error_info *message_error_info(enum message_error error); /* never NULL */
/* Returns the error with a code (a number, or NULL); MESSAGE_INTERNAL if unknown. */
enum message_error message_error_of(const struct json *code);

#define MESSAGE_ID_MAX 1024 /* bytes of an id that is a string; ids are stored until the answer */
#define MESSAGE_ID_BYTES (MESSAGE_ID_MAX * 6 + JSON_SPARE) /* room for an id as JSON text */

/* The parts of a request, lent from the tree of the line. */
struct message {
	const struct json *id; /* a string, a number or null; NULL if absent */
	const char *method;
	const struct json *params; /* an object, or NULL */
	/* id of the provider's call that the request is part of, or null; NULL if absent */
	const struct json *within;
	bool is_notification; /* "jsonrpc":"2.0" without an id: gets no answer */
	bool is_response; /* has a result or error but no method: ignored */
};

/* Reads an envelope. Returns 0, or -1 with a reason; ret_message->id is set then if valid. */
int message_read(
    const struct json *value, struct message *ret_message, char *ret_reason, size_t size);

/* Returns the id that lost_id_add() found, lent from the reader's tree; NULL: no valid id. */
const struct json *message_lost_id(struct json_reader *reader, const struct lost_id *lost);

/* Writes an id (NULL: null) as JSON text for the response. Numbers keep their notation. */
void message_write_id(struct json_writer *writer, const struct json *id);

/* Begin and end a response line; the caller writes its result or error. id is JSON text. */
void message_begin(struct json_writer *writer, const char *id);
void message_end(struct json_writer *writer);

/* Begin and end a JSON-RPC notification; the caller writes the members of params in between. */
void message_begin_notice(struct json_writer *writer, const char *method);
void message_end_notice(struct json_writer *writer);

/* Begin and end a response line with a result; the caller writes its members in between. */
void message_begin_result(struct json_writer *writer, const char *id);
void message_end_result(struct json_writer *writer);
/* Writes the member "error" like message_write_error(), but with the code of code_of. */
void message_put_error(struct json_writer *writer, enum message_error code_of,
    enum message_error error, const char *text, const char *data);
/* Writes an error line. data: NULL, or JSON of members such as "\"field\":\"pane\"". */
void message_write_error(struct json_writer *writer, const char *id, enum message_error error,
    const char *text, const char *data);

/*
 * Returns true for the error by which an ending daemon answers open requests. The connection ends
 * next, so a program that handles this end can ignore the error.
 */
#define MESSAGE_ENDING "\"daemon_ends\":true"
bool message_is_ending(const struct json *message);
