/* SPDX-License-Identifier: ISC */
/*
 * Servers of tools: long-lived MCP servers on stdio, started at the first call, one for each pane
 * of a caller or one for the daemon. A call under way when its server dies ends as gone, and is
 * never repeated.
 */
#ifndef DAEMON_TOOL_TOOL_SERVER_H
#define DAEMON_TOOL_TOOL_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/json.h"
#include "wire/message.h"

#define TOOL_SERVERS_MAX 64 /* that run; of those that have ended, the oldest are forgotten */
#define TOOL_SERVERS_TEXT "64"

struct declaration;
struct event_base;
struct pane_ref;
struct tmux;
struct tool_server_call;
struct tool_server_pool;

/* For whom a server is started. All is lent until the call returns. */
struct tool_server_caller {
	const struct pane_ref *pane; /* without a pane: the server of the daemon's own callers */
	const char *cwd; /* where a server per pane works; one per daemon works in $HOME */
	const char *const *env; /* the whole environment, NULL-terminated */
	/*
	 * The program of the command: absolute, found as muxbusd(8) says (beside the declaration,
	 * or in PATH of env).
	 */
	const char *program;
};

/* The result of tools/call. All is lent until the callback returns. */
struct tool_server_answer {
	bool is_failed; /* error and text say why; else result is set */
	enum message_error error;
	const char *text;
	const struct json *result; /* content, isError, structuredContent, as the server sent it */
};

struct tool_server_handlers {
	/* Exactly once, never from within tool_server_call() or tool_server_cancel(). */
	void (*answered)(void *data, const struct tool_server_answer *answer);
	/* Any number of times before: params of notifications/progress. NULL: not wanted. */
	void (*progressed)(void *data, const struct json *params);
	/* Instead of answered: the daemon ends. NULL: not wanted. */
	void (*forgotten)(void *data);
};

struct tool_server_pool *tool_server_pool_new(struct event_base *base);
/* Ends all servers; calls under way are forgotten. */
void tool_server_pool_free(struct tool_server_pool *pool);

/*
 * Calls the declared tool with arguments (the JSON text of an object, in our names; renames apply).
 * Starts its server if it does not run. Always answers by handlers->answered.
 */
struct tool_server_call *tool_server_call(struct tool_server_pool *pool,
    const struct declaration *declaration, const struct tool_server_caller *caller,
    const char *arguments, size_t arguments_len, const struct tool_server_handlers *handlers,
    void *data);

/*
 * Whether a call may start a server. If not, the program, the environment and the directory of its
 * caller may be NULL.
 */
bool tool_server_needs_program(const struct tool_server_pool *pool,
    const struct declaration *declaration, const struct pane_ref *pane);

/* The caller has gone: tells the server, and calls no handler of this call any more. */
void tool_server_cancel(struct tool_server_call *call);

/* Ends the servers of panes that are closed. */
void tool_server_check_panes(struct tool_server_pool *pool, struct tmux *tmux);

/* One server, for list_tools. Strings are lent until the next call into the pool. */
struct tool_server_status {
	const char *name;
	uint32_t pane; /* MUXBUS_NO_ID: of the daemon */
	const char
	    *state; /* "off", "waiting" (for its next start), "starting", "ready" or "ending" */
	pid_t pid; /* 0: none */
	int64_t rss_bytes; /* of its process and all that descends from it */
	uint64_t calls; /* since the first start */
	size_t running; /* calls under way, with those that wait for its start */
	const char *reason; /* why it last ended by itself, or did not start; NULL: nothing */
};

/* Walks all servers: NULL starts. False at the end. */
struct tool_server;
const struct tool_server *tool_server_next(
    const struct tool_server_pool *pool, const struct tool_server *previous);
void tool_server_read_status(
    const struct tool_server *server, struct tool_server_status *ret_status);

/*
 * The reason why a declared tool does not fit its server: missing there, or with another schema.
 * NULL: it fits, or its server has not been asked yet.
 */
const char *tool_server_mismatch(
    const struct tool_server_pool *pool, const struct declaration *declaration);

#endif
