/* SPDX-License-Identifier: ISC */
/*
 * A tool server: an MCP server on standard streams (protocol 2025-06-18), started by its first
 * call, and again by the first call after its end. Its list of tools is read at the start and
 * after it said that the list has changed; each call is held against that list.
 *
 * Calls run at once, each until its answer, its time-out, or the end of the process. A call that was
 * sent is never sent again. All handlers are called from the event loop, never from within a
 * function of this file that was called from elsewhere.
 */
#ifndef DAEMON_TOOL_TOOL_LINK_H
#define DAEMON_TOOL_TOOL_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/tool/tool_server_process.h"

#define TOOL_LINK_CALLS_MAX 256 /* of one server at once, with those that wait */
#define TOOL_LINK_ARGUMENTS_MAX ((size_t)512 * 1024) /* bytes of one call, as JSON */
#define TOOL_LINK_STRAYS_MAX 1000 /* lines between two messages that are none */
#define TOOL_LINK_TEXT_SIZE 1024 /* of an error */

struct event_base;
struct json;
struct json_reader;
struct tool_link;
struct tool_call;

struct tool_link_parts {
	struct event_base *base;
	struct json_reader *reader; /* for lines of TOOL_SERVER_LINE_MAX */
	const char *supervisor; /* the path of muxbus-job */
	int64_t start_ms; /* until it has answered initialize and tools/list, or is given up */
};

enum tool_link_error {
	TOOL_LINK_OK,
	TOOL_LINK_FAILED, /* not started, no such tool, or it answered with an error */
	TOOL_LINK_TIMEOUT,
	TOOL_LINK_GONE, /* it ended during the call, whose effect is unknown */
	TOOL_LINK_BUSY, /* too many calls, or it does not read them */
	TOOL_LINK_LIMIT, /* the arguments or the answer are too large */
};

struct tool_link_answer {
	enum tool_link_error error;
	const char *text; /* of an error; else NULL */
	const struct json *result; /* an object: content, isError …; NULL with an error */
};

/* How a server is started. */
struct tool_link_spec {
	const char *const *command; /* as declared; another one than before needs another process */
	/* argv NULL: as before, which suffices unless tool_link_needs_program(). */
	struct tool_server_program program;
	int64_t idle_ms; /* without a call, then it ends */
};

struct tool_link_order {
	const char *tool; /* by the server's name of it */
	const char *arguments; /* a JSON object on one line */
	size_t arguments_len;
	const char *const *gives; /* the names of arguments that there can be; NULL-terminated */
	int64_t timeout_ms;
	void (*progress)(void *data, const struct json *params); /* or NULL: not wanted */
	void (*done)(void *data, const struct tool_link_answer *answer); /* once; all is lent */
	void *data;
};

struct tool_link_handlers {
	void (*is_off)(void *data); /* it has ended, and no call waits; may free the server */
};

/* Never NULL; not started. The name is for messages. */
struct tool_link *tool_link_new(const struct tool_link_parts *parts, const char *name,
    const struct tool_link_handlers *handlers, void *data);
/* Its process goes on to end. Calls are freed without an answer. NULL is accepted. */
void tool_link_free(struct tool_link *link);

/* Whether the next call of this command must come with a program: it may start a process. */
bool tool_link_needs_program(const struct tool_link *link, const char *const *command);

/* Never NULL. Lent until done, which is called later, or until it is cancelled. */
struct tool_call *tool_link_call(
    struct tool_link *link, const struct tool_link_spec *spec, const struct tool_link_order *order);
/* The caller has left: the server hears of it, and done is not called. */
void tool_link_cancel(struct tool_call *call);

/* Ends its process; all calls fail with TOOL_LINK_GONE and the reason. */
void tool_link_stop(struct tool_link *link, const char *reason);

/* How a tool differs from its declaration by the last list of the server: "" if in nothing known. */
void tool_link_check(const struct tool_link *link, const char *tool, const char *const *gives,
    char *ret_reason, size_t size);

struct tool_link_info {
	const char *state; /* off, waiting, starting, ready or ending */
	const char *failure; /* why it last ended by itself or did not start; "": never */
	pid_t pid; /* 0: none */
	int64_t rss_kb; /* of all its processes */
	uint64_t calls; /* sent to it */
	unsigned running; /* calls without an answer yet: sent, waiting, or failed just now */
	uint64_t starts;
};
void tool_link_info(const struct tool_link *link, struct tool_link_info *ret_info);

#endif
