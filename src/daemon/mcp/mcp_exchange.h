/* SPDX-License-Identifier: ISC */
/* Shared by the parts of MCP: a session, an exchange, the rows of the methods of MCP. */
#pragma once

#include "daemon/mcp/mcp_tool_set.h"

#define MCP_NEWEST_LEGACY "2025-11-25"
#define MCP_MODERN "2026-07-28"

#define MCP_META "io.modelcontextprotocol/" /* prefix of MCP's own names in _meta */

struct mcp {
	struct daemon *daemon;
	struct dispatch *dispatch;
	struct json_reader *reader; /* parses results of methods, to write them as text */
	struct json_reader *shown_reader; /* parses the part of a cut result that is shown */
	struct json_reader *params_reader; /* parses parameters of requests that MCP itself makes */
};

struct mcp_session {
	struct mcp *mcp;
	struct peer *peer;
	const struct mcp_client *client;
	bool is_initialized;
	bool has_tasks; /* the revision that initialize has chosen has tasks */
	struct mcp_tool_set tools; /* the tools that tools/list shows */
	char *tools_wanted; /* words of the request for tools; NULL: the default tools */
	char *tools_reason; /* the error in tools_wanted; NULL: none */
	int log_level; /* that logging/setLevel set; below 0: none */
	struct mcp_listening *listening; /* NULL: no subscriptions */
};

/* One request or notification while its row handles it. */
struct mcp_exchange {
	struct mcp *mcp;
	struct mcp_session *session;
	struct request *request; /* NULL: a notification */
	const struct json *params; /* NULL: none */
	const struct json *meta; /* of params; NULL: none */
	bool is_modern;
};

enum mcp_flag {
	MCP_LEGACY_ONLY = 1 << 0, /* not in the modern revision */
	MCP_MODERN_ONLY = 1 << 1,
	MCP_NOTIFICATION = 1 << 2, /* never answered */
	MCP_NATIVE = 1 << 3, /* a request without _meta is native, not of MCP */
};

#define MCP_ARGS_MAX 128

#define MCP_RESULT_BYTES 9000 /* most bytes of text, and of structuredContent */
#define MCP_RESULT_MAX 20000 /* most bytes of each if the caller gave a size */

struct mcp_method {
	const char *name; /* NULL ends a table */
	unsigned flags; /* enum mcp_flag */
	const struct field *fields; /* NULL: parameters are ignored */
	/* Returns the native method whose flags say how the request waits. May be NULL. */
	const struct method *(*method)(const struct mcp_exchange *exchange);
	const char *runs; /* name of the native method, if always the same */
	void (*handle)(
	    struct mcp_exchange *exchange, const void *args); /* NULL: the native method runs */
};

extern const struct mcp_method mcp_methods_complete[];
extern const struct mcp_method mcp_methods_core[];
extern const struct mcp_method mcp_methods_listen[];
extern const struct mcp_method mcp_methods_log[];
extern const struct mcp_method mcp_methods_prompt[];
extern const struct mcp_method mcp_methods_resource[];
extern const struct mcp_method mcp_methods_task[];
extern const struct mcp_method mcp_methods_tool[];

struct mcp_list_args {
	const char *cursor;
};
extern const struct field mcp_list_fields[];

/* Opens the result with the members that the revision requires. */
struct json_writer *mcp_result(struct mcp_exchange *exchange);
/* With the time for which clients may cache the result of a list or a read. */
struct json_writer *mcp_cacheable_result(struct mcp_exchange *exchange, int64_t ttl_ms);
void mcp_put_server_info(struct json_writer *writer, const char *name);
/* Writes the members that each result of the modern revision has. */
void mcp_put_modern(struct json_writer *writer);
/* With the time for which clients may cache the result. */
void mcp_put_cacheable(struct json_writer *writer, int64_t ttl_ms);

struct mcp_run;
/* result is that of the native method, as JSON; NULL: it failed. */
typedef void mcp_run_fn(
    struct json_writer *writer, const struct mcp_run *run, const char *result, size_t len);

/* A request of MCP that runs the native method of its row, and then writes its own answer. */
struct mcp_run {
	mcp_run_fn *write;
	/* Writes the member error if the method fails; NULL: write is called even then. */
	void (*fail)(struct json_writer *writer, const struct mcp_run *run,
	    enum message_error error, const char *text, const char *members);
	const char *text; /* a parameter of the request; NULL: none */
	/* Set by mcp_run(): */
	struct mcp *mcp;
	bool is_modern;
	struct rest_set *rests;
};

/* how is copied. how->text must not be lent from mcp->params_reader. */
void mcp_run(struct mcp_exchange *exchange, const struct mcp_run *how, const struct json *params);
/* Like mcp_run() with list_panes, for a write() that needs fresh panes. */
void mcp_run_fresh(struct mcp_exchange *exchange, mcp_run_fn *write, const char *text);

/* Returns true after failing a request that has a cursor, whose page is unknown. */
bool mcp_refuse_cursor(struct mcp_exchange *exchange, const char *cursor);

/* Known MCP clients (agents): measured timeouts of calls, and instructions for models. */

#define MCP_INSTRUCTIONS_MAX 2000 /* bytes; some agents cut longer instructions */

