/* SPDX-License-Identifier: ISC */
/*
 * Repeated requests (idempotency). A request with a used key is answered like the first request
 * with that key, with "repeated": true. It fails if it differs from the first one, or if the effect
 * of the first one is unknown.
 *
 * Dispatch checks the key and stores it before the handler runs. But a handler with
 * METHOD_COUNTS_KEYS does both itself, and if the row has begun(), the handler's source stores the
 * key together with the effect.
 */
#pragma once

#include "daemon/queue/once.h"
#include "daemon/server/method.h"

/*
 * Finds the earlier request with a key. Returns false if there is none, or if key is NULL. After
 * true, the caller must call once_earlier_finish(ret_earlier). space: see struct once.
 */
bool repeat_find(
    struct request *request, const char *space, const char *key, struct once_earlier *ret_earlier);

/* Can be begun() of a row: answers a repeated request with the id of the object and a message. */
void repeat_answer_id(struct request *request, const void *args, const char *id);

/* Returns the checksum of parameters without "key", in any order. Returns 0 without a key. */
uint64_t repeat_content(const struct json *params);

/* Writes the members of a stored result (json) as the result of the request. */
void repeat_write_members(struct request *request, const char *json, size_t len);

/*
 * Returns true if the handler may run: it is the first request with its key, or there is no key to
 * check here. Otherwise answers the request, now or later.
 */
bool repeat_admit(struct request *request, const void *args);
