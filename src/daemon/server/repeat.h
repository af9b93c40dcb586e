/* SPDX-License-Identifier: ISC */
/*
 * Repeated requests: a request whose key was used is not done again, but answered as the first
 * one was, with "repeated": true; another request with a used key fails. Dispatch asks before the
 * handler runs, and keeps the key, unless the row has begun(): then the handler's source keeps it
 * in one transaction with the effect.
 */
#pragma once

#include "daemon/queue/once.h"
#include "daemon/server/method.h"

/*
 * The request that was kept under a key (NULL: none) in a space (once.h); false if the key is new.
 * once_earlier_finish() frees *ret_earlier.
 */
bool repeat_find(
    struct request *request, const char *space, const char *key, struct once_earlier *ret_earlier);

/* The last resort of begun() in a row: nothing is left that has the id. args is not read. */
void repeat_answer_id(struct request *request, const void *args, const char *id);

/* The checksum of parameters, without the key; their order does not count. */
uint64_t repeat_content(const struct json *params);

/* Writes the members of a JSON object into the result of a request. */
void repeat_write_members(struct request *request, const char *json, size_t len);

/*
 * Whether a request whose arguments were read is to be handled: the first one with its key.
 * False: it is answered, or will be with the first one.
 */
bool repeat_admit(struct request *request, const void *args);
