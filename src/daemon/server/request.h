/* SPDX-License-Identifier: ISC */
/*
 * One request that was accepted: its reserved place in the peer's row of responses, and
 * the only way for a handler to answer. Answering frees it. The peer may be gone before:
 * the request lives on until it is answered, and its response goes nowhere.
 */
#ifndef DAEMON_SERVER_REQUEST_H
#define DAEMON_SERVER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/server/server_parts.h"
#include "wire/json.h"
#include "wire/message.h"

struct field_tolerance;
struct method;
struct peer;
struct request;

/*
 * Accepts a request. id is its JSON text, NULL for one that is not to be answered. peer
 * NULL: nobody hears the answer. method NULL: of one that can only fail.
 */
struct request *request_new(const struct server_parts *parts, struct peer *peer, const char *id,
    const struct method *method);

/* Notes it in the history of what was asked. params may be NULL. */
void request_note(struct request *request, const struct json *params);

/*
 * Another dress for the answer than JSON-RPC's result or error, for a protocol that wraps
 * them. result is the JSON text of the object. Each writes the members of the line's
 * object behind its id. finish is called once when the request is freed.
 */
struct response_format {
	const struct field_tolerance *tolerance; /* in reading the parameters; NULL: none */
	/* The arguments were read and are good; may narrow them. NULL: nothing to do. */
	void (*narrow)(void *data, struct request *request, void *args);
	void (*result)(
	    void *data, struct json_writer *writer, const char *result, size_t result_len);
	void (*error)(void *data, struct json_writer *writer, enum message_error error,
	    const char *text, const char *members);
	void (*finish)(void *data);
};
void request_set_format(struct request *request, const struct response_format *response_format,
    void *data, size_t line_max);
/* Whether it wears one: its peer speaks another protocol. */
bool request_is_formatted(const struct request *request);
/* What may be passed over in its parameters; NULL: nothing. request may be NULL. */
const struct field_tolerance *request_tolerance(const struct request *request);
/* Calls narrow, if the dress has it. */
void request_narrow(struct request *request, void *args);

/* Its id as JSON text, NULL if it is not to be answered. */
const char *request_id(const struct request *request);

/* The unanswered request of a peer with this id (JSON text), or NULL. */
struct request *request_find(struct peer *peer, const char *id);

/*
 * The peer wants no answer any more: what can be stopped is, and nothing is sent. May free
 * the request.
 */
void request_withdraw(struct request *request);

/*
 * What the request waits for goes on without it, as if the peer had gone: the handler fails
 * it, and this failure is answered. False if there is nothing that could be told so.
 */
bool request_release(struct request *request);

struct daemon *request_daemon(const struct request *request);
const struct server_parts *request_parts(const struct request *request);
struct peer *request_peer(const struct request *request); /* NULL once it is gone */
const struct method *request_method(const struct request *request);
/* How many requests of its peer wait, with itself. */
size_t request_wait_count(const struct request *request);

/* Called once if the peer goes, or cancels, before the answer; NULL takes it back. */
void request_on_cancel(
    struct request *request, void (*cancelled)(struct request *request, void *data), void *data);

/*
 * Calls sent when the response has its place in the peer's output, so that what is sent
 * then comes behind it; not if the request fails or the peer is gone. data is memory of
 * mem_alloc() that the request frees.
 */
void request_on_sent(
    struct request *request, void (*sent)(struct peer *peer, void *data), void *data);

/*
 * The writer of the result; it stands inside the result object. The first call opens
 * it; after request_fail() what was written is thrown away.
 */
struct json_writer *request_result(struct request *request);

/* Sends the result ({} if nothing was written) and frees the request. */
void request_done(struct request *request);

/* Sends an error and frees the request. */
void request_fail(struct request *request, enum message_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with further members of "data" as JSON text. */
void request_fail_data(struct request *request, enum message_error error, const char *data,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * The pane the caller sits in, MUXBUS_NO_ID if it is in none; found once a peer. weak
 * says that only an environment variable speaks for it.
 */
uint32_t request_peer_pane(struct request *request, bool *ret_weak);

#endif
