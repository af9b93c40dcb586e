/* SPDX-License-Identifier: ISC */
/*
 * The grant: which methods a request from NATS may name. The effects of methods come from the
 * daemon's own describe; a method without a known effect is refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "wire/json.h"

#define GRANT_PRESET "reads,sees"

struct grant;

/*
 * allowed: effects, methods, and patterns of methods such as "list_*", with commas between them.
 * NULL with a reason for a word that can be none of these.
 */
struct grant *grant_new(const char *allowed, char *ret_reason, size_t size);
void grant_free(struct grant *grant); /* NULL is allowed */

/* Takes the "methods" of describe. */
void grant_learn(struct grant *grant, const struct json *methods);
bool grant_is_ready(const struct grant *grant);

enum grant_answer {
	GRANT_ALLOWED,
	GRANT_REFUSED,
	GRANT_UNKNOWN, /* the daemon has no such method */
};

/* Fills ret_reason unless the method is allowed. */
enum grant_answer grant_check(
    const struct grant *grant, const char *method, char *ret_reason, size_t size);
