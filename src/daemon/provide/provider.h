/* SPDX-License-Identifier: ISC */
/* A provider: a peer with methods, a file that names a program with methods, or a tool server. */
#pragma once

#include "daemon/core/config.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/job/job.h"
#include "daemon/tool/declaration.h"
#include "daemon/tool/tool_program.h"
#include "daemon/tool/tool_server_list.h"

#define PROVIDERS_MAX 64 /* maximum number of peers that provide, besides files and tool servers */
/* maximum number of names of a provider's methods, with those in "also" */
#define PROVIDE_NAMES_MAX 64
/* maximum number of names of all providers together */
#define PROVIDE_NAMES_ALL_MAX 128
#define PROVIDE_BYTES_MAX ((size_t)256 * 1024) /* maximum bytes of a provider's rows as JSON */
#define PROVIDE_STRAYS_MAX 1000 /* so many successive answers to unknown calls end a connection */
#define PROVIDE_KINDS_MAX 8 /* maximum number of kinds of events of a provider */
/* maximum bytes of an event's members as JSON: its data, pane and provider */
#define PROVIDE_EVENT_MAX ((size_t)16 * 1024)
/* maximum rate of a provider's events; at most twice as many at once */
#define PROVIDE_EVENTS_PER_SEC 100

struct event_scope;
struct peer;
struct provider;
struct request;

/* The next functions are in provide_call.c: calls of provided methods. */

#define PROVIDE_OPEN_MAX 64 /* maximum number of open calls of a provider, not a tool server */
#define PROVIDE_SERVER_OPEN_MAX 256 /* maximum number of open calls of a tool server */
#define PROVIDE_CALLER_MAX 32 /* the same of a calling process, without calls of tool servers */
/* maximum depth of calls within calls, as when A calls B, which calls A … */
#define PROVIDE_DEPTH_MAX 8
/* maximum bytes of a result as JSON, if it is not of a tool server */
#define PROVIDE_RESULT_MAX ((size_t)1024 * 1024)
/* time between two reports of progress of a call; for a tool server on average */
#define PROVIDE_PROGRESS_MS 100
/* maximum number of reports that a tool server may send at once */
#define PROVIDE_PROGRESS_SERVER 10
#define PROVIDE_ID_SIZE 24 /* bytes of the id of a call, with the NUL */

/* The order of a caller. All is copied, except where noted. */
struct provide_order {
	struct provider *provider;
	const char *name; /* name of the method, for people */
	const char *method; /* the provider's name of the method; NULL: the same */
	int64_t timeout_ms;
	const char *arguments; /* a JSON object on one line */
	size_t arguments_len;
	/* a JSON object: pane, cwd and others; NULL for a tool server of one pane */
	const char *caller;
	const char *server; /* name of a tool server, for people; not copied; or NULL */
	const char *const *gives; /* arguments of the tool that the declaration gives; or NULL */
	pid_t caller_pid; /* 0: not known */
	/* id of the call within which this one is made; "": none; NULL: not known */
	const char *within;
};

struct provide_call {
	struct list link; /* oldest first */
	struct provider *provider;
	struct request *request; /* waits for the answer; NULL: none waits */
	char kept[NOTIFICATION_ID_SIZE]; /* id of a call that no request waits for; else "" */
	pid_t provider_pid; /* 0: not sent yet */
	pid_t caller_pid;
	uint64_t id;
	unsigned depth;
	char *name; /* name, method, server and gives are as in struct provide_order */
	char *method;
	const char *server;
	const char **gives;
	char *line; /* the line to send; NULL when sent */
	size_t line_len;
	int64_t timeout_ms, begun_ms, progress_ms;
	unsigned progress_count; /* number of reports since progress_ms */
	struct loop_timer *timer;
};

struct provide_calls {
	struct list list;
	uint64_t last_id;
};
/* Begins ids at a random number, so that an answer for an earlier daemon matches no call. */
void provide_calls_init(struct provide_calls *calls);

/*
 * Returns true if a call may begin. *ret_depth is one more than the depth of the call within which
 * this one is made. If that call is not known, the deepest open call is taken that the caller's
 * process or an ancestor has to answer. Returns false with a failure of kind limit, or busy if a
 * tool server has too many open calls.
 */
bool provide_calls_admit(const struct provide_calls *calls, const struct provider *provider,
    const struct provide_order *order, unsigned *ret_depth, struct tool_failure *ret_failure);
size_t provide_calls_open(const struct provide_calls *calls, const struct provider *provider);
/* Returns the call that was sent to a provider with this id, or NULL. */
struct provide_call *provide_calls_find(
    const struct provide_calls *calls, const struct provider *provider, const char *id);

/*
 * Adds a call that an earlier daemon sent with this id, and that its tool server still runs. The
 * order needs no arguments. Returns NULL if the id is invalid, or if the call is known already.
 */
struct provide_call *provide_call_take_up(struct provide_calls *calls,
    const struct provide_order *order, const char *kept, const char *id, pid_t provider_pid);
