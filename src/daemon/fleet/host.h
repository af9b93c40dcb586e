/* SPDX-License-Identifier: ISC */
/*
 * Hosts: the daemons of other machines and of other tmux servers here, each with its link. A host
 * is one tmux server on one machine. Its link is made again when it is cut, at growing intervals.
 * Calls are sent while the link is up, and wait for it else.
 */
#ifndef DAEMON_FLEET_HOST_H
#define DAEMON_FLEET_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/fleet/host_call.h"
#include "daemon/fleet/host_limits.h"
#include "wire/host_line.h"

struct event_base;
struct host;
struct host_set;
struct json;

enum host_state {
	HOST_DOWN, /* the next attempt is due later */
	HOST_CONNECTING,
	HOST_UP,
};
const char *host_state_name(enum host_state state);

/* None may add or remove hosts. Any may make and cancel calls. */
struct host_handlers {
	void (*state)(void *data, struct host *host); /* is another one now */
	/* A message that is no response, such as an event; lent. */
	void (*line)(void *data, struct host *host, const struct json *message);
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

/* Adds a host, copies its texts, and connects. Returns it, or that of the same name, server and way; NULL: HOSTS_MAX. */
struct host *host_add(struct host_set *set, const struct host_spec *spec);
/* Whether a host is what a spec says. */
bool host_is(const struct host *host, const struct host_spec *spec);
/* Whether a spec is the same server, reached in the same way, under another name. */
bool host_is_renamed(const struct host *host, const struct host_spec *spec);
/* Gives it that name. Its link and calls stay. */
void host_rename(struct host *host, const struct host_spec *spec);
void host_remove(struct host *host);

/* By name and server. server NULL: the only one, else "default", of that name. NULL: none. */
struct host *host_set_find(const struct host_set *set, const char *name, const char *server);
/* Walks all hosts by name and server: NULL starts, NULL ends. */
struct host *host_set_next(const struct host_set *set, const struct host *previous);
size_t host_set_count(const struct host_set *set);

const char *host_name(const struct host *host);
const char *host_server(const struct host *host);
/* "B", or "B/work" if the name alone names another server: targets begin with it. */
const char *host_label(const struct host *host);
enum host_state host_state(const struct host *host);
/*
 * Whether the last attempt to connect has failed, and no other one has succeeded; or a call had no
 * answer in time, and no message has come since.
 */
bool host_is_unreachable(const struct host *host);
/* Forgets that, so that the next call tries at once. */
void host_forgive(struct host *host);
/* Tries again soon, if it is down and the last attempt is some seconds old. */
void host_look(struct host *host);
const char *host_reason(const struct host *host); /* why it is not up; "" */
const char *host_version(const struct host *host); /* of its muxbus; "": not known yet */
int64_t host_since_ms(const struct host *host); /* real time of the state */
const char *host_socket_path(const struct host *host); /* NULL: it is on another machine */
/* Anything that a user of the set keeps with the host; NULL at first. */
void host_set_data(struct host *host, void *data);
void *host_data(const struct host *host);

/* Sends a request now, or when the link is up. */
struct host_call *host_call(struct host *host, const struct host_order *order);

#endif
