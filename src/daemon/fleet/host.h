/* SPDX-License-Identifier: ISC */
/*
 * Hosts: daemons on other machines and on this one. Each has a link, which is made again at growing
 * intervals after a cut.
 */
#pragma once

#include "wire/host_line.h"

#define HOSTS_MAX 1000
#define HOST_CALLS_MAX 2000 /* maximum number of open calls of one host */
/* bytes of requests that are queued for one host; also of the parameters of one request */
#define HOST_QUEUE_BYTES ((size_t)16 * 1024 * 1024)
#define HOST_LINE_BYTES ((size_t)12 * 1024 * 1024) /* bytes of the longest message from a host */
#define HOST_REASON_SIZE 512
#define HOST_VERSION_SIZE 64

struct json;

enum host_state {
	HOST_DOWN, /* there is no connection */
	HOST_CONNECTING,
	HOST_UP,
};
extern const char *const host_state_names[];

/* A host. Only the files host_*.c change its members, except panes, agents, jobs and version. */
struct host {
	struct list entry;
	struct host_set *set;
	struct host_spec spec; /* with copies of the strings */
	/* prefix of the host's targets: "B", or "B/work" if "B" alone means another server */
	char label[2 * HOST_NAME_BYTES + 2];
	enum host_state state;
	struct host_link *link; /* may be a link that is ending; NULL: none */
	/* for the next attempt to connect, or to cut a link that does not open or end in time */
	struct loop_timer *timer;
	bool is_removed;
	bool has_failed; /* the last attempt failed; host_forgive() clears this and is_mute */
	bool is_mute; /* a sent call missed its deadline, and no message has arrived since */
	bool is_urgent; /* a call wants an attempt to connect at once */
	unsigned backoff_ms, slow;
	int64_t since_ms; /* start of the state (CLOCK_REALTIME) */
	int64_t ended_ms; /* end of the last link (CLOCK_MONOTONIC) */
	char reason[HOST_REASON_SIZE]; /* why the host is not up, or does not answer; else "" */
	/* version of the host's muxbusd or muxbus; "" until known */
	char version[HOST_VERSION_SIZE];
	int64_t panes, agents, jobs; /* the last known numbers; -1: not known */
	struct list calls; /* oldest first */
	size_t call_count;
	int64_t last_id;
	struct loop_timer *turn; /* runs host_calls_fail() when a call has failed */
	/* Called when the host does not answer a call without HOST_CALL_WAITS in time. */
	void (*silent)(struct host *host, const char *reason);
};

/* Handlers may make and cancel calls, but not add or remove hosts. */
struct host_handlers {
	/* Called after a change of the state, or of the right to notify. */
	void (*state)(void *data, struct host *host);
	/* Called with a message that has a method, except progress. Valid only during the call. */
	void (*line)(void *data, struct host *host, const struct json *message);
	void (*added)(void *data, struct host *host);
	/* Called before a host is removed. Then its calls fail; it is freed after its link. */
	void (*removed)(void *data, struct host *host);
	/* After host_rename(); may be NULL. before: the old name and server, as "B/work". */
	void (*renamed)(void *data, struct host *host, const char *before);
};

struct host_set_parts {
	struct event_base *base;
	const struct host_handlers *handlers;
	void *data;
	int64_t connect_ms; /* timeout of an attempt to connect; 0: the default */
	/* time limit for answers to calls without HOST_CALL_WAITS; 0: the default */
	int64_t answer_ms;
};

struct host_set *host_set_new(const struct host_set_parts *parts);
/* Frees all hosts and calls without calling handlers. set may be NULL. */
void host_set_free(struct host_set *set);

/*
 * Adds a host. If there is an equal one, returns that one, with its right to notify updated.
 * Returns NULL if there are HOSTS_MAX hosts.
 */
struct host *host_add(struct host_set *set, const struct host_spec *spec);
/* Returns true if the spec of the host has the same strings. */
bool host_is(const struct host *host, const struct host_spec *spec);
/* Returns the destination for ssh, which belongs to the spec. */
static inline const char *host_destination(const struct host_spec *spec)
{
	return spec->ssh != NULL ? spec->ssh : spec->name;
}
/* Returns true if host and spec are the same server at the same ssh destination. */
bool host_is_renamed(const struct host *host, const struct host_spec *spec);
/* Renames a host. Its link and its calls stay. */
void host_rename(struct host *host, const struct host_spec *spec);
void host_remove(struct host *host);

/* Finds a host. server NULL: its server "default", or else its only server. */
struct host *host_set_find(const struct host_set *set, const char *name, const char *server);
/* Walks through the hosts, sorted by name and server. NULL begins and ends. */
struct host *host_set_next(const struct host_set *set, const struct host *previous);
#define host_each(set, host)                                             \
	for (struct host *host = host_set_next(set, NULL); host != NULL; \
	     host = host_set_next(set, host))
size_t host_set_count(const struct host_set *set);

/* Returns true if the last attempt to connect failed, or a call timed out and no message came. */
bool host_is_unreachable(const struct host *host);
/* Makes the host count as reachable again, with the shortest delay between attempts. */
void host_forgive(struct host *host);
/* Connects soon if the host is down, and its last link ended more than a few seconds ago. */
void host_look(struct host *host);
/* Returns true if requests to the host may wake panes of other hosts. Local hosts always may. */
bool host_may_notify(const struct host *host);

/* A call that is not cancelled gets one answer: the response of the host, or an error made here. */
enum host_call_flag {
	/* The method only reads, or may be done twice: the call is repeated after a cut. */
	HOST_CALL_READS = 1 << 0,
	HOST_CALL_KEYED = 1 << 1, /* the parameters have a key: the call is repeated after a cut */
	HOST_CALL_WAITS = 1 << 2, /* the answer may take long: silence of the host is no error */
	HOST_CALL_URGENT = 1 << 3, /* connects at once; fails if an attempt to connect fails */
};

struct host_order {
	const char *method;
	/* the text of a JSON object, or NULL; host_call() copies params and method */
	const char *params;
	unsigned flags; /* enum host_call_flag */
	int64_t deadline_ms; /* from now; 0: no deadline */
	/*
	 * Called once, unless the call is cancelled or the set freed, and never from within
	 * host_call(). May be NULL. message is valid only during the call. It has an object result
	 * or error. The error is the host's own, or one made here: timeout; limit; busy; gone (the
	 * link was cut after sending, so the effect is unknown, or the host was removed); not_ready
	 * (no connection); internal (no valid response).
	 */
	void (*done)(void *data, const struct json *message);
	/* Called with a report of progress, which is valid only during the call. May be NULL. */
	void (*progressed)(void *data, const struct json *params);
	bool *was_cut; /* set to true if the link is cut after sending; may be NULL */
	void *data;
};

/* Sends a request once the link is up. The call is valid until done(), or until cancelled. */
struct host_call *host_call(struct host *host, const struct host_order *order);
/* Cancels a call without done(). The host cancels a call with HOST_CALL_WAITS too. */
void host_call_cancel(struct host_call *call);
/* Gives the answer of a call to another function, with the host as its data. */
void host_call_leave(struct host_call *call, void (*done)(void *host, const struct json *message));
/*
 * Sends a request whose answer is not needed; params is a format. With flags 0 the request is
 * dropped if the link is not open.
 */
void host_tell(struct host *host, const char *method, unsigned flags, int64_t deadline_ms,
    const char *params, ...) __attribute__((format(printf, 5, 6)));
