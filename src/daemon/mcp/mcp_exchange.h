/* SPDX-License-Identifier: ISC */
/* Shared by the files of MCP: sessions, exchanges, rows of methods, and functions of each file. */
#pragma once

#include "daemon/mcp/mcp_tool_set.h"

#define MCP_NEWEST_LEGACY "2025-11-25"
#define MCP_MODERN "2026-07-28"

#define MCP_META "io.modelcontextprotocol/" /* prefix of MCP's own names in _meta */

struct mcp {
	struct daemon *daemon;
	struct dispatch *dispatch;
	struct json_reader *reader; /* parses results of methods */
	struct json_reader *shown_reader; /* parses the part of a cut result that is shown */
	struct json_reader *params_reader; /* parses parameters of requests that MCP itself makes */
};

struct mcp_session {
	struct mcp *mcp;
	struct peer *peer;
	const struct mcp_client *client;
	bool is_initialized;
	bool has_tasks; /* tasks exist in the revision that initialize has chosen */
	struct mcp_tool_set tools; /* the tools that tools/list shows */
	/* the client's list of tools (mcp_tool_set_read()); NULL: the default tools */
	char *tools_wanted;
	char *tools_reason; /* what is wrong in tools_wanted; NULL: nothing */
	int log_level; /* set by logging/setLevel; below 0: none */
	struct mcp_listening *listening; /* NULL: there was no subscription */
};

/* A request or notification while it is handled. */
struct mcp_exchange {
	struct mcp *mcp;
	struct mcp_session *session;
	struct request *request; /* NULL: a notification */
	const struct json *params; /* NULL: none */
	const struct json *meta; /* the member _meta of params; NULL: none */
	bool is_modern;
};

enum mcp_flag {
	MCP_LEGACY_ONLY = 1 << 0, /* not in revision 2026-07-28, the modern one */
	MCP_MODERN_ONLY = 1 << 1,
	MCP_NOTIFICATION = 1 << 2, /* a notification: with an id, it is refused */
	MCP_NATIVE = 1 << 3, /* without _meta the request is a native one, not of MCP */
};

#define MCP_ARGS_MAX 128

#define MCP_RESULT_BYTES 9000 /* maximum size of text, and of structuredContent */
#define MCP_RESULT_MAX 20000 /* of each if the caller gave a size; also of a resource's text */

