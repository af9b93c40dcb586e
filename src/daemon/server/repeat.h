/* SPDX-License-Identifier: ISC */
/*
 * Repeated requests: a request whose key was used is not done again, but answered as the first
 * one was, with "repeated": true. A handler asks before it does anything.
 */
#ifndef DAEMON_SERVER_REPEAT_H
#define DAEMON_SERVER_REPEAT_H

#include "daemon/queue/once.h"

struct json;
struct request;

enum repeat {
	REPEAT_NEW, /* no key, or a new one: request_once() goes to the source */
	REPEAT_ANSWERED, /* with the first one's result; the request is freed */
	REPEAT_BEGUN, /* done, but its result is not known: answer from what has its id */
};

/* method: under whose name the key is kept; of aliases the same. key may be NULL. */
enum repeat repeat_check(struct request *request, const char *method, const char *key,
    char ret_id[NOTIFICATION_ID_SIZE]);

/* The same without an answer: false if the key is new. once_earlier_finish() frees *ret_earlier. */
bool repeat_find(
    struct request *request, const char *method, const char *key, struct once_earlier *ret_earlier);

/* The last resort for REPEAT_BEGUN: nothing is left that has the id. */
void repeat_answer_id(struct request *request, const char *id);

/* The checksum of parameters, without the key; their order does not count. */
uint64_t repeat_content(const struct json *params);

/* Writes the members of a JSON object into the result of a request. */
void repeat_write_members(struct request *request, const char *json, size_t len);

/* The row of the parameter, and those of the result. */
#define REPEAT_FIELD(struct_)                                                                  \
	{                                                                                      \
		.name = "key", .type = FIELD_STRING, .flags = FIELD_RARE,                      \
		.offset = offsetof(struct_, key), .min = 1, .max = NOTIFICATION_KEY_MAX,       \
		.help = "Done once: asked again with this key within 24 hours, the answer is " \
			"that of the first request."                                           \
	}
#define REPEAT_RESULTS                                                                        \
	{"repeated", "boolean", "true: this key was used, and nothing more was done"},        \
	{                                                                                     \
		"differs", "boolean", "with repeated: the first request had other parameters" \
	}

#endif
