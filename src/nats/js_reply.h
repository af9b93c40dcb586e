/* SPDX-License-Identifier: ISC */
/* A reply of JetStream's API: an error, or the number of a stored message. */
#ifndef NATS_JS_REPLY_H
#define NATS_JS_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "nats/broker.h"

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

#endif
