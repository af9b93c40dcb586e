/* SPDX-License-Identifier: ISC */
/* JSON-RPC 2.0 envelopes (protocol section 2) and the kinds of errors. */
#pragma once

#include "wire/json.h"
#include "wire/line.h"

/* All errors of responses. The order is that of message_error_table(). */
enum message_error {
	MESSAGE_PARSE, /* -32700 */
	MESSAGE_REQUEST, /* -32600 */
	MESSAGE_METHOD, /* -32601 */
	MESSAGE_PARAMS, /* -32602 */
	MESSAGE_INTERNAL, /* -32603 */
	MESSAGE_NO_SUCH_PANE, /* 1 */
	MESSAGE_NO_SUCH_WINDOW, /* 2 */
	MESSAGE_NO_SUCH_SESSION, /* 3 */
	MESSAGE_NO_SUCH_JOB, /* 4 */
	MESSAGE_NO_SUCH_TIMER, /* 5 */
	MESSAGE_NO_SUCH_WATCH, /* 6 */
	MESSAGE_NO_SUCH_AGENT, /* 7 */
	MESSAGE_NO_SUCH_SUBSCRIPTION, /* 8 */
	MESSAGE_AMBIGUOUS_TARGET, /* 9 */
	MESSAGE_TMUX_ERROR, /* 10 */
	MESSAGE_TMUX_UNAVAILABLE, /* 11 */
	MESSAGE_TIMEOUT, /* 12 */
	MESSAGE_CANCELLED, /* 13 */
	MESSAGE_REFUSED, /* 14 */
	MESSAGE_NOT_READY, /* 15 */
	MESSAGE_LIMIT, /* 16 */
	MESSAGE_BUSY, /* 17 */
	MESSAGE_GONE, /* 18 */
	MESSAGE_TOOL_FAILED, /* 19 */
	MESSAGE_FORBIDDEN, /* 20 */
	MESSAGE_PROTOCOL_VERSION, /* -32022 */
	MESSAGE_RESOURCE, /* -32002 */
	MESSAGE_ERROR_COUNT_,
};

struct message_error_info {
	int code;
	const char *kind; /* "no_such_pane": data.kind */
	const char *help; /* its cause and remedy; one sentence */
	bool may_have_effect; /* a request that fails so may have done something */
};

/* The row of an error. */
const struct message_error_info *message_error_info(enum message_error error);
/* The error of a code (a number, or NULL); MESSAGE_INTERNAL: there is none. */
enum message_error message_error_of(const struct json *code);

#define MESSAGE_ID_MAX 1024 /* bytes of a string as id: it is kept until the answer */
#define MESSAGE_ID_BYTES (MESSAGE_ID_MAX * 6 + JSON_SPARE) /* of a buffer for an id as JSON */

/* The parts of a request. All are lent from the line's tree. */
struct message {
	const struct json *id; /* a string, a number or null; NULL: none was given */
	const char *method;
	const struct json *params; /* an object, or NULL */
	const struct json *within; /* a provider's open call that needs it; NULL: not said */
	bool is_notification; /* "jsonrpc":"2.0" without an id: not to be answered */
	bool is_response; /* has a result or an error and no method: ignored */
};

/*
 * Reads an envelope. Returns 0, or -1 with a reason in ret_reason (size bytes);
 * ret_message->id is then set if the id could be read.
 */
int message_read(
    const struct json *value, struct message *ret_message, char *ret_reason, size_t size);

/* The id that was found in a line that cannot be read, lent from the reader's tree; NULL: none. */
const struct json *message_lost_id(struct json_reader *reader, const struct lost_id *lost);

/* Writes an id as JSON text for the response: numbers as they were written. */
void message_write_id(struct json_writer *writer, const struct json *id);

/* Begins and ends a response line; "result" or "error" goes between them. */
void message_begin(struct json_writer *writer, const char *id);
void message_end(struct json_writer *writer);

/* A message that gets no response: the writer is then inside its params. */
void message_begin_notice(struct json_writer *writer, const char *method);
void message_end_notice(struct json_writer *writer);

/*
 * Writing. id is the JSON text of the id ("null" if there was none). After
 * message_begin_result() the writer is inside the result object and the caller adds its
 * members; message_end_result() closes it and adds the newline.
 */
void message_begin_result(struct json_writer *writer, const char *id);
void message_end_result(struct json_writer *writer);
/* The member "error" alone, with the code of another error; the rest as in message_write_error(). */
void message_put_error(struct json_writer *writer, enum message_error code_of,
    enum message_error error, const char *text, const char *data);
/*
 * A whole error line. data, if not NULL, is JSON text of further members of "data",
 * such as "\"field\":\"pane\"".
 */
void message_write_error(struct json_writer *writer, const char *id, enum message_error error,
    const char *text, const char *data);

/*
 * The data of the error that a daemon which ends answers all open requests with. Its connection ends
 * behind it, so that a program which knows what to do then need not look at the error.
 */
#define MESSAGE_ENDING "\"daemon_ends\":true"
bool message_is_ending(const struct json *message);
