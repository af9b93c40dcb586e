/* SPDX-License-Identifier: ISC */
/* Servers of tools: which one is for which caller. */
#include "daemon/tool/tool_server.h"

#include <muxbus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/xalloc.h"
#include "daemon/core/pane_ref.h"
#include "daemon/core/supervisor.h"
#include "daemon/tmux/pane_fate.h"
#include "daemon/tool/declaration.h"
#include "daemon/tool/tool_link.h"
#include "io/loop_timer.h"

enum { START_MS = 20000, REASON_SIZE = 512 };

struct tool_server_pool {
	struct event_base *base;
	struct json_reader *reader; /* of the servers' lines */
	struct json_reader *argument_reader; /* an answer may be lent while a call begins */
	char supervisor[4096];
	struct list servers; /* the latest first use last */
	struct list calls;
	size_t count;
};

struct tool_server {
	struct list entry;
	struct tool_server_pool *pool;
	char *name;
	struct pane_ref pane; /* not set: of the daemon */
	struct tool_link *link;
	bool is_gone; /* its pane is: it takes no calls, and is freed when it is off */
};

struct tool_server_call {
	struct list entry;
	const struct tool_server_handlers *handlers;
	void *data;
	struct tool_call *call; /* NULL: refused, */
	struct loop_timer *refusal; /* which this timer brings */
};

static const enum message_error errors[] = {
    [TOOL_LINK_FAILED] = MESSAGE_TOOL_FAILED,
    [TOOL_LINK_TIMEOUT] = MESSAGE_TIMEOUT,
    [TOOL_LINK_GONE] = MESSAGE_GONE,
    [TOOL_LINK_BUSY] = MESSAGE_BUSY,
    [TOOL_LINK_LIMIT] = MESSAGE_LIMIT,
};

struct tool_server_pool *tool_server_pool_new(struct event_base *base)
{
	struct tool_server_pool *pool = xcalloc(1, sizeof *pool);
	pool->base = base;
	pool->reader = json_reader_new(TOOL_SERVER_LINE_MAX);
	pool->argument_reader = json_reader_new(TOOL_LINK_ARGUMENTS_MAX);
	supervisor_find(pool->supervisor, sizeof pool->supervisor);
	list_init(&pool->servers);
	list_init(&pool->calls);
	return pool;
}

static void free_call(struct tool_server_call *call)
{
	list_remove(&call->entry);
	loop_timer_free(call->refusal);
	mem_free(call);
}

static void free_server(struct tool_server *server)
{
	list_remove(&server->entry);
	server->pool->count--;
	tool_link_free(server->link);
	mem_free(server->name);
	mem_free(server);
}

void tool_server_pool_free(struct tool_server_pool *pool)
{
	if (pool == NULL)
		return;
	while (!list_is_empty(&pool->servers))
		free_server(list_entry(pool->servers.next, struct tool_server, entry));
	while (!list_is_empty(&pool->calls)) {
		struct tool_server_call *call =
		    list_entry(pool->calls.next, struct tool_server_call, entry);
		if (call->handlers->forgotten != NULL)
			call->handlers->forgotten(call->data);
		free_call(call);
	}
	json_reader_free(pool->reader);
	json_reader_free(pool->argument_reader);
	mem_free(pool);
}

static bool is_off(const struct tool_server *server)
{
	struct tool_link_info info;
	tool_link_info(server->link, &info);
	return strcmp(info.state, "off") == 0 && info.running == 0;
}

static void on_off(void *data)
{
	struct tool_server *server = data;
	if (server->is_gone)
		free_server(server);
}

static const struct tool_link_handlers link_handlers = {.is_off = on_off};

/* The pane that a server is for: none if it is the daemon's. */
static void find_owner(
    const struct declaration *declaration, const struct pane_ref *pane, struct pane_ref *ret_owner)
{
	pane_ref_clear(ret_owner);
	if (!declaration->server.is_per_daemon)
		*ret_owner = *pane;
}

static struct tool_server *find_server(const struct tool_server_pool *pool,
    const struct declaration *declaration, const struct pane_ref *pane)
{
	struct pane_ref owner;
	find_owner(declaration, pane, &owner);
	list_each (struct tool_server, server, &pool->servers, entry) {
		if (!server->is_gone && strcmp(server->name, declaration->server.name) == 0 &&
		    pane_ref_same_pane(&server->pane, &owner))
			return server;
	}
	return NULL;
}

