/* SPDX-License-Identifier: ISC */
/* The parts of the fleet: what all of them share, and how fleet.c reaches each. */
#pragma once

#include "base/base.h"

#define FLEET_GATHER_MS 5000 /* for the answer of a host to a list */
#define FLEET_KEY_SIZE 96
#define FLEET_NOTICES_MAX 500 /* open ones; each waits on its host */
#define FLEET_PULLS_MAX 2000 /* calls that are open for consumers; more are refused */
#define FLEET_STREAMS_MAX 60 /* of all peers together: a daemon allows 64 on one connection */

struct field;
struct host_order;
struct json;
struct json_writer;

struct fleet {
	struct event_base *base;
	struct store *store;
	struct host_set *hosts;
	struct hosts_file *file;
	struct list notices, pulls, nexts, streams, sources, foreign;
	size_t notice_count, pull_count, stream_count;
	uint64_t last_stream;
};

/*
 * An ask: a request that hosts answer. It has a part for each call to a host. It ends by
 * fleet_ask_end(), or with its peer; then all its calls end.
 */
struct fleet_ask {
	struct fleet *fleet;
	struct request *request;
	const struct fleet_ask_kind *kind;
	struct list parts;
	size_t open; /* parts whose calls have not ended */
};

struct fleet_part {
	struct list link;
	struct fleet_ask *ask;
	struct host *host; /* may be removed when its call has ended */
	struct host_call *call; /* NULL: it has ended, or was not made */
	bool was_cut; /* after it was sent */
};

struct fleet_ask_kind {
	size_t size, part_size; /* of structs that begin with the two above */
	/* The call of a part has ended. Returns whether the ask goes on; false: it has ended. */
	bool (*answered)(struct fleet_part *part, const struct json *message);
	/* All calls have ended. NULL: answered() knows. */
	void (*finish)(struct fleet_ask *ask);
	/* The peer goes before the answer. NULL: nothing to do. */
	void (*cancelled)(struct fleet_ask *ask);
	/* Frees what an ask, and a part, have besides. NULL: nothing. */
	void (*clear)(struct fleet_ask *ask);
	void (*clear_part)(struct fleet_part *part);
};

/* Both are zeroed behind their first member. */
struct fleet_ask *fleet_ask_new(
    struct fleet *fleet, struct request *request, const struct fleet_ask_kind *kind);
struct fleet_part *fleet_part_new(struct fleet_ask *ask, struct host *host);
/* Calls the host; done and data of the order are the ask's own. */
void fleet_part_call(struct fleet_part *part, const struct host_order *order);
/* Frees it. Returns its request, to be answered now. */
struct request *fleet_ask_end(struct fleet_ask *ask);

/* Errors of hosts. error is the member of a message, or NULL. */
const char *fleet_error_text(const struct json *error);
const char *fleet_error_kind(const struct json *message); /* "": none */
/* Whether it is one of the way to the host, or of its state: asked again, it may pass. */
bool fleet_error_may_pass(const struct json *message);
/* Fails a request as the host did, or its link. */
void fleet_fail(struct request *request, const struct host *host, const struct json *error);

/* Writes a host that does not answer now as an element of "missing". */
void fleet_put_missing(struct json_writer *writer, const struct host *host, const char *reason);
/* Reads parameters that the fleet handles itself. False after failing the request. */
bool fleet_read(struct request *request, const struct field *fields, const struct json *params,
    void *args, size_t size, struct buf *scratch);
/* The host of a parameter. NULL after failing the request. */
struct host *fleet_find_host(struct fleet *fleet, struct request *request, const char *name);
/* The only host: requests need not name it. NULL: there are more, or none. */
struct host *fleet_only_host(const struct fleet *fleet);

/*
 * Requests that one host answers, its ids qualified. params are those of the peer; text is an
 * object of them without names of hosts. A request that writes gets a key if its method takes one,
 * so that it is done once over a cut.
 */
void fleet_forward(struct fleet *fleet, struct request *request, struct host *host,
    const struct json *params, const struct buf *text);

/* A key that no other request has: of this daemon's life, and a number. */
void fleet_new_key(char key[FLEET_KEY_SIZE]);

/*
 * Lists of many hosts: each one is asked, and the answer has what came within 5 s. Hosts that did
 * not answer are in "missing", with the reason. list: the member of the result that is gathered.
 * host NULL: of all hosts; else of this one, whose error is the error of the request.
 */
void fleet_gather(struct fleet *fleet, struct request *request, struct host *host, const char *list,
    const struct buf *text);

/* Of the fleet itself: list_hosts, which asks those that are up for what they have. */
void fleet_list_hosts(struct fleet *fleet, struct request *request, struct host *host);
/* The same after trying those that are down; host NULL: all. */
void fleet_retry_hosts(struct fleet *fleet, struct request *request, struct host *host);
void fleet_status(struct fleet *fleet, struct request *request, struct host *host);

/*
 * Waits over hosts: the conditions of wait_for on each host are one wait there, with a name, so
 * that a cut does not end it. The parts are put together here; those not needed any more end.
 */
bool fleet_wait_take(struct fleet *fleet, struct request *request, const struct json *params);

/*
 * Pulls over hosts: next_notification without a host asks each host, and answers with the entries
 * of those that have some. A consumer is one of that name on each host, with a place of its own
 * there. An answer that comes when no request waits is kept for the next one of its consumer.
 */
bool fleet_next_take(struct fleet *fleet, struct request *request, const struct json *params);
void fleet_next_added(struct fleet *fleet, struct host *host);
void fleet_next_removed(struct fleet *fleet, struct host *host);
void fleet_next_free(struct fleet *fleet); /* before the hosts, as the other two */

/*
 * Merged streams: a subscription over all hosts is one on each of them. Events of one host come in
 * order, each once; those of different hosts in any order. After a cut each host's part resumes
 * behind its last event, and a gap says what its daemon does not remember.
 */
bool fleet_event_take(struct fleet *fleet, struct request *request, const struct json *params);
bool fleet_event_end(struct fleet *fleet, struct request *request, const struct json *params);
void fleet_event_added(struct fleet *fleet, struct host *host);
void fleet_event_state(struct fleet *fleet, struct host *host);
void fleet_event_line(struct fleet *fleet, struct host *host, const struct json *message);
void fleet_event_removed(struct fleet *fleet, struct host *host);
void fleet_event_free(struct fleet *fleet);

/*
 * Notices: what was asked for on one host wakes a pane of another. A notice is in the store before
 * its request goes out, and stays there until the other host has the notification; each step is
 * done once by its key, so a cut or kill -9 at any time neither loses nor repeats one.
 */
void fleet_notices_load(struct fleet *fleet); /* goes on with what the store holds */
/*
 * Takes a request for a host if it is to wake a pane that is not of that daemon: params has the
 * member "notify", a pane of the fleet; or it says no pane, and its peer is in a pane of a host
 * here. text: without the other names of hosts. address: the parameter by which the method wakes
 * another pane than the caller's there; NULL: its end is no notification.
 */
bool fleet_notice_take(struct fleet *fleet, struct request *request, struct host *host,
    const char *address, const struct json *params, const struct buf *text);
void fleet_notices_state(struct fleet *fleet);
void fleet_notices_removed(struct fleet *fleet, struct host *host);
void fleet_notices_renamed(struct fleet *fleet, struct host *host, const char *before);
/* Writes an object for each notice that waits for a host which is not there any more, up to 20. */
void fleet_notices_write_stranded(const struct fleet *fleet, struct json_writer *writer);
void fleet_notices_free(struct fleet *fleet); /* open ones stay in the store */