struct mcp_client {
	const char *name; /* the client's name begins with this; "" for all other clients */
	const char *agent; /* agent that names its thread in _meta.threadId; NULL: none */
	int wait_sec; /* calls are answered before so many seconds; 0: no limit */
	const char *waiting; /* sentence about waiting, for the instructions */
};

/* Never returns NULL. */
const struct mcp_client *mcp_client_find(const char *name);

/* pane is that of the agent; NULL if it is in none. */
void mcp_client_instructions(struct buf *out, const struct mcp_client *client, const char *pane);

/* Resources, in mcp_resource.c: panes, jobs and notifications by URI. */

#define MCP_URI_MAX 256 /* bytes of a URI */

/* The events after which a resource may have changed. */
struct mcp_change {
	uint64_t kinds; /* bit per enum event_kind */
	uint32_t pane; /* events of this pane only; MUXBUS_NO_ID: of any */
	bool has_output; /* also output of the pane */
	bool has_jobs; /* also starts and ends of jobs */
};

/* Gets the events for a URI, whose resource need not exist. Returns false if no form fits it. */
bool mcp_resource_change(const char *uri, struct mcp_change *ret_change);
void mcp_resource_list_change(struct mcp_change *ret_change);

struct mcp_uri_args {
	const char *uri;
};
extern const struct field mcp_uri_fields[];
void mcp_resource_refuse(struct mcp_exchange *exchange, const char *uri);

/* The answer before an agent's timeout: mcp_pending.c. */

/* Returns NULL if the agent of this session has no timeout. */
struct mcp_pending *mcp_pending_new(const struct mcp_session *session, struct request *request);
void mcp_pending_free(struct mcp_pending *pending);

/* Shortens timeout_sec in args, or starts a timer that answers before the agent's timeout. */
void mcp_pending_narrow(struct mcp_pending *pending, struct request *request, void *args);

/* Returns true if the shortened timeout ended the wait, and the result fits out. */
bool mcp_pending_write(
    const struct mcp_pending *pending, const struct json *result, struct buf *out);

/* Returns true if only the early end of the wait failed the request, and the result fits out. */
bool mcp_pending_write_released(const struct mcp_pending *pending, struct buf *out);

/* Tasks of revision 2025-11-25: mcp_task.c. */

struct job;
struct job_set;

/* mcp_task_is_known(): the session has tasks. mcp_task_is_wanted(): a call asks for one. */
bool mcp_task_is_known(const struct mcp_exchange *exchange);
bool mcp_task_is_wanted(const struct mcp_exchange *exchange);
/* Returns true if a tool can be called as a task. */
bool mcp_task_is_of(const struct method *tool);

/* The status is "completed" if the command exited, whatever its exit status. */
const char *mcp_task_status(const struct job *job);
void mcp_task_write(struct json_writer *writer, const struct job *job);
#define MCP_CURSOR_SIZE 48
/*
 * A cursor is a place in the list of jobs, in the order of starts. mcp_task_behind() finds the
 * first job behind a cursor (NULL: none), even if the cursor's own job was removed. It returns
 * false if the cursor is invalid.
 */
void mcp_task_cursor(const struct job *job, char out[MCP_CURSOR_SIZE]);
bool mcp_task_behind(const struct job_set *jobs, const char *cursor, const struct job **ret_job);

/* immediate is a text for the model, or NULL. */
void mcp_task_write_related(struct json_writer *writer, const char *id, const char *immediate);

/* The call has started a job; started is its result. */
void mcp_task_write_begun(struct mcp *mcp, struct request *request, struct json_writer *writer,
    const struct json *started);

/* For calls whose failure cannot be a result of a tool. */
void mcp_task_write_error(
    struct json_writer *writer, enum message_error error, const char *text, const char *members);

#define MCP_TASK_PARAMS_SIZE (2 * JSON_SPARE + 128) /* bytes of parameters of a method of jobs */
/*
 * Returns the parameters of a method of jobs, valid until the next call: an object with "job":ID
 * (id NULL: an empty object); for wait_for, with a condition on this job. params is the buffer for
 * their text.
 */
const struct json *mcp_task_params(struct mcp *mcp, const struct method *method, const char *id,
    char params[MCP_TASK_PARAMS_SIZE]);

/* Notifications: mcp_listen.c. */

void mcp_listening_free(struct mcp_listening *listening);

/* For a session of an older revision. */
void mcp_listen_lists(struct mcp_session *session);

void mcp_listen_tools_changed(struct mcp_session *session);

/* Answers open requests to listen, as the daemon stops. */
void mcp_listen_end(struct mcp_session *session);

/*
 * Log messages (notifications/message) for MCP clients: results of calls, and server events. In the
 * older revisions a client sets the level for its connection, in the newest for each request.
 */

enum mcp_level { MCP_DEBUG, MCP_INFO, MCP_NOTICE, MCP_WARNING, MCP_ERROR, MCP_LEVEL_COUNT_ = 8 };

struct mcp_log {
	struct request *request;
	int level; /* below 0: none */
	int64_t began_ms;
};

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange);
/* error NULL: the call is done. */
void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error);