/* Makes room by forgetting the oldest server that has ended. */
static bool has_room(struct tool_server_pool *pool)
{
	list_each_safe (struct tool_server, server, &pool->servers, entry) {
		if (pool->count < TOOL_SERVERS_MAX)
			break;
		if (is_off(server))
			free_server(server);
	}
	return pool->count < TOOL_SERVERS_MAX;
}

/* The server for a caller; NULL: there are too many. */
static struct tool_server *get_server(struct tool_server_pool *pool,
    const struct declaration *declaration, const struct pane_ref *pane)
{
	struct tool_link_parts parts = {.base = pool->base,
	    .reader = pool->reader,
	    .supervisor = pool->supervisor,
	    .start_ms = START_MS};
	struct tool_server *server = find_server(pool, declaration, pane);
	if (server != NULL || !has_room(pool))
		return server;
	server = xcalloc(1, sizeof *server);
	server->pool = pool;
	server->name = xstrdup(declaration->server.name);
	find_owner(declaration, pane, &server->pane);
	server->link = tool_link_new(&parts, server->name, &link_handlers, server);
	list_append(&pool->servers, &server->entry);
	pool->count++;
	return server;
}

/* The name that the server has for one of our parameters. */
static const char *their_name(const struct declaration *declaration, const char *ours)
{
	const struct declaration_rename *row = declaration->server.renames;
	for (; row != NULL && row->theirs != NULL; row++)
		if (strcmp(row->ours, ours) == 0)
			return row->theirs;
	return ours;
}

/* The server's names of all parameters that the declaration has, without "wait" and "pane". */
static void list_gives(
    const struct declaration *declaration, const char *gives[DECLARATION_PARAMETERS_MAX + 1])
{
	size_t count = 0;
	for (const struct field *field = declaration->fields; field->name != NULL; field++)
		if (field->offset >= sizeof(struct declaration_args) &&
		    count < DECLARATION_PARAMETERS_MAX)
			gives[count++] = their_name(declaration, field->name);
	gives[count] = NULL;
}

/* Writes the arguments with the server's names. False: they are no object that can be read. */
static bool rename_arguments(struct tool_server_pool *pool, const struct declaration *declaration,
    const char *arguments, size_t len, struct buf *out)
{
	struct json_error error;
	const struct json *object = json_read(pool->argument_reader, arguments, len, &error);
	struct json_writer writer;
	if (object == NULL || object->type != JSON_OBJECT)
		return false;
	json_writer_init(&writer, out);
	json_object_begin(&writer, NULL);
	for (const struct json *member = object->child; member != NULL; member = member->next)
		json_put_value(&writer, their_name(declaration, member->name), member);
	json_object_end(&writer);
	return !writer.is_cut;
}

static void answer_call(struct tool_server_call *call, const struct tool_server_answer *answer)
{
	call->handlers->answered(call->data, answer);
	free_call(call);
}

static void on_done(void *data, const struct tool_link_answer *answer)
{
	struct tool_server_answer ours = {
	    .is_failed = answer->error != TOOL_LINK_OK,
	    .error = errors[answer->error],
	    .text = answer->text,
	    .result = answer->result,
	};
	answer_call(data, &ours);
}

static void on_progress(void *data, const struct json *params)
{
	struct tool_server_call *call = data;
	call->handlers->progressed(call->data, params);
}

static void on_refusal(void *data)
{
	static const struct tool_server_answer answer = {
	    .is_failed = true,
	    .error = MESSAGE_LIMIT,
	    .text = TOOL_SERVERS_TEXT " servers of tools run already, the most there may be, see "
				      "list_tools",
	};
	answer_call(data, &answer);
}

static const char *home(void)
{
	const char *path = getenv("HOME");
	return path != NULL && path[0] == '/' ? path : "/";
}

