/* SPDX-License-Identifier: ISC */
/*
 * An accepted request: the slot of its response, and the only way for a handler to answer.
 * Answering a request frees it. If the peer disconnects, the request goes on and its response is
 * dropped, unless it can be cancelled (request_on_cancel()).
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/queue/once.h"
#include "daemon/server/method.h"

struct peer;

/*
 * Makes a request. id is JSON text; NULL: it gets no response. peer may be NULL. method NULL: it
 * can only be failed.
 */
struct request *request_new(
    struct daemon *parts, struct peer *peer, const char *id, const struct method *method);

/* The key of a request, which is then done only once (repeat.h). */
struct request_key {
	struct once once; /* its member set is NULL if there is no key, or no store for keys */
	char *text; /* the key, owned; NULL: none */
	char caller[PANE_REF_NAME_SIZE];
	bool is_repeated; /* it repeats an earlier request, which its result says */
	bool is_done_once; /* request_begin_once() has stored its key; the request is not done */
};
struct request_key *request_key(struct request *request);
/* Returns the key that the source must store with the effect; NULL: none, or it is stored. */
const struct once *request_once(const struct request *request);
/*
 * Begins the first request with its key; stores the key unless its source does that. A request
 * whose key is stored here is from then on completed even without a peer, unless its method reads,
 * or REQUEST_ORPHANS_MAX such requests wait already.
 */
#define REQUEST_ORPHANS_MAX 100
void request_begin_once(struct request *request);
/*
 * Call this before the handler of a request runs, and with NULL when it has returned. Errors while
 * it runs come, in most cases, before any effect.
 */
void request_begin_turn(const struct request *request);
/* Call this if a request is put off: its handler will write the result again. */
void request_forget_result(struct request *request);
/* Lets a request wait for the answer of a running one with its key. Returns false if none runs. */
bool request_join(struct request *request);
/* At the end of the daemon: answers all open requests. Later answers of handlers are dropped. */
void request_end_all(void);

/* Writes "durable": false into the result, once, if kill -9 would lose the effect or the key. */
void request_note_durable(struct request *request);
#define DURABLE_RESULTS                                                                          \
	{                                                                                        \
		"durable", "boolean", "false: in memory only, because the disk is full or fails" \
	}

/* Notes the request in the history. params may be NULL. */
void request_note(struct request *request, const struct json *params);

/* Writes the request into the audit, once, if it does more than read; false after failing it. */
bool request_audit(struct request *request, const struct json *params);
/* Writes a refusal by a role into the audit, or only counts it. */
void request_audit_refusal(struct request *request);

struct request_report {
	const char *text; /* NULL: none */
	double done, of;
	bool has_done, has_of;
};

/*
 * How a dialect writes a response. result() gets the result object as JSON text; result() and
 * error() write the members of the response that follow its id. finish() is called once, when the
 * request was answered.
 */
struct response_format {
	/* mistakes to accept in the parameters; NULL: none */
	const struct field_tolerance *tolerance;
	/* May change the checked arguments. NULL: does not. */
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
/* How much of the result the reader sees. */
struct request_view {
	size_t bytes_max; /* maximum bytes; 0: all is seen; set by the response format */
	/* Called by the response format if only the entries up to `last` are seen. May be NULL. */
	void (*cut)(void *data, uint64_t last);
	void *data;
};
struct request_view *request_view(struct request *request);
/* Returns true if the peer of the request speaks a dialect. */
bool request_is_formatted(const struct request *request);
/* Returns the mistakes that are accepted in its parameters, or NULL. request may be NULL. */
const struct field_tolerance *request_tolerance(const struct request *request);
void request_narrow(struct request *request, void *args);

/* Returns its id as JSON text; NULL: it gets no response. */
const char *request_id(const struct request *request);

/* Returns the open request of a peer with this id (JSON text), or NULL. */
struct request *request_find(struct peer *peer, const char *id);

/* Cancels a request and sends no response. May free the request. */
void request_withdraw(struct request *request);

/* Ends a request, but not the task for which it waits. Returns false if it cannot be cancelled. */
bool request_release(struct request *request);

struct daemon *request_daemon(const struct request *request);
struct peer *request_peer(const struct request *request); /* NULL: it has disconnected */
const struct method *request_method(const struct request *request);
enum role request_role(const struct request *request); /* the role of its peer when it was made */
/* Returns when it was accepted (CLOCK_MONOTONIC); its handler may have been called later. */
int64_t request_begun_ms(const struct request *request);

/*
 * Sets what happens if the peer disconnects or cancels: cancelled is called, and the request fails
 * with text, which must last until then.
 */
void request_on_cancel(
    struct request *request, void (*cancelled)(void *data), void *data, const char *text);
bool request_is_cancelled(const struct request *request);

/*
 * Sets a function that is called when the response has its place in the peer's output; not if the
 * request fails, or the peer has disconnected. data is memory of mem_alloc(), which the request
 * frees.
 */
void request_on_sent(
    struct request *request, void (*sent)(struct peer *peer, void *data), void *data);

/*
 * Returns where to keep the environment that tmux has answered, a NULL-terminated list; NULL there:
 * tmux was not asked.
 */
char ***request_session_env(struct request *request);

/*
 * Returns the writer of the result; the first call begins the result object. request_fail() drops
 * what was written.
 */
struct json_writer *request_result(struct request *request);

/* Sends the result ({} if nothing was written), and frees the request. */
void request_done(struct request *request);

/* Sends an error, and frees the request. Returns false, so that a handler can return that. */
bool request_fail(struct request *request, enum message_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like request_fail(), for a wrong parameter, whose name is put into data and into the message. */
bool request_fail_field(struct request *request, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like request_fail(), with further members of the error's data, as JSON text. */
bool request_fail_data(struct request *request, enum message_error error, const char *data,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Returns the pane of the peer's process; MUXBUS_NO_ID: none. *ret_weak: it is not certain (see
 * peer_pane.h).
 */
uint32_t request_peer_pane(struct request *request, bool *ret_weak);

struct request_origin {
	bool has_within; /* the request has the member `within` */
	/* The open call of a provider within which the request is made; "": none. */
	char within[24];
	/* The thread of the agent that makes the request, as in struct pane_ref; "": unknown. */
	char thread[PANE_REF_THREAD_SIZE];
};
struct request_origin *request_origin(struct request *request);
