/* SPDX-License-Identifier: ISC */
/*
 * Stores messages in a stream of JetStream. A message is sent again with the same id until it is
 * acknowledged; for a time, the stream drops a repeated id. Before adding a message, check
 * publisher_has_room(), and pause until room().
 */
#pragma once

#include "nats/broker.h"

#define PUBLISHER_WINDOW 2048 /* messages waiting to be stored at which the window is full */
#define PUBLISHER_WINDOW_BYTES ((size_t)8 * 1024 * 1024) /* the same in bytes */
#define PUBLISHER_ID_SIZE 80 /* bytes of a message id with its NUL */

enum publisher_kind { PUBLISHER_EVENT, PUBLISHER_NOTIFICATION, PUBLISHER_KIND_COUNT_ };

struct publisher_handlers {
	/* All messages of the kind up to this number are stored. */
	void (*stored)(void *data, enum publisher_kind kind, uint64_t seq);
	void (*room)(void *data); /* the window was full, and has room again */
	/* Returns a payload cut to what NATS takes now, lent until the next call; empty: failed. */
	const struct buf *(*cut)(void *data, const void *payload, size_t len);
	void *data;
};

struct publisher_message {
	enum publisher_kind kind;
	uint64_t seq;
	const char *subject;
	const char *id; /* Nats-Msg-Id */
	const void *payload;
	size_t len;
};

struct publisher *publisher_new(
    struct event_base *base, struct broker *broker, const struct publisher_handlers *handlers);
void publisher_free(struct publisher *publisher); /* NULL is allowed */

bool publisher_has_room(const struct publisher *publisher);
/* Copies the message. The numbers of a kind must ascend. */
void publisher_add(struct publisher *publisher, const struct publisher_message *message);

/* Starts or stops sending. Messages are kept while stopped. */
void publisher_run(struct publisher *publisher, bool is_running);

struct publisher_status {
	uint64_t stored; /* messages since the start */
	uint64_t refused; /* attempts that failed */
	size_t waiting, bytes;
	const char *reason; /* why nothing is stored now; NULL if all is well */
};
void publisher_status(const struct publisher *publisher, struct publisher_status *out);
