/* SPDX-License-Identifier: ISC */
/* The parts of the fleet: the structs that they share, and their functions that fleet.c calls. */
#pragma once

#include "base/base.h"

/* parts of event streams that are kept for hosts which are not in the list */
#define FLEET_AWAY_MAX 1000
#define FLEET_GATHER_MS 5000 /* timeout for each host's answer to a request for many hosts */
#define FLEET_KEY_SIZE 96
#define FLEET_NOTICES_MAX 500 /* open notices, each with a call pending on its host */
#define FLEET_PULLS_MAX 2000 /* open calls for consumers */
/* streams of all peers together: a daemon allows 64 subscriptions for one connection */
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
	struct fleet_ask *notices, *pulls; /* these two belong to no request */
	struct list nexts, streams, foreign;
	size_t away; /* parts of streams without a host */
	struct buf scratch; /* used by fleet_read() */
	uint64_t last_stream;
};

/*
 * An ask is a set of calls to hosts that belong together, with one part per call. Every call whose
 * answer the fleet uses belongs to an ask. The ask ends with fleet_ask_end(), or when its request
 * is cancelled.
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
	struct host *host; /* the host may be removed after the call has ended */
	struct host_call *call; /* NULL if none is pending */
	bool was_cut; /* the link was cut after the call was sent */
};

struct fleet_ask_kind {
	/* sizes of the structs that begin with struct fleet_ask and struct fleet_part */
	size_t size, part_size;
	/* Called with the answer to a call, or an error. May end the part and the ask. */
	void (*answered)(struct fleet_part *part, const struct json *message);
	/*
	 * Called with the answer to a call whose part was cancelled or has ended. NULL: the call is
	 * cancelled then.
	 */
	void (*late)(void *host, const struct json *message);
	/* Called if the request is cancelled, as when its peer disconnects. May be NULL. */
	void (*cancelled)(struct fleet_ask *ask);
	/* These two free what an ask and a part own beyond the common members. They may be NULL. */
	void (*clear)(struct fleet_ask *ask);
	void (*clear_part)(struct fleet_part *part);
};

/* Make an ask, and a part of one; zero the memory behind the common members. request or NULL. */
struct fleet_ask *fleet_ask_new(
    struct fleet *fleet, struct request *request, const struct fleet_ask_kind *kind);
struct fleet_part *fleet_part_new(struct fleet_ask *ask, struct host *host);
/* Calls the part's host. The handlers and data of the order are replaced by those of the part. */
void fleet_part_call(struct fleet_part *part, const struct host_order *order);
/* Cancels the pending call, if any; the part stays. */
void fleet_part_cancel(struct fleet_part *part);
/* Cancels the pending call, and frees the part. */
void fleet_part_end(struct fleet_part *part);
/* Frees the ask. Returns its request, which the caller answers. */
struct request *fleet_ask_end(struct fleet_ask *ask);

/* Returns the text of an error (the member "error" of a message), or NULL. Lent. */
const char *fleet_error_text(const struct json *error);
const char *fleet_error_kind(const struct json *message); /* "" if none */
/*
 * Returns true if the error of a message is about the link or the host's state, so that a later try
 * may succeed.
 */
bool fleet_error_may_pass(const struct json *message);
/* Fails a request for a host. error: that of the host or its link, or NULL if there is none. */
void fleet_fail(struct request *request, const struct host *host, const struct json *error);

/* Writes a host without an answer as an element of "missing". */
void fleet_put_missing(struct json_writer *writer, const struct host *host, const char *reason);
/* Reads parameters into args, valid till the next call. Returns false after failing the request. */
bool fleet_read(struct fleet *fleet, struct request *request, const struct field *fields,
    const struct json *params, void *args, size_t size);
/* Returns the value of a parameter; NULL: it is left out, or null. */
const struct json *fleet_param(const struct json *params, const char *name);
/* Finds a host by its name. Returns NULL after failing the request. */
struct host *fleet_find_host(struct fleet *fleet, struct request *request, const char *name);
/* Returns the only host, which requests need not name, or NULL. */
struct host *fleet_only_host(const struct fleet *fleet);

/*
 * Passes a request on to a host. Ids in the answer get the host's prefix. params: the parameters as
 * the peer sent them; text: the same without host names. A request that writes gets a key if its
 * method takes one, so that a repetition after a cut has no second effect.
 */
void fleet_forward(struct fleet *fleet, struct request *request, struct host *host,
    const struct json *params, const struct buf *text);

