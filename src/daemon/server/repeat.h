/* SPDX-License-Identifier: ISC */
/*
 * Repeated requests (idempotency): a request with a key that was used is answered like the first
 * one, with "repeated": true; a different request with this key fails. Dispatch checks the key
 * before the handler runs, and stores it. If the row has begun(), the handler's source stores the
 * key together with the effect.
 */
#pragma once

#include "daemon/queue/once.h"
#include "daemon/server/method.h"

/*
 * Finds the earlier request with a key. Returns false if the key is new, or NULL; otherwise the
 * caller calls once_earlier_finish(ret_earlier). space: see struct once.
 */
bool repeat_find(
    struct request *request, const char *space, const char *key, struct once_earlier *ret_earlier);

/* Can be begun() of a row: answers a repeated request whose object does not exist any more. */
void repeat_answer_id(struct request *request, const void *args, const char *id);

/* Returns the checksum of parameters without the key; their order does not count. 0: no key. */
uint64_t repeat_content(const struct json *params);

/* Writes the members of a stored result (json) as the result of the request. */
void repeat_write_members(struct request *request, const char *json, size_t len);

/*
 * Returns true if the handler may run: for the first request with its key, or if there is no key to
 * look for here. A repeated request is answered, perhaps later; another one with this key fails.
 */
bool repeat_admit(struct request *request, const void *args);
