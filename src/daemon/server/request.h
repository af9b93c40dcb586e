/* SPDX-License-Identifier: ISC */
/*
 * A request, as its handler gets it. The handler answers by request_done() or a request_fail
 * function, which frees the request. If the peer disconnects, a request that can be cancelled ends
 * (request_on_cancel()), unless its key keeps it (request_begin_once()). Other requests go on, and
 * their responses are dropped.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/queue/once.h"
#include "daemon/server/method.h"

struct peer;

/*
 * Makes a request. id is JSON text; NULL: the request gets no response. peer may be NULL. method
 * NULL: the caller may only fail the request.
 */
struct request *request_new(
    struct daemon *parts, struct peer *peer, const char *id, const struct method *method);

/* The key of a request: a second request with this key is not done again (repeat.h). */
struct request_key {
	struct once once; /* once.set is NULL if there is no key, or no store for keys */
	char *text; /* the key, owned; NULL: none */
	char caller[PANE_REF_NAME_SIZE]; /* once.caller points here */
	bool is_repeated; /* the request repeats an earlier one, and its result says so */
	bool is_done_once; /* request_begin_once() has stored the key, and the request is open */
};
struct request_key *request_key(struct request *request);
/* Returns the key that the source must store with the effect; NULL: none, or already stored. */
const struct once *request_once(const struct request *request);
/*
 * Begins the first request with its key. Stores the key unless the row of the method has begun().
 * If the key is stored here and the peer disconnects, the request is still completed, unless its
 * method has the effect METHOD_READS, or REQUEST_ORPHANS_MAX such requests are open already.
 */
#define REQUEST_ORPHANS_MAX 100
void request_begin_once(struct request *request);
/*
 * Call this before the handler of a request runs, and with NULL when the handler has returned. An
 * error of a running handler counts as one without effect, with few exceptions.
 */
void request_begin_turn(const struct request *request);
/* Call this if a request is put off: its handler will write the result again. */
void request_forget_result(struct request *request);
/*
 * Lets a request wait for the answer of an open request with the same key. Returns false if there
 * is none.
 */
bool request_join(struct request *request);
/* At the end of the daemon: fails all open requests. Later answers of handlers are dropped. */
void request_end_all(void);

/* Writes "durable": false into the result, once, if the journal cannot be written now. */
void request_note_durable(struct request *request);
#define DURABLE_RESULTS                                                                          \
	{                                                                                        \
		"durable", "boolean", "false: in memory only, because the disk is full or fails" \
	}

/* Notes the request in the history, unless its method has METHOD_UNNOTED. params may be NULL. */
void request_note(struct request *request, const struct json *params);

/*
 * Writes the request into the audit, once, if the request does more than read. Returns false after
 * failing the request.
 */
bool request_audit(struct request *request, const struct json *params);
/* Writes or counts in the audit that a role does not allow the request. */
void request_audit_refusal(struct request *request);

struct request_report {
	const char *text; /* NULL: none */
	double done, of;
	bool has_done, has_of;
};

/*
 * How a dialect writes a response. result() gets the result object as JSON text. result() and
 * error() write the members of the response that follow its id. finish() is called once, after the
 * request is answered.
 */
struct response_format {
	/* mistakes to accept in the parameters; NULL: none */
	const struct field_tolerance *tolerance;
	/* Changes the checked arguments. May be NULL. */
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
	size_t bytes_max; /* set by the response format; 0: the reader sees all */
	/* Called by the response format if only the entries up to `last` are seen. May be NULL. */
	void (*cut)(void *data, uint64_t last);
	void *data;
};
struct request_view *request_view(struct request *request);
/* Returns true if a dialect writes the response. */
bool request_is_formatted(const struct request *request);
/* Returns the mistakes to accept in the parameters, or NULL. request may be NULL. */
const struct field_tolerance *request_tolerance(const struct request *request);
void request_narrow(struct request *request, void *args);

/* Returns the id of the request as JSON text; NULL: the request gets no response. */
const char *request_id(const struct request *request);

/* Returns the open request of a peer with this id (JSON text), or NULL. */
struct request *request_find(struct peer *peer, const char *id);

/*
 * Sends no response, and cancels the request if that is possible. A request that cannot be
 * cancelled goes on; otherwise it is freed.
 */
void request_withdraw(struct request *request);

/*
 * Cancels a request, which then fails as set by request_on_cancel(). Returns false if the request
 * cannot be cancelled.
 */
bool request_release(struct request *request);

struct daemon *request_daemon(const struct request *request);
struct peer *request_peer(const struct request *request); /* NULL: none, or disconnected */
const struct method *request_method(const struct request *request);
/* Returns the role of the peer when the request was made; without a peer ROLE_FULL. */
enum role request_role(const struct request *request);
/* Returns when the request was made (CLOCK_MONOTONIC). */
int64_t request_begun_ms(const struct request *request);

/*
 * Makes a request one that can be cancelled, for example if its peer disconnects. Then cancelled is
 * called, and the request fails with text. text must last until then; NULL: a default text.
 */
void request_on_cancel(
    struct request *request, void (*cancelled)(void *data), void *data, const char *text);
bool request_is_cancelled(const struct request *request);

/*
 * Sets a function that is called when the result has its place in the peer's output. It is not
 * called if the request fails or the peer has disconnected. data is memory of mem_alloc(), which
 * the request frees.
 */
void request_on_sent(
    struct request *request, void (*sent)(struct peer *peer, void *data), void *data);

/*
 * Returns the place for the environment from tmux (session_env.h), a NULL-terminated list that the
 * request frees. The list is NULL if tmux was not asked.
 */
char ***request_session_env(struct request *request);

/*
 * Returns the writer of the result. The first call begins the result object. request_fail() drops
 * the written result.
 */
struct json_writer *request_result(struct request *request);

/* Sends the result ({}: none was written), or an error if it is too large. Frees the request. */
void request_done(struct request *request);

/* Sends an error, and frees the request. Returns false, for callers that return a bool. */
bool request_fail(struct request *request, enum message_error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like request_fail(), for a wrong parameter. Adds its name to the error's data and message. */
bool request_fail_field(struct request *request, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Like request_fail(), with further members of the error's data, as JSON text. */
bool request_fail_data(struct request *request, enum message_error error, const char *data,
    const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Returns the pane of the peer (peer_pane.h); MUXBUS_NO_ID: none, or tmux is not followed.
 * *ret_weak: the evidence for the pane is weak.
 */
uint32_t request_peer_pane(struct request *request, bool *ret_weak);

struct request_origin {
	bool has_within; /* the request has the member `within`, in a length that an id can have */
	/* id of the provider's open call within which the request is made; "": none */
	char within[24];
	/* the thread of the agent that makes the request, as in struct pane_ref; "": unknown */
	char thread[PANE_REF_THREAD_SIZE];
};
struct request_origin *request_origin(struct request *request);
