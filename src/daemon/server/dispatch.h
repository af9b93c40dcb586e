/* SPDX-License-Identifier: ISC */
/*
 * Dispatch: from a line of input to the handler of its method. A line with an error gets an error
 * as its response, in the order of the lines; the peer goes on with the next line.
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
	 * id; NULL: it gets no response. Returns false if the message is a native request.
	 */
	bool (*take)(void *data, struct peer *peer, const struct message *message, const char *id);
	/* Ends the open exchanges of a peer in the normal way, as the daemon stops. */
	void (*goodbye)(void *data, struct peer *peer);
};

struct dispatch *dispatch_new(struct daemon *parts);
void dispatch_goodbye(struct dispatch *dispatch, struct peer *peer);
void dispatch_free(struct dispatch *dispatch);

/*
 * Functions that dispatch calls; all but begin and admit may be NULL. Their data must outlive the
 * last peer.
 */
struct dispatch_hooks {
	const struct dialect *dialect;
	void *dialect_data;
	/* Returns the row of a method that no table has, or NULL. Its data is route_data. */
	const struct method *(*foreign)(void *data, const char *name, const struct json *params);
	/*
	 * Called for each request whose method is known and whose role may make it, before the
	 * parameters are read. Returns true if the hook answers the request. params may be NULL;
	 * it is valid until the hook returns.
	 */
	bool (*route)(void *data, struct request *request, const struct json *params);
	void *route_data;
	/*
	 * These decide about the rights of a request (role.h): begin is called once, admit before
	 * each call of the handler. Both return false after failing the request; admit also after
	 * putting it off.
	 */
	bool (*begin)(struct request *request, const struct json *params);
	bool (*admit)(struct request *request, const void *args);
	/*
	 * Takes the response of a peer to a request that the daemon has sent. If only the id can be
	 * read, response is NULL, and reason says why. Returns true if a request with this id was
	 * sent.
	 */
	bool (*response)(void *data, struct peer *peer, const struct json *id,
	    const struct json *response, const char *reason);
	void *response_data;
	/* Called after each line that is read, and after a request for which work was done. */
	void (*handled)(void *data);
	void *handled_data;
};
struct dispatch_hooks *dispatch_hooks(struct dispatch *dispatch);

/* Handles one line, without newline. dispatch: a struct dispatch. peer NULL: sends no response. */
void dispatch_line(void *dispatch, struct peer *peer, const char *line, size_t len);

/* Refuses a line that was too long. */
void dispatch_too_long(void *dispatch, struct peer *peer, const struct lost_id *lost);

/*
 * Handles an accepted request: notes it in the history and the audit, reads its parameters and
 * calls the handler.
 */
void dispatch_run(struct dispatch *dispatch, struct request *request, const struct json *params);

/* Returns false after failing a waiting request, if its peer has too many of them (limit waits). */
bool dispatch_may_wait(struct request *request);

/* Fails a request because of a wrong parameter. */
void dispatch_refuse(struct request *request, const struct field_error *error);

/*
 * Puts a request off until tmux was listed again, for an object that is missing in the model.
 * Returns true if the handler will be called again; it must then return without touching the
 * request. Returns false if tmux was just listed for this request, its handler does not run, or
 * tmux is not followed.
 */
bool dispatch_put_off(struct request *request);

/*
 * Like dispatch_put_off(), but lists only one window. Returns false also if a window was just
 * listed for this request.
 */
bool dispatch_look_at(struct request *request, uint32_t window);

/*
 * Puts a request off until other work is done, which begin(context, …) starts; an error of the work
 * becomes its response. Returns like dispatch_put_off(). A handler must ask for the same work only
 * once.
 */
bool dispatch_put_off_until(struct request *request, dispatch_begin_fn *begin, void *context);

/*
 * For a handler that needs output or events: puts the request off until the daemon is attached to
 * tmux, or fails it if it must not attach. Returns false if the daemon is attached already.
 */
bool dispatch_attach_first(struct request *request);

/*
 * Like dispatch_put_off(), but returns false unless the daemon is detached: only then can the model
 * be as old as the last request. For methods with METHOD_LOOKS_ITSELF.
 */
bool dispatch_look_first(struct request *request);

/* Returns how many requests of peers with METHOD_WAITS are put off, and so do not wait yet. */
size_t dispatch_waits_put_off(const struct dispatch *dispatch);
