/* SPDX-License-Identifier: ISC */
/*
 * Repeated requests: a request whose key was used is not done again, but answered as the first
 * one was, with "repeated": true. A handler whose source keeps the key in one transaction with
 * its effect has the parameter in its table, and asks before it does anything. For all other
 * methods that change something dispatch asks, and keeps the key before the handler runs.
 */
#ifndef DAEMON_SERVER_REPEAT_H
#define DAEMON_SERVER_REPEAT_H

#include "daemon/queue/once.h"
#include "daemon/server/repeat_field.h"

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

/*
 * Whether a request whose arguments were read is to be handled: the first one with its key.
 * False: it is answered, or will be with the first one.
 */
bool repeat_admit(struct request *request, const void *args);

#endif
