/* SPDX-License-Identifier: ISC */
/*
 * Repeated requests: a request with a used key is answered like the first one, with "repeated":
 * true; a different request with a used key fails. Dispatch checks before the handler runs, and
 * stores the key. If the row has begun(), the handler's source stores the key with the effect.
 */
#pragma once

#include "daemon/queue/once.h"
#include "daemon/server/method.h"

/* Returns false if the key is new, or NULL. once_earlier_finish() frees *ret_earlier. */
bool repeat_find(
    struct request *request, const char *space, const char *key, struct once_earlier *ret_earlier);

/* For begun() of a row: answers a repeated request whose object no longer exists. */
void repeat_answer_id(struct request *request, const void *args, const char *id);

/* Returns the checksum of parameters, without the key; their order is ignored. */
uint64_t repeat_content(const struct json *params);

void repeat_write_members(struct request *request, const char *json, size_t len);

/* Returns true for the first request with its key; others are answered, perhaps later. */
bool repeat_admit(struct request *request, const void *args);
