/* SPDX-License-Identifier: ISC */
/*
 * Providers, as the parts of this room share them: a peer that provides methods, or a file that
 * names a program which does so. Their rows are in the method table.
 */
#pragma once

#include "daemon/core/config.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/job/job.h"
#include "daemon/provide/provide_call.h"
#include "daemon/tool/declaration.h"
#include "daemon/tool/tool_server_list.h"

#define PROVIDERS_MAX 64 /* peers that provide, besides files and servers of tools */
#define PROVIDE_NAMES_MAX 64 /* names of a provider's methods, with "also" */
#define PROVIDE_NAMES_ALL_MAX 128 /* names of all providers; each takes a bit of a set of tools */
#define PROVIDE_BYTES_MAX ((size_t)256 * 1024) /* bytes of a provider's rows as JSON */
#define PROVIDE_STRAYS_MAX 1000 /* answers in a row to unknown calls that end a connection */
#define PROVIDE_KINDS_MAX 8 /* kinds of events of a provider */
#define PROVIDE_EVENT_MAX ((size_t)16 * 1024) /* bytes of the data of an event */
#define PROVIDE_EVENTS_PER_SEC 100 /* events of a provider; at most twice as many at once */

struct event_scope;

/*
 * A server of tools: a long-lived MCP server on stdio, as a provider. Each runs under its own
 * process of muxbus-tools, which provides the tools that the server lists.
 */
struct tool_server {
	char *name;
	struct pane_ref pane; /* the server is for this pane; cleared: for all panes */
	const char **command; /* as declared; NULL: no call has used the server yet */
	uint64_t taken; /* hash of the command that an earlier daemon has started; 0: none */
	char *program, *cwd; /* for the next start */
	const char **session_env, **env; /* for the next start; as in struct job_order */
	bool is_stale; /* its process runs a command that is not declared any more */
	bool is_leaving; /* no more calls are sent until its next start */
	struct tool_server_list list;
};

struct provider {
	struct list link;
	struct provide_set *set;
	struct peer *peer; /* NULL: not connected */
	struct provider_file *file; /* NULL: a peer without a file, or a server of tools */
	struct tool_server *server; /* its server of tools, whose rows are declarations; or NULL */
	struct provide_program *program; /* of a usable file or of a server; or NULL */
	char name[DECLARATION_NAME_MAX + 16]; /* for people */
	char title[DECLARATION_NAME_MAX + 16]; /* name with its kind; only with a program */
	char job_name[DECLARATION_NAME_MAX + PANE_REF_TEXT_SIZE + 48]; /* only with a program */
	struct list offers;
	size_t names; /* number of names of the offers */
	uint64_t kinds; /* its kinds of events, as bits */
	double events; /* events that may be published at events_ms */
	int64_t events_ms; /* CLOCK_MONOTONIC */
	unsigned strays;
	uint64_t calls;
};

struct provide_set {
	const struct daemon *parts;
	/* Handles a call of any provided row; see struct method. */
	void (*handle)(struct request *request, const void *args);
	/* Rows have changed; is_listed: among them rows that agents see as tools. */
	void (*changed)(void *data, bool is_listed);
	void *data;
	struct list providers; /* providers with files first */
	struct list retired; /* withdrawn offers that requests may still use */
	struct provide_calls calls;
	struct job_listener listener;
	struct list waiters; /* requests that wait until one more process is known */
	bool is_ending;
};

/* Makes a provider and appends it to the set. Never returns NULL. */
struct provider *provider_new(struct provide_set *set);
/* Frees a provider whose calls have ended. The next provider_publish() removes its rows. */
void provider_free(struct provider *provider);
/* Returns the provider of a peer, or NULL. */
struct provider *provider_find(const struct provide_set *set, const struct peer *peer);

/*
 * Reads rows (a JSON array) into offers, an empty list, and counts their names. On error, returns
 * false with a failure; then offers may have entries, which provider_free_offers() frees.
 */
bool provider_read_rows(struct provider *provider, const struct json *rows, struct list *offers,
    size_t *ret_names, struct tool_failure *ret_failure);
void provider_free_offers(struct list *offers);
/* Replaces the rows of a provider, from the next provider_publish() on. */
void provider_set_offers(struct provider *provider, struct list *offers, size_t names);

/* Puts all rows into the method table. If names are equal, the row of a file comes first. */
void provider_publish(struct provide_set *set, bool is_listed);

/*
 * Adds kinds to a provider: a JSON array of objects with kind and summary; NULL: none. Present
 * kinds stay. On error, returns false with a failure; some kinds may have been added.
 */
bool provider_take_kinds(
    struct provider *provider, const struct json *rows, struct tool_failure *ret_failure);

/*
 * Publishes an event of a peer that provides. A kind that no provider has is assigned to it. data:
 * a JSON object; NULL: none. Returns the event's number, or 0 with a failure.
 */
uint64_t provider_publish_event(struct provide_set *set, const struct peer *peer, const char *kind,
    const struct event_scope *scope, const struct json *data, struct tool_failure *ret_failure);
