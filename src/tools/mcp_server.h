/* SPDX-License-Identifier: ISC */
/*
 * One MCP server on standard streams (protocol 2025-06-18), from its start to its end. Its list of
 * tools is read at the start, and again when the server says that the list has changed.
 *
 * Calls run at once, each until its answer, or the end of the process. A call that was sent is never
 * sent again. All handlers are called from the event loop, but for done of calls that fail when
 * mcp_server_stop() is called.
 */
#pragma once

#include "client/loop_process.h"
#include "wire/message.h"

#define MCP_SERVER_ARGUMENTS_MAX ((size_t)512 * 1024) /* bytes of one call, as JSON */
#define MCP_SERVER_STRAYS_MAX 1000 /* lines between two messages that are none */
#define MCP_SERVER_PAGES_MAX 64 /* of its list */
#define MCP_SERVER_ROWS_MAX ((size_t)4 * 1024 * 1024) /* bytes of its list, as rows */
#define MCP_SERVER_TEXT_SIZE 1024 /* of an error */

struct mcp_server_handlers {
	/*
	 * Its tools, as a JSON array of rows: the name of each, and parameters with required. May be
	 * called again: changing() comes before.
	 */
	void (*listed)(void *data, const char *rows);
	/* Kinds of events that it may publish, and one of them: its kind and data. Both may be NULL. */
	void (*offered)(void *data, const struct json *kinds);
	void (*published)(void *data, const struct json *params);
	void (*changing)(void *data); /* answers that come before listed() are of the new list */
	void (*leaving)(void *data); /* it takes no more calls; NULL: not wanted */
	/* The last one. reason NULL: it was asked to end; else a verb with why: "has ended: …". */
	void (*ended)(void *data, const char *reason);
};

struct mcp_server_parts {
	struct event_base *base;
	const char *supervisor; /* the path of muxbus-job */
	int64_t start_ms; /* until it has answered initialize and tools/list, or is given up */
	const char *name; /* for messages; lent */
	struct loop_program program; /* lent until mcp_server_new() returns */
	const struct mcp_server_handlers *handlers;
	void *data;
};

struct mcp_answer {
	enum message_error error; /* of a failure */
	const char *text; /* the same; NULL: there is a result */
	const struct json *result; /* an object: content, isError … */
};

struct mcp_order {
	const char *tool;
	const char *arguments; /* a JSON object on one line */
	size_t arguments_len;
	const struct json *caller; /* whose call it is; NULL: the server knows it */
	void (*progress)(void *data, const struct json *params); /* or NULL: not wanted */
	void (*done)(void *data, const struct mcp_answer *answer); /* once; all is lent */
	void *data;
};

/* Never NULL; its process is started. */
struct mcp_server *mcp_server_new(const struct mcp_server_parts *parts);
/* Its process goes on to end. Calls are freed without an answer. NULL is accepted. */
void mcp_server_free(struct mcp_server *server);

/* Calls a tool. NULL, after done, if the server does not take the call. Lent until done. */
struct mcp_server_call *mcp_server_call(struct mcp_server *server, const struct mcp_order *order);
/* The caller needs no answer any more: the server hears of it, and done is not called. */
void mcp_server_cancel(struct mcp_server_call *call, const char *reason);

/* Ends its process, since it is of no use: a verb with why, for its calls and ended(). */
void mcp_server_give_up(struct mcp_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends its process; all calls fail as gone with the reason. ended() follows. */
void mcp_server_stop(struct mcp_server *server, const char *reason);
