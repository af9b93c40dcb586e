/* SPDX-License-Identifier: ISC */
/*
 * The connection to NATS, on the event loop: publishing, requests with a reply, subscriptions.
 * libnats reads and writes through its adapter for libevent; broker_turn() hands on what came.
 * After a loss the broker connects again by itself, slowly where the account is wrong.
 */
#pragma once

#include "base/base.h"

#define BROKER_CONNECT_MS 2000 /* the longest try; the loop waits for it */
#define BROKER_REFUSED_MS 60000 /* between tries when NATS refuses the account */
#define BROKER_LISTENERS_MAX 16
#define BROKER_ASKS_MAX 4096 /* requests under way */
#define BROKER_REASON_SIZE 256

struct event_base;

struct broker_options {
	const char *url; /* servers, with commas between them */
	const char *creds; /* files; NULL: none */
	const char *user;
	const char *password_file;
	const char *token_file;
	const char *tls_ca;
	const char *tls_cert;
	const char *tls_key;
	const char *js_domain;
	const char *name; /* of the connection */
};

struct broker_handlers {
	void (*up)(void *data);
	void (*down)(void *data, const char *reason); /* also for each try that failed */
	void (*unheard)(void *data); /* a request got no reply, or nothing listens to it */
	void *data;
};

/* A message, lent. */
struct broker_message {
	const char *subject;
	const char *reply; /* NULL: none */
	const char *payload; /* not ended by a NUL */
	size_t len;
	const char *status; /* of a message of NATS itself, such as "503"; NULL: none */
	const char *description;
};

typedef void broker_message_fn(void *data, const struct broker_message *message);
/*
 * Takes the reply to a request; NULL with a reason if there is none: the time is up, nothing
 * listens, or the connection is lost. Called once.
 */
typedef void broker_reply_fn(void *data, const struct broker_message *reply, const char *reason);

/* NULL with a reason if the options cannot be used. */
struct broker *broker_new(struct event_base *base, const struct broker_options *options,
    const struct broker_handlers *handlers, char *ret_reason, size_t size);
void broker_free(struct broker *broker); /* NULL is allowed; sends what is left */
void broker_start(struct broker *broker);
bool broker_is_up(const struct broker *broker);
/* After each turn of the event loop. */
void broker_turn(struct broker *broker);

/* Subscribes now and after each reconnection. group NULL: every listener gets each message. */
void broker_listen(struct broker *broker, const char *subject, const char *group,
    broker_message_fn *take, void *data);

struct broker_header {
	const char *name; /* NULL: none */
	const char *value;
};

/* False if the connection is down or the payload is larger than NATS takes. */
bool broker_publish(
    struct broker *broker, const char *subject, const char *reply, const void *payload, size_t len);
bool broker_ask(struct broker *broker, const char *subject, const struct broker_header *header,
    const void *payload, size_t len, int64_t timeout_ms, broker_reply_fn *reply, void *data);
/* A request to JetStream: verb is the subject behind "$JS.API.". */
bool broker_ask_js(struct broker *broker, const char *verb, const char *payload, int64_t timeout_ms,
    broker_reply_fn *reply, void *data);
/* A subject that no other program knows, for broker_listen(). */
void broker_new_inbox(char *ret_subject, size_t size);
/* Has a message of JetStream sent to a subject of ours: a request whose replies are more than one. */
bool broker_request(
    struct broker *broker, const char *verb, const char *reply, const char *payload);
/* The largest payload; 0: the connection is down. */
size_t broker_payload_max(const struct broker *broker);

/* Error codes of JetStream. */
#define JS_ERROR_NAME_IN_USE 10058 /* a stream with this name and another configuration */
#define JS_ERROR_NO_STREAM 10059

struct js_reply {
	bool is_error;
	int64_t err_code; /* 0: none was given */
	int64_t seq; /* of a message that was stored */
	char text[BROKER_REASON_SIZE]; /* of the error */
};

/* Reads what a broker_reply_fn gets. */
void js_reply_read(struct js_reply *out, const struct broker_message *reply, const char *reason);
