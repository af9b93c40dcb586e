/* SPDX-License-Identifier: ISC */
/*
 * Dispatch: from a line of input to the handler of its method. A line with an error gets an error
 * response in the order of the lines; the peer continues with the next line.
 */
#pragma once

#include "daemon/core/daemon_parts.h"
#include "daemon/server/work.h"

struct field_error;
struct lost_id;
struct message;
struct peer;

/* A dialect: another protocol on the same socket, such as MCP. */
struct dialect {
	/*
	 * Handles a message if it belongs to this protocol. id is its JSON text, NULL if it gets no
	 * response. Returns false if the message is a native request.
	 */
	bool (*take)(void *data, struct peer *peer, const struct message *message, const char *id);
	/* The daemon stops: ends a peer's open exchanges normally. */
	void (*goodbye)(void *data, struct peer *peer);
};

struct dispatch *dispatch_new(struct daemon *parts);
void dispatch_goodbye(struct dispatch *dispatch, struct peer *peer);
void dispatch_free(struct dispatch *dispatch);

/* Handlers of other rooms; each may be NULL. Their data outlives the last peer. */
struct dispatch_hooks {
	const struct dialect *dialect;
	void *dialect_data;
	/* Returns the row of a method that no table has, or NULL if it is unknown. */
	const struct method *(*foreign)(void *data, const char *name, const struct json *params);
	/*
	 * Called first for each request whose method is known. Returns true if the hook answers the
	 * request. params may be NULL, and are lent until the hook returns.
	 */
	bool (*route)(void *data, struct request *request, const struct json *params);
	void *route_data;
	/*
	 * Decide about the rights of a request (role.h): begin once, admit before each call of the
	 * handler. Both return false after failing the request or putting it off.
	 */
	bool (*begin)(struct request *request, const struct json *params);
	bool (*admit)(struct request *request, const void *args);
	/*
	 * Takes a peer's response to a request that the daemon sent. If only the id can be read,
	 * response is NULL and reason says why. Returns true if a request with this id was sent.
	 */
	bool (*response)(void *data, struct peer *peer, const struct json *id,
	    const struct json *response, const char *reason);
	void *response_data;
	/* Called after each line, and after each request that was put off. */
	void (*handled)(void *data);
	void *handled_data;
};
struct dispatch_hooks *dispatch_hooks(struct dispatch *dispatch);

/* Handles one line, without its newline. peer NULL: no response is sent. */
void dispatch_line(void *dispatch, struct peer *peer, const char *line, size_t len);

void dispatch_too_long(void *dispatch, struct peer *peer, const struct lost_id *lost);

/* Handles an accepted request: notes it, reads its parameters and calls the handler. */
void dispatch_run(struct dispatch *dispatch, struct request *request, const struct json *params);

void dispatch_refuse(struct request *request, const struct field_error *error);

/*
 * Puts a request off until the model was read again, for an object that is missing. Returns true if
 * the handler will be called again; it must leave the request alone now. Returns false if the model
 * was just read for this request, its handler does not run, or tmux is not followed.
 */
bool dispatch_put_off(struct request *request);

/* Like dispatch_put_off(), but reads only one window, at most once for a request. */
bool dispatch_look_at(struct request *request, uint32_t window);

/*
 * Puts a request off until other work is done; an error of the work is its response. Returns like
 * dispatch_put_off(). The handler must ask for the same work only once.
 */
bool dispatch_put_off_until(struct request *request, dispatch_begin_fn *begin, void *context);

/*
 * For a handler that needs output or events: puts a request off until the daemon is attached, or
 * fails it if attaching is not allowed. Returns false if the daemon is attached already.
 */
bool dispatch_attach_first(struct request *request);

/*
 * Like dispatch_put_off(), but returns false unless the daemon is detached: only then the model can
 * be as old as the last request. For methods with METHOD_LOOKS_ITSELF.
 */
bool dispatch_look_first(struct request *request);

/* Returns how many requests with METHOD_WAITS have not begun to wait, as they are put off. */
size_t dispatch_waits_put_off(const struct dispatch *dispatch);
