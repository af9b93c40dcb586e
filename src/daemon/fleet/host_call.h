/* SPDX-License-Identifier: ISC */
/*
 * Calls of a host: those that were sent, and those that wait for its link. A call is answered
 * once, by the response or by an error made here.
 */
#ifndef DAEMON_FLEET_HOST_CALL_H
#define DAEMON_FLEET_HOST_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_base;
struct host_call;
struct host_calls;
struct json;
struct json_reader;

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
	 * Called once, never from host_call(). message has an object as its result or error: the
	 * response, or an error made here: timeout, limit, gone (the link was cut after the
	 * request, whose effect is unknown), not_ready (the host was not reached), or internal (its
	 * response has neither). Lent.
	 */
	void (*done)(void *data, const struct json *message);
	void *data;
};

/* done is not called. A wait that was sent is cancelled there; another request is not taken back. */
void host_call_cancel(struct host_call *call);

/* For host.c. */

struct host_calls_parts {
	struct event_base *base;
	struct json_reader *reader;
	const char *label; /* of the host; lent */
	int64_t answer_ms; /* for a call that does not wait */
	/* Whether the link takes lines; false: it ends, and calls wait for the next one. */
	bool (*is_open)(void *data);
	/* Sends a line with its end; false: the link is not open, or has no room. */
	bool (*send)(void *data, const void *line, size_t len);
	void (*late)(void *data); /* a call that was sent had no answer at its deadline */
	/* A call that does not wait had no answer in time. */
	void (*silent)(void *data, const char *reason);
	void *data;
};

struct host_calls *host_calls_new(const struct host_calls_parts *parts);
void host_calls_free(struct host_calls *calls); /* calls no done; NULL is accepted */

/* Adds a call, and sends it if is_up. */
struct host_call *host_calls_add(
    struct host_calls *calls, const struct host_order *order, bool is_up);
/* The link is up: sends all that wait. */
void host_calls_send(struct host_calls *calls);
/* A response has come. */
void host_calls_take(struct host_calls *calls, const struct json *message);
/* The link has ended, or an attempt to make it, for which urgent calls waited. */
void host_calls_lost(struct host_calls *calls, const char *reason, bool is_attempt);
/* The host is removed: fails all, now. */
void host_calls_end(struct host_calls *calls);

#endif