struct mcp_method {
	const char *name; /* NULL ends a table */
	unsigned flags; /* enum mcp_flag */
	const struct field *fields; /* NULL: parameters are ignored */
	/* May be NULL. Returns a method that runs, or that has the request's flags; NULL: none. */
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

/* Begins the result with the members that the revision requires. */
struct json_writer *mcp_result(struct mcp_exchange *exchange);
/* The same, with the time for which clients may cache the result of a list or a read. */
struct json_writer *mcp_cacheable_result(struct mcp_exchange *exchange, int64_t ttl_ms);
void mcp_put_server_info(struct json_writer *writer, const char *name);
/* Writes the members that each result of the modern revision has. */
void mcp_put_modern(struct json_writer *writer);
/* The same, with the time for which clients may cache the result. */
void mcp_put_cacheable(struct json_writer *writer, int64_t ttl_ms);

struct mcp_run;
/* Writes the result. result: that of the native method, as JSON; NULL: the method failed. */
typedef void mcp_run_fn(
    struct json_writer *writer, const struct mcp_run *run, const char *result, size_t len);

/* How a request of MCP that runs the native method of its row writes its own answer. */
struct mcp_run {
	mcp_run_fn *write;
	/* Writes the member error if the method fails. NULL: write is called without a result. */
	void (*fail)(struct json_writer *writer, const struct mcp_run *run,
	    enum message_error error, const char *text, const char *members);
	const char *text; /* a parameter of the request that write() needs; NULL: none */
	/* Set by mcp_run(): */
	struct mcp *mcp;
	bool is_modern;
	struct rest_set *rests;
};

/* Runs the native method. how is copied; how->text must not be in memory of mcp->params_reader. */
void mcp_run(struct mcp_exchange *exchange, const struct mcp_run *how, const struct json *params);
/* Like mcp_run() with the method list_panes, for a write() that needs a fresh list of panes. */
void mcp_run_fresh(struct mcp_exchange *exchange, mcp_run_fn *write, const char *text);

/* Fails a request with a cursor that names no page. Returns false without a cursor. */
bool mcp_refuse_cursor(struct mcp_exchange *exchange, const char *cursor);

/* Known MCP clients (agents): measured timeouts of calls, and instructions for models. */

#define MCP_INSTRUCTIONS_MAX 2000 /* bytes; some agents cut longer instructions */

struct mcp_client {
	const char *name; /* the client's name begins with this; "" for all other clients */
	/* the agent, if it names its thread in _meta.threadId; NULL: it does not */
	const char *agent;
	int wait_sec; /* calls must be answered before so many seconds; 0: no limit */
	const char *waiting; /* sentence about waiting, for the instructions */
};

/* Finds the client by its name. Never returns NULL. */
const struct mcp_client *mcp_client_find(const char *name);

/* Appends the instructions for a client's model. pane is that of the agent; NULL: it is in none. */
void mcp_client_instructions(struct buf *out, const struct mcp_client *client, const char *pane);

/* Resources, each with a URI. See mcp_resource.c. */

#define MCP_URI_MAX 256 /* bytes of a URI */

/* The events after which a resource may have changed. */
struct mcp_change {
	uint64_t kinds; /* a bit for each enum event_kind */
	uint32_t pane; /* only events of this pane; MUXBUS_NO_ID: of any pane */
	bool has_output; /* output of the pane counts too */
	bool has_jobs; /* starts and ends of jobs count too */
};

/*
 * Finds the events after which the resource of a URI may have changed. The resource need not exist.
 * Returns false if the URI is invalid.
 */
bool mcp_resource_change(const char *uri, struct mcp_change *ret_change);
void mcp_resource_list_change(struct mcp_change *ret_change);

struct mcp_uri_args {
	const char *uri;
};
extern const struct field mcp_uri_fields[];
void mcp_resource_refuse(struct mcp_exchange *exchange, const char *uri);

/* Answers before an agent's timeout. See mcp_pending.c. */

/* Returns NULL if no time limit is set or known for the agent. The others accept this NULL. */
struct mcp_pending *mcp_pending_new(const struct mcp_session *session, struct request *request);
void mcp_pending_free(struct mcp_pending *pending);

/* Shortens a timeout_sec beyond the agent's timeout, or starts a timer that answers before. */
void mcp_pending_narrow(struct mcp_pending *pending, struct request *request, void *args);

/*
 * Writes "pending" if timeout_sec was shortened, the result's array notifications is empty, and out
 * has room; else returns false.
 */
bool mcp_pending_write(
    const struct mcp_pending *pending, const struct json *result, struct buf *out);

/* The same for a failed request that was released before its task ended; else returns false. */
bool mcp_pending_write_released(const struct mcp_pending *pending, struct buf *out);

/* Tasks of revision 2025-11-25. See mcp_task.c. */

struct job;
struct job_set;

/* The first returns true if the session has tasks, the second if a call asks for one. */
bool mcp_task_is_known(const struct mcp_exchange *exchange);
bool mcp_task_is_wanted(const struct mcp_exchange *exchange);
/* Returns true if a tool can be called as a task. */
bool mcp_task_is_of(const struct method *tool);

/* Returns the status of a task: "completed" if the command exited by itself, with any status. */
const char *mcp_task_status(const struct job *job);
void mcp_task_write(struct json_writer *writer, const struct job *job);
#define MCP_CURSOR_SIZE 48
/*
 * A cursor is a place in the list of jobs, which is in the order of their starts. mcp_task_behind()
 * finds the first job behind a cursor (NULL: none), even if the cursor's own job was removed.
 * Returns false if the cursor is invalid.
 */
void mcp_task_cursor(const struct job *job, char out[MCP_CURSOR_SIZE]);
bool mcp_task_behind(const struct job_set *jobs, const char *cursor, const struct job **ret_job);

/* Writes the member _meta that names a result's task. immediate: a text for the model, or NULL. */
void mcp_task_write_related(struct json_writer *writer, const char *id, const char *immediate);

/*
 * Writes the result of a call that has started a job; started is the result of its method. Begins a
 * wait for the job's end, which is then not notified.
 */
void mcp_task_write_begun(struct mcp *mcp, struct request *request, struct json_writer *writer,
    const struct json *started);

/* Writes the member error, for calls whose failure cannot be the result of a tool. */
void mcp_task_write_error(
    struct json_writer *writer, enum message_error error, const char *text, const char *members);

#define MCP_TASK_PARAMS_SIZE (2 * JSON_SPARE + 128) /* bytes of parameters of a method of jobs */
/*
 * Returns parameters for a method of jobs: an object with "job":ID, or without members if id is
 * NULL. For wait_for, the object has a condition on this job. It is valid until mcp->params_reader
 * is used again. params is the buffer for its text.
 */
const struct json *mcp_task_params(struct mcp *mcp, const struct method *method, const char *id,
    char params[MCP_TASK_PARAMS_SIZE]);

/* Notifications to the client. See mcp_listen.c. */

void mcp_listening_free(struct mcp_listening *listening);

/* Begins to notify a session of an older revision of changes of the list of resources. */
void mcp_listen_lists(struct mcp_session *session);

void mcp_listen_tools_changed(struct mcp_session *session);

/* Answers the open requests to listen. Call this when the daemon stops. */
void mcp_listen_end(struct mcp_session *session);

/*
 * Log messages (notifications/message) for MCP clients. In the older revisions a client sets the
 * level for its connection, and gets results of calls, and events such as notifications or a lost
 * tmux server. In the modern one it sets the level for a request, and gets the result of the call.
 */

enum mcp_level { MCP_DEBUG, MCP_INFO, MCP_NOTICE, MCP_WARNING, MCP_ERROR, MCP_LEVEL_COUNT_ = 8 };

struct mcp_log {
	struct request *request;
	int level; /* below 0: none */
	int64_t began_ms;
};

void mcp_log_begin(struct mcp_log *log, const struct mcp_exchange *exchange);
/* Logs a call to the agent, if its level asks for that. error NULL: it succeeded. */
void mcp_log_call(const struct mcp_log *log, const struct method *tool, const char *error);
