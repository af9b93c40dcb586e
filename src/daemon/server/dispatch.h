/* SPDX-License-Identifier: ISC */
/*
 * From a line to a handler: JSON, envelope, method, parameters. Whatever is wrong with a
 * line is answered in its place, and the peer goes on with its next one.
 */
#ifndef DAEMON_SERVER_DISPATCH_H
#define DAEMON_SERVER_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>

struct dispatch;
struct json;
struct message;
struct method;
struct peer;
struct request;
struct server_parts;

/* Another protocol on the same socket, such as MCP. */
struct dialect {
	/*
	 * Handles a message if it is of this protocol. id is its JSON text, NULL if it is not to
	 * be answered. False: it is a native request.
	 */
	bool (*take)(void *data, struct peer *peer, const struct message *message, const char *id);
	/* The daemon ends: a peer's open exchanges end in good order. */
	void (*goodbye)(void *data, struct peer *peer);
};

struct dispatch *dispatch_new(const struct server_parts *parts);
/* data outlives the last peer. */
void dispatch_set_dialect(struct dispatch *dispatch, const struct dialect *dialect, void *data);
/* Tells the dialect, if there is one. */
void dispatch_goodbye(struct dispatch *dispatch, struct peer *peer);
void dispatch_free(struct dispatch *dispatch);

/* Handles one line, without its end. peer NULL: nobody hears the answer. */
void dispatch_line(struct dispatch *dispatch, struct peer *peer, const char *line, size_t len);

/* Answers a line that was too long to be kept. */
void dispatch_too_long(struct dispatch *dispatch, struct peer *peer);

/* Accepts a request of a dialect; see request_new(). */
struct request *dispatch_accept(
    struct dispatch *dispatch, struct peer *peer, const char *id, const struct method *method);

/*
 * Handles a request that was accepted: notes it, reads its parameters as its method has
 * them, and calls the handler. The request is answered then or later.
 */
void dispatch_run(struct dispatch *dispatch, struct request *request, const struct json *params);

/*
 * For what looks something up in the model and does not find it: a thing that was made a
 * moment ago may not be known yet. True: the request will be handled again, once, when the
 * model has been read anew, and must be left alone now. Only from within a handler.
 */
bool dispatch_put_off(struct request *request);

#endif
