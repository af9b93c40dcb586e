/* SPDX-License-Identifier: ISC */
/*
 * One MCP server on standard streams (protocol 2025-06-18), from its start to its end.
 *
 * Calls run at the same time, each until its answer or the end of the process. No call is sent
 * twice. Handlers are called by the event loop, but a function that makes a call fail or the server
 * end calls done() or leaving() itself.
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
	/* The tools were listed: a JSON array of rows for provide. Again after each changing(). */
	void (*listed)(void *data, const char *rows);
	/* Kinds of events that the server may publish, and one event. May be NULL. */
	void (*offered)(void *data, const struct json *kinds);
	void (*published)(void *data, const struct json *params);
	void (*changing)(void *data); /* the list is read again; hold answers until listed() */
	void (*leaving)(void *data); /* the server takes no more calls; may be NULL */
	/* Called last. reason: NULL if the server was asked to end; else "has ended: …". */
	void (*ended)(void *data, const char *reason);
};

struct mcp_server_parts {
	struct event_base *base;
	const char *supervisor; /* the path of muxbus-job */
	int64_t start_ms; /* limit for the answers to initialize and tools/list */
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
	const struct json *caller; /* who calls; NULL if the server knows */
	void (*progress)(void *data, const struct json *params); /* may be NULL */
	void (*done)(void *data, const struct mcp_answer *answer); /* once; answer is lent */
	void *data;
};

/* Starts the server's process. Never returns NULL. */
struct mcp_server *mcp_server_new(const struct mcp_server_parts *parts);
/* Lets the process end. Frees the calls without an answer. server may be NULL. */
void mcp_server_free(struct mcp_server *server);

/* Calls a tool. Returns the call, lent until done, or NULL if it failed; done was then called. */
struct mcp_server_call *mcp_server_call(struct mcp_server *server, const struct mcp_order *order);
/* Cancels a call. The server gets the reason; done is not called. */
void mcp_server_cancel(struct mcp_server_call *call, const char *reason);

/* Ends the process as unusable. The formatted reason starts with a verb, as for ended(). */
void mcp_server_give_up(struct mcp_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends the process. All calls fail as MESSAGE_GONE with the reason; ended() follows. */
void mcp_server_stop(struct mcp_server *server, const char *reason);
