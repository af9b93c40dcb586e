/* SPDX-License-Identifier: ISC */
/*
 * An accepted request: the slot of its response, and the only way for a handler to answer.
 * Answering frees it. If the peer disconnects, the request lives on and its response is dropped.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/queue/once.h"
#include "daemon/server/method.h"

struct peer;

/* id: JSON text; NULL: no response. peer may be NULL. method NULL: can only fail. */
struct request *request_new(
    struct daemon *parts, struct peer *peer, const char *id, const struct method *method);

/* A request with a key is done once (repeat.h). */
struct request_key {
	struct once once; /* its set is NULL without a key, or without a store for keys */
	char *text; /* the key, owned; NULL: none */
	char caller[PANE_REF_NAME_SIZE];
	bool is_repeated; /* it repeats an earlier request: its result says so */
	bool is_done_once; /* request_begin_once() stores its key */
};
struct request_key *request_key(struct request *request);
/* Returns the key that the source must store; NULL: no key, or dispatch stores it. */
const struct once *request_once(const struct request *request);
/*
 * Begins the first request with its key, and stores the key unless its source does. The request is
 * then completed without a peer too, while at most REQUEST_ORPHANS_MAX such requests wait.
 */
#define REQUEST_ORPHANS_MAX 100
void request_begin_once(struct request *request);
/* NULL: the handler has returned. Most errors while it runs come before any effect. */
void request_begin_turn(const struct request *request);
/* The request is put off: its handler begins the result again. */
void request_forget_result(struct request *request);
/* Waits for the answer of the running request with the same key. Returns false if none runs. */
bool request_join(struct request *request);
/* The daemon ends: answers all open requests. Later answers of their handlers are dropped. */
void request_end_all(void);

/* Writes "durable": false into the result, once, if kill -9 would lose the effect or the key. */
void request_note_durable(struct request *request);
#define DURABLE_RESULTS                                                                          \
	{                                                                                        \
		"durable", "boolean", "false: in memory only, because the disk is full or fails" \
	}

/* Notes the request in the history. params may be NULL. */
void request_note(struct request *request, const struct json *params);

/* Once, if the request does more than read. Returns false after failing the request. */
bool request_audit(struct request *request, const struct json *params);
/* Records a refusal by a role in the audit, or only counts it. */
void request_audit_refusal(struct request *request);

struct request_report {
	const char *text; /* NULL: none */
	double done, of;
	bool has_done, has_of;
};

/*
 * The response format of a dialect. result() gets the result object as JSON text; result() and
 * error() write the members of the line's object behind its id. finish() is called once when the
 * request is freed.
 */
struct response_format {
	const struct field_tolerance *tolerance; /* for reading the parameters; NULL: none */
	/* May change the checked arguments. NULL: nothing to do. */
	void (*narrow)(void *data, struct request *request, void *args);
	void (*result)(
	    void *data, struct json_writer *writer, const char *result, size_t result_len);
	void (*error)(void *data, struct json_writer *writer, enum message_error error,
	    const char *text, const char *members);
	void (*progress)(void *data, const struct request_report *report); /* NULL: not passed on */
	void (*finish)(void *data);
};
void request_progress(struct request *request, const struct request_report *report);
void request_set_format(struct request *request, const struct response_format *response_format,
    void *data, size_t line_max);
/* How much of the result its reader sees. */
struct request_view {
	size_t bytes_max; /* 0: all; set by the response format */
	/* Called from request_done() if the reader sees only entries up to number last; or NULL. */
	void (*cut)(void *data, uint64_t last);
	void *data;
};
struct request_view *request_view(struct request *request);
/* Returns true if the request has a response format: its peer speaks a dialect. */
bool request_is_formatted(const struct request *request);
/* Returns the tolerated mistakes in its parameters, or NULL. request may be NULL. */
const struct field_tolerance *request_tolerance(const struct request *request);
void request_narrow(struct request *request, void *args);

/* Returns its id as JSON text, or NULL if it gets no response. */
const char *request_id(const struct request *request);

/* Returns the unanswered request of a peer with this id (JSON text), or NULL. */
struct request *request_find(struct peer *peer, const char *id);

/* Cancels the request and sends no response. May free the request. */
void request_withdraw(struct request *request);

/* Ends the request, not the task it waits for. Returns false if it cannot be cancelled. */
bool request_release(struct request *request);

struct daemon *request_daemon(const struct request *request);
struct peer *request_peer(const struct request *request); /* NULL once it is gone */
const struct method *request_method(const struct request *request);
enum role request_role(const struct request *request); /* the role of its peer */
/* CLOCK_MONOTONIC when it was accepted; its handler may be called later. */
int64_t request_begun_ms(const struct request *request);

/* cancelled is called if the peer goes or cancels; then the request fails with text (lent). */
void request_on_cancel(
    struct request *request, void (*cancelled)(void *data), void *data, const char *text);
bool request_is_cancelled(const struct request *request);

/*
 * Calls sent when the response has its place in the peer's output; not if the request fails or the
 * peer is gone. data is memory of mem_alloc() that the request frees.
 */
void request_on_sent(
    struct request *request, void (*sent)(struct peer *peer, void *data), void *data);

/* The environment that tmux has answered, NULL-terminated; no list: tmux was not asked. */
char ***request_session_env(struct request *request);

/* The first call opens the result object. request_fail() discards the result. */
struct json_writer *request_result(struct request *request);

/* Sends the result ({} if nothing was written) and frees the request. */
void request_done(struct request *request);

/* Sends an error and frees the request. Returns false, for a handler to return. */
bool request_fail(struct request *request, enum message_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like request_fail(), for a wrong parameter, whose name goes into "data" and the message. */
bool request_fail_field(struct request *request, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like request_fail(), with further members of "data" as JSON text. */
bool request_fail_data(struct request *request, enum message_error error, const char *data,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* MUXBUS_NO_ID: none. *ret_weak: only an environment variable names the pane. */
uint32_t request_peer_pane(struct request *request, bool *ret_weak);

struct request_origin {
	bool has_within;
	/* The open call of a provider within which the request is made; "": none. */
	char within[24];
	/* The thread of the agent that asks, as in struct pane_ref; "": unknown. */
	char thread[PANE_REF_THREAD_SIZE];
};
struct request_origin *request_origin(struct request *request);
