/* SPDX-License-Identifier: ISC */
/* Shared by the parts of MCP: a session, an exchange, the rows of its methods. */
#pragma once

#include "daemon/mcp/mcp_tool_set.h"

#define MCP_NEWEST_LEGACY "2025-11-25"
#define MCP_MODERN "2026-07-28"

#define MCP_META "io.modelcontextprotocol/" /* the prefix of its names in _meta */

struct mcp {
	struct daemon *daemon;
	struct dispatch *dispatch;
	struct json_reader *reader; /* of results, to make text of them */
	struct json_reader *shown_reader; /* of what is shown of a cut result */
	struct json_reader *params_reader; /* of our own requests */
};

/* A session: the state of a peer that speaks MCP. */
struct mcp_session {
	struct mcp *mcp;
	struct peer *peer;
	const struct mcp_client *client; /* the row of the agent's name */
	bool is_initialized; /* it began with initialize */
	bool has_tasks; /* of a revision with tasks */
	struct mcp_tool_set tools; /* that are listed */
	char *tools_wanted; /* the groups and names that were asked for; NULL: the default ones */
	char *tools_reason; /* why the list that was wanted cannot be; NULL: nothing is wrong */
	int log_level; /* that logging/setLevel set; below 0: none */
	struct mcp_listening *listening; /* NULL without subscriptions */
};

/* One request while its row handles it. */
struct mcp_exchange {
	struct mcp *mcp;
	struct mcp_session *session;
	struct request *request; /* NULL: a notification */
	const struct json *params; /* NULL: none */
	const struct json *meta; /* of params; NULL: none */
	bool is_modern;
};

enum mcp_flag {
	MCP_LEGACY_ONLY = 1 << 0, /* removed from the modern revision */
	MCP_MODERN_ONLY = 1 << 1,
	MCP_NOTIFICATION = 1 << 2, /* never answered */
	MCP_NATIVE = 1 << 3, /* without _meta the method that it runs takes it */
};

#define MCP_ARGS_MAX 128

#define MCP_RESULT_BYTES 9000 /* of text, and of structuredContent */
#define MCP_RESULT_MAX 20000 /* the same if the caller set a size */

/* A row of MCP's own methods. */
struct mcp_method {
	const char *name; /* NULL ends a table */
	unsigned flags; /* enum mcp_flag */
	const struct field *fields; /* NULL: none that matter */
	/* Whose flags say how the request waits; NULL: it does not. */
	const struct method *(*method)(const struct mcp_exchange *exchange);
	const char *runs; /* the same, as the name of a method that does not change */
	void (*handle)(
	    struct mcp_exchange *exchange, const void *args); /* NULL: the method that it runs */
};

/* The tables of the parts. */
extern const struct mcp_method mcp_methods_cancel[];
extern const struct mcp_method mcp_methods_complete[];
extern const struct mcp_method mcp_methods_core[];
extern const struct mcp_method mcp_methods_listen[];
extern const struct mcp_method mcp_methods_log[];
extern const struct mcp_method mcp_methods_prompt[];
extern const struct mcp_method mcp_methods_resource[];
extern const struct mcp_method mcp_methods_task[];
extern const struct mcp_method mcp_methods_tool[];

/* The parameters of all lists. */
struct mcp_list_args {
	const char *cursor; /* NULL: the first page */
};
extern const struct field mcp_list_fields[];

/* Opens the result with the members that the revision requires. */
struct json_writer *mcp_result(struct mcp_exchange *exchange);
/* The same for results that may be cached: lists and reads. */
struct json_writer *mcp_cacheable_result(struct mcp_exchange *exchange, int64_t ttl_ms);
void mcp_put_server_info(struct json_writer *writer, const char *name);
/* The members of any modern result. */
void mcp_put_modern(struct json_writer *writer);
/* The same, with how long the result holds. */
void mcp_put_cacheable(struct json_writer *writer, int64_t ttl_ms);

/* An answer that waits for a look at tmux. */
struct mcp_looked {
	void (*write)(struct json_writer *writer, const struct mcp_looked *looked);
	const struct daemon *daemon;
	bool is_modern;
	char *text; /* NULL: none */
};

/*
 * Answers when the panes are known: it asks tmux where the daemon is not attached, as list_panes
 * does, which the row runs. write puts the members of the result; without tmux the panes are those
 * that are known. text is copied.
 */
void mcp_answer_looked(struct mcp_exchange *exchange,
    void (*write)(struct json_writer *writer, const struct mcp_looked *looked), const char *text);

/* Fails the request of a page that does not exist. True if it did. */
bool mcp_refuse_cursor(struct mcp_exchange *exchange, const char *cursor);

/*
 * Known MCP clients (agents): their call timeouts, and the instructions for their models. An
 * agent is known by its clientInfo.name. Measured, not guessed.
 */

#define MCP_INSTRUCTIONS_MAX 2000 /* bytes: some agents cut there */

struct mcp_client {
	const char *name; /* beginning of its name; "" for all others */
	const char *agent; /* whose thread is in _meta.threadId of each call; NULL: it is not */
	int wait_sec; /* calls are answered before this; 0: no limit */
	const char *waiting; /* about waiting, for the instructions */
};

/* The row of a name; never NULL. */
const struct mcp_client *mcp_client_find(const char *name);

/* Appends the instructions for a model. pane: NULL if the agent is in none. */
void mcp_client_instructions(struct buf *out, const struct mcp_client *client, const char *pane);
