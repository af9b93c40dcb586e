/* SPDX-License-Identifier: ISC */
/* The structs and functions that the files of the fleet share. */
#pragma once

#include "base/base.h"

/* maximum number of parts of event streams without a host in the list */
#define FLEET_AWAY_MAX 1000
#define FLEET_GATHER_MS 5000 /* timeout of a host's answer for a merged list or list_hosts */
#define FLEET_KEY_SIZE 96
#define FLEET_NOTICES_MAX 500 /* maximum number of open notices */
#define FLEET_PULLS_MAX 2000 /* maximum number of pulls (fleet_next.c) */
/* below SUBSCRIPTIONS_MAX of a host's daemon: all peers share one connection to it */
#define FLEET_STREAMS_MAX 60

struct field;
struct host_order;
struct json;
struct json_writer;

struct fleet {
	struct event_base *base;
	struct store *store;
	struct host_set *hosts;
	struct hosts_file *file;
	struct fleet_ask *notices, *pulls; /* asks without a request */
	struct list nexts, streams, foreign;
	size_t away; /* parts of streams without a host */
	struct buf scratch; /* used by fleet_read() */
	uint64_t last_stream;
};

/*
 * An ask is a set of calls to hosts that belong together. Each of its parts makes calls, one at a
 * time. The ask ends with fleet_ask_end(), or when its request is cancelled.
 */
struct fleet_ask {
	struct fleet *fleet;
	struct request *request;
	const struct fleet_ask_kind *kind;
	struct list parts;
	size_t open; /* parts with a pending call */
};

struct fleet_part {
	struct list link;
	struct fleet_ask *ask;
	struct host *host; /* NULL: none; it may be removed after the call has ended */
	struct host_call *call; /* NULL if none is pending */
	bool was_cut; /* the link was cut after the call was sent */
};

struct fleet_ask_kind {
	/* sizes of the structs that begin with struct fleet_ask and struct fleet_part */
	size_t size, part_size;
	/* Called with the answer to a call, or an error. May end the part and the ask. */
	void (*answered)(struct fleet_part *part, const struct json *message);
	/*
	 * Called with the host and the answer to a call whose part was cancelled or ended. NULL:
	 * such calls are cancelled.
	 */
	void (*late)(void *host, const struct json *message);
	/* Called if the request is cancelled, as when its peer disconnects. May be NULL. */
	void (*cancelled)(struct fleet_ask *ask);
	/* clear and clear_part free what an ask and a part own themselves. May be NULL. */
	void (*clear)(struct fleet_ask *ask);
	void (*clear_part)(struct fleet_part *part);
};

/* Makes an ask. request may be NULL. Here and in fleet_part_new(), other members are zero. */
struct fleet_ask *fleet_ask_new(
    struct fleet *fleet, struct request *request, const struct fleet_ask_kind *kind);
struct fleet_part *fleet_part_new(struct fleet_ask *ask, struct host *host);
/* Calls the part's host. The part sets the handlers of the order and their data. */
void fleet_part_call(struct fleet_part *part, const struct host_order *order);
/* Cancels the pending call, if any, or leaves it to kind->late; the part stays. */
void fleet_part_cancel(struct fleet_part *part);
/* Does the same, and frees the part. */
void fleet_part_end(struct fleet_part *part);
/* Frees the ask and its parts. Returns its request, which the caller answers; NULL: it had none. */
struct request *fleet_ask_end(struct fleet_ask *ask);

/* Returns the text of an error (member "error" of a message), which may own it. Never NULL. */
const char *fleet_error_text(const struct json *error);
const char *fleet_error_kind(const struct json *message); /* "" if none */
/* Returns true if a later try may succeed, as after an error of the link. */
bool fleet_error_may_pass(const struct json *message);
/* Fails a request for a host. error: of the host's answer; NULL: that cannot be understood. */
void fleet_fail(struct request *request, const struct host *host, const struct json *error);

/* Writes a host without an answer as an element of "missing". */
void fleet_put_missing(struct json_writer *writer, const struct host *host, const char *reason);
/* Reads params into args, valid until the next call. Returns false after failing the request. */
bool fleet_read(struct fleet *fleet, struct request *request, const struct field *fields,
    const struct json *params, void *args, size_t size);
/* Finds a host by its name. Returns NULL after failing the request. */
struct host *fleet_find_host(struct fleet *fleet, struct request *request, const char *name);
/* Returns the host if there is only one, else NULL. Requests need not name this host. */
struct host *fleet_only_host(const struct fleet *fleet);

/*
 * Passes a request on to a host. Ids in most answers get the host's prefix. params: the parameters
 * as the peer sent them; text: the same without host names. A request that writes and has no key
 * gets one if its method takes one, so that the call can be repeated after a cut.
 */
