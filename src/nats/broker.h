/* SPDX-License-Identifier: ISC */
/*
 * The connection to NATS on the event loop: publishing, requests with a reply, subscriptions. A
 * lost connection is made again; if NATS refuses the account, after BROKER_REFUSED_MS.
 */
#pragma once

#include "base/base.h"

#define BROKER_CONNECT_MS 2000 /* timeout of an attempt at a server; it blocks the event loop */
#define BROKER_REFUSED_MS 60000 /* between attempts while NATS refuses the account */
#define BROKER_LISTENERS_MAX 16 /* maximum number of calls of broker_listen() */
#define BROKER_ASKS_MAX 4096 /* open requests */
#define BROKER_REASON_SIZE 256

struct event_base;

struct broker_options {
	const char *url; /* servers, separated by commas */
	const char *creds; /* credentials file; NULL: none. This holds for the next line too. */
	const char *user, *password_file, *token_file, *tls_ca, *tls_cert, *tls_key, *js_domain;
	const char *name; /* of this connection, for operators of NATS */
};

struct broker_handlers {
	void (*up)(void *data);
	void (*down)(void *data, const char *reason); /* lost, or an attempt has failed */
	void (*unheard)(void *data); /* a request timed out, or no program listens to its subject */
	void *data;
};

/* A received message; its members are valid until the callback returns. */
struct broker_message {
	const char *subject;
	const char *reply; /* subject for the reply; NULL if none */
	const char *payload; /* len bytes, not NUL-terminated */
	size_t len;
	const char *status; /* "503" and the like in a message from NATS itself; else NULL */
	const char *description;
};

typedef void broker_message_fn(void *data, const struct broker_message *message);
/* Takes the reply to a request. If none came, reply is NULL and reason says why. */
typedef void broker_reply_fn(void *data, const struct broker_message *reply, const char *reason);

/* Returns NULL with a reason if the options are not valid, or a file of theirs cannot be read. */
struct broker *broker_new(struct event_base *base, const struct broker_options *options,
    const struct broker_handlers *handlers, char *ret_reason, size_t size);
void broker_free(struct broker *broker); /* sends queued data; broker may be NULL */
void broker_start(struct broker *broker);
bool broker_is_up(const struct broker *broker);
/* Handles received messages, and a lost connection. Call this after each turn of the loop. */
void broker_turn(struct broker *broker);

/*
 * Subscribes now and after each reconnection, and calls take() for each message. Of the programs
 * that listen with the same group, one gets a message. group NULL: this program gets all.
 */
void broker_listen(struct broker *broker, const char *subject, const char *group,
    broker_message_fn *take, void *data);

struct broker_header {
	const char *name, *value;
};

/*
 * broker_publish() publishes a message; reply is the subject for replies, or NULL. broker_ask()
 * sends a request; header may be NULL. reply() is called once, unless the broker is freed first.
 * Both return false if nothing can be sent, such as while the connection is down; broker_ask() also
 * if BROKER_ASKS_MAX requests are open. If it returns false, reply() is not called.
 */
bool broker_publish(
    struct broker *broker, const char *subject, const char *reply, const void *payload, size_t len);
bool broker_ask(struct broker *broker, const char *subject, const struct broker_header *header,
    const void *payload, size_t len, int64_t timeout_ms, broker_reply_fn *reply, void *data);
/* Sends a request to JetStream. verb is the subject without its prefix, such as "$JS.API.". */
bool broker_ask_js(struct broker *broker, const char *verb, const char *payload, int64_t timeout_ms,
    broker_reply_fn *reply, void *data);
/* Makes a unique subject, as for broker_listen(); "_INBOX.0" if memory runs out. */
void broker_new_inbox(char *ret_subject, size_t size);
/* Sends a request to JetStream whose replies, possibly many, arrive at the subject `reply`. */
bool broker_request(
    struct broker *broker, const char *verb, const char *reply, const char *payload);
/* Returns the largest payload in bytes, or 0 while the connection is down. */
size_t broker_payload_max(const struct broker *broker);

/* Error codes of JetStream. */
#define JS_ERROR_NAME_IN_USE 10058 /* a stream of this name has another configuration */
#define JS_ERROR_NO_STREAM 10059

struct js_reply {
	bool is_error;
	int64_t err_code; /* 0 if absent */
	int64_t seq; /* number of the stored message; 0 if absent */
	char text[BROKER_REASON_SIZE]; /* the error */
};

/* Parses the arguments of a broker_reply_fn. */
void js_reply_read(struct js_reply *out, const struct broker_message *reply, const char *reason);
