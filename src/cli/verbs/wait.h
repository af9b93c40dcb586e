/* SPDX-License-Identifier: ISC */
/* Parses the words of muxbus wait as conditions of wait_for. */
#pragma once

#include "wire/json.h"

/*
 * Appends conditions as a JSON array. kinds, the member "conditions" of describe, defines the
 * words. A word is KIND=value, KIND:=JSON, or a member of the condition before it. Names may omit
 * "_sec". A pane= before the first condition applies to the conditions that need a pane and have
 * none. Returns 0, or -1 with a reason for people.
 */
int wait_conditions(struct buf *out, const struct json *kinds, size_t count,
    const char *const *words, char *ret_reason, size_t size);
