/* SPDX-License-Identifier: ISC */
/*
 * One MCP server on standard streams, from its start to its end.
 *
 * Calls run at the same time. No call is sent twice. Handlers are called from the event loop. A
 * function that makes a call fail, or the server end, calls done() or leaving() before it returns.
 */
#pragma once

#include "client/loop_process.h"
#include "wire/message.h"

#define MCP_SERVER_ARGUMENTS_MAX ((size_t)512 * 1024) /* bytes of the arguments of one call */
#define MCP_SERVER_STRAYS_MAX 1000 /* lines in a row that are not messages */
#define MCP_SERVER_PAGES_MAX 64 /* pages of the list of tools */
#define MCP_SERVER_ROWS_MAX ((size_t)4 * 1024 * 1024) /* bytes of the list of tools, as rows */
#define MCP_SERVER_TEXT_SIZE 1024 /* bytes of an error */

struct mcp_server_handlers {
	/* Takes the listed tools as a JSON array for provide. Again after changing(). */
	void (*listed)(void *data, const char *rows);
	/* Take the kinds of events that the server may publish, and an event. May be NULL. */
	void (*offered)(void *data, const struct json *kinds);
	void (*published)(void *data, const struct json *params);
	void (*changing)(void *data); /* the list is read again; hold answers until listed() */
	void (*leaving)(void *data); /* the server takes no more calls; may be NULL */
	/*
	 * Called last. reason: why the server ended or cannot be used; NULL: by mcp_server_stop().
	 */
	void (*ended)(void *data, const char *reason);
};

struct mcp_server_parts {
	struct event_base *base;
	const char *supervisor; /* the path of muxbus-job */
	int64_t start_ms; /* limit for the answer to initialize, and for the list of tools */
	const char *name; /* for messages; lent */
	struct loop_program program; /* lent until mcp_server_new() returns */
	const struct mcp_server_handlers *handlers;
	void *data;
};

struct mcp_answer {
	enum message_error error; /* why the call failed */
	const char *text; /* the failure in words; NULL if there is a result */
	const struct json *result; /* an object: content, isError … */
};

struct mcp_order {
	const char *tool;
	const char *arguments; /* a JSON object on one line */
	size_t arguments_len;
	const struct json *caller; /* describes the caller for the server; NULL: without */
	void (*progress)(void *data, const struct json *params); /* may be NULL */
	/* Called once, unless the call is cancelled or the server freed first. answer is lent. */
	void (*done)(void *data, const struct mcp_answer *answer);
	void *data;
};

/* Starts the server's process. Never returns NULL. */
struct mcp_server *mcp_server_new(const struct mcp_server_parts *parts);
/* Ends the process. Frees the calls without an answer. server may be NULL. */
void mcp_server_free(struct mcp_server *server);

/* Calls a tool. Returns the call, lent until done, or NULL if it failed; done was then called. */
struct mcp_server_call *mcp_server_call(struct mcp_server *server, const struct mcp_order *order);
/* Cancels a call, whose done() is then not called. The server gets the reason. */
void mcp_server_cancel(struct mcp_server_call *call, const char *reason);

/* Ends the process of an unusable server; calls fail. The formatted reason starts with a verb. */
void mcp_server_give_up(struct mcp_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the process. All calls fail as MESSAGE_GONE with the reason; ended() follows. */
void mcp_server_stop(struct mcp_server *server, const char *reason);
