/* SPDX-License-Identifier: ISC */
/*
 * The publisher: messages on their way into the stream. A message waits until JetStream has
 * acknowledged it, and is sent again with the same id until then; the stream stores an id once.
 * The window is bounded: who adds messages asks publisher_has_room() first, and stops until room().
 */
#pragma once

#include "nats/broker.h"

#define PUBLISHER_WINDOW 2048 /* messages */
#define PUBLISHER_WINDOW_BYTES ((size_t)8 * 1024 * 1024)
#define PUBLISHER_ID_SIZE 80

enum publisher_kind { PUBLISHER_EVENT, PUBLISHER_NOTIFICATION, PUBLISHER_KIND_COUNT_ };

struct publisher_handlers {
	/* JetStream has all messages of the kind up to this number. */
	void (*stored)(void *data, enum publisher_kind kind, uint64_t seq);
	void (*room)(void *data); /* there was none, and is again */
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
/* Copies. Numbers of a kind ascend. */
void publisher_add(struct publisher *publisher, const struct publisher_message *message);

/* Sends what waits from now on, or no more. */
void publisher_run(struct publisher *publisher, bool is_running);

struct publisher_status {
	uint64_t stored; /* messages, since the start */
	uint64_t refused; /* tries that JetStream did not take */
	size_t waiting;
	size_t bytes;
	const char *reason; /* why nothing is stored now; NULL: nothing is wrong */
};
void publisher_status(const struct publisher *publisher, struct publisher_status *out);
