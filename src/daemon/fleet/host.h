/* SPDX-License-Identifier: ISC */
/*
 * Hosts: the daemons of other machines and of other tmux servers here, each with its link. A host
 * is one tmux server on one machine. Its link is made again when it is cut, at growing intervals.
 * Calls are sent while the link is up, and wait for it else.
 */
#pragma once

#include "wire/host_line.h"

#define HOSTS_MAX 1000
#define HOST_CALLS_MAX 2000 /* open calls of one host */
#define HOST_QUEUE_BYTES ((size_t)16 * 1024 * 1024) /* of requests that a host has not read */
#define HOST_LINE_BYTES ((size_t)12 * 1024 * 1024) /* of a message of a host */
#define HOST_REASON_SIZE 512
#define HOST_VERSION_SIZE 64

struct json;

enum host_state {
	HOST_DOWN, /* the next attempt is due later */
	HOST_CONNECTING,
	HOST_UP,
};
const char *host_state_name(enum host_state state);

/* A host. Only the files host_*.c change it, but for data. */
struct host {
	struct list entry;
	struct host_set *set;
	struct host_spec spec; /* with copies of its texts */
	/* "B", or "B/work" if the name alone names another server: targets begin with it. */
	char label[2 * HOST_NAME_BYTES + 2];
	enum host_state state;
	struct host_link *link; /* NULL: none; of one that ends too */
	struct loop_timer *timer; /* until the next attempt; while connecting, its end */
	bool is_removed;
	bool has_failed; /* the last attempt */
	bool is_mute; /* a call was not answered in time, and nothing has come since */
	bool is_urgent; /* a call waits for the next attempt */
	unsigned backoff_ms, slow;
	int64_t since_ms; /* real time of the state */
	int64_t ended_ms; /* the last link; monotonic */
	char reason[HOST_REASON_SIZE]; /* why it is not up; "" */
	char version[HOST_VERSION_SIZE]; /* of its muxbusd, or muxbus; "": not known yet */
	void *data; /* of mem_alloc(), freed with the host; NULL at first */
	struct list calls; /* in order; those that were sent, and those that wait */
	size_t call_count;
	int64_t last_id; /* of a call */
	struct loop_timer *turn; /* calls have failed */
	/* A call that does not wait had no answer in time. */
	void (*silent)(struct host *host, const char *reason);
};

/* None may add or remove hosts. Any may make and cancel calls. */
struct host_handlers {
	void (*state)(void *data, struct host *host); /* is another one now */
	/* A message that is no response, such as an event; lent. */
	void (*line)(void *data, struct host *host, const struct json *message);
	void (*added)(void *data, struct host *host); /* NULL: not wanted */
	void (*removed)(void *data, struct host *host); /* its calls fail; then it is freed */
	/* Has another name or label; before: its name/server until now. NULL: not wanted. */
	void (*renamed)(void *data, struct host *host, const char *before);
};

struct host_set_parts {
	struct event_base *base;
	const struct host_handlers *handlers;
	void *data;
	int64_t connect_ms; /* until an attempt is given up; 0: 30 s */
	int64_t answer_ms; /* for a method that does not wait, then the link is cut; 0: 10 s */
};

struct host_set *host_set_new(const struct host_set_parts *parts);
/* Frees all hosts and calls; no handler and no done is called. NULL is accepted. */
void host_set_free(struct host_set *set);

/*
 * Adds a host, copies its texts, and connects. Returns it, or that of the same name, server and way,
 * which may then do what the spec says; NULL: HOSTS_MAX.
 */
struct host *host_add(struct host_set *set, const struct host_spec *spec);
/* Whether a host is what a spec says. */
bool host_is(const struct host *host, const struct host_spec *spec);
/* The destination for ssh; lent from the spec. */
const char *host_destination(const struct host_spec *spec);
/* Whether a spec is the same server, reached in the same way, under another name. */
bool host_is_renamed(const struct host *host, const struct host_spec *spec);
/* Gives it that name. Its link and calls stay. */
void host_rename(struct host *host, const struct host_spec *spec);
void host_remove(struct host *host);

/* By name and server. server NULL: the only one, else "default", of that name. NULL: none. */
struct host *host_set_find(const struct host_set *set, const char *name, const char *server);
/* Walks all hosts by name and server: NULL starts, NULL ends. */
struct host *host_set_next(const struct host_set *set, const struct host *previous);
#define host_each(set, host)                                             \
	for (struct host *host = host_set_next(set, NULL); host != NULL; \
	     host = host_set_next(set, host))
size_t host_set_count(const struct host_set *set);

/*
 * Whether the last attempt to connect has failed, and no other one has succeeded; or a call had no
 * answer in time, and no message has come since.
 */
bool host_is_unreachable(const struct host *host);
/* Forgets that, so that the next call tries at once. */
void host_forgive(struct host *host);
/* Tries again soon, if it is down and the last attempt is some seconds old. */
void host_look(struct host *host);
/* Whether what is asked for there may wake panes of other hosts: those of this machine may. */
bool host_may_notify(const struct host *host);

/*
 * Calls of a host: those that were sent, and those that wait for its link. A call is answered
 * once, by the response or by an error made here.
 */
enum host_call_flag {
	HOST_CALL_READS = 1 << 0, /* asked again after a cut */
	HOST_CALL_KEYED = 1 << 1, /* its params have a key: asked again after a cut */
	HOST_CALL_WAITS = 1 << 2, /* may take long: silence is no fault */
	HOST_CALL_URGENT = 1 << 3, /* connects at once, and fails with the attempt */
};

struct host_order {
	const char *method;
	const char *params; /* a JSON object; NULL: none. Copied, as method is */
	size_t params_len;
	unsigned flags; /* enum host_call_flag */
	int64_t deadline_ms; /* from now on; 0: none */
	/*
	 * Called once, never from host_call(); NULL: the answer does not matter. message has an
	 * object as its result or error: the response, or an error made here: timeout, limit, gone
	 * (the link was cut after the request, whose effect is unknown), not_ready (the host was
	 * not reached), or internal (its response has neither). Lent.
	 */
	void (*done)(void *data, const struct json *message);
	/* Progress before that, as the host has it; lent. NULL: not wanted. */
	void (*progressed)(void *data, const struct json *params);
	/* The link was cut after the call was sent, which goes on. NULL: not wanted. */
	void (*cut)(void *data);
	void *data;
};

/* Sends a request now, or when the link is up. */
struct host_call *host_call(struct host *host, const struct host_order *order);
/* done is not called. A wait that was sent is cancelled there; another request is not taken back. */
void host_call_cancel(struct host_call *call);
/* Sends a request whose answer does not matter, and which changes nothing the second time. */
void host_tell(struct host *host, const char *method, int64_t deadline_ms, const char *params, ...)
    __attribute__((format(printf, 4, 5)));