/* Makes a unique key from a random number of this process and a counter. */
void fleet_new_key(char key[FLEET_KEY_SIZE]);

/*
 * Answers with the merged lists of all hosts; `list` is the member of their results. Hosts that are
 * unreachable, or do not answer within 5 s, are in "missing". If host is not NULL, only this host
 * is called, and its error fails the request.
 */
void fleet_gather(struct fleet *fleet, struct request *request, struct host *host, const char *list,
    const struct buf *text);

/* The list of hosts follows the hosts file, and the sockets of daemons on this machine. */
#define HOSTS_FILE_ERRORS 20 /* errors that are kept; later ones are only logged */
#define HOSTS_FILE_ERROR_SIZE 256
struct hosts_file_error {
	unsigned line; /* 0: the whole file */
	char text[HOSTS_FILE_ERROR_SIZE];
};

/* Adds the hosts to the set, and updates it after changes. The set must outlive the file. */
struct hosts_file *hosts_file_new(struct event_base *base, struct host_set *hosts);
void hosts_file_free(struct hosts_file *file); /* file may be NULL */
const char *hosts_file_path(const struct hosts_file *file); /* "" if none */
/* Returns an error of the last read by index, or NULL behind the last error. */
const struct hosts_file_error *hosts_file_error(const struct hosts_file *file, size_t at);

/* Answers list_hosts. Calls the reachable hosts for their numbers of panes, agents and jobs. */
void fleet_list_hosts(struct fleet *fleet, struct request *request, struct host *host);
/*
 * Answers retry_hosts: lets all hosts, or the one given, count as reachable again, and answers as
 * list_hosts, whose calls connect.
 */
void fleet_retry_hosts(struct fleet *fleet, struct request *request, struct host *host);
void fleet_status(struct fleet *fleet, struct request *request, struct host *host);

/*
 * Takes wait_for. All conditions on one host are one wait there. The wait has a name, unless the
 * host refuses names, so that a cut of the connection does not end it.
 */
bool fleet_wait_take(struct fleet *fleet, struct request *request, const struct json *params);

/*
 * Takes next_notification, which is answered when some hosts have entries, or its time is up. A
 * consumer exists on each host under the same name, with a position of its own. An answer that
 * arrives while no request waits is kept for the consumer's next request, at most for 45 s.
 */
bool fleet_next_take(struct fleet *fleet, struct request *request, const struct json *params);
void fleet_next_added(struct fleet *fleet, struct host *host);
void fleet_next_removed(struct fleet *fleet, struct host *host);
extern const struct fleet_ask_kind fleet_pull_kind;

/*
 * Takes subscribe: merged event streams, with one subscription on each host. Events of one host
 * arrive in order, each once; those of different hosts in any order. After a cut, the part of a
 * host resumes after its last event; a gap reports events that its daemon has forgotten.
 */
bool fleet_event_take(struct fleet *fleet, struct request *request, const struct json *params);
bool fleet_event_end(struct fleet *fleet, struct request *request, const struct json *params);
void fleet_event_added(struct fleet *fleet, struct host *host);
void fleet_event_state(struct fleet *fleet, struct host *host);
void fleet_event_line(void *fleet, struct host *host, const struct json *message);
void fleet_event_removed(struct fleet *fleet, struct host *host);

/*
 * Notices. A notice is a request on one host whose notification wakes a pane of another host. It is
 * stored before the request is sent, and kept until the pane's host has the notification. Each of
 * its calls has a key, so that neither a cut nor a kill -9 loses or repeats the notification.
 */
void fleet_notices_load(struct fleet *fleet); /* goes on with stored notices */
/*
 * Takes a request for a host whose end should wake a pane outside of that host: "notify" has a pane
 * of the fleet, or the request names no pane and comes from a pane of a host on this machine. text:
 * params without other host names. address: the parameter that names the pane to wake, or NULL if
 * the method sends no notification. Returns false if the request is not taken.
 */
bool fleet_notice_take(struct fleet *fleet, struct request *request, struct host *host,
    const char *address, const struct json *params, const struct buf *text);
void fleet_notices_state(struct fleet *fleet);
void fleet_notices_renamed(void *fleet, struct host *host, const char *before);
/* Writes an error for each of up to 20 notices whose host is unknown or lacks may=notify. */
void fleet_notices_write_stranded(const struct fleet *fleet, struct json_writer *writer);
extern const struct fleet_ask_kind fleet_notice_kind;