void fleet_forward(struct fleet *fleet, struct request *request, struct host *host,
    const struct json *params, const struct buf *text);

/* Makes a key that is unique, also after a restart. */
void fleet_new_key(char key[FLEET_KEY_SIZE]);

/*
 * Answers with the merged lists of all hosts; `list` is the member of their results. A host without
 * a usable answer within FLEET_GATHER_MS is in "missing". If host is not NULL, only this host is
 * called, and its error fails the request.
 */
void fleet_gather(struct fleet *fleet, struct request *request, struct host *host, const char *list,
    const struct buf *text);

/* The list of hosts follows the hosts file, and the daemons' sockets in tmux's folder. */
#define HOSTS_FILE_ERRORS 20 /* errors that are kept; one more tells how many came later */
#define HOSTS_FILE_ERROR_SIZE 256
struct hosts_file_error {
	unsigned line; /* 0: no line */
	char text[HOSTS_FILE_ERROR_SIZE];
};

/* Adds the hosts to the set, and updates it after changes. The set must outlive the file. */
struct hosts_file *hosts_file_new(struct event_base *base, struct host_set *hosts);
void hosts_file_free(struct hosts_file *file); /* file may be NULL */
const char *hosts_file_path(const struct hosts_file *file); /* "" if none */
/* Returns an error of the last reading by its index; NULL: there are no more. */
const struct hosts_file_error *hosts_file_error(const struct hosts_file *file, size_t at);

/* Answers list_hosts. Calls the reachable hosts for their numbers of panes, agents and jobs. */
void fleet_list_hosts(struct fleet *fleet, struct request *request, struct host *host);
/* Answers like list_hosts, after making all hosts, or the one given, count as reachable. */
void fleet_retry_hosts(struct fleet *fleet, struct request *request, struct host *host);
void fleet_status(struct fleet *fleet, struct request *request, struct host *host);

/*
 * Takes the method wait_for; returns true. The conditions on one host are one wait there. The wait
 * has a name, unless the host refuses names, so that a cut of the connection does not end it.
 */
bool fleet_wait_take(struct fleet *fleet, struct request *request, const struct json *params);

/*
 * Takes the method next_notification. Returns false if the request is for one host: it has no
 * consumer, it has a host or an id, or there is at most one host. A consumer exists on each host
 * under the same name, with a position of its own. An answer that arrives while no request waits is
 * kept for some time for the consumer's next request.
 */
bool fleet_next_take(struct fleet *fleet, struct request *request, const struct json *params);
void fleet_next_added(struct fleet *fleet, struct host *host);
void fleet_next_removed(struct fleet *fleet, struct host *host);
extern const struct fleet_ask_kind fleet_pull_kind;

/*
 * Takes the method subscribe: a merged event stream, with at most one subscription on each host.
 * Events of one host arrive in order, each once; the order between hosts is open. After a cut, the
 * part of a host resumes after its last event. A gap reports events that were lost.
 */
bool fleet_event_take(struct fleet *fleet, struct request *request, const struct json *params);
bool fleet_event_end(struct fleet *fleet, struct request *request, const struct json *params);
void fleet_event_added(struct fleet *fleet, struct host *host);
void fleet_event_state(struct fleet *fleet, struct host *host);
void fleet_event_line(void *fleet, struct host *host, const struct json *message);
void fleet_event_removed(struct fleet *fleet, struct host *host);

/*
 * Notices. A notice is a request on one host whose notifications the fleet posts to a pane of any
 * host. It is stored before the request is sent. It ends when the pane's host has the last
 * notification, when that needs no post, or when a host refuses. The request and its posts have
 * keys, so that neither a cut nor a kill -9 loses or repeats the notification.
 */
void fleet_notices_load(struct fleet *fleet); /* continues the notices in the store */
/*
 * Takes a request for a host if the fleet is to post its notifications. This is so if "notify" is
 * given. It is also so if the parameter `address` is not given, the request comes from a pane of a
 * host on this machine, and the host may notify. text: params without other host names. address:
 * the parameter that decides which pane is woken; NULL if the method sends no notification. Returns
 * false if the request is not taken.
 */
bool fleet_notice_take(struct fleet *fleet, struct request *request, struct host *host,
    const char *address, const struct json *params, const struct buf *text);
void fleet_notices_state(struct fleet *fleet);
void fleet_notices_renamed(void *fleet, struct host *host, const char *before);
/* Writes errors for notices whose host is unknown or lacks may=notify, up to a maximum number. */
void fleet_notices_write_stranded(const struct fleet *fleet, struct json_writer *writer);
extern const struct fleet_ask_kind fleet_notice_kind;