/* Makes a call that is not sent yet. */
struct provide_call *provide_call_new(
    struct provide_calls *calls, const struct provide_order *order, const char *kept);
void provide_call_free(struct provide_call *call);
/* Sends the line of a call. Returns false if the peer does not read. */
bool provide_call_send(struct provide_call *call, struct peer *peer);
/* Asks the provider to cancel the call; a tool server also gets the reason. peer may be NULL. */
void provide_call_send_cancel(
    const struct provide_call *call, struct peer *peer, const char *reason);

/* Tells a tool server, but no other provider, that it need not send the answer again. */
void provide_call_send_stored(const struct provider *provider, const char *id);

/* Checks a response (see dispatch.h) to a call. Returns true with *ret_result; false: a failure. */
bool provide_call_check(const struct provide_call *call, const struct json *response,
    const char *reason, const struct json **ret_result, struct tool_failure *ret_failure);
/* Returns true if a report of progress may be passed on now, and counts it. */
bool provide_call_takes_progress(struct provide_call *call);

/*
 * A tool server as a provider: a long-lived MCP server on stdio. Each server has its own process of
 * muxbus-tools, which provides the tools that the server lists.
 */
struct tool_server {
	char *name;
	struct pane_ref pane; /* the pane whose calls are served; cleared: all panes */
	const char **command; /* as declared; NULL: no call has used the server yet */
	uint64_t taken; /* hash of the command, if an earlier daemon has started it; 0: none */
	char *program, *cwd; /* for the next start */
	const char **session_env, **env; /* for the next start; as in struct job_order */
	bool is_stale; /* the process runs a command that is not declared any more */
	bool is_leaving; /* no calls are sent until the next start */
	struct tool_server_list list;
};

struct provider {
	struct list link;
	struct provide_set *set;
	struct peer *peer; /* NULL: not connected */
	struct provider_file *file; /* NULL: a peer without a file, or a tool server */
	struct tool_server *server; /* the tool server, whose tools are declared; NULL: none */
	/* the program of a usable file or of a tool server; or NULL */
	struct provide_program *program;
	char name[DECLARATION_NAME_MAX + 16]; /* for people */
	/* the name with the kind of provider; only with a program */
	char title[DECLARATION_NAME_MAX + 16];
	char job_name[DECLARATION_NAME_MAX + PANE_REF_TEXT_SIZE + 48]; /* only with a program */
	struct list offers;
	size_t names; /* number of names of all offers */
	uint64_t kinds; /* the provider's kinds of events, a bit for each */
	double events; /* how many events may be published at events_ms */
	int64_t events_ms; /* CLOCK_MONOTONIC */
	unsigned strays;
	uint64_t calls;
};

struct provide_set {
	const struct daemon *parts;
	/* Handles a call of any provided row: see struct method. */
	void (*handle)(struct request *request, const void *args);
	/* Called when rows may have changed. is_listed: also rows that agents see as tools. */
	void (*changed)(void *data, bool is_listed);
	void *data;
	struct list providers; /* providers with files come first */
	struct list retired; /* withdrawn offers that requests may still use */
	struct provide_calls calls;
	struct job_listener listener;
	struct list waiters; /* requests that wait until one more process is known */
	bool is_ending;
};

/* Makes a provider and appends it to the set. */
struct provider *provider_new(struct provide_set *set);
/* Frees a provider whose calls have ended; its peer stays. provider_publish() removes its rows. */
void provider_free(struct provider *provider);
/* Returns the provider that a peer is; NULL: none. */
struct provider *provider_find(const struct provide_set *set, const struct peer *peer);

/*
 * Reads rows (a JSON array) into offers, an empty list, and counts their names. On an error,
 * returns false with a failure; provider_free_offers() frees the entries.
 */
bool provider_read_rows(struct provider *provider, const struct json *rows, struct list *offers,
    size_t *ret_names, struct tool_failure *ret_failure);
void provider_free_offers(struct list *offers);
/* Sets the rows of a provider, which are used from the next provider_publish() on. */
void provider_set_offers(struct provider *provider, struct list *offers, size_t names);

/*
 * Puts the rows into the method table. Of two rows with the same name, that of a file is taken.
 * is_listed: as in changed().
 */
void provider_publish(struct provide_set *set, bool is_listed);

/*
 * Adds kinds of events to a provider: a JSON array of objects with kind and summary; NULL: none.
 * Kinds that it has stay. On an error, returns false with a failure; some kinds may have been
 * added.
 */
bool provider_take_kinds(
    struct provider *provider, const struct json *rows, struct tool_failure *ret_failure);

/*
 * Publishes an event of a peer that provides. A kind that no provider has becomes a kind of this
 * peer. data: a JSON object; NULL: none. Returns the event's number, or 0 with a failure.
 */
uint64_t provider_publish_event(struct provide_set *set, const struct peer *peer, const char *kind,
    const struct event_scope *scope, const struct json *data, struct tool_failure *ret_failure);
