/* SPDX-License-Identifier: ISC */
/*
 * Repeated requests: a request with a used key is answered like the first one, with "repeated":
 * true; a different request with a used key fails. Dispatch checks before the handler runs, and
 * stores the key. If the row has begun(), the handler's source stores the key with the effect.
 */
#pragma once

#include "daemon/queue/once.h"
#include "daemon/server/method.h"

/*
 * Finds the earlier request with a key (NULL: none) in a space (once.h). Returns false if the key
 * is new. once_earlier_finish() frees *ret_earlier.
 */
bool repeat_find(
    struct request *request, const char *space, const char *key, struct once_earlier *ret_earlier);

/* For begun() of a row: answers a repeated request whose object no longer exists. */
void repeat_answer_id(struct request *request, const void *args, const char *id);

/* Returns the checksum of parameters, without the key; their order is ignored. */
uint64_t repeat_content(const struct json *params);

void repeat_write_members(struct request *request, const char *json, size_t len);

/*
 * Returns true if a request should be handled, as the first one with its key. If not, it is
 * answered, now or together with the first one.
 */
bool repeat_admit(struct request *request, const void *args);