static void order_call(struct tool_server *server, const struct declaration *declaration,
    const struct tool_server_caller *caller, const char *arguments, size_t len,
    struct tool_server_call *call)
{
	const char *gives[DECLARATION_PARAMETERS_MAX + 1], *argv[DECLARATION_WORDS_MAX + 1] = {0};
	const char *const *command = declaration->server.command;
	struct tool_link_spec spec = {
	    .command = command,
	    .program = {.argv = caller->program != NULL ? argv : NULL,
		.env = caller->env,
		.cwd = declaration->server.is_per_daemon ? home() : caller->cwd},
	    .idle_ms = declaration->server.idle_ms,
	};
	struct tool_link_order order = {
	    .tool = declaration->server.tool,
	    .arguments = arguments,
	    .arguments_len = len,
	    .gives = gives,
	    .timeout_ms = declaration->timeout_ms,
	    .progress = call->handlers->progressed != NULL ? on_progress : NULL,
	    .done = on_done,
	    .data = call,
	};
	list_gives(declaration, gives);
	argv[0] = caller->program;
	for (size_t at = 1; at < DECLARATION_WORDS_MAX && command[at] != NULL; at++)
		argv[at] = command[at];
	call->call = tool_link_call(server->link, &spec, &order);
}

struct tool_server_call *tool_server_call(struct tool_server_pool *pool,
    const struct declaration *declaration, const struct tool_server_caller *caller,
    const char *arguments, size_t arguments_len, const struct tool_server_handlers *handlers,
    void *data)
{
	struct tool_server *server = get_server(pool, declaration, caller->pane);
	struct tool_server_call *call = xcalloc(1, sizeof *call);
	struct buf renamed;
	call->handlers = handlers;
	call->data = data;
	list_append(&pool->calls, &call->entry);
	if (server == NULL) {
		call->refusal = loop_timer_new(pool->base, on_refusal, call);
		loop_timer_arm(call->refusal, 0);
		return call;
	}
	buf_init(&renamed, arguments_len + DECLARATION_BYTES_MAX);
	if (declaration->server.renames != NULL &&
	    rename_arguments(pool, declaration, arguments, arguments_len, &renamed)) {
		arguments = (const char *)renamed.data;
		arguments_len = renamed.len;
	}
	order_call(server, declaration, caller, arguments, arguments_len, call);
	buf_finish(&renamed);
	return call;
}

void tool_server_cancel(struct tool_server_call *call)
{
	if (call->call != NULL)
		tool_link_cancel(call->call);
	free_call(call);
}

bool tool_server_needs_program(const struct tool_server_pool *pool,
    const struct declaration *declaration, const struct pane_ref *pane)
{
	const struct tool_server *server = find_server(pool, declaration, pane);
	return server == NULL || tool_link_needs_program(server->link, declaration->server.command);
}

void tool_server_check_panes(struct tool_server_pool *pool, struct tmux *tmux)
{
	list_each_safe (struct tool_server, server, &pool->servers, entry) {
		if (server->is_gone || server->pane.pane == MUXBUS_NO_ID ||
		    pane_fate(tmux, &server->pane) != PANE_GONE)
			continue;
		server->is_gone = true;
		tool_link_stop(server->link, "was ended: its pane is closed");
		if (is_off(server))
			free_server(server);
	}
}

const struct tool_server *tool_server_next(
    const struct tool_server_pool *pool, const struct tool_server *previous)
{
	const struct list *link = previous == NULL ? pool->servers.next : previous->entry.next;
	return link == &pool->servers ? NULL : list_entry(link, const struct tool_server, entry);
}

void tool_server_read_status(
    const struct tool_server *server, struct tool_server_status *ret_status)
{
	struct tool_link_info info;
	tool_link_info(server->link, &info);
	*ret_status = (struct tool_server_status){
	    .name = server->name,
	    .pane = server->pane.pane,
	    .state = info.state,
	    .pid = info.pid,
	    .rss_bytes = info.rss_kb * 1024,
	    .calls = info.calls,
	    .running = info.running,
	    .reason = info.failure[0] != '\0' ? info.failure : NULL,
	};
}

const char *tool_server_mismatch(
    const struct tool_server_pool *pool, const struct declaration *declaration)
{
	static char reason[REASON_SIZE];
	const char *gives[DECLARATION_PARAMETERS_MAX + 1];
	list_gives(declaration, gives);
	list_each (const struct tool_server, server, &pool->servers, entry) {
		if (strcmp(server->name, declaration->server.name) != 0)
			continue;
		tool_link_check(
		    server->link, declaration->server.tool, gives, reason, sizeof reason);
		if (reason[0] != '\0')
			return reason;
	}
	return NULL;
}
