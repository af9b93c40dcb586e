/* SPDX-License-Identifier: ISC */
/* A host as it is inside: the floor of host_set.c, of its link and of its calls. */
#pragma once

#include "base/list.h"
#include "daemon/fleet/host.h"

#define HOST_REASON_SIZE 512

struct host_link;
struct loop_timer;

struct host_set {
	struct host_set_parts parts;
	struct json_reader *reader;
	struct list hosts; /* sorted by name and server */
	struct list removed; /* their processes end */
	size_t count;
};

struct host {
	struct list entry;
	struct host_set *set;
	struct host_spec spec; /* with copies of its texts */
	char label[2 * HOST_NAME_BYTES + 2];
	enum host_state state;
	struct host_link *link; /* NULL: none; of one that ends too */
	struct loop_timer *timer; /* until the next attempt; while connecting, its end */
	bool is_removed;
	bool has_failed; /* the last attempt */
	bool is_mute; /* a call was not answered in time, and nothing has come since */
	bool is_urgent; /* a call waits for the next attempt */
	unsigned backoff_ms, slow;
	int64_t since_ms;
	int64_t ended_ms; /* the last link; monotonic */
	char reason[HOST_REASON_SIZE];
	char version[HOST_VERSION_SIZE];
	void *data;
	struct list calls; /* in order; those that were sent, and those that wait */
	size_t call_count;
	int64_t last_id; /* of a call */
	struct loop_timer *turn; /* calls have failed */
	/* A call that does not wait had no answer in time. */
	void (*silent)(struct host *host, const char *reason);
};

#define HOST_MUTE_REASON "it does not answer"

/*
 * One connection to the daemon of a host: ssh with muxbus relay, or the socket of a daemon here.
 * Lines go both ways behind the hello. No handler is called before host_link_new() returns. Only
 * ended may free the link.
 */
struct host_link_handlers {
	void (*up)(void *data, const char *version); /* the hello was read; "": it has none */
	void (*line)(void *data, const char *line, size_t len); /* lent, without its end */
	void (*ended)(void *data, const char *reason); /* the last one */
};

struct host_link *host_link_new(struct event_base *base, const struct host_spec *spec,
    const struct host_link_handlers *handlers, void *data);
void host_link_free(struct host_link *link); /* NULL is accepted */

/* Queues a line with its end. False: HOST_QUEUE_BYTES are unread, or the link is not open. */
bool host_link_write(struct host_link *link, const void *line, size_t len);
/* Whether it takes lines. False: it is NULL, the hello is to come, or it ends; ended follows. */
bool host_link_is_open(const struct host_link *link);
/* Ends the link: ended follows, with this reason. */
void host_link_end(struct host_link *link, const char *reason);

void host_calls_free(struct host *host); /* calls no done */
/* The link is up: sends all that wait. */
void host_calls_send(struct host *host);
/* A response has come. */
void host_calls_take(struct host *host, const struct json *message);
/* The link has ended, or an attempt to make it, for which urgent calls waited. */
void host_calls_lost(struct host *host, const char *reason, bool is_attempt);
/* The host is removed: fails all, now. */
void host_calls_end(struct host *host);
/* In the next turn of the loop: done of calls that have failed. */
void host_calls_fail(void *host);
/* Adds a call, and sends it if the host is up. */
struct host_call *host_calls_add(struct host *host, const struct host_order *order);
