/* SPDX-License-Identifier: ISC */
/*
 * Providers, as the parts of this room share them: a peer that gives methods, or a file that names a
 * program which does. Their rows stand in the method table.
 */
#pragma once

#include "daemon/core/config.h"
#include "daemon/core/daemon_parts.h"
#include "daemon/job/job.h"
#include "daemon/provide/provide_call.h"
#include "daemon/tool/declaration.h"

#define PROVIDERS_MAX 64 /* peers that provide, beside files and servers */
#define PROVIDE_NAMES_MAX 64 /* of a provider's rows, also the further ones */
#define PROVIDE_NAMES_ALL_MAX 128 /* of all providers: tools of agents are found by their place */
#define PROVIDE_BYTES_MAX ((size_t)256 * 1024) /* of a provider's rows as JSON */
#define PROVIDE_STRAYS_MAX 1000 /* answers to no call in a row; then the peer is disconnected */
#define PROVIDE_KINDS_MAX 8 /* kinds of events of a provider */
#define PROVIDE_EVENT_MAX ((size_t)16 * 1024) /* bytes of the data of an event */
#define PROVIDE_EVENTS_PER_SEC 100 /* published by a provider; twice as many at once */

struct provider {
	struct list link;
	struct provide_set *set;
	struct peer *peer; /* NULL: not connected */
	struct provider_file *file; /* NULL: the peer alone, or */
	struct tool_server *server; /* a server of tools, whose rows are those of declarations */
	struct provide_program *program; /* of a good file, or of a server */
	char name[DECLARATION_NAME_MAX + 16]; /* for people */
	char title[DECLARATION_NAME_MAX + 16]; /* with its kind; of one that has a program */
	char job_name[DECLARATION_NAME_MAX + PANE_REF_TEXT_SIZE + 48]; /* the same */
	struct list offers;
	size_t names; /* of the offers */
	uint64_t kinds; /* of events, as bits */
	double events; /* that it may publish now */
	int64_t events_ms; /* when that was so */
	unsigned strays;
	uint64_t calls;
};

struct provide_set {
	const struct daemon *parts;
	/* Handles a call of any provided row; see struct method. */
	void (*handle)(struct request *request, const void *args);
	/* Rows have changed; is_listed: also those that agents see as tools. */
	void (*changed)(void *data, bool is_listed);
	void *data;
	struct list providers; /* those of files first */
	struct list retired; /* offers that requests may still have */
	struct provide_calls calls;
	struct job_listener listener;
	struct list waiters; /* for one more process to be known */
	bool is_ending;
};

/* Never NULL; behind all others. */
struct provider *provider_new(struct provide_set *set);
/* Its calls have ended. Its rows leave the method table at the next provider_publish(). */
void provider_free(struct provider *provider);
/* Whether another server of the same name has that kind of events, too. */
bool provider_shares_kind(const struct provider *provider, int kind);
/* The provider of a peer, NULL: none. */
struct provider *provider_find(const struct provide_set *set, const struct peer *peer);

/*
 * Reads rows (a JSON array) into offers, an empty list, and counts their names. False with a
 * failure: some of offers are there, for provider_free_offers().
 */
bool provider_read_rows(struct provider *provider, const struct json *rows, struct list *offers,
    size_t *ret_names, struct tool_failure *ret_failure);
void provider_free_offers(struct list *offers);
/* Gives these rows instead of all others, from the next provider_publish() on. */
void provider_set_offers(struct provider *provider, struct list *offers, size_t names);

/* Puts all rows into the method table; a file's before a peer's of the same name. */
void provider_publish(struct provide_set *set, bool is_listed);
