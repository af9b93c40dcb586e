/* SPDX-License-Identifier: ISC */
/*
 * Dispatch: from a line of input to the handler of its method. An invalid line does not end the
 * connection: the next line is handled as usual.
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
	 * Handles a message if it belongs to this protocol. id is the JSON text of the message's
	 * id; NULL: the message gets no response. Returns false if the message is a native request.
	 */
	bool (*take)(void *data, struct peer *peer, const struct message *message, const char *id);
	/* Ends the open exchanges of a peer in the normal way when the daemon stops. */
	void (*goodbye)(void *data, struct peer *peer);
};

struct dispatch *dispatch_new(struct daemon *parts);
void dispatch_goodbye(struct dispatch *dispatch, struct peer *peer);
void dispatch_free(struct dispatch *dispatch);

/*
 * Functions that dispatch calls. They may be NULL, except begin and admit. Their data must outlive
 * the last peer.
 */
struct dispatch_hooks {
	const struct dialect *dialect;
	void *dialect_data;
	/* Returns the row of a method that no table has, or NULL. data is route_data. */
	const struct method *(*foreign)(void *data, const char *name, const struct json *params);
	/*
	 * Called for a request that begin has allowed, before its parameters are checked. Returns
	 * true if the hook answers the request. params may be NULL; it is valid until the hook
	 * returns.
	 */
	bool (*route)(void *data, struct request *request, const struct json *params);
	void *route_data;
	/*
	 * These check the rights of a request (role.h). begin is called once, admit before each
	 * call of the handler. Both return false after failing the request; admit also after
	 * putting it off.
	 */
	bool (*begin)(struct request *request, const struct json *params);
	bool (*admit)(struct request *request, const void *args);
	/*
	 * Takes the response of a peer to a request that the daemon has sent. If the line is
	 * invalid and only its id is known, response is NULL, and reason says why. Returns true if
	 * the peer owes a response with this id.
	 */
	bool (*response)(void *data, struct peer *peer, const struct json *id,
	    const struct json *response, const char *reason);
	void *response_data;
	/* Called after a line, unless it is blank or too long, and after work for a request. */
	void (*handled)(void *data);
	void *handled_data;
};
struct dispatch_hooks *dispatch_hooks(struct dispatch *dispatch);

/* Handles a line without its newline. dispatch: a struct dispatch. peer NULL: sends no response. */
void dispatch_line(void *dispatch, struct peer *peer, const char *line, size_t len);

void dispatch_too_long(void *dispatch, struct peer *peer, const struct lost_id *lost);

/*
 * Handles a request: notes it in the history and the audit, checks its rights and parameters, and
 * calls the handler, now or later. The hook route may answer the request instead.
 */
void dispatch_run(struct dispatch *dispatch, struct request *request, const struct json *params);

/* Returns false after failing a request whose peer has too many waiting ones (limit waits). */
bool dispatch_may_wait(struct request *request);

/* Fails a request because of an invalid parameter. */
void dispatch_refuse(struct request *request, const struct field_error *error);

/*
 * Puts a request off until tmux is listed again, for example if an object is missing in the model.
 * Returns true if the request is put off: its handler must return without touching the request, and
 * is called again later. Returns false if tmux was just listed for this request, if the handler
 * does not run now, or if tmux is not followed.
 */
bool dispatch_put_off(struct request *request);

/*
 * Like dispatch_put_off(), but lists only one window. Also returns false if a window was just
 * listed for this request.
 */
bool dispatch_look_at(struct request *request, uint32_t window);

/*
 * Puts a request off until the work that begin(context, …) starts is done. If the work fails, its
 * error becomes the response. Returns false if the handler does not run now. A handler must not ask
 * for the same work twice.
 */
bool dispatch_put_off_until(struct request *request, dispatch_begin_fn *begin, void *context);

/*
 * For a handler that needs output or events: puts the request off until the daemon is attached to
 * tmux, or fails the request if the daemon must not attach for it. Returns false if neither was
 * done, as when the daemon is attached already.
 */
bool dispatch_attach_first(struct request *request);

/*
 * Like dispatch_put_off(), but returns false unless the daemon is detached. The model of a detached
 * daemon may be as old as the last request.
 */
bool dispatch_look_first(struct request *request);

/* Returns how many requests of peers for methods with METHOD_WAITS are put off. */
size_t dispatch_waits_put_off(const struct dispatch *dispatch);
